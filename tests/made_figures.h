/* made_figures.h - figures of draws, for the tests of the figures of a run. Includes made_draws.h. */
#ifndef CKAM_TESTS_MADE_FIGURES_H
#define CKAM_TESTS_MADE_FIGURES_H

#include "failure.h"
#include "made_draws.h"

#include "report/run_figures.h"

static inline const figure_kind *kind_of(const char *name) {
    const figure_kind *kind = figure_kinds;
    while (kind->name && strcmp(kind->name, name) != 0) kind++;
    assert_non_null(kind->name);
    return kind;
}

/* A figure that must come; of one column, or of the first `count`. */
static inline figure *figure_of(const run_facts *facts, const char *name, size_t count, size_t column, size_t points) {
    size_t     columns[8] = {column, column + 1, column + 2, column + 3, column + 4, column + 5, column + 6};
    figure    *f = NULL;
    ckam_error error = {.message = ""};
    if (kind_of(name)->make(facts, kind_of(name), count, columns, points, &f, &error)) fail_msg("%s", error.message);
    assert_string_equal(f->name, name);
    assert_false(f->failed);
    return f;
}

static inline const mark *find_mark(const figure *f, size_t panel_index, mark_kind kind, size_t number) {
    const panel *p = f->panel + panel_index;
    for (size_t i = 0; i < p->marks; i++)
        if (p->mark[i].kind == kind && number-- == 0) return p->mark + i;
    fail_msg("%s has no such mark", f->name);
    return NULL;
}

#endif
