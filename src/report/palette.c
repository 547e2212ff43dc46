/* palette.c - see palette.h. */
#include "report/palette.h"

#include "report/figure.h"

#include <math.h>

/* Those of the page, report/src/theme.js, for light grounds: told apart by all kinds of colour vision, which is tested
 * there. */
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
