/* bad_data.c - a model that cannot do without its data. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x", NULL};

const char *read_data(const ckam_data *data) {
    size_t        count;
    const double *y = data->numbers(data, "y", &count);
    if (!y) return "there is no list y";
    return count == 3 ? NULL : "y must have 3 numbers\nas the survey has";
}

double log_density(const double *x) { return -0.5 * x[0] * x[0]; }
