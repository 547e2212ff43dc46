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

/* Takes a component of the graph inside. The bound of a point outside, and inside[], are then the squared distance to the
 * nearest point inside, and which it is; the bound of one that is inside is -1. */
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

/* Joins along the edges and returns how many groups are left. A group of k points or fewer is none. */
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

/* The groups that stand out by tau; of more than CLUSTER_MOST those that stand out most. Nothing stands out by more than the
 * highest peak above the lowest level: then all are one. Many peaks may be equal, and so may the valleys between them. */
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
