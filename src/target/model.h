/* model.h - the table that is a built-in density whose answers are known exactly.
 *
 * One file a family, one line in models.def. Everything is analytic or by quadrature to 1e-10; nothing is
 * simulated except `draw`. model.c has the loops over coordinates, so a table answers for one at a time. */
#ifndef CKAM_TARGET_MODEL_H
#define CKAM_TARGET_MODEL_H

#include "base/option.h"
#include "ckam.h"
#include "rng/rng.h"

#include <stddef.h>

typedef struct model_type {
    size_t options_size; /* what the options table does not set is 0 */
    size_t dim;          /* 0: the options begin with a uint64_t, the dimension */
    size_t cache_size;   /* numbers that prepare() computes once ... */
    size_t cache_by_dim; /* ... and how many more for each dimension */
    void (*prepare)(ckam_model *m);
    ckam_log_density *log_density;                  /* context is the ckam_model */
    double (*start)(const ckam_model *m, size_t k); /* coordinate k; NULL: the origin */
    double (*mean)(const ckam_model *m, size_t k);  /* NULL: zero */
    double (*covariance)(const ckam_model *m, size_t j, size_t k);
    double (*modes)(const ckam_model *m); /* how many; NULL: one, if mode() is there */
    /* Writes the centre of a mode and returns its weight. NULL: the modes are not isolated points. */
    double (*mode)(const ckam_model *m, size_t index, double *centre);
    void (*draw)(const ckam_model *m, rng *r, double *x);
    double (*probability)(const ckam_model *m, size_t k, double low, double high); /* low < high */
    /* That all coordinates lie in their intervals, each with low < high. NULL: not known. */
    double (*box)(const ckam_model *m, const double *low, const double *high);
} model_type;

struct ckam_model {
    const model_type *type;
    ckam_target       target; /* context points to this model */
    void             *options;
    double           *cache;
};

#define MODEL(name, summary)                                                                                           \
    extern const model_type  name##_model;                                                                             \
    extern const ckam_option name##_model_options[];
#include "target/models.def"
#undef MODEL

/* The option `dim`, which begins a model's options. */
#define MODEL_DIM(least, most, value)                                                                                  \
    {                                                                                                                  \
        .name = "dim", .help = "number of dimensions", .type = CKAM_COUNT, .low = (least), .high = (most),             \
        .initial = (value), .offset = 0                                                                                \
    }

/* An option that is a real number, named as its field of the model's options; the range comes last. */
#define MODEL_REAL(owner, field, value, text, ...) MODEL_REAL_AS(#field, owner, field, value, text, __VA_ARGS__)
#define MODEL_REAL_AS(title, owner, field, value, text, ...)                                                           \
    {                                                                                                                  \
        .name = (title), .help = (text), .type = CKAM_REAL, .initial = (value), .offset = offsetof(owner, field),      \
        __VA_ARGS__                                                                                                    \
    }

#define PI              3.14159265358979323846
#define HALF_LOG_TWO_PI 0.91893853320467274178 /* log(2 pi) / 2 */

static inline double sum_of_squares(size_t n, const double *x) {
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) sum += x[k] * x[k];
    return sum;
}

#endif
