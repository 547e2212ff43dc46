/* picture.h - a drawn figure as pixels: a PNG file read by cairo, and the box of its only panel found in it. */
#ifndef CKAM_TESTS_PICTURE_H
#define CKAM_TESTS_PICTURE_H

#include "support.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct picture {
    int       width, height;
    int       left, right, top, bottom; /* the lines of the box */
    uint32_t *pixel;                    /* row by row: 0xrrggbb */
} picture;

/* Declared here as they are in cairo.h, so that a test needs only the library that is loaded. */
static inline void *cairo_symbol(const char *name) {
    void *handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    void *symbol = dlsym(handle, name);
    assert_non_null(symbol);
    return symbol;
}
#define CAIRO(type, name) ((type)(uintptr_t)cairo_symbol("cairo_" name))

static inline uint32_t pixel_at(const picture *p, int x, int y) {
    assert_true(x >= 0 && y >= 0 && x < p->width && y < p->height);
    return p->pixel[(size_t)y * (size_t)p->width + (size_t)x];
}

static inline int channel(uint32_t pixel, int which) { return (int)(pixel >> 8 * (2 - which) & 0xff); }

/* Of the palette: not white, grey or black. */
static inline bool is_coloured(uint32_t pixel) {
    int r = channel(pixel, 0), g = channel(pixel, 1), b = channel(pixel, 2);
    int most = r > g ? r : g, least = r < g ? r : g;
    most = most > b ? most : b;
    least = least < b ? least : b;
    return most - least > 24;
}

static inline bool is_line(uint32_t pixel) { return !is_coloured(pixel) && channel(pixel, 0) < 150; }

/* The longest run of dark pixels in a row (or column) says that it is a side of the box. */
static inline int longest_run(const picture *p, int place, bool row) {
    int longest = 0, run = 0;
    for (int i = 0; i < (row ? p->width : p->height); i++) {
        run = is_line(row ? pixel_at(p, i, place) : pixel_at(p, place, i)) ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

static inline void find_sides(const picture *p, bool row, int *first, int *last) {
    int most = 0, count = row ? p->height : p->width, *runs = malloc((size_t)count * sizeof *runs);
    assert_non_null(runs);
    for (int i = 0; i < count; i++) {
        runs[i] = longest_run(p, i, row);
        if (runs[i] > most) most = runs[i];
    }
    *first = -1;
    for (int i = 0; i < count; i++)
        if (runs[i] > most - 30) { /* a tick at the corner makes a side longer */
            if (*first < 0) *first = i;
            *last = i;
        }
    free(runs);
}

static inline picture picture_read(const char *path) {
    void   *surface = CAIRO(void *(*)(const char *), "image_surface_create_from_png")(path);
    picture p = {.width = CAIRO(int (*)(void *), "image_surface_get_width")(surface)};
    assert_int_equal(CAIRO(int (*)(void *), "surface_status")(surface), 0);
    p.height = CAIRO(int (*)(void *), "image_surface_get_height")(surface);
    p.pixel = malloc((size_t)p.width * (size_t)p.height * sizeof *p.pixel);
    assert_non_null(p.pixel);
    const char *bytes = CAIRO(const char *(*)(void *), "image_surface_get_data")(surface);
    int         stride = CAIRO(int (*)(void *), "image_surface_get_stride")(surface);
    for (int y = 0; y < p.height; y++)
        memcpy(p.pixel + (size_t)y * (size_t)p.width, bytes + (size_t)y * (size_t)stride, (size_t)p.width * 4);
    CAIRO(void (*)(void *), "surface_destroy")(surface);
    for (size_t i = 0; i < (size_t)p.width * (size_t)p.height; i++) p.pixel[i] &= 0xffffff;
    find_sides(&p, true, &p.top, &p.bottom);
    find_sides(&p, false, &p.left, &p.right);
    return p;
}

static inline void picture_free(picture *p) { free(p->pixel); }

/* At a share of the box, from the lower left corner. */
static inline uint32_t pixel_in(const picture *p, double x, double y) {
    return pixel_at(p, p->left + (int)((p->right - p->left) * x + 0.5),
                    p->bottom - (int)((p->bottom - p->top) * y + 0.5));
}

/* How many pixels are coloured, inside the box or outside. */
static inline int count_coloured(const picture *p, bool inside) {
    int count = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            bool in = x >= p->left && x <= p->right && y >= p->top && y <= p->bottom;
            count += in == inside && is_coloured(pixel_at(p, x, y));
        }
    return count;
}

#endif
