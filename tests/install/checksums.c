/* checksums.c - prints a checksum of the draws of each sampler: to compare builds by other compilers, against other C libraries and for
 * other processors, which should print the same. docs/packaging.md has what was compared. To be compiled with -std=c17, which keeps the
 * compiler from fusing a product and a sum of the density. */
#include <ckam.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DIM = 3, CHAINS = 4, DRAWS = 5000, COUNT = CHAINS * DRAWS * DIM };

/* Curved, with an outlying scale. Without a call of libm: it may round otherwise elsewhere. */
static int log_density(void *context, const double *x, double *value) {
    (void)context;
    const double bend = x[1] - 0.5 * x[0] * x[0];
    *value = -0.5 * (x[0] * x[0] + bend * bend + x[2] * x[2] / 9.0);
    return CKAM_OK;
}

int main(void) {
    static double     draws[COUNT];
    const ckam_target target = {.dim = DIM, .log_density = log_density};
    for (const ckam_entry *sampler = ckam_sampler_list(); sampler->name; sampler++) {
        ckam_error error;
        uint64_t   sum = 0xcbf29ce484222325, bits; /* FNV-1a, of words */
        if (ckam_sample(&target, sampler->name, NULL, 7, CHAINS, DRAWS, draws, &error))
            return fprintf(stderr, "%s: %s\n", sampler->name, error.message), 1;
        for (size_t i = 0; i < COUNT; i++) {
            memcpy(&bits, draws + i, sizeof bits);
            sum = (sum ^ bits) * 0x100000001b3;
        }
        printf("%-6s %016" PRIx64 "\n", sampler->name, sum);
    }
    return 0;
}
