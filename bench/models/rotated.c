/* rotated.c - a Gaussian with any axes: DIM dimensions, variances from 1 to CONDITION in equal ratios, the axes turned
 * by a product of DIM random reflections made from ROTATION. For bench/versions, which defines the three. */
#include <ckam/model.h>
#include <stdint.h>

#define TEXT(a)        #a
#define PARAMETER(dim) "x[" TEXT(dim) "]"

const char *const ckam_parameters[] = {PARAMETER(DIM), NULL};

static double mirror[DIM][DIM], deviation[DIM];

/* about normal: the sum of 12 uniform numbers of a linear congruential generator */
static double draw(uint64_t *state) {
    double sum = -6.0;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum;
}

const char *read_data(const ckam_data *data) {
    uint64_t state = ROTATION;
    (void)data;
    for (int i = 0; i < DIM; i++) {
        double norm = 0.0;
        for (int k = 0; k < DIM; k++) mirror[i][k] = draw(&state);
        for (int k = 0; k < DIM; k++) norm += mirror[i][k] * mirror[i][k];
        for (int k = 0; k < DIM; k++) mirror[i][k] /= sqrt(norm);
        deviation[i] = pow(CONDITION, 0.5 * i / (DIM - 1));
    }
    return NULL;
}

double log_density(const double *x) {
    double u[DIM], sum = 0.0;
    for (int k = 0; k < DIM; k++) u[k] = x[k];
    for (int i = 0; i < DIM; i++) {
        double along = 0.0;
        for (int k = 0; k < DIM; k++) along += mirror[i][k] * u[k];
        for (int k = 0; k < DIM; k++) u[k] -= 2.0 * along * mirror[i][k];
    }
    for (int k = 0; k < DIM; k++) sum -= 0.5 * u[k] / deviation[k] * u[k] / deviation[k];
    return sum;
}
