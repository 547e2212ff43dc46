// drawing.js - the marks of a panel, drawn with Observable Plot, or as paths where it would make thousands of elements.
import * as Plot from "@observablehq/plot";
import { svg, unique } from "./dom.js";
import { numbersOf } from "./marks.js";
import { colourOf } from "./theme.js";

const shades = 48; // of a heat map
const finite = Number.isFinite;

/** Options for Plot that leave the mark's kind and name in what is drawn. */
function tagged(mark, options) {
    const render = (index, scales, values, dimensions, context, next) => {
        const group = next(index, scales, values, dimensions, context);
        group?.setAttribute("data-kind", mark.kind);
        if (mark.name) group?.setAttribute("data-series", mark.name);
        return group;
    };
    return { clip: true, render, ...options };
}

/** A mark of our own: `draw(scales)` gives elements. It keeps to the frame as those of Plot do. */
function drawn(mark, frame, draw) {
    return (index, scales) => {
        const id = unique("clip");
        const [x, y] = [frame.left, frame.top];
        const [width, height] = [frame.width - x - frame.right, frame.height - y - frame.bottom];
        const clip = svg("clipPath", { id }, svg("rect", { x, y, width, height }));
        const attributes = { "data-kind": mark.kind, "data-series": mark.name, "clip-path": `url(#${id})` };
        return svg("g", attributes, clip, draw(scales));
    };
}

const place = (number) => number.toFixed(2).replace(/\.?0+$/, "");

/** One path for all dots: points of no length with round ends. Thousands of circles would make the page slow. */
export function dotsPath(x, y, { x: sx, y: sy }) {
    let path = "";
    for (let i = 0; i < x.length; i++) {
        const [px, py] = [sx(x[i]), sy(y[i])];
        if (finite(px) && finite(py)) path += `M${place(px)},${place(py)}h.01`;
    }
    return path;
}

/** The look of such a path. */
export const dotsStroke = (colour, width, opacity) => ({
    fill: "none",
    stroke: colour,
    "stroke-width": width,
    "stroke-linecap": "round",
    "stroke-opacity": opacity,
});

/** Points of a line that no part of it leads to or from another place: a line would not show them. */
function lonely(x, y) {
    const there = (i) => finite(x[i]) && finite(y[i]);
    const leads = (i, j) => there(j) && (x[i] !== x[j] || y[i] !== y[j]);
    const alone = [];
    for (let i = 0, begin = 0; i < x.length; i++) {
        if (!there(i)) begin = i + 1;
        else if (leads(i, i + 1)) while (leads(i, i + 1) || there(i + 1)) begin = ++i + 1;
        else if (!there(i + 1)) alone.push(begin);
    }
    return [alone.map((i) => x[i]), alone.map((i) => y[i])];
}

/** Cells as one path a shade, neighbours in a row joined. */
function cellPaths({ columns, rows, x0, y0, width, height }, z, { x: sx, y: sy }, theme, [low, high]) {
    const paths = new Map();
    const shade = (i, j) => {
        const value = z[j * columns + i];
        return finite(value) ? Math.min(shades - 1, Math.floor(((value - low) / (high - low)) * shades)) : -1;
    };
    for (let j = 0; j < rows; j++) {
        const [bottom, top] = [sy(y0 + j * height), sy(y0 + (j + 1) * height)];
        for (let i = 0, end = 0; i < columns; i = end) {
            const tone = shade(i, j);
            for (end = i + 1; end < columns && shade(end, j) === tone;) end++;
            const [left, right] = [sx(x0 + i * width), sx(x0 + end * width)];
            if (tone < 0 || ![left, right, bottom, top].every(finite)) continue;
            const box = `M${place(left)},${place(bottom)}H${place(right)}V${place(top)}H${place(left)}Z`;
            paths.set(tone, (paths.get(tone) ?? "") + box);
        }
    }
    const colour = (tone) => theme.ramp(tone / (shades - 1));
    return [...paths].map(([tone, d]) => svg("path", { d, fill: colour(tone), "shape-rendering": "crispEdges" }));
}

/** How each kind is drawn, from what prepared() gives: a list of marks for Plot. */
const kinds = {
    line({ mark, frame, x, y, data, colour, dash, crowd }) {
        const [aloneX, aloneY] = lonely(x, y);
        const long = data.length > 400;
        const look = { stroke: colour, strokeWidth: long ? 1 : 1.6, strokeDasharray: dash };
        const dots = (scales) => svg("path", { d: dotsPath(aloneX, aloneY, scales), ...dotsStroke(colour, 5, 1) });
        return [
            Plot.line(data, tagged(mark, { x, y, ...look, strokeOpacity: long && crowd > 1 ? 0.8 : 1 })),
            aloneX.length ? drawn({ kind: "point" }, frame, dots) : null,
        ];
    },

    band({ mark, x, low, high, data, colour, crowd }) {
        const look = { fill: colour, fillOpacity: crowd > 3 ? 0.13 : 0.2 };
        return [Plot.areaY(data, tagged(mark, { x, y1: low, y2: high, ...look }))];
    },

    bars({ mark, panel, range, y, low, high, data, colour, crowd }) {
        const base = panel.y.log ? range.y[0] : 0;
        const look = { fill: colour, fillOpacity: crowd > 1 ? 0.45 : 0.75, insetLeft: 0.5, insetRight: 0.5 };
        return [Plot.rect(data, tagged(mark, { x1: low, x2: high, y1: y.map(() => base), y2: y, ...look }))];
    },

    dots({ mark, frame, x, y, low, high, data, colour }) {
        const bars = [...x.keys()].filter((i) => finite(x[i]) && finite(low[i]) && finite(high[i]));
        const at = (list) => bars.map((i) => list[i]);
        const look = data.length > 300 ? dotsStroke(colour, 2.4, 0.5) : dotsStroke(colour, 6, 1);
        const bar = { x: at(x), y1: at(low), y2: at(high), stroke: colour, strokeWidth: 1.4 };
        return [
            bars.length ? Plot.ruleX(bars, tagged({ kind: "error", name: mark.name }, bar)) : null,
            drawn(mark, frame, (scales) => svg("path", { d: dotsPath(x, y, scales), ...look })),
        ];
    },

    cells({ mark, frame, z, theme, cells }) {
        return [drawn(mark, frame, (scales) => cellPaths(mark, z, scales, theme, cells))];
    },

    spans({ mark, low, high, data, colour }) {
        return [Plot.rect(data, tagged(mark, { x1: low, x2: high, fill: colour, fillOpacity: 0.13 }))];
    },

    rule({ mark, x, y, colour, dash }) {
        const look = tagged(mark, { stroke: colour, strokeWidth: 1.2, strokeDasharray: dash });
        return [Plot.ruleX(x.filter(finite), look), Plot.ruleY(y.filter(finite), look)];
    },
};

/** The numbers of a mark as they can be drawn: on a logarithmic axis without those that have no place there. */
function prepared(mark, panel, range) {
    const { count, z, ...numbers } = numbersOf(mark);
    const placed = (axis, list) => (panel[axis].log ? list?.map((number) => (number > 0 ? number : NaN)) : list);
    const along = mark.kind === "bars" || mark.kind === "spans" ? "x" : "y"; // what low and high are measured by
    const reaching = (number) => (panel[along].log && number <= 0 ? range[along][0] : number);
    const [x, y, high] = [placed("x", numbers.x), placed("y", numbers.y), placed(along, numbers.high)];
    return { data: { length: count }, x, y, z, low: numbers.low?.map(reaching), high };
}

/** What Plot is to draw for a mark. `crowd` is how many of its kind are in the panel, `cells` the range of z. */
export function plotted(mark, { panel, frame, range, theme, cells, crowd }) {
    const colour = colourOf(theme, mark.colour);
    const dash = mark.dashed ? "5,4" : undefined;
    const numbers = prepared(mark, panel, range);
    return kinds[mark.kind]({ mark, panel, frame, range, theme, cells, crowd, colour, dash, ...numbers });
}
