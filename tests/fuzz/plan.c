/* plan.c - run files, and run.json: what is accepted is the same plan when it is written and read again. */
#include "run/plan.h"
#include "fuzz.h"

static const ckam_option *options_of(const char *sampler) {
    const ckam_entry *entry = ckam_sampler_list();
    while (strcmp(entry->name, sampler) != 0) entry++;
    return entry->options;
}

/* But for a directory, where it is left out. */
static void demand_same(const ckam_plan *one, const ckam_plan *other, bool out) {
    char a[OPTION_TEXT], b[OPTION_TEXT];
    DEMAND(!strcmp(one->run.sampler, other->run.sampler));
    const ckam_option *const lists[] = {ckam_plan_list(), options_of(one->run.sampler)};
    for (int i = 0; i < 2; i++)
        for (const ckam_option *o = lists[i]; o->name; o++) {
            DEMAND(!ckam_plan_get(one, o->name, a, sizeof a, NULL));
            DEMAND(!ckam_plan_get(other, o->name, b, sizeof b, NULL));
            if (out || strcmp(o->name, "out") != 0) DEMAND(!strcmp(a, b));
        }
}

/* As run.json has it, which is read in two ways. */
static void write_and_read(const ckam_plan *plan) {
    ckam_plan *again, *opened;
    json_t    *object = json_pack("{s:s, s:o}", "ckam", CKAM_VERSION, "config", plan_json(plan));
    char      *text = json_dumps(object, 0);
    DEMAND(text);
    const char *path = put_file("run.json", text, strlen(text));
    DEMAND(!ckam_plan_create(&again, NULL));
    DEMAND(!ckam_plan_read(again, path, NULL, NULL));
    DEMAND(!ckam_plan_open(&opened, folder(), NULL));
    demand_same(plan, again, false);
    demand_same(plan, opened, true);
    ckam_plan_free(again);
    ckam_plan_free(opened);
    free(text);
    json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ckam_plan   *plan;
    ckam_error   error = {.message = ""};
    ckam_finding found[CKAM_INCIDENTS];
    const char  *path = put_file("run.json", bytes, size);
    DEMAND(!ckam_plan_create(&plan, NULL));
    ckam_status status = ckam_plan_read(plan, path, NULL, &error);
    if (status) demand_error(status, &error);
    if (!status) write_and_read(plan);
    ckam_plan_free(plan);

    path = put_file("run.json", bytes, size);
    size_t incidents = ckam_run_incidents(folder(), found);
    DEMAND(incidents <= CKAM_INCIDENTS);
    for (size_t i = 0; i < incidents; i++) {
        for (const char *c = found[i].text; *c; c++) DEMAND((unsigned char)*c >= ' ' && *c != 127);
        demand_sentence(found[i].advice, sizeof found[i].advice);
    }
    status = ckam_plan_open(&plan, folder(), &error);
    if (status) demand_error(status, &error);
    if (!status) write_and_read(plan);
    ckam_plan_free(plan);
    return 0;
}
