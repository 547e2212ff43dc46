/* params.c - see params.h. */
#include "target/params.h"

#include "base/box.h"
#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- One declaration ----------------------------------------------------------------------------------------------- */

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define DIGITS  "0123456789"

static const char blanks[] = " \t\v\f";

/* Characters from `begin` to before `end`. What follows them is no letter and no digit. */
typedef struct piece {
    const char *begin, *end;
} piece;

/* Where reading is: the declaration, the text behind it, and what messages need. */
typedef struct reader {
    piece       now;
    const char *text; /* all of it */
    const char *next; /* NULL: that was the last one */
    const char *where;
    ckam_error *error;
} reader;

typedef struct declaration {
    piece  name;
    size_t length;       /* 0: not a vector */
    double lower, upper; /* NaN where none is given */
} declaration;

static size_t line_number(const reader *r) {
    size_t line = 1;
    for (const char *c = r->text; c < r->now.begin; c++) line += *c == '\n';
    return line;
}

static ckam_status refuse(const reader *r, const char *what) {
    char line[32] = "";
    int  length = (int)strcspn(r->now.begin, "\r\n");
    if (length > r->now.end - r->now.begin) length = (int)(r->now.end - r->now.begin);
    if (strchr(r->text, '\n')) snprintf(line, sizeof line, ":%zu", line_number(r));
    return fail_with(r->error, CKAM_ERROR_OPTION, "%.60s%s: '%.*s': %s", r->where, line, length < 40 ? length : 40,
                     r->now.begin, what);
}

static ckam_status no_memory(ckam_error *error) {
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the parameters");
}

static piece trimmed(const char *begin, const char *end) {
    while (begin < end && strchr(blanks, *begin)) begin++;
    while (begin < end && strchr(blanks, end[-1])) end--;
    return (piece){begin, end};
}

static bool is_number(piece p, double *number) { return number_scan(p.begin, p.end, number) == p.end; }

/* A number that is too large to be one was hardly meant as infinity. */
static bool is_bound(piece p, double *number) {
    return is_number(p, number) && !isnan(*number) && (!isinf(*number) || strchr("fF", p.end[-1]));
}

/* Whether there is a number strictly between. */
static bool is_room(double lower, double upper) { return lower < upper && nextafter(lower, upper) < upper; }

/* "[8]", up to the end. */
static ckam_status read_length(const reader *r, piece text, declaration *d) {
    piece  inside = text.end[-1] == ']' ? trimmed(text.begin + 1, text.end - 1) : (piece){text.end, text.end};
    size_t digits = strspn(inside.begin, DIGITS);
    for (size_t i = 0; i < digits && d->length <= PARAMS_MOST; i++)
        d->length = 10 * d->length + (size_t)(inside.begin[i] - '0');
    if (inside.begin + digits != inside.end || !d->length || d->length > PARAMS_MOST)
        return refuse(r, "the length of a vector is a whole number from 1 to 1000000, as in theta[8]");
    return CKAM_OK;
}

static ckam_status read_name(const reader *r, piece text, declaration *d) {
    double number;
    size_t length = strspn(text.begin, LETTERS DIGITS);
    piece  rest = trimmed(text.begin + length, text.end);
    bool   vector = rest.begin < rest.end && *rest.begin == '[';
    d->name = (piece){text.begin, text.begin + length};
    if (!length || strspn(text.begin, DIGITS) || (rest.begin < rest.end && !vector))
        return refuse(r,
                      "a name has letters, digits and _, and begins with no digit; commas stand between names, and a "
                      "vector is written theta[8]");
    if (is_number(d->name, &number)) return refuse(r, "this is a number, and cannot be a name");
    if (length > 1 && !strncmp(d->name.end - 2, "__", 2))
        return refuse(r, "names that end in __ are those of the sampler's own columns");
    return vector ? read_length(r, rest, d) : CKAM_OK;
}

/* A name in a file of bounds may be that of one number of a vector. It is looked up, so it needs no rules. */
static ckam_status read_known(const reader *r, piece text, declaration *d) {
    size_t length = strspn(text.begin, LETTERS DIGITS ".");
    d->name = text;
    if (length && text.begin + length == text.end) return CKAM_OK;
    return refuse(r, "this needs a parameter and its bounds, as in x > 0; theta is all of a vector, theta.3 its third");
}

/* Takes the declaration apart at < and >; what is left goes to `name`. */
static ckam_status read_declaration(const reader *r, declaration *d,
                                    ckam_status name(const reader *, piece, declaration *)) {
    piece       parts[3];
    char        signs[2] = "";
    size_t      count = 0;
    double      number = 0.0;
    const char *begin = r->now.begin, *end = r->now.end;
    *d = (declaration){.lower = (double)NAN, .upper = (double)NAN};
    if (memchr(begin, '=', (size_t)(end - begin))) return refuse(r, "a bound is written with < or >, and without =");
    for (const char *c = begin;; c++) {
        if (c < end && *c != '<' && *c != '>') continue;
        parts[count] = trimmed(begin, c);
        if (c == end) break;
        if (count == 2) return refuse(r, "there are two bounds at most, as in 0 < x < 1");
        signs[count++] = *c;
        begin = c + 1;
    }
    if (count == 2 && (signs[0] != signs[1] || is_number(parts[1], &number)))
        return refuse(r, "two bounds are written as in 0 < x < 1");
    size_t      at = count == 2 || (count == 1 && is_number(parts[0], &number)); /* where the name is */
    ckam_status status = name(r, parts[at], d);
    for (size_t i = 0; i <= count && !status; i++) {
        if (i == at) continue;
        if (!is_bound(parts[i], &number)) return refuse(r, "a bound is a number, as in x > 0 or 0 < x < 1");
        *((signs[0] == '<') == (i < at) ? &d->lower : &d->upper) = number;
    }
    return status;
}

/* -- Texts of declarations ----------------------------------------------------------------------------------------- */

/* Goes to the next declaration. A line may be empty, or end in a comma; but two commas have something between them. */
static ckam_status advance(reader *r, bool *there) {
    *there = false;
    while (r->next && !*there) {
        const char *begin = r->next, *end = begin + strcspn(begin, ",#\r\n"), *stop = end;
        r->now = trimmed(begin, end);
        if (*stop == '#') stop += strcspn(stop, "\r\n");
        r->next = *stop ? stop + 1 : NULL;
        *there = r->now.begin < r->now.end;
        if (!*there && *stop == ',') return refuse(r, "there is nothing before a comma");
    }
    return CKAM_OK;
}

static double or_else(double given, double otherwise) { return isnan(given) ? otherwise : given; }

/* Room for `more`; at least twice as much as there was. */
static bool grow(params *p, size_t *room, size_t more) {
    if (p->count + more <= *room) return true;
    size_t wanted = 2 * *room + more;
    param *larger = realloc(p->at, wanted * sizeof *larger);
    if (!larger) return false;
    p->at = larger;
    *room = wanted;
    return true;
}

static ckam_status append(params *p, size_t *room, const reader *r, bool bounds) {
    declaration d;
    ckam_status status = read_declaration(r, &d, read_name);
    if (status) return status;
    if (!bounds && !(isnan(d.lower) && isnan(d.upper))) return refuse(r, "this is computed, and cannot have bounds");
    double lower = or_else(d.lower, -HUGE_VAL), upper = or_else(d.upper, HUGE_VAL);
    size_t count = d.length ? d.length : 1;
    if (!is_room(lower, upper)) return refuse(r, "there is no number between these bounds");
    if (p->count + count > PARAMS_MOST) return refuse(r, "with this one there are more than 1000000 numbers");
    if (!grow(p, room, count)) return no_memory(r->error);
    for (size_t k = 0; k < count; k++) {
        int    length = (int)(d.name.end - d.name.begin);
        size_t size = (size_t)length + sizeof ".1000000";
        char  *text = malloc(size);
        if (!text) return no_memory(r->error);
        int written = snprintf(text, size, "%.*s", length, d.name.begin);
        if (d.length) snprintf(text + written, size - (size_t)written, ".%zu", k + 1);
        p->at[p->count++] = (param){text, lower, upper};
    }
    return CKAM_OK;
}

/* -- Names in order ------------------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b) {
    const param *const *one = a, *const *other = b;
    return strcmp((*one)->name, (*other)->name);
}

/* The parameters sorted by their names; NULL: no memory. */
static param **by_name(const params *p) {
    param **order = malloc((p->count + 1) * sizeof(param *));
    for (size_t k = 0; order && k < p->count; k++) order[k] = &p->at[k];
    if (order) qsort(order, p->count, sizeof(param *), compare);
    return order;
}

/* x twice, or x and x[3]: there "x" comes right before "x.1", for names have nothing that comes before the point. */
static ckam_status check_names(const params *p, const char *where, ckam_error *error) {
    ckam_status status = CKAM_OK;
    param     **order = by_name(p);
    if (!order) return no_memory(error);
    for (size_t k = 1; k < p->count && !status; k++) {
        const char *a = order[k - 1]->name, *b = order[k]->name;
        size_t      length = strlen(a), shown = strcspn(a, ".");
        bool        twice = !strcmp(a, b) || (!strncmp(a, b, length) && b[length] == '.');
        if (twice)
            status = fail_with(error, CKAM_ERROR_OPTION,
                               "%.60s: the name '%.*s' stands there twice; each needs its own (two bounds of one are "
                               "written 0 < x < 1)",
                               where, shown < 40 ? (int)shown : 40, a);
    }
    free(order);
    return status;
}

ckam_status params_apart(const params *a, const params *b, const char *where, ckam_error *error) {
    params both = {.count = a->count + b->count, .at = malloc((a->count + b->count + 1) * sizeof(param))};
    if (!both.at) return no_memory(error);
    for (size_t k = 0; k < both.count; k++) both.at[k] = k < a->count ? a->at[k] : b->at[k - a->count];
    ckam_status status = check_names(&both, where, error);
    free(both.at); /* the names are theirs */
    return status;
}

/* The end of reading: all of it, or nothing. */
static ckam_status finish(params *p, ckam_status status, const char *where, bool bounds, ckam_error *error) {
    if (!status) status = check_names(p, where, error);
    if (!status && bounds && !p->count)
        status = fail_with(error, CKAM_ERROR_OPTION, "%.60s: there is no parameter; one is written as in 'mu, tau > 0'",
                           where);
    if (status) params_free(p);
    return status;
}

ckam_status params_read(params *p, const char *text, const char *where, bool bounds, ckam_error *error) {
    reader      r = {.text = text, .next = text, .where = where, .error = error};
    size_t      room = 0;
    bool        there;
    ckam_status status;
    *p = (params){0};
    while (!(status = advance(&r, &there)) && there && !(status = append(p, &room, &r, bounds))) continue;
    return finish(p, status, where, bounds, error);
}

ckam_status params_list(params *p, const char *const *declarations, const char *where, bool bounds, ckam_error *error) {
    size_t      room = 0;
    ckam_status status = CKAM_OK;
    *p = (params){0};
    for (; *declarations && !status; declarations++) {
        piece  whole = {*declarations, *declarations + strlen(*declarations)};
        reader r = {.now = whole, .text = *declarations, .where = where, .error = error};
        status = append(p, &room, &r, bounds);
    }
    return finish(p, status, where, bounds, error);
}

void params_free(params *p) {
    for (size_t k = 0; k < p->count; k++) free(p->at[k].name);
    free(p->at);
    *p = (params){0};
}

ckam_status params_copy(params *p, const params *from, ckam_error *error) {
    *p = (params){.at = malloc((from->count + 1) * sizeof *p->at)};
    if (!p->at) return no_memory(error);
    for (const param *next = from->at; p->count < from->count; next++) {
        char *name = strdup(next->name);
        if (!name) {
            params_free(p);
            return no_memory(error);
        }
        p->at[p->count++] = (param){name, next->lower, next->upper};
    }
    return CKAM_OK;
}

/* -- Bounds for what is declared ----------------------------------------------------------------------------------- */

/* The bounds that are given (not NaN) take the place of those that were there. */
static bool set_bounds(param *p, double lower, double upper) {
    p->lower = or_else(lower, p->lower);
    p->upper = or_else(upper, p->upper);
    return is_room(p->lower, p->upper);
}

ckam_status params_agree(params *p, const params *declared, const char *where, const char *whose, ckam_error *error) {
    for (size_t k = 0; k < p->count && k < declared->count; k++) {
        const param *d = &declared->at[k];
        if (strcmp(p->at[k].name, d->name) != 0)
            return fail_with(
                error, CKAM_ERROR_OPTION,
                "number %zu is %.30s in %.30s and %.30s in %.30s; both must list the same names in the same "
                "order",
                k + 1, d->name, where, p->at[k].name, whose);
        if (!set_bounds(&p->at[k], isinf(d->lower) ? (double)NAN : d->lower, isinf(d->upper) ? (double)NAN : d->upper))
            return fail_with(error, CKAM_ERROR_OPTION,
                             "the bounds of %.40s in %.50s and those in %.50s have no number in common", d->name, where,
                             whose);
    }
    if (p->count == declared->count) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OPTION,
                     "there are %zu numbers in %.50s and %zu in %.50s; both must list the same names in the same order",
                     declared->count, where, p->count, whose);
}

/* The parameter of this name, or the first of the vector of this name; *count := how many they are. NULL: there is none. */
static param *find(const params *p, param **order, char *name, size_t *count) {
    size_t  length = strlen(name);
    param   wanted = {.name = name}, *key = &wanted;
    param **found = bsearch(&key, order, p->count, sizeof(param *), compare);
    *count = 1;
    if (found) return *found;
    memcpy(name + length, ".1", sizeof ".1");
    found = bsearch(&key, order, p->count, sizeof(param *), compare);
    if (!found) return NULL;
    const param *end = p->at + p->count, *last = *found + 1;
    while (last < end && !strncmp(last->name, name, length + 1)) last++;
    *count = (size_t)(last - *found);
    return *found;
}

/* What one declaration of a file of bounds says. `marks` has those that have been set. */
static ckam_status bound_one(params *p, param **order, bool *marks, const reader *r) {
    declaration d;
    ckam_status status = read_declaration(r, &d, read_known);
    if (status) return status;
    size_t length = (size_t)(d.name.end - d.name.begin), count;
    char  *name = malloc(length + sizeof ".1");
    if (!name) return no_memory(r->error);
    memcpy(name, d.name.begin, length);
    name[length] = 0;
    param *first = find(p, order, name, &count);
    free(name);
    if (!first) return refuse(r, "there is no parameter of this name");
    if (isnan(d.lower) && isnan(d.upper)) return refuse(r, "a bound is missing, as in x > 0 or 0 < x < 1");
    for (param *one = first; one < first + count; one++) {
        if (marks[one - p->at]) return refuse(r, "this has got bounds before; both are written as in 0 < x < 1");
        marks[one - p->at] = true;
        if (!set_bounds(one, d.lower, d.upper))
            return refuse(r, "there is no number between these bounds, or between one of them and one of the model");
    }
    return CKAM_OK;
}

ckam_status params_bound(params *p, const char *text, const char *where, ckam_error *error) {
    reader      r = {.text = text, .next = text, .where = where, .error = error};
    bool        there, *marks = calloc(p->count + 1, sizeof *marks);
    param     **order = by_name(p);
    ckam_status status = marks && order ? CKAM_OK : no_memory(error);
    while (!status && !(status = advance(&r, &there)) && there) status = bound_one(p, order, marks, &r);
    free(order);
    free(marks);
    return status;
}

/* -- Coordinates of bounded parameters ----------------------------------------------------------------------------- */

/* log(b - a), also where the difference is too large to be a number. */
static double log_gap(double a, double b) {
    double gap = b - a;
    return isinf(gap) ? log(b / 2 - a / 2) + log(2.0) : log(gap);
}

bool param_is_bounded(const param *p) { return p->lower > -HUGE_VAL || p->upper < HUGE_VAL; }
bool param_has_box(const param *p) { return p->lower > -HUGE_VAL && p->upper < HUGE_VAL; }

/* *x := from u, between two bounds. Returns log |dx/du|, and -HUGE_VAL outside of the box. */
static double from_box(const param *p, double u, double *x) {
    double log_slope, gap = 2.0 * box_distance(u, &log_slope) * (p->upper / 2 - p->lower / 2);
    *x = u < 0.0 ? p->lower + gap : p->upper - gap;
    return log_gap(p->lower, p->upper) + log_slope;
}

bool params_outside(const params *p, const double *u) {
    for (size_t k = 0; k < p->count; k++)
        if (param_has_box(&p->at[k]) && !(fabs(u[k]) < BOX_HALF)) return true;
    return false;
}

void params_spread(const params *p, double *u) {
    for (size_t k = 0; k < p->count; k++)
        if (param_has_box(&p->at[k]) && fabs(u[k]) < BOX_HALF)
            u[k] = box_coordinate(log((BOX_HALF + u[k]) / (BOX_HALF - u[k])));
}

double params_constrain(const params *p, const double *u, double *x) {
    double sum = 0.0;
    for (size_t k = 0; k < p->count; k++) {
        const param *a = &p->at[k];
        x[k] = u[k];
        if (!param_is_bounded(a)) continue;
        if (param_has_box(a)) {
            sum += from_box(a, u[k], &x[k]);
        } else {
            x[k] = a->lower > -HUGE_VAL ? a->lower + exp(u[k]) : a->upper - exp(u[k]);
            /* Beyond the largest number there is no density: with log |dx/du| = u it would be as high as u. */
            sum += isfinite(x[k]) ? u[k] : -HUGE_VAL;
        }
        if (x[k] <= a->lower) x[k] = nextafter(a->lower, a->upper);
        if (x[k] >= a->upper) x[k] = nextafter(a->upper, a->lower);
    }
    return sum;
}

bool params_unconstrain(const params *p, const double *x, double *u, size_t *wrong) {
    for (size_t k = 0; k < p->count; k++) {
        const param *a = &p->at[k];
        *wrong = k;
        if (!(a->lower < x[k] && x[k] < a->upper)) return false;
        if (param_has_box(a))
            u[k] = box_coordinate(log_gap(a->lower, x[k]) - log_gap(x[k], a->upper));
        else if (param_is_bounded(a))
            u[k] = a->lower > -HUGE_VAL ? log_gap(a->lower, x[k]) : log_gap(x[k], a->upper);
        else
            u[k] = x[k];
    }
    return true;
}
