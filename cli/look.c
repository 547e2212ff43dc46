/* look.c - opens draws that are there, for `summary` and `diagnose`. */
#include "cli.h"

int look_open(look *l, const request *r) {
    ckam_error error;
    *l = (look){NULL, NULL};
    if (!r->words) return complain(r->command, EX_USAGE, "of what? Name the directory of a run, or CSV files");
    if (ckam_draws_open(&l->draws, r->word, r->words, &error)) return complain_error(r->command, &error);
    if (!ckam_review_create(&l->review, l->draws, &error)) return EX_OK;
    ckam_draws_free(l->draws);
    return complain_error(r->command, &error);
}

void look_close(look *l) {
    ckam_review_free(l->review);
    ckam_draws_free(l->draws);
}
