/* slow.c - see slow.h.
 *
 * In a mode a chain forgets where it was: the means of parts of its time there differ little. rho is the share of the
 * variance between such parts (the intraclass correlation): 0 for independent draws, T / b if draws count once in T and a
 * part has b, about 0.75 for a random walk. A chain that has hardly moved leaves a group with a large rho. */
#include "diag/slow.h"

#include "diag/cluster.h"
#include "diag/neighbours.h"
#include "diag/subspace.h"

#include <math.h>
#include <string.h>

enum { PARTS = 4, PART_LEAST = 4 };
#define SLOW 0.5  /* rho above it: a group is not a mode */
#define MOVE 0.25 /* a move that counts, squared, in units of the mean squared distance to the centre of the group */

typedef struct series {
    const double   *points;
    const uint32_t *chain, *label;
    size_t          count;
} series;

/* Returns the mean squared distance to the centre. */
static double centre_of(const series *s, uint32_t group, double *centre) {
    double n = 0.0, sum = 0.0;
    memset(centre, 0, SUBSPACE_DIM * sizeof *centre);
    for (size_t i = 0; i < s->count; i++) {
        if (s->label[i] != group) continue;
        n += 1.0;
        for (size_t c = 0; c < SUBSPACE_DIM; c++) centre[c] += (s->points[i * SUBSPACE_DIM + c] - centre[c]) / n;
    }
    for (size_t i = 0; i < s->count; i++)
        if (s->label[i] == group) sum += point_distance(SUBSPACE_DIM, s->points + i * SUBSPACE_DIM, centre);
    return sum / n;
}

size_t slow_thin(size_t count, double *points, uint32_t *chain, const uint32_t *label, size_t groups) {
    const series s = {points, chain, label, count};
    double       least[CLUSTER_MOST], centre[SUBSPACE_DIM];
    uint32_t     before = 0;
    size_t       kept = 0;
    for (uint32_t g = 0; g < groups; g++) least[g] = MOVE * centre_of(&s, g, centre);
    for (size_t i = 0; i < count; i++) {
        const double *x = points + i * SUBSPACE_DIM;
        if (kept > 0 && chain[kept - 1] == chain[i] && before == label[i] &&
            point_distance(SUBSPACE_DIM, x, points + (kept - 1) * SUBSPACE_DIM) < least[label[i]])
            continue;
        memmove(points + kept * SUBSPACE_DIM, x, SUBSPACE_DIM * sizeof *x);
        chain[kept] = chain[i];
        before = label[i];
        kept++;
    }
    return kept;
}

/* Sums over complete parts. */
typedef struct parts {
    double count, sum, squares; /* values, their sum, the sum of their squares */
    double parts, sizes, means; /* how many, the sum of n_j^2, the sum of n_j mean_j^2 */
} parts;

static void add_part(parts *p, double n, double sum, double squares) {
    p->count += n;
    p->sum += sum;
    p->squares += squares;
    p->parts += 1.0;
    p->sizes += n * n;
    p->means += sum * sum / n;
}

/* Cuts the time of one chain in a group, among the points from .. to-1, into parts. */
static void add_chain(parts *p, const series *s, uint32_t group, const double *centre, const double *line, size_t from,
                      size_t to) {
    size_t here = 0;
    double n = 0.0, sum = 0.0, squares = 0.0;
    for (size_t i = from; i < to; i++) here += s->label[i] == group;
    const double size = fmax(PART_LEAST, ceil((double)here / PARTS));
    for (size_t i = from; i < to; i++) {
        double value = 0.0;
        if (s->label[i] != group) continue;
        for (size_t c = 0; c < SUBSPACE_DIM; c++) value += line[c] * (s->points[i * SUBSPACE_DIM + c] - centre[c]);
        n += 1.0;
        sum += value;
        squares += value * value;
        if (n < size) continue;
        add_part(p, n, sum, squares);
        n = sum = squares = 0.0;
    }
    if (n >= PART_LEAST) add_part(p, n, sum, squares);
}

/* rho of a group along a line; 1 where there are too few parts to say. */
static double slowness(const series *s, uint32_t group, const double *centre, const double *line) {
    parts p = {0};
    for (size_t from = 0, to; from < s->count; from = to) {
        for (to = from; to < s->count && s->chain[to] == s->chain[from];) to++;
        add_chain(&p, s, group, centre, line, from, to);
    }
    if (p.parts < 2.0) return 1.0;
    double between = (p.means - p.sum * p.sum / p.count) / (p.parts - 1.0);
    double within = (p.squares - p.means) / (p.count - p.parts);
    double size = (p.count - p.sizes / p.count) / (p.parts - 1.0);
    double whole = between + (size - 1.0) * within;
    return whole > 0.0 ? (between - within) / whole : 1.0;
}

/* Whether a and b, with these centres, are not seen to be two modes, looking along the line between them. */
static bool is_slow(const series *s, uint32_t a, uint32_t b, const double *at_a, const double *at_b) {
    double line[SUBSPACE_DIM];
    for (size_t c = 0; c < SUBSPACE_DIM; c++) line[c] = at_b[c] - at_a[c];
    return slowness(s, a, at_a, line) > SLOW || slowness(s, b, at_b, line) > SLOW;
}

/* The nearest such pair is joined, and so on. The last group takes the number that becomes free. */
void slow_join(size_t count, const double *points, const uint32_t *chain, uint32_t *label, size_t *groups) {
    const series s = {points, chain, label, count};
    double       centre[CLUSTER_MOST][SUBSPACE_DIM];
    while (*groups > 1) {
        double   nearest = HUGE_VAL;
        uint32_t first = 0, second = 0;
        for (uint32_t g = 0; g < *groups; g++) centre_of(&s, g, centre[g]);
        for (uint32_t b = 1; b < *groups; b++)
            for (uint32_t a = 0; a < b; a++) {
                double distance = point_distance(SUBSPACE_DIM, centre[a], centre[b]);
                if (distance >= nearest || !is_slow(&s, a, b, centre[a], centre[b])) continue;
                nearest = distance;
                first = a;
                second = b;
            }
        if (second == 0) return;
        const uint32_t last = (uint32_t)-- * groups;
        for (size_t i = 0; i < count; i++) label[i] = label[i] == second ? first : label[i] == last ? second : label[i];
    }
}
