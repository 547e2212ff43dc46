/* models.h - opening the models of this folder, and counting what they have made. Includes failure.h, folder.h. */
#ifndef CKAM_TESTS_STAN_MODELS_H
#define CKAM_TESTS_STAN_MODELS_H

#include "failure.h"
#include "folder.h"

#include "stan/interface.h"
#include "target/engine.h"

#include <dlfcn.h>

enum { DIM = 6, COLUMNS = 10, PARAMETERS = 7 };

static const char *const good_data = "{\"N\": 3, \"y\": [1.5, -0.25, 2]}\n";
static const double      point[DIM] = {0.7, -0.4, 0.1, 2.5, -1.25, 0.9};

/* cmocka's group setup: in the folder of the models, and with one for files. */
static inline int enter_models(void **unused) { return chdir(CKAM_TEST_STAN) ? -1 : folder_begin(unused); }

static inline const char *path_of(const char *name) {
    static char path[100];
    snprintf(path, sizeof path, "./%s.so", name);
    return path;
}

/* A variable of the fixture, which stays loaded. */
static inline void *variable(const char *model, const char *name) {
    void *library = dlopen(path_of(model), RTLD_NOW | RTLD_LOCAL), *found = library ? dlsym(library, name) : NULL;
    assert_non_null(found);
    return found;
}

static inline engine *open_model(const char *name, const char *data, uint64_t seed) {
    ckam_error error = {.message = ""};
    engine    *e;
    if (stan_open(&e, path_of(name), data, seed, &error)) print_error("%s\n", error.message);
    assert_non_null(e);
    return e;
}

static inline void make_numbers_fail(bool fail) {
    atomic_store((atomic_bool *)variable("faithful", "test_rng_fails"), fail);
}

static inline void *attach(engine *e, size_t chain) {
    void *handle = NULL;
    assert_int_equal(e->type->attach(e, chain, &handle, NULL), CKAM_OK);
    return handle;
}

static inline void close_model(engine *e, void *handle) {
    if (handle) e->type->detach(e, handle);
    e->type->close(e);
}

/* Of what the models have made, when a test has ended. */
static inline int nothing_is_left(void **unused) {
    (void)unused;
    const char *const models[] = {"faithful", "serial", "silent"};
    const char *const counters[] = {"test_models_alive", "test_rngs_alive", "test_errors_alive", "test_paths"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
            int count = atomic_load((atomic_int *)variable(models[i], counters[k]));
            if (count) print_error("%s of %s is %d\n", counters[k], models[i], count);
            if (count) return -1;
        }
    return 0;
}

#define TEST(name) cmocka_unit_test_teardown(name, nothing_is_left)

#endif
