/* run_page.h - what is known about a set of draws, and the page that shows it. For run_report.c. */
#ifndef CKAM_REPORT_RUN_PAGE_H
#define CKAM_REPORT_RUN_PAGE_H

#include "report/document.h"
#include "report/run_figures.h"

#include <jansson.h>

/* Draws, and all that belongs to them. */
typedef struct run_scene {
    const char *const *paths; /* as the caller gave them */
    size_t             files;
    ckam_draws        *draws;
    ckam_review       *review; /* NULL for a single figure */
    ckam_model        *model;  /* built-in; NULL else */
    const char        *directory;
    json_t            *record;   /* run.json; NULL where there is none */
    ckam_error         unread;   /* why it could not be used; its status is CKAM_OK where it could */
    size_t             count;    /* parameters that are shown */
    size_t            *columns;  /* their columns */
    bool               selected; /* by the caller; else all parameters */
} run_scene;

/* Adds all blocks of the page to a document that it begins. The document is good for document_write() or
 * document_free() also after a failure. */
ckam_status page_fill(const run_scene *scene, document *d, ckam_error *error);

#endif
