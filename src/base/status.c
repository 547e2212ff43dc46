/* status.c - statuses and the reasons why runs stop as text, and the version. */
#include "ckam.h"

#include <string.h>

const char *ckam_version(void) { return CKAM_VERSION; }

const char *ckam_status_name(ckam_status status) {
    switch (status) {
#define CASE(name, code, sentence)                                                                                     \
    case name:                                                                                                         \
        return #name;
        CKAM_STATUS_MAP(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *ckam_status_text(ckam_status status) {
    switch (status) {
#define CASE(name, code, sentence)                                                                                     \
    case name:                                                                                                         \
        return sentence;
        CKAM_STATUS_MAP(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *ckam_reason_text(const char *reason) {
    static const char *const text[][2] = {
        {"draws", "all draws are there"},          {"late", "a mode was found too late for all draws"},
        {"evals", "the evaluations are used up"},  {"time-limit", "the time is up"},
        {"until", "it has converged as asked"},    {"interrupted", "it was interrupted"},
        {"target", "the target asked it to stop"}, {"error", "of an error"}};
    for (size_t i = 0; reason && i < sizeof text / sizeof *text; i++)
        if (!strcmp(text[i][0], reason)) return text[i][1];
    return reason;
}
