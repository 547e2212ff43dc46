// palette_test.mjs - the colours of series are told apart, also by those who are colour-blind.
import assert from "node:assert/strict";
import { dark, light } from "../../report/src/theme.js";
import { test } from "./suite.mjs";

// What is left of linear red, green and blue without one of the cones (Machado, Oliveira and Fernandes 2009, severity 1).
const eyes = {
    all: [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ],
    protan: [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    deutan: [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    tritan: [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
};

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const rgb = (colour) => [1, 3, 5].map((i) => linear(parseInt(colour.slice(i, i + 2), 16) / 255));
const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, m, j) => sum + m * vector[j], 0));
const inside = (c) => Math.min(1, Math.max(0, c));

/** CIELAB under D65. */
function lab(colour) {
    const toXyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ];
    const white = [0.9505, 1, 1.089];
    const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
    const [x, y, z] = times(toXyz, colour).map((c, i) => f(c / white[i]));
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** The least distance of two of the colours, for all eyes. */
function apart(palette) {
    const distances = Object.values(eyes).flatMap((eye) => {
        const places = palette.map((colour) => lab(times(eye, rgb(colour)).map(inside)));
        return places.flatMap((a, i) => places.slice(i + 1).map((b) => Math.hypot(...a.map((c, k) => c - b[k]))));
    });
    return Math.min(...distances);
}

test("the colours of series are told apart by all eyes", async () => {
    for (const { palette } of [light, dark]) {
        assert.equal(palette.length, 8);
        assert.ok(apart(palette) >= 19.9, `${apart(palette)}`);
        assert.ok(apart(palette.slice(0, 4)) >= 26.9);
    }
    // A twin: red and green of the same lightness are not.
    assert.ok(apart(["#b05a3c", "#6e7c3c"]) < 15);
});
