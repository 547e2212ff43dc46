/* cluster.c - groups of points by persistence: a group is a peak of the density that is left only across a valley.
 *
 * log f = -D log r, where r is the distance to the k-th neighbour and D the dimension that distances show. Points are
 * joined along the edges of the graph of neighbours, the densest first; two groups that meet become one unless the
 * lower peak is at least tau above the place where they meet (ToMATo: Chazal, Guibas, Oudot, Skraba 2013). */
#include "diag/cluster.h"

#include "base/error.h"
#include "diag/neighbours.h"
#include "diag/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS_LEAST = 8, NEIGHBOURS_MOST = 15, POINTS_A_NEIGHBOUR = 25, HALVINGS = 30 };
/* log f has an error of 1 / sqrt(k), and the largest of 2000 such errors meets the smallest. With k = 15 a peak of more
 * than 2.0 was seen now and then where there was one mode, and none of more than 2.2. */
#define PROMINENCE 2.2
#define TINY       1e-300

typedef struct edge {
    uint32_t a, b;
    double   level, high; /* log f at the lower end, and at the higher */
} edge;

typedef struct graph {
    size_t        count, k, edges;
    const double *points;
    cloud         cloud;
    double        dim;               /* D */
    double       *square, *f, *peak; /* f: log f; peak: the largest of a group */
    uint32_t     *index, *parent, *size, *inside;
    edge         *edge;
} graph;

static const double *point(const graph *g, size_t i) { return g->points + i * SUBSPACE_DIM; }

static uint32_t root_of(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* By falling level; of the edges of one point the one to the densest neighbour comes first. */
static int by_level(const void *left, const void *right) {
    const edge *x = left, *y = right;
    if (x->level != y->level) return x->level < y->level ? 1 : -1;
    if (x->high != y->high) return x->high < y->high ? 1 : -1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static double log_density_of(const graph *g, double square) { return -0.5 * g->dim * log(square + TINY); }

/* The dimension that the distances to neighbours show (Levina and Bickel 2004), at most that of the space: points on a
 * curve have D = 1 wherever it runs. */
static double measured_dim(const graph *g, size_t dim) {
    double sum = 0.0, terms = 0.0;
    for (size_t i = 0; i < g->count; i++)
        for (size_t j = 0; j + 1 < g->k; j++) {
            double near = g->square[i * g->k + j], far = g->square[(i + 1) * g->k - 1];
            if (!(near > 0.0)) continue;
            sum += 0.5 * log(far / near);
            terms += 1.0;
        }
    return sum > 0.0 ? fmin((double)dim, terms / sum) : 1.0;
}

static void add_edge(graph *g, uint32_t a, uint32_t b, double level) {
    g->edge[g->edges++] = (edge){a, b, fmin(level, fmin(g->f[a], g->f[b])), fmax(g->f[a], g->f[b])};
}

static void measure(graph *g, size_t dim) {
    neighbours_find(&g->cloud, g->k, g->index, g->square);
    g->dim = measured_dim(g, dim);
    for (size_t i = 0; i < g->count; i++) g->f[i] = log_density_of(g, g->square[(i + 1) * g->k - 1]);
    for (uint32_t i = 0; i < g->count; i++)
        for (size_t j = 0; j < g->k; j++) add_edge(g, i, g->index[i * g->k + j], HUGE_VAL);
}

/* log f in the middle between two points of different components, from fewer neighbours than elsewhere: k of them may
 * lie beyond the gap. */
static double density_between(const graph *g, uint32_t a, uint32_t b) {
    const size_t k = g->k / 3;
    double       middle[SUBSPACE_DIM], square[NEIGHBOURS_MOST];
    uint32_t     who[NEIGHBOURS_MOST];
    for (size_t c = 0; c < SUBSPACE_DIM; c++) middle[c] = 0.5 * (point(g, a)[c] + point(g, b)[c]);
    for (size_t j = 0; j < k; j++) square[j] = HUGE_VAL;
    const double *distance = cloud_distances(&g->cloud, middle, g->count);
    for (uint32_t i = 0; i < g->count; i++)
        if (distance[i] < square[k - 1]) neighbours_insert(k, who, square, i, distance[i]);
    return log_density_of(g, square[k - 1]) - log((double)g->k / (double)k);
}

/* Adds a component of the graph to the inside (Prim's algorithm on components). For a point outside, bound is the squared
 * distance to the nearest point inside, and inside[] that point; the bound of a point inside is -1. */
static void take_inside(graph *g, uint32_t component) {
    double *gap = g->cloud.bound;
    for (uint32_t i = 0; i < g->count; i++)
        if (root_of(g->parent, i) == component) gap[i] = -1.0;
    for (uint32_t i = 0; i < g->count; i++) {
        if (root_of(g->parent, i) != component) continue;
        const double *square = cloud_distances(&g->cloud, point(g, i), g->count);
        for (size_t j = 0; (j = cloud_next(&g->cloud, j, g->count, -1.0)) < g->count; j++) {
            gap[j] = square[j];
            g->inside[j] = i;
        }
    }
}

/* The graph may have several components, in one dimension even where points are dense. Edges between the nearest points
 * of two components make it whole; their level is the density in the gap. */
static void bridge(graph *g) {
    double *gap = g->cloud.bound;
    for (uint32_t i = 0; i < g->count; i++) {
        g->parent[i] = i;
        gap[i] = HUGE_VAL;
    }
    for (size_t e = 0; e < g->edges; e++)
        g->parent[root_of(g->parent, g->edge[e].a)] = root_of(g->parent, g->edge[e].b);
    for (uint32_t next = 0; next < g->count;) {
        take_inside(g, root_of(g->parent, next));
        next = (uint32_t)g->count;
        for (uint32_t j = 0; j < g->count; j++)
            if (gap[j] >= 0.0 && (next == g->count || gap[j] < gap[next])) next = j;
        if (next < g->count) add_edge(g, g->inside[next], next, density_between(g, g->inside[next], next));
    }
}

/* Joins along the edges and returns how many groups are left. A group of at most k points does not count as a peak. */
static size_t join(graph *g, double tau) {
    size_t groups = g->count;
    for (uint32_t i = 0; i < g->count; i++) {
        g->parent[i] = i;
        g->size[i] = 1;
        g->peak[i] = g->f[i];
    }
    for (size_t e = 0; e < g->edges; e++) {
        uint32_t a = root_of(g->parent, g->edge[e].a), b = root_of(g->parent, g->edge[e].b);
        if (a == b) continue;
        if (g->size[a] > g->k && g->size[b] > g->k && fmin(g->peak[a], g->peak[b]) - g->edge[e].level >= tau) continue;
        g->parent[b] = a;
        g->size[a] += g->size[b];
        g->peak[a] = fmax(g->peak[a], g->peak[b]);
        groups--;
    }
    return groups;
}

/* The groups of prominence tau. If there are more than CLUSTER_MOST, tau is raised by bisection until there are not: at the
 * difference between the highest peak and the lowest level all are one. Peaks may be equal, and valleys, too. */
static size_t join_most(graph *g, double tau) {
    double low = tau, top = -HUGE_VAL;
    size_t groups = join(g, tau);
    if (groups <= CLUSTER_MOST) return groups;
    for (size_t i = 0; i < g->count; i++) top = fmax(top, g->f[i]);
    double high = nextafter(top - g->edge[g->edges - 1].level, HUGE_VAL);
    for (int time = 0; time < HALVINGS; time++) {
        tau = 0.5 * (low + high);
        if (join(g, tau) > CLUSTER_MOST)
            low = tau;
        else
            high = tau;
    }
    return join(g, high);
}

static bool graph_create(graph *g, size_t dim) {
    const size_t n = g->count, k = g->k;
    g->square = malloc(n * (k + 2) * sizeof *g->square);
    g->index = malloc(n * (k + 3) * sizeof *g->index);
    g->edge = malloc(n * (k + 1) * sizeof *g->edge);
    if (!cloud_create(&g->cloud, n, dim) || !g->square || !g->index || !g->edge) return false;
    cloud_fill(&g->cloud, g->points);
    g->f = g->square + n * k;
    g->peak = g->f + n;
    g->parent = g->index + n * k;
    g->size = g->parent + n;
    g->inside = g->size + n;
    return true;
}

static void number_groups(graph *g, uint32_t *label) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (root_of(g->parent, i) == i) g->size[i] = next++;
    for (uint32_t i = 0; i < g->count; i++) label[i] = g->size[root_of(g->parent, i)];
}

ckam_status cluster_find(size_t count, size_t dim, const double *points, uint32_t *label, size_t *groups,
                         ckam_error *error) {
    graph       g = {.count = count, .points = points, .k = count / POINTS_A_NEIGHBOUR};
    ckam_status status = CKAM_OK;
    if (g.k < NEIGHBOURS_LEAST) g.k = NEIGHBOURS_LEAST;
    if (g.k > NEIGHBOURS_MOST) g.k = NEIGHBOURS_MOST;
    if (graph_create(&g, dim)) {
        measure(&g, dim);
        bridge(&g);
        qsort(g.edge, g.edges, sizeof *g.edge, by_level);
        *groups = join_most(&g, PROMINENCE * sqrt((double)NEIGHBOURS_MOST / (double)g.k));
        number_groups(&g, label);
    } else {
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to look for modes among %zu points", count);
    }
    cloud_free(&g.cloud);
    free(g.square);
    free(g.index);
    free(g.edge);
    return status;
}

/* -- Groups caused by autocorrelation ----------------------------------------------------------------------------- */

/* Within a mode a chain forgets where it was: the means of consecutive parts of its time there differ little. rho is the
 * share of the variance between such parts (the intraclass correlation): 0 for independent draws, T / b for an
 * autocorrelation time T and parts of b draws, about 0.75 for a random walk. A chain that has hardly moved leaves a group
 * with a large rho. */
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

size_t cluster_thin(size_t count, double *points, uint32_t *chain, const uint32_t *label, size_t groups) {
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

/* Sums over the complete parts of all chains. */
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

/* Divides the points of one chain in a group, among from .. to-1, into consecutive parts, and adds them. */
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

/* Whether autocorrelation explains a and b, along the line between their centres: then they are not two modes. */
static bool is_slow(const series *s, uint32_t a, uint32_t b, const double *at_a, const double *at_b) {
    double line[SUBSPACE_DIM];
    for (size_t c = 0; c < SUBSPACE_DIM; c++) line[c] = at_b[c] - at_a[c];
    return slowness(s, a, at_a, line) > SLOW || slowness(s, b, at_b, line) > SLOW;
}

/* Joins the nearest such pair, and repeats. The last group takes the number that becomes free. */
void cluster_join_slow(size_t count, const double *points, const uint32_t *chain, uint32_t *label, size_t *groups) {
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
