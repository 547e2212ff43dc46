/* bounds.c - a file of bounds for parameters that are declared. Read twice it says the same. */
#include "fuzz.h"
#include "target/params.h"

static const char declared[] = "x, s > 0, 0 < p < 1, v[3], w[12] < 5, v1, x_2 > -1e300";

static void bound_again(const params *p, const char *text) {
    params again;
    DEMAND(!params_copy(&again, p, NULL));
    DEMAND(!params_bound(&again, text, "again", NULL));
    for (size_t k = 0; k < p->count; k++) {
        DEMAND(p->at[k].lower < p->at[k].upper);
        DEMAND(again.at[k].lower == p->at[k].lower && again.at[k].upper == p->at[k].upper);
    }
    params_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    params     p;
    ckam_error error = {.message = ""};
    char      *text = text_of(bytes, size);
    DEMAND(!params_read(&p, declared, "declared", true, NULL));
    ckam_status status = params_bound(&p, text, "bounds.txt", &error);
    if (status) demand_error(status, &error);
    if (!status) bound_again(&p, text);
    params_free(&p);
    free(text);
    return 0;
}
