/* expression.c - a model in C around one line that the user gave. */
#include "target/engine.h"

#include "base/error.h"
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What cannot be a variable, with any version of C and the extensions of gcc; the last two are ours. */
static const char *const reserved[] = {
    "alignas",       "alignof",       "asm",      "auto",     "bool",         "break",  "case",    "char",
    "const",         "constexpr",     "continue", "default",  "do",           "double", "else",    "enum",
    "extern",        "false",         "float",    "for",      "goto",         "if",     "inline",  "int",
    "long",          "nullptr",       "register", "restrict", "return",       "short",  "signed",  "sizeof",
    "static",        "static_assert", "struct",   "switch",   "thread_local", "true",   "typedef", "typeof",
    "typeof_unqual", "union",         "unsigned", "void",     "volatile",     "while",  "defined", "ckam_x"};

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* A variable of the expression: one parameter, or all of a vector. Begin with {0}. */
typedef struct variable {
    const char *name;
    int         length; /* of the name, without ".1" */
    size_t      first, count;
    bool        is_vector;
} variable;

/* Is parameter k number `number` of the vector? All of one have the same bounds: it is declared at once. */
static bool is_member(const params *p, size_t k, const variable *v, size_t number) {
    char         ending[32];
    const param *first = &p->at[v->first], *other = p->at + k;
    snprintf(ending, sizeof ending, ".%zu", number);
    return k < p->count && !strncmp(other->name, v->name, (size_t)v->length) &&
           !strcmp(other->name + v->length, ending) && other->lower == first->lower && other->upper == first->upper;
}

static bool next_variable(const params *p, variable *v) {
    v->first += v->count;
    v->count = 1;
    if (v->first == p->count) return false;
    v->name = p->at[v->first].name;
    v->length = (int)strcspn(v->name, ".");
    v->is_vector = is_member(p, v->first, v, 1);
    if (!v->is_vector) v->length = (int)strlen(v->name);
    while (v->is_vector && is_member(p, v->first + v->count, v, v->count + 1)) v->count++;
    return true;
}

static ckam_status check_name(const variable *v, ckam_error *error) {
    const char *name = v->name;
    bool        usable = strspn(name, letters) >= (size_t)v->length && !strchr("0123456789", *name);
    usable = usable && !(name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]))); /* the compiler's */
    for (size_t i = 0; usable && i < sizeof reserved / sizeof *reserved; i++)
        usable = strlen(reserved[i]) != (size_t)v->length || strncmp(reserved[i], name, (size_t)v->length) != 0;
    if (usable) return CKAM_OK;
    return fail_with(
        error, CKAM_ERROR_OPTION,
        "the parameter '%.*s' cannot be a variable in C, as it must for --log-density; give it another name",
        v->length < 60 ? v->length : 60, name);
}

/* As params_list() reads it back: "0 < p < 1", "theta[8] > 0". */
static void write_declaration(FILE *out, const params *p, const variable *v) {
    const param *bounds = &p->at[v->first];
    char         lower[NUMBER_TEXT + 1], upper[NUMBER_TEXT + 1];
    bool         low = isfinite(bounds->lower), high = isfinite(bounds->upper);
    number_write(bounds->lower, lower, sizeof lower);
    number_write(bounds->upper, upper, sizeof upper);
    fprintf(out, "\"%s%s%.*s", low && high ? lower : "", low && high ? " < " : "", v->length, v->name);
    if (v->is_vector) fprintf(out, "[%zu]", v->count);
    if (low && !high) fprintf(out, " > %s", lower);
    if (high) fprintf(out, " < %s", upper);
    fputs("\", ", out);
}

/* A name of a macro, like NAN or linux, is not one in the expression, which has a line of its own: so the column of a message is that
 * in what the user wrote, and a comment hides nothing behind it. */
static void write_source(FILE *out, const char *expression, const params *p) {
    fputs("#include <ckam/model.h>\nconst char *const ckam_parameters[] = {", out);
    for (variable v = {0}; next_variable(p, &v);) write_declaration(out, p, &v);
    fputs("NULL};\n", out);
    for (variable v = {0}; next_variable(p, &v);) fprintf(out, "#undef %.*s\n", v.length, v.name);
    fputs("double log_density(const double *ckam_x) {\n", out);
    for (variable v = {0}; next_variable(p, &v);)
        if (v.is_vector)
            fprintf(out, "const double *const %.*s = ckam_x + %zu; (void)%.*s; ", v.length, v.name, v.first, v.length,
                    v.name);
        else
            fprintf(out, "const double %.*s = ckam_x[%zu]; (void)%.*s; ", v.length, v.name, v.first, v.length, v.name);
    fprintf(out, "\nreturn (\n#line 1 \"--log-density\"\n%s\n);\n}\n", expression);
}

ckam_status expression_source(const char *expression, const params *p, char **text, size_t *size, ckam_error *error) {
    *text = NULL;
    if (!expression[strspn(expression, " \t")])
        return fail_with(error, CKAM_ERROR_OPTION,
                         "--log-density is empty; write an expression in C, as in '-0.5*x*x'");
    if (strpbrk(expression, "\n\r"))
        return fail_with(error, CKAM_ERROR_OPTION,
                         "--log-density has more than one line; write a model of several into a file, model.c");
    if (!p->count)
        return fail_with(error, CKAM_ERROR_OPTION, "--log-density has no parameters; name them, as in --params x,y");
    for (variable v = {0}; next_variable(p, &v);) {
        ckam_status status = check_name(&v, error);
        if (status) return status;
    }
    FILE *out = open_memstream(text, size);
    if (out) write_source(out, expression, p);
    bool good = out && !ferror(out);
    good = out && !fclose(out) && good;
    if (good) return CKAM_OK;
    free(*text);
    *text = NULL;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the model of --log-density");
}
