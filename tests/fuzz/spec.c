/* spec.c - texts with a meaning: samplers and models with their options, rules, formats, starts. The first letter says which. */
#include "fuzz.h"
#include "run/init.h"
#include "run/plan.h"

/* What an option says is taken back, and says the same again. */
static void set_again(ckam_options *options) {
    const ckam_entry *entry = ckam_sampler_list();
    while (strcmp(entry->name, ckam_options_sampler(options)) != 0) entry++;
    for (const ckam_option *o = entry->options; o->name; o++) {
        char before[64], after[64];
        DEMAND(!ckam_options_get(options, o->name, before, sizeof before, NULL));
        DEMAND(!ckam_options_set(options, o->name, before, NULL));
        DEMAND(!ckam_options_get(options, o->name, after, sizeof after, NULL));
        DEMAND(!strcmp(before, after));
    }
}

static ckam_status read_sampler(const char *text, ckam_error *error) {
    ckam_options *options;
    ckam_status   status = ckam_options_create(&options, text, error);
    if (status) return status;
    set_again(options);
    ckam_options_free(options);
    return CKAM_OK;
}

static ckam_status read_model(const char *text, ckam_error *error) {
    ckam_model *model;
    double      x[64], value;
    ckam_status status = ckam_model_create(&model, text, error);
    if (status) return status;
    const ckam_target *target = ckam_model_target(model);
    DEMAND(target->dim >= 1);
    if (target->dim <= sizeof x / sizeof *x) {
        ckam_model_start(model, x);
        DEMAND(target->log_density(target->context, x, &value) <= CKAM_STOP);
        DEMAND(value < HUGE_VAL);
    }
    ckam_model_free(model);
    return CKAM_OK;
}

static ckam_status read_until(const char *text, ckam_error *error) {
    until_rule  rule;
    ckam_status status = plan_until(text, &rule, error);
    if (!status) DEMAND(!strcmp(text, "never") || rule.rhat > 1.0 || rule.ess > 0.0);
    return status;
}

static ckam_status read_format(const char *text, ckam_error *error) {
    plan_format format;
    ckam_status status = plan_formats(text, &format, error);
    if (!status) DEMAND(format.csv || !format.netcdf);
    return status;
}

/* As a list, and as a file. */
static ckam_status read_init(const char *text, ckam_error *error) {
    enum { CHAINS = 3, DIM = 2 };
    double     *starts, *list;
    const char *path = put_file("starts", text, strlen(text));
    ckam_status status = init_read(path, CHAINS, DIM, &starts, error);
    for (size_t i = 0; !status && i < CHAINS * (size_t)DIM; i++) DEMAND(isfinite(starts[i]));
    if (strspn(text, "0123456789+-.eE, \t[];") == strlen(text)) {
        DEMAND(init_read(text, CHAINS, DIM, &list, NULL) == status);
        if (!status) DEMAND(!memcmp(starts, list, CHAINS * DIM * sizeof *list));
        if (!status) free(list);
    }
    if (!status) free(starts);
    return status;
}

/* "name=value" for a plan. */
static ckam_status read_setting(const char *text, ckam_error *error) {
    ckam_plan  *plan;
    char        name[64], before[OPTION_TEXT], after[OPTION_TEXT];
    size_t      length = strcspn(text, "=");
    const char *value = text[length] ? text + length + 1 : "";
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, text);
    DEMAND(!ckam_plan_create(&plan, NULL));
    ckam_status status = ckam_plan_set(plan, name, value, error);
    if (!status) {
        DEMAND(!ckam_plan_get(plan, name, before, sizeof before, NULL));
        DEMAND(!ckam_plan_set(plan, name, before, NULL));
        DEMAND(!ckam_plan_get(plan, name, after, sizeof after, NULL));
        DEMAND(!strcmp(before, after));
    }
    ckam_plan_free(plan);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const struct {
        char letter;
        ckam_status (*read)(const char *text, ckam_error *error);
    } kinds[] = {{'s', read_sampler}, {'m', read_model}, {'u', read_until},
                 {'f', read_format},  {'i', read_init},  {'p', read_setting}};
    ckam_error error = {.message = ""};
    if (!size) return -1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].letter == bytes[0]) {
            char       *text = text_of(bytes + 1, size - 1);
            ckam_status status = kinds[i].read(text, &error);
            if (status) demand_error(status, &error);
            free(text);
            return 0;
        }
    return -1;
}
