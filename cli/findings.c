/* findings.c - what there is to know about the draws, in words. */
#include "cli.h"

#include <string.h>

size_t findings_print(const ckam_finding *findings, size_t all, ckam_severity severity, bool advice) {
    const char *label = severity == CKAM_PROBLEM ? "problem: " : "note: ";
    size_t      count = 0;
    for (size_t i = 0; i < all; i++) {
        const ckam_finding *finding = findings + i;
        if (finding->severity != severity) continue;
        count++;
        if (i && advice) printf("\n");
        printf("%s", label);
        text_wrap(stdout, finding->text, strlen(label), 2);
        if (!advice || !*finding->advice) continue;
        printf("  ");
        text_wrap(stdout, finding->advice, 2, 2);
    }
    return count;
}
