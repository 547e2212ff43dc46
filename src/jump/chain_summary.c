/* chain_summary.c - see chain_summary.h. */
#include "jump/chain_summary.h"

#include "mixture/tuning.h"

#include <math.h>
#include <string.h>

#define GOLDEN 0.61803398874989485 /* fractional parts of its multiples are spread evenly, however many there are */

uint64_t jump_iterations(const jump_state *s) {
    return s->stage == STAGE_SETTLE ? s->settling : s->plan.iterations + s->plan.length;
}

bool jump_tries_structure(const jump_state *s) {
    return (double)jump_iterations(s) >= tuning.refit.structure * (double)s->plan.last_structure;
}

bool jump_groups_join(const jump_state *s) {
    return s->plan.separate && jump_iterations(s) >= (uint64_t)(tuning.warmup.separate * (double)s->settle.now.warmup);
}

/* Thins the rows of this chain so that `total` such chains together contribute as many as a fit uses: every k-th
 * row, k the same for all, with a different offset per chain, so that some chains contribute none where one row each
 * would be too many. In the warm-up the older half, which is dropped at the end of the cycle, is left out. */
static row_block choose_rows(jump_state *s, size_t index, size_t total) {
    const mixture *m = (const mixture *)(const void *)block_at(s, s->mixture);
    size_t         width = s->history.dim, count = s->history.count;
    size_t         from = jump_iterations(s) < s->settle.now.warmup ? count / 2 : 0, left = count - from;
    size_t         most = mixture_rows_used(m, jump_tries_structure(s)), every = total * left / (most + 1) + 1;
    size_t         begin = (every - index % every) % every;
    if (every > left) begin = (size_t)(fmod((double)index * GOLDEN, 1.0) * (double)every);
    if (begin >= left) begin = left; /* none */
    return (row_block){.at = block_at(s, s->rows) + (from + begin) * width,
                       .count = (left - begin + every - 1) / every,
                       .stride = every * width};
}

static group_mixture group_mixture_of(jump_state *s) {
    mixture *m = jump_mixture(s);
    return (group_mixture){.plan = &s->plan,
                           .count = m->count,
                           .retired = m->retired,
                           .last_mode = m->last_mode,
                           .log_z = m->log_z,
                           .degrees = m->degrees,
                           .at = m->at,
                           .mean = mixture_mean(m, 0),
                           .factor = mixture_factor(m, 0)};
}

chain_summary chain_summary_of(jump_state *s, size_t index, size_t total) {
    explorer *e = jump_explorer(s);
    bool      has_mixture = jump_groups_join(s) && index < 2;
    if (s->plan.separate && total > 1) { /* among those of its group */
        total = (total + 1 - index % 2) / 2;
        index /= 2;
    }
    return (chain_summary){.components = ((const mixture *)(const void *)block_at(s, s->mixture))->count,
                           .mixture = has_mixture ? group_mixture_of(s) : (group_mixture){0},
                           .tally = &s->tally,
                           .mean = block_at(s, s->settle.mean),
                           .factor = block_at(s, s->settle.factor),
                           .step = s->settle.nu,
                           .candidates = e->candidates,
                           .candidate = e->candidate,
                           .candidate_mean = block_at(e, e->candidate_mean),
                           .candidate_factor = block_at(e, e->candidate_factor),
                           .rows = choose_rows(s, index, total)};
}

/* -- Bytes -------------------------------------------------------------------------------------------------------- */

/* The parts of a packed summary, in their order. */
enum {
    PART_HEAD,
    PART_TALLY,
    PART_SETTLED,
    PART_CANDIDATES,
    PART_ROWS,
    PART_PLAN,
    PART_COMPONENTS,
    PART_SHAPES,
    PARTS
};
typedef struct chain_summary_head {
    uint64_t candidates, rows, components;
    uint64_t has_mixture, retired, last_mode; /* has_mixture: whether the mixture of its group follows */
    double   step, log_z, degrees;
} chain_summary_head;

/* Where parts begin, in numbers; the last is the end. */
static void place_parts(const jump_state *s, const chain_summary_head *head, size_t at[PARTS + 1]) {
    size_t dim = s->settle.now.dim, known = head->has_mixture ? head->components + head->retired : 0;
    size_t size[PARTS] = {
        [PART_HEAD] = sizeof *head / sizeof(double),
        [PART_TALLY] = (offsetof(jump_tally, at) + head->components * sizeof s->tally.at[0]) / sizeof(double),
        [PART_SETTLED] = s->stage == STAGE_SETTLE ? dim + dim * dim : 0,
        [PART_CANDIDATES] = head->candidates * (sizeof(candidate) / sizeof(double) + dim + dim * dim),
        [PART_ROWS] = head->rows * s->history.dim,
        [PART_PLAN] = head->has_mixture ? sizeof(jump_plan) / sizeof(double) : 0,
        [PART_COMPONENTS] = known * sizeof(component) / sizeof(double),
        [PART_SHAPES] = known * (dim + dim * dim),
    };
    _Static_assert(sizeof(jump_plan) % sizeof(double) == 0 && sizeof(component) % sizeof(double) == 0, "numbers");
    at[0] = 0;
    for (int i = 0; i < PARTS; i++) at[i + 1] = at[i] + size[i];
}

size_t chain_summary_pack(const chain_summary *summary, const jump_state *s, void *bytes) {
    const group_mixture     *m = &summary->mixture;
    const chain_summary_head head = {.candidates = summary->candidates,
                                     .rows = summary->rows.count,
                                     .components = summary->components,
                                     .has_mixture = m->plan != NULL,
                                     .retired = m->retired,
                                     .last_mode = m->last_mode,
                                     .step = summary->step,
                                     .log_z = m->log_z,
                                     .degrees = m->degrees};
    size_t                   dim = s->settle.now.dim, width = s->history.dim, at[PARTS + 1];
    double                  *out = bytes;
    place_parts(s, &head, at);
    if (!out) return at[PARTS] * sizeof *out;
    memcpy(out, &head, sizeof head);
    memcpy(out + at[PART_TALLY], summary->tally, (at[PART_SETTLED] - at[PART_TALLY]) * sizeof *out);
    if (s->stage == STAGE_SETTLE) {
        memcpy(out + at[PART_SETTLED], summary->mean, dim * sizeof *out);
        memcpy(out + at[PART_SETTLED] + dim, summary->factor, dim * dim * sizeof *out);
    }
    double *shapes = out + at[PART_CANDIDATES];
    memcpy(shapes, summary->candidate, head.candidates * sizeof(candidate));
    shapes += head.candidates * sizeof(candidate) / sizeof *out;
    memcpy(shapes, summary->candidate_mean, head.candidates * dim * sizeof *out);
    memcpy(shapes + head.candidates * dim, summary->candidate_factor, head.candidates * dim * dim * sizeof *out);
    for (size_t i = 0; i < head.rows; i++)
        memcpy(out + at[PART_ROWS] + i * width, summary->rows.at + i * summary->rows.stride, width * sizeof *out);
    if (m->plan) {
        size_t known = m->count + m->retired;
        memcpy(out + at[PART_PLAN], m->plan, sizeof *m->plan);
        memcpy(out + at[PART_COMPONENTS], m->at, known * sizeof *m->at);
        memcpy(out + at[PART_SHAPES], m->mean, known * dim * sizeof *out);
        memcpy(out + at[PART_SHAPES] + known * dim, m->factor, known * dim * dim * sizeof *out);
    }
    return at[PARTS] * sizeof *out;
}

static group_mixture unpack_mixture(const chain_summary_head *head, size_t dim, const double *in,
                                    const size_t at[PARTS + 1]) {
    if (!head->has_mixture) return (group_mixture){0};
    return (group_mixture){.plan = (const jump_plan *)(const void *)(in + at[PART_PLAN]),
                           .count = head->components,
                           .retired = head->retired,
                           .last_mode = head->last_mode,
                           .log_z = head->log_z,
                           .degrees = head->degrees,
                           .at = (const component *)(const void *)(in + at[PART_COMPONENTS]),
                           .mean = in + at[PART_SHAPES],
                           .factor = in + at[PART_SHAPES] + (head->components + head->retired) * dim};
}

chain_summary chain_summary_unpack(const jump_state *s, void *bytes) {
    size_t             dim = s->settle.now.dim, at[PARTS + 1];
    double            *in = bytes;
    chain_summary_head head;
    memcpy(&head, in, sizeof head);
    place_parts(s, &head, at);
    const double *shapes = in + at[PART_CANDIDATES] + head.candidates * sizeof(candidate) / sizeof *in;
    return (chain_summary){.components = head.components,
                           .mixture = unpack_mixture(&head, dim, in, at),
                           .tally = (const jump_tally *)(const void *)(in + at[PART_TALLY]),
                           .mean = in + at[PART_SETTLED],
                           .factor = in + at[PART_SETTLED] + dim,
                           .step = head.step,
                           .candidates = head.candidates,
                           .candidate = (const candidate *)(const void *)(in + at[PART_CANDIDATES]),
                           .candidate_mean = shapes,
                           .candidate_factor = shapes + head.candidates * dim,
                           .rows = {in + at[PART_ROWS], head.rows, s->history.dim}};
}
