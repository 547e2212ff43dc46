/* status.c - the table of statuses as text, and the version. */
#include "ckam.h"

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
