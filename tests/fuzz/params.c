/* params.c - declarations of parameters. What is accepted means the same when it is written and read again; every point of the
 * whole line is within the bounds, and has a way back. The first byte says whether there may be bounds. */
#include "target/params.h"
#include "base/number.h"
#include "fuzz.h"
#include "target/engine.h"

/* A million names take a second under a sanitizer. Lengths that are refused take none. */
static bool is_long(const char *text) {
    while ((text = strchr(text, '['))) {
        size_t blanks = strspn(++text, " \t\v\f0"), digits = strspn(text + blanks, "0123456789");
        if (digits == 5 || digits == 6 || digits == 7) return true;
    }
    return false;
}

/* "lower < name[length] < upper", and a sign for a side that has none. */
static void write_all(const params *p, FILE *out) {
    char lower[NUMBER_TEXT + 1], upper[NUMBER_TEXT + 1];
    for (size_t k = 0; k < p->count;) {
        const param *first = &p->at[k];
        int          length = (int)strcspn(first->name, ".");
        size_t       count = 1;
        bool         vector = first->name[length];
        while (vector && k + count < p->count && !strncmp(p->at[k + count].name, first->name, (size_t)length + 1))
            count++;
        number_write(first->lower, lower, sizeof lower);
        number_write(first->upper, upper, sizeof upper);
        fprintf(out, "%s < %.*s", lower, length, first->name);
        if (vector) fprintf(out, "[%zu]", count);
        fprintf(out, " < %s\n", upper);
        k += count;
    }
}

static void write_and_read(const params *p) {
    char  *text;
    size_t size;
    params again;
    FILE  *out = open_memstream(&text, &size);
    DEMAND(out);
    write_all(p, out);
    fclose(out);
    DEMAND(!params_read(&again, text, "again", true, NULL));
    DEMAND(again.count == p->count);
    for (size_t k = 0; k < p->count; k++) {
        DEMAND(!strcmp(again.at[k].name, p->at[k].name));
        DEMAND(again.at[k].lower == p->at[k].lower && again.at[k].upper == p->at[k].upper);
    }
    params_free(&again);
    free(text);
}

static void there_and_back(const params *p) {
    static const double places[] = {-1e308, -800.0, -40.0, -1.0, 0.0, 1.0, 40.0, 800.0, 1e308};
    double             *u = calloc(3 * p->count, sizeof *u), *x = u + p->count, *back = x + p->count;
    size_t              wrong;
    DEMAND(u);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (size_t k = 0; k < p->count; k++) u[k] = places[i];
        DEMAND(!isnan(params_constrain(p, u, x)));
        for (size_t k = 0; k < p->count; k++) DEMAND(p->at[k].lower < x[k] && x[k] < p->at[k].upper);
        DEMAND(params_unconstrain(p, x, back, &wrong));
        for (size_t k = 0; k < p->count; k++) DEMAND(isfinite(back[k]));
    }
    free(u);
}

static void make_expression(const params *p) {
    char       *text;
    size_t      size;
    ckam_error  error = {.message = ""};
    ckam_status status = expression_source("0", p, &text, &size, &error);
    if (status) demand_error(status, &error);
    if (!status) DEMAND(strlen(text) == size);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    params     p;
    ckam_error error = {.message = ""};
    if (!size) return -1;
    char *text = text_of(bytes + 1, size - 1);
    bool  bounds = bytes[0] % 2 == 0;
    if (is_long(text)) {
        free(text);
        return -1;
    }
    ckam_status status = params_read(&p, text, "--params", bounds, &error);
    DEMAND(status || p.count || !bounds);
    if (status) DEMAND(!p.count && !p.at);
    if (status) demand_error(status, &error);
    if (!status && p.count) {
        write_and_read(&p);
        there_and_back(&p);
        make_expression(&p);
    }
    params_free(&p);
    free(text);
    return 0;
}
