/* make_data.c - makes data.json: cc make_data.c -lm && ./a.out > data.json
 *
 * A star is observed on seven nights, and on seven more after a gap. How often the planet went round in between, nobody
 * has seen: that is where the modes come from. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { COUNT = 14 };

/* Of the planet and its star; the model does not get them. */
static const double period = 5.3, amplitude = 15.0, phase = 0.7, offset = 3.0, jitter = 2.0;

/* SplitMix64 (Steele, Lea and Flood 2014). */
static double uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) {
    const double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(2.0 * acos(-1.0) * uniform(state));
}

/* Printed with so few digits that the last bit of a logarithm does not show. */
static void print(const char *key, int digits, const double *values, const char *end) {
    printf("  \"%s\": [", key);
    for (int i = 0; i < COUNT; i++) printf("%s%.*f", i ? ", " : "", digits, values[i]);
    printf("]%s\n", end);
}

int main(void) {
    static const double nights[COUNT] = {-4, -3, -2, 0, 1, 3, 4, 66, 67, 69, 70, 71, 73, 74};
    uint64_t            state = 2;
    double              t[COUNT], velocity[COUNT], error[COUNT];
    for (int i = 0; i < COUNT; i++) {
        t[i] = round(1000.0 * (nights[i] + 0.25 * uniform(&state))) / 1000.0;
        error[i] = round(10.0 * (4.0 + 2.0 * uniform(&state))) / 10.0;
        velocity[i] = offset + amplitude * cos(2.0 * acos(-1.0) * t[i] / period + phase) +
                      hypot(error[i], jitter) * normal(&state);
    }
    puts("{");
    print("t", 3, t, ",");
    print("velocity", 2, velocity, ",");
    print("error", 1, error, "");
    puts("}");
    return 0;
}
