/* interface.h - the functions of BridgeStan 2 that a model exports, as far as ckam knows them; and what our fixture adds.
 *
 * Each `message` may be NULL. It is set on failure alone, and freed by bs_free_error_msg(). */
#ifndef CKAM_TESTS_STAN_INTERFACE_H
#define CKAM_TESTS_STAN_INTERFACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct bs_model bs_model;
typedef struct bs_rng   bs_rng;

extern int bs_major_version, bs_minor_version, bs_patch_version;

bs_model   *bs_model_construct(const char *data, unsigned int seed, char **message);
void        bs_model_destruct(bs_model *m);
void        bs_free_error_msg(char *message);
const char *bs_name(const bs_model *m);
const char *bs_model_info(const bs_model *m);
const char *bs_param_names(const bs_model *m, bool transformed, bool generated);
const char *bs_param_unc_names(const bs_model *m);
int         bs_param_num(const bs_model *m, bool transformed, bool generated);
int         bs_param_unc_num(const bs_model *m);
int     bs_param_constrain(const bs_model *m, bool transformed, bool generated, const double *u, double *out, bs_rng *r,
                           char **message);
int     bs_param_unconstrain(const bs_model *m, const double *x, double *u, char **message);
int     bs_log_density(const bs_model *m, bool propto, bool jacobian, const double *u, double *value, char **message);
bs_rng *bs_rng_construct(unsigned int seed, char **message);
void    bs_rng_destruct(bs_rng *r);
int     bs_set_print_callback(void (*callback)(const char *text, size_t size), char **message);

/* For tests. */
extern atomic_int  test_models_alive, test_rngs_alive, test_errors_alive; /* made and not yet freed */
extern atomic_int  test_paths;                                            /* data that was taken for a path */
extern atomic_uint test_model_seed;                                       /* of the last model that was made */
extern atomic_bool test_rng_fails; /* to be set: the next generators cannot be made */

#endif
