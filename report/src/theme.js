// theme.js - the colours of figures, on a light and on a dark ground. The colours of the page itself are in style.css.
//
// Any two colours of a palette are 20 or more apart in CIELAB for each of the three kinds of colour blindness, the first
// four 27; tests/page/palette.mjs measures it.
import { interpolateLab, piecewise } from "d3";

export const light = {
    ground: "#ffffff",
    ink: "#1d2429",
    muted: "#5c6670",
    grid: "#e7eaed",
    palette: ["#013fad", "#c83b00", "#008961", "#9c3587", "#d58e03", "#4fa8e6", "#6b1a10", "#7d70e4"],
    ramp: piecewise(interpolateLab, ["#f4f7fa", "#c3dbea", "#6fb0d2", "#2274ad", "#123f78", "#0b1f44"]),
};

export const dark = {
    ground: "#15191d",
    ink: "#e4e8eb",
    muted: "#a2adb7",
    grid: "#2b3238",
    palette: ["#66a1ec", "#f68b4e", "#5ceebd", "#ad5995", "#f5cf4a", "#b5e0ff", "#c34f3e", "#8a6cf0"],
    ramp: piecewise(interpolateLab, ["#1b2127", "#1d4163", "#1f74a3", "#4cb0b3", "#a9dfa4", "#fdf6c0"]),
};

export const font =
    '"Inter", -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans Condensed", Arial, sans-serif';

/** The colour of a mark. */
export function colourOf(theme, number) {
    if (number === -2) return theme.muted;
    if (!(number >= 0)) return theme.ink;
    return theme.palette[Math.floor(number) % theme.palette.length];
}
