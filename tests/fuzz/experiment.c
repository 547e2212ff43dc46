/* experiment.c - experiment.json, whose runs may use one run file. */
#include "experiment/experiment.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char           run[] = "{\"model\": \"bimodal\", \"sampler\": \"rw\", \"init\": [-8, 0]}";
    static bool                 ready;
    const ckam_experiment_setup setup = {.evals = 100, .seeds = 2, .threads = 1};
    experiment                  e = {.runs = 0};
    ckam_error                  error = {.message = ""};
    if (!ready) put_file("rw.json", run, sizeof run - 1);
    ready = true;
    put_file("experiment.json", bytes, size);
    ckam_status status = experiment_read(&e, folder(), &setup, &error);
    if (status) demand_error(status, &error);
    if (!status) DEMAND(e.runs > 0 && e.title && e.about && e.truth.dim >= 2);
    experiment_close(&e);
    return 0;
}
