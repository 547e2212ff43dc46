/* document.h - a page as data: tables, findings and figures in order.
 *
 * Blocks are written one after the other as JSON into a growing text; document_write() puts the page around it. The
 * page's program (report/ at the top of the tree) shows any document; docs/report.md has the form of the JSON. */
#ifndef CKAM_REPORT_DOCUMENT_H
#define CKAM_REPORT_DOCUMENT_H

#include "report/figure.h"

/* Text that grows. `failed` stays set when there was no memory, and later calls do nothing. */
typedef struct text_buffer {
    char  *bytes; /* ended by 0 when length > 0 */
    size_t length, room;
    bool   failed;
} text_buffer;

void text_add(text_buffer *t, const char *bytes, size_t count);
void text_string(text_buffer *t, const char *string);
void text_format(text_buffer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(text_buffer *t);
/* Text for HTML: special characters are escaped, bytes that are not UTF-8 become U+FFFD. */
void text_html(text_buffer *t, const char *string);
/* A JSON string with its quotes. '<', '>', '&' and the line separators are escaped, so that it may stand in a script
 * element; bytes that are not UTF-8 become U+FFFD. */
void json_text(text_buffer *t, const char *text);
/* A number with all its digits; null where it is not finite. */
void json_number(text_buffer *t, double x);
/* A list of numbers, rounded to what a picture can show: to 1e-4 of their range or better; on a logarithmic axis, to 1e-4 of
 * each number. null for a number that is not finite. */
void json_numbers(text_buffer *t, size_t count, const double *x, bool logarithmic);
/* A figure; `compact`: without title and caption. */
void json_figure(text_buffer *t, const figure *f, bool compact);

typedef struct document {
    text_buffer text;                /* the JSON so far */
    text_buffer title;               /* of the page, for HTML */
    size_t      blocks, rows, cells; /* so far: all, of this table, of this row */
} document;

void document_begin(document *d, const char *title, const char *subtitle);
void document_heading(document *d, const char *text);
void document_paragraph(document *d, const char *text);
void document_finding(document *d, ckam_severity severity, const char *text, const char *advice);
/* Figures of one kind, one per parameter; the page shows the one that the reader chooses. Title and caption are those of the
 * first. */
void document_figures(document *d, size_t count, figure *const *figures);
void document_figure(document *d, const figure *f);

/* A table: begin, then for every row begin_row and its cells, then end. `flagged` cells are shown as a warning. */
void document_table(document *d, const char *name, const char *title, const char *caption, size_t columns,
                    const char *const *labels);
void document_row(document *d);
void document_cell_text(document *d, const char *text, bool flagged);
void document_cell_number(document *d, double x, bool flagged);
void document_table_end(document *d);

/* Draws for the pair plot: values[k * rows + row] of parameter k, chain[row] from 0. */
void document_pairs(document *d, const char *title, const char *caption, size_t parameters, const char *const *names,
                    size_t rows, const double *values, const uint32_t *chain);

/* Writes the page to a temporary file, syncs and renames it. Frees the document, also after a failure. */
ckam_status document_write(document *d, const char *path, ckam_error *error);
void        document_free(document *d);

#endif
