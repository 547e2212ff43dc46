/* document.c - blocks of a page as JSON, and the page around them. See document.h. */
#include "report/document.h"

#include "base/clock.h"
#include "base/embed.h"
#include "base/error.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

/* -- The page's program ------------------------------------------------------------------------------------------- */

EMBEDDED(page); /* the page that report/ builds, with its two place-holders */
EMBED(page, CKAM_REPORT_PAGE);

/* -- Blocks ------------------------------------------------------------------------------------------------------- */

static void add_text(document *d, const char *key, const char *text) {
    text_format(&d->text, ",\"%s\":", key);
    json_text(&d->text, text ? text : "");
}

void document_begin(document *d, const char *title, const char *subtitle) {
    char now[CLOCK_TEXT];
    *d = (document){0};
    clock_text(now);
    text_html(&d->title, title);
    text_string(&d->text, "{\"ckam\":");
    json_text(&d->text, CKAM_VERSION);
    add_text(d, "made", now);
    add_text(d, "title", title);
    add_text(d, "subtitle", subtitle);
    text_string(&d->text, ",\"blocks\":[");
}

static void begin_block(document *d, const char *kind) {
    text_format(&d->text, "%s\n{\"kind\":\"%s\"", d->blocks++ ? "," : "", kind);
}

static void end_block(document *d) { text_add(&d->text, "}", 1); }

void document_heading(document *d, const char *text) {
    begin_block(d, "heading");
    add_text(d, "text", text);
    end_block(d);
}

void document_paragraph(document *d, const char *text) {
    begin_block(d, "paragraph");
    add_text(d, "text", text);
    end_block(d);
}

void document_finding(document *d, ckam_severity severity, const char *text, const char *advice) {
    begin_block(d, "finding");
    add_text(d, "severity", severity == CKAM_PROBLEM ? "problem" : "note");
    add_text(d, "text", text);
    add_text(d, "advice", advice);
    end_block(d);
}

/* Name, title and caption: what figures and tables begin with. */
static void add_head(document *d, const char *name, const char *title, const char *caption) {
    if (name) add_text(d, "name", name);
    add_text(d, "title", title);
    add_text(d, "caption", caption);
}

void document_figures(document *d, size_t count, figure *const *figures) {
    if (count == 0) return;
    begin_block(d, "figures");
    add_head(d, figures[0]->name, figures[0]->title, figures[0]->caption);
    text_string(&d->text, ",\"items\":[");
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(&d->text, ",", 1);
        json_figure(&d->text, figures[i], true);
    }
    text_add(&d->text, "]", 1);
    end_block(d);
}

/* A figure's members stand beside the kind. */
void document_figure(document *d, const figure *f) {
    begin_block(d, "figure");
    size_t brace = d->text.length;
    json_figure(&d->text, f, false);
    if (!d->text.failed) d->text.bytes[brace] = ',';
}

/* -- Tables ------------------------------------------------------------------------------------------------------- */

static void add_list(document *d, const char *key, size_t count, const char *const *texts) {
    text_format(&d->text, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(&d->text, ",", 1);
        json_text(&d->text, texts[i]);
    }
    text_add(&d->text, "]", 1);
}

void document_table(document *d, const char *name, const char *title, const char *caption, size_t columns,
                    const char *const *labels) {
    begin_block(d, "table");
    add_head(d, name, title, caption);
    add_list(d, "columns", columns, labels);
    text_string(&d->text, ",\"rows\":[");
    d->rows = 0;
}

void document_row(document *d) {
    text_string(&d->text, d->rows++ ? "],[" : "[");
    d->cells = 0;
}

static void begin_cell(document *d, bool flagged) {
    if (d->cells++) text_add(&d->text, ",", 1);
    if (flagged) text_string(&d->text, "{\"value\":");
}

static void end_cell(document *d, bool flagged) {
    if (flagged) text_string(&d->text, ",\"flag\":true}");
}

void document_cell_text(document *d, const char *text, bool flagged) {
    begin_cell(d, flagged);
    json_text(&d->text, text);
    end_cell(d, flagged);
}

void document_cell_number(document *d, double x, bool flagged) {
    begin_cell(d, flagged);
    json_number(&d->text, x);
    end_cell(d, flagged);
}

void document_table_end(document *d) {
    text_string(&d->text, d->rows ? "]]" : "]");
    end_block(d);
}

/* -- Draws -------------------------------------------------------------------------------------------------------- */

void document_pairs(document *d, const char *title, const char *caption, size_t parameters, const char *const *names,
                    size_t rows, const double *values, const uint32_t *chain) {
    begin_block(d, "pairs");
    add_head(d, NULL, title, caption);
    add_list(d, "names", parameters, names);
    text_string(&d->text, ",\"chain\":[");
    for (size_t i = 0; i < rows; i++) text_format(&d->text, i ? ",%u" : "%u", (unsigned)chain[i]);
    text_string(&d->text, "],\"values\":[");
    for (size_t k = 0; k < parameters; k++) {
        if (k) text_add(&d->text, ",", 1);
        json_numbers(&d->text, rows, values + k * rows, false);
    }
    text_add(&d->text, "]", 1);
    end_block(d);
}

/* -- The page ----------------------------------------------------------------------------------------------------- */

void document_free(document *d) {
    text_free(&d->text);
    text_free(&d->title);
}

/* The rest of the template. */
typedef struct rest {
    const char *bytes;
    size_t      length;
} rest;

/* The offset of a place-holder; the length of the template where it is missing. */
static size_t find(rest r, const char *holder) {
    size_t length = strlen(holder), at = 0;
    while (at + length <= r.length && memcmp(r.bytes + at, holder, length) != 0) at++;
    return at + length <= r.length ? at : r.length;
}

/* The template up to a place-holder, then what takes its place. */
static ckam_status fill(file_aside *a, rest *r, const char *holder, const char *before, const text_buffer *value,
                        const char *behind, ckam_error *error) {
    size_t at = find(*r, holder);
    if (at == r->length) {
        file_abandon(a);
        return fail_with(error, CKAM_ERROR_FORMAT, "the page of this library lacks %s; build it again", holder);
    }
    ckam_status status = file_add(a, r->bytes, at, error);
    if (!status) status = file_add(a, before, strlen(before), error);
    if (!status) status = file_add(a, value->bytes, value->length, error);
    if (!status) status = file_add(a, behind, strlen(behind), error);
    at += strlen(holder);
    r->bytes += at;
    r->length -= at;
    return status;
}

static ckam_status write_page(const document *d, const char *path, ckam_error *error) {
    file_aside  a;
    rest        r = {page_text, (size_t)page_length};
    ckam_status status = file_begin(&a, NULL, path, error);
    if (!status) status = fill(&a, &r, "<!--TITLE-->", "", &d->title, "", error);
    if (!status)
        status = fill(&a, &r, "<!--DOCUMENT-->", "<script type=\"application/json\" id=\"document\">", &d->text,
                      "</script>", error);
    if (!status) status = file_add(&a, r.bytes, r.length, error);
    return status ? status : file_commit(&a, error);
}

ckam_status document_write(document *d, const char *path, ckam_error *error) {
    text_string(&d->text, "\n]}\n");
    ckam_status status = d->text.failed || d->title.failed
                             ? fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the page %.120s", path)
                             : write_page(d, path, error);
    document_free(d);
    return status;
}
