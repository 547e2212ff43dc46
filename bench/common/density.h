/* density.h - densities whose shares are known: the catalogue of the program trust.
 *
 * A density has events: regions of space whose probabilities ('shares') are known. Of a mixture they are the regions in
 * which one component is the most responsible; of a density with one mode they are two half-spaces and a ball. */
#ifndef CKAM_BENCH_DENSITY_H
#define CKAM_BENCH_DENSITY_H

#include "ckam.h"
#include "rng/rng.h"

enum { DIM_MOST = 32, COMPONENTS_MOST = 40, EVENTS_MOST = COMPONENTS_MOST, DATA = 30 };

/* Gaussians (freedom 0) or t distributions with a diagonal scale matrix. */
typedef struct known_mixture {
    size_t count;
    double freedom;
    double weight[COMPONENTS_MOST], mean[COMPONENTS_MOST][DIM_MOST], sd[COMPONENTS_MOST][DIM_MOST];
    double constant[COMPONENTS_MOST]; /* log(weight) and the log of the normalising constant */
} known_mixture;

typedef struct density density;

struct density {
    char     name[32];
    size_t   dim, modes, events;
    double   share[EVENTS_MOST];  /* exact, or from 400,000 or more exact draws */
    uint64_t member[EVENTS_MOST]; /* which results of owner() belong to an event, one bit each */
    double   log_z;               /* of what log_density gives; NaN: not known */
    /* The context is the density. */
    ckam_log_density *log_density;
    /* The region that z is in, at most 63; NULL: the events are the half-spaces and the ball below. */
    size_t (*owner)(const density *d, const double *z);
    known_mixture mix;
    ckam_model   *model;
    double        data[DATA];
    bool          bounded; /* the sampler is given the bounds below; log_density is not called outside of them */
    double        lower[DIM_MOST], upper[DIM_MOST];
    /* One exact draw of the whole density, and what it and log_density need; NULL: those of mix or model. */
    void (*draw)(const density *d, rng *r, double *z);
    void  *own;                                      /* freed by density_free() */
    double axis[DIM_MOST], centre[DIM_MOST], cut[3]; /* events z_1, axis.z and |z - centre|^2 below the cuts */
};

/* The density of this name, or NULL where there is none; density_free() accepts NULL. */
density *density_create(const char *name);
void     density_free(density *d);
/* For densities that are made elsewhere: regions of owner(), one event each; and half-spaces and a ball of probability 1/2, with
 * cuts at the medians of `draws` exact draws. */
void density_regions(density *d, size_t count);
void density_halves(density *d, size_t draws);
/* hit[e] := whether z is in event e. */
void density_events(const density *d, const double *z, bool *hit);
/* The index-th name that `pattern` stands for: a name, what stands before its colon, or "all"; NULL: no further one. */
const char *density_name(const char *pattern, size_t index);

#endif
