/* draw_none.c - the functions of draw.h in a ckam that was built without cairo: nothing is drawn, and the error says what to do. */
#include "report/draw.h"

#include "base/error.h"

bool draw_is_built(void) { return false; }

ckam_status draw_check(const char *path, ckam_error *error) {
    (void)path;
    return fail_with(
        error, CKAM_ERROR_OUTPUT,
        "this ckam was built without cairo and draws no PDF, SVG or PNG: use `ckam report`, whose page saves "
        "figures as SVG, or build ckam with the cairo library (Debian's package libcairo2-dev)");
}

ckam_status draw_figure(const figure *f, const char *path, ckam_error *error) {
    (void)f;
    return draw_check(path, error);
}
