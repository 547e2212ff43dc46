/* canvas.c - see canvas.h.
 *
 * The page grows in memory and is written at the end: figures are small, and a file is never incomplete. */
#include "report/canvas.h"

#include "base/character.h"
#include "base/error.h"
#include "base/file.h"
#include "base/library.h"
#include "report/figure.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Colours ------------------------------------------------------------------------------------------------------ */

/* Those of the page, report/src/theme.js, for light backgrounds: distinguishable with every kind of colour vision, which is
 * tested there. */
static const unsigned colours[COLOURS] = {0x013fad, 0xc83b00, 0x008961, 0x9c3587,
                                          0xd58e03, 0x4fa8e6, 0x6b1a10, 0x7d70e4};

static rgb from_bytes(unsigned bytes) {
    return (rgb){(bytes >> 16) / 255.0, (bytes >> 8 & 0xff) / 255.0, (bytes & 0xff) / 255.0};
}

rgb palette_colour(int colour) {
    if (colour == COLOUR_INK) return from_bytes(0x1a1a1a);
    if (colour < 0) return from_bytes(0x8c8c8c);
    return from_bytes(colours[colour % COLOURS]);
}

size_t palette_dash(int colour, bool dashed, const double **lengths) {
    static const double dashes[] = {4.0, 2.5}, dash_dot[] = {6.0, 2.0, 1.5, 2.0}, dots[] = {1.5, 2.0};
    bool                again = colour >= COLOURS;
    *lengths = !again ? dashes : dashed ? dots : dash_dot;
    if (!again) return dashed ? 2 : 0;
    return dashed ? 2 : 4;
}

static double encode(double linear) {
    linear = fmin(fmax(linear, 0.0), 1.0);
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

/* OKLab (B. Ottosson, 2020) to sRGB. */
static rgb from_oklab(double lightness, double a, double b) {
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3.0);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3.0);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3.0);
    return (rgb){encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                 encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                 encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/* Lightness falls evenly, which is what the eye reads; colour fades in, and turns from cyan to blue. */
rgb palette_scale(double t) {
    double chroma = 0.30 * t * (1.0 - 0.62 * t), hue = (225.0 + 40.0 * t) / 180.0 * acos(-1.0);
    return from_oklab(1.0 - 0.75 * t, chroma * cos(hue), chroma * sin(hue));
}

#define PNG_SCALE (200.0 / 72.0) /* pixels per point */

/* -- The library -------------------------------------------------------------------------------------------------- */

static const library_function table[] = {
#define FUNCTION(name) LIBRARY_FUNCTION(canvas_functions, name, "cairo_" #name),
    CANVAS_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

static ckam_status load(canvas_functions *cairo, const char *library, ckam_error *error) {
    if (library_load(library, sizeof table / sizeof *table, table, cairo)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OUTPUT,
                     "drawing needs a library that cannot be loaded (%.110s); install Debian's package libcairo2",
                     dlerror());
}

/* -- The page ----------------------------------------------------------------------------------------------------- */

static cairo_status_t grow(void *file, const unsigned char *bytes, unsigned length) {
    text_buffer *t = file;
    text_add(t, (const char *)bytes, length);
    return t->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* Without hinting, so that lengths of text are the same in every file format. */
static void begin_drawing(canvas *c) {
    c->pen = c->cairo.create(c->surface);
    cairo_font_options_t *options = c->cairo.font_options_create();
    c->cairo.font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    c->cairo.font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    c->cairo.font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    c->cairo.set_font_options(c->pen, options);
    c->cairo.font_options_destroy(options);
    c->cairo.set_line_join(c->pen, CAIRO_LINE_JOIN_ROUND);
}

static void end_drawing(canvas *c) {
    if (c->pen) c->cairo.destroy(c->pen);
    if (c->surface) c->cairo.surface_destroy(c->surface);
    c->pen = NULL;
    c->surface = NULL;
}

ckam_status canvas_begin(canvas *c, const char *library, ckam_error *error) {
    *c = (canvas){.kind = CANVAS_PNG};
    ckam_status status = load(&c->cairo, library, error);
    if (status) return status;
    c->surface = c->cairo.image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    begin_drawing(c);
    return CKAM_OK;
}

static void clean(char *out, size_t size, const char *text);

/* No date in the PDF: the same figure gives the same bytes. */
void canvas_page(canvas *c, canvas_kind kind, double width, double height, const char *title) {
    char clean_title[1024];
    clean(clean_title, sizeof clean_title, title);
    end_drawing(c);
    c->kind = kind;
    if (kind == CANVAS_PDF) {
        c->surface = c->cairo.pdf_surface_create_for_stream(grow, &c->file, width, height);
        c->cairo.pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_TITLE, clean_title);
        c->cairo.pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    } else if (kind == CANVAS_SVG) {
        c->surface = c->cairo.svg_surface_create_for_stream(grow, &c->file, width, height);
    } else {
        c->surface = c->cairo.image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * PNG_SCALE),
                                                   (int)ceil(height * PNG_SCALE));
    }
    begin_drawing(c);
    if (kind == CANVAS_PNG) c->cairo.scale(c->pen, PNG_SCALE, PNG_SCALE);
    canvas_colour(c, (rgb){1.0, 1.0, 1.0}, 1.0);
    c->cairo.paint(c->pen);
}

/* cairo (1.16) numbers surfaces and images through the life of the process. Counted from the page's own number on, the
 * same figure is the same bytes. Numbers get shorter, so that it is done in place. */
static void renumber(text_buffer *t) {
    static const char *const names[] = {"\"surface", "\"image", "#image"};
    const char              *page = strstr(t->bytes, "id=\"surface"), *from = t->bytes;
    if (!page) return;
    unsigned long before = strtoul(page + strlen("id=\"surface"), NULL, 10) - 1;
    char         *to = t->bytes;
    while (*from) {
        size_t length = 0;
        for (size_t i = 0; !length && i < sizeof names / sizeof *names; i++)
            if (!strncmp(from, names[i], strlen(names[i]))) length = strlen(names[i]);
        if (!length) {
            *to++ = *from++;
            continue;
        }
        char         *behind = NULL, digits[24];
        unsigned long number = strtoul(from + length, &behind, 10);
        memmove(to, from, length);
        to += length;
        from += length;
        if (number <= before) continue;
        const int count = snprintf(digits, sizeof digits, "%lu", number - before);
        memcpy(to, digits,
               (size_t)count); /* no 0 behind them: it would end the text where they are as long as before */
        to += count;
        from = behind;
    }
    *to = 0;
    t->length = (size_t)(to - t->bytes);
}

ckam_status canvas_write(canvas *c, const char *path, ckam_error *error) {
    cairo_status_t problem = c->cairo.status(c->pen);
    if (!problem && c->kind == CANVAS_PNG) problem = c->cairo.surface_write_to_png_stream(c->surface, grow, &c->file);
    c->cairo.surface_finish(c->surface);
    if (!problem) problem = c->cairo.surface_status(c->surface);
    if (c->failed || problem == CAIRO_STATUS_NO_MEMORY)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to draw %.160s", path);
    if (problem)
        return fail_with(error, CKAM_ERROR_OUTPUT, "cannot draw %.120s: cairo says '%.80s'", path,
                         c->cairo.status_to_string(problem));
    if (c->kind == CANVAS_SVG) renumber(&c->file);
    return file_replace(NULL, path, c->file.bytes, c->file.length, error);
}

void canvas_free(canvas *c) {
    end_drawing(c);
    text_free(&c->file);
}

/* -- Lines -------------------------------------------------------------------------------------------------------- */

void canvas_colour(canvas *c, rgb colour, double alpha) {
    c->cairo.set_source_rgba(c->pen, colour.red, colour.green, colour.blue, alpha);
}

void canvas_line(canvas *c, double x0, double y0, double x1, double y1) {
    c->cairo.move_to(c->pen, x0, y0);
    c->cairo.line_to(c->pen, x1, y1);
    c->cairo.stroke(c->pen);
}

/* -- Text --------------------------------------------------------------------------------------------------------- */

enum { TEXT_ROOM = 512 };

static bool continues(char byte) { return ((unsigned char)byte & 0xc0) == 0x80; }

/* How many bytes the character at `text` has; 0 where cairo would not take it: it is no UTF-8, a control character, or a
 * code that Unicode keeps free. */
static size_t drawn_length(const char *text) {
    size_t   length = character_length(text);
    uint32_t code = (unsigned char)text[0] & (length > 1 ? 0xffu >> (length + 1) : 0xffu);
    for (size_t i = 1; i < length; i++) code = code << 6 | ((unsigned char)text[i] & 0x3fu);
    bool control = code < ' ' || code == 0x7f,
         kept_free = (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe;
    return control || kept_free ? 0 : length;
}

/* A copy that cairo takes. */
static void clean(char *out, size_t size, const char *text) {
    size_t used = 0;
    while (*text) {
        size_t length = drawn_length(text), taken = length ? length : 1;
        if (used + taken >= size) break;
        if (length)
            memcpy(out + used, text, length);
        else
            out[used] = (unsigned char)*text < ' ' ? ' ' : '?';
        used += taken;
        text += taken;
    }
    out[used] = 0;
}

static double width_of(canvas *c, canvas_font font, const char *text) {
    cairo_text_extents_t extents = {0};
    c->cairo.select_font_face(c->pen, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                              font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    c->cairo.set_font_size(c->pen, font.size);
    c->cairo.text_extents(c->pen, text, &extents);
    return extents.x_advance;
}

double canvas_text_width(canvas *c, canvas_font font, const char *text) {
    char cleaned[TEXT_ROOM];
    clean(cleaned, sizeof cleaned, text);
    return width_of(c, font, cleaned);
}

/* Ends the text with an ellipsis where it is longer than `room`; returns its width. */
static double cut(canvas *c, canvas_font font, char *text, double room) {
    static const char ellipsis[] = "\xe2\x80\xa6";
    double            width = width_of(c, font, text);
    size_t            length = strlen(text);
    if (length + sizeof ellipsis > TEXT_ROOM) length = TEXT_ROOM - sizeof ellipsis;
    while (width > room && length) {
        do length--;
        while (length && continues(text[length]));
        memcpy(text + length, ellipsis, sizeof ellipsis);
        width = width_of(c, font, text);
    }
    return width;
}

void canvas_text(canvas *c, canvas_font font, const char *text, double x, double y, canvas_anchor anchor, double angle,
                 double room) {
    char cleaned[TEXT_ROOM];
    clean(cleaned, sizeof cleaned, text);
    double width = cut(c, font, cleaned, room);
    c->cairo.save(c->pen);
    c->cairo.translate(c->pen, x, y);
    c->cairo.rotate(c->pen, angle);
    c->cairo.move_to(c->pen, anchor == ANCHOR_LEFT ? 0.0 : anchor == ANCHOR_MIDDLE ? -width / 2.0 : -width, 0.0);
    c->cairo.show_text(c->pen, cleaned);
    c->cairo.restore(c->pen);
}
