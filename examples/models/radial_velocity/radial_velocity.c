/* radial_velocity.c - a planet moves its star to and fro: which period do a few measured velocities allow?
 *
 *     velocity_i ~ N(v(t_i), sqrt(error_i^2 + jitter^2))    v(t) = offset + a cos(phi) + b sin(phi)
 *     phi = 2 pi t / period    log period flat    a, b, offset ~ N(0, 30)    log jitter ~ N(log 2, 0.5)
 *
 * a and b, not amplitude and phase: an angle would have modes of its own. amplitude is saved with each draw. */
#include <ckam/model.h>

enum { MOST = 1000 };

const char *const ckam_parameters[] = {"3 < period < 10", "a", "b", "offset", "jitter > 0", NULL};
const char *const ckam_derived[] = {"amplitude", NULL};

static size_t count;
static double t[MOST], velocity[MOST], error[MOST];

const char *read_data(const ckam_data *data) {
    size_t        velocities, errors;
    const double *time = data->numbers(data, "t", &count), *measured = data->numbers(data, "velocity", &velocities),
                 *uncertain = data->numbers(data, "error", &errors);
    if (!time || count == 0 || count > MOST) return "there must be 1 to 1000 times t";
    if (!measured || velocities != count) return "there must be as many numbers velocity as t";
    if (!uncertain || errors != count) return "there must be as many numbers error as t";
    for (size_t i = 0; i < count; i++) {
        if (!(uncertain[i] > 0.0)) return "each error must be greater than 0";
        t[i] = time[i];
        velocity[i] = measured[i];
        error[i] = uncertain[i];
    }
    return NULL;
}

static double square(double u) { return u * u; }

void derive(const double *x, double *out) { out[0] = hypot(x[1], x[2]); }

double log_density(const double *x) {
    const double period = x[0], a = x[1], b = x[2], offset = x[3], jitter = x[4];
    const double omega = 2.0 * acos(-1.0) / period;
    double       sum = -log(period) - 0.5 * (square(a) + square(b) + square(offset)) / square(30.0);
    sum -= log(jitter) + 0.5 * square(log(jitter / 2.0) / 0.5);
    for (size_t i = 0; i < count; i++) {
        const double variance = square(error[i]) + square(jitter);
        const double expected = offset + a * cos(omega * t[i]) + b * sin(omega * t[i]);
        sum -= 0.5 * (log(variance) + square(velocity[i] - expected) / variance);
    }
    return sum;
}
