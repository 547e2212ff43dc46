/* review.c - the summary and the findings of a stranger's draws: any numbers in any shape, in one file or two alike. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ckam_draws  *draws;
    ckam_review *review;
    ckam_error   error = {.message = ""};
    bool         twice = size && bytes[size - 1] != '\n'; /* such a line is not a row */
    char         path[2][300];
    for (int i = 0; i < 2; i++) snprintf(path[i], sizeof path[i], "%s", put_file(i ? "b.csv" : "a.csv", bytes, size));
    if (ckam_draws_open(&draws, (const char *const[]){path[0], path[1]}, twice ? 2 : 1, &error)) return -1;
    ckam_status status = ckam_review_create(&review, draws, &error);
    if (status) {
        demand_error(status, &error);
        ckam_draws_free(draws);
        return 0;
    }
    DEMAND(review->chains == (twice ? 2 : 1));
    for (size_t i = 0; i < review->findings; i++) {
        demand_sentence(review->finding[i].text, sizeof review->finding[i].text);
        demand_sentence(review->finding[i].advice, sizeof review->finding[i].advice);
    }
    double weights = 0.0;
    for (size_t i = 0; i < review->modes; i++) weights += review->mode[i].weight;
    DEMAND(review->modes < 2 || fabs(weights - 1.0) < 1e-6);
    ckam_review_free(review);
    ckam_draws_free(draws);
    return 0;
}
