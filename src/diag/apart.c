/* apart.c - see apart.h.
 *
 * The points of a name have a centre (medians) and a radius, that of 9 in 10. They are apart if the shell from INNER to
 * OUTER radii holds few points, of any name, compared with the ball inside it. Points in the tail of a mode that have a
 * name of their own do not pass: the shell around them holds more than the ball. */
#include "diag/apart.h"

#include "diag/diag.h"
#include "diag/neighbours.h"

#include <math.h>
#include <string.h>

enum { POINTS_LEAST = 30, INSIDE_LEAST = 5 }; /* of a name; of the even sample, inside */
#define RARE   0.05                           /* of the even sample: with more of it cluster.c finds the group */
#define RADIUS 0.9
#define INNER  1.25
#define OUTER  1.75
#define SHELL  0.2 /* points in the shell, for each one inside */
#define SAME   0.8 /* of a group is in a ball: the group is the ball */

static double distance_to(const row_sample *s, const ball *b, size_t i) {
    return point_distance(SUBSPACE_DIM, s->place + i * SUBSPACE_DIM, b->centre);
}

static bool is_inside(const row_sample *s, const ball *b, size_t i) { return distance_to(s, b, i) <= b->square; }

/* The ball of one radius. Where the points were there is room for numbers. False: too few have the name. */
static bool measure(const row_sample *s, size_t name, ball *b) {
    double *values = s->points;
    size_t  count = 0;
    for (size_t i = 0; i < s->count; i++) count += s->name[i] == name;
    if (count < POINTS_LEAST) return false;
    for (size_t c = 0; c < SUBSPACE_DIM; c++) {
        for (size_t i = 0, at = 0; i < s->count; i++)
            if (s->name[i] == name) values[at++] = s->place[i * SUBSPACE_DIM + c];
        diag_sort(values, count);
        b->centre[c] = values[count / 2];
    }
    for (size_t i = 0, at = 0; i < s->count; i++)
        if (s->name[i] == name) values[at++] = distance_to(s, b, i);
    diag_sort(values, count);
    b->square = values[(size_t)(RADIUS * (double)(count - 1))];
    return true;
}

static bool is_apart(const row_sample *s, const ball *b) {
    double inside = 0.0, shell = 0.0;
    for (size_t i = 0; i < s->even; i++) {
        double square = distance_to(s, b, i);
        inside += square <= INNER * INNER * b->square;
        shell += square > INNER * INNER * b->square && square <= OUTER * OUTER * b->square;
    }
    return inside >= INSIDE_LEAST && inside <= RARE * (double)s->even && shell <= SHELL * inside;
}

/* Two names for one place. */
static bool meets(const ball *a, const ball *b) {
    return point_distance(SUBSPACE_DIM, a->centre, b->centre) <= fmax(a->square, b->square);
}

size_t apart_find(const row_sample *s, ball *balls) {
    size_t count = 0;
    for (size_t name = 1; name < SAMPLE_NAMES; name++) {
        ball *b = balls + count, *other = balls;
        if (!measure(s, name, b) || !is_apart(s, b)) continue;
        b->square *= OUTER * OUTER;
        while (other < b && !meets(other, b)) other++;
        count += other == b;
    }
    return count;
}

/* The group that a ball is, or else a new one, which its points then belong to. */
static uint32_t group_of(row_sample *s, const ball *b, size_t *groups) {
    size_t   inside[UINT8_MAX + 1] = {0}, all[UINT8_MAX + 1] = {0};
    uint32_t most = 0;
    for (size_t i = 0; i < s->count; i++) {
        all[s->label[i]]++;
        inside[s->label[i]] += is_inside(s, b, i);
    }
    for (uint32_t j = 1; j < *groups; j++)
        if (inside[j] > inside[most]) most = j;
    if ((double)inside[most] < SAME * (double)all[most]) most = (uint32_t)(*groups)++;
    for (size_t i = 0; i < s->count; i++)
        if (is_inside(s, b, i)) s->label[i] = most;
    return most;
}

void apart_split(row_sample *s, size_t count, const ball *balls, size_t *groups) {
    const size_t all = s->even + s->more;
    uint32_t     label[SAMPLE_NAMES];
    for (size_t j = 0; j < count; j++) label[j] = group_of(s, balls + j, groups);
    for (size_t i = s->even; i < all; i++)
        for (size_t j = 0; j < count; j++) {
            if (!is_inside(s, balls + j, i)) continue;
            memmove(s->place + s->count * SUBSPACE_DIM, s->place + i * SUBSPACE_DIM, SUBSPACE_DIM * sizeof *s->place);
            s->label[s->count++] = label[j];
            break;
        }
}
