// panel.js - one panel of a figure.
import * as Plot from "@observablehq/plot";
import { axes, fontSize, frameOf, leftOf, makeEqual } from "./axes.js";
import { svg } from "./dom.js";
import { plotted } from "./drawing.js";
import { rangeOf } from "./marks.js";
import { font } from "./theme.js";
import { tip } from "./tips.js";

function emptyPanel(width, height, theme, label) {
    const text = { x: width / 2, y: height / 2, "text-anchor": "middle", "font-size": 13, fill: theme.muted };
    const ground = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, fill: "none", stroke: theme.grid };
    const box = {
        class: "plot",
        width,
        height,
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": `${label} No data.`,
    };
    return svg("svg", box, svg("rect", ground), svg("text", { ...text, "font-family": font }, "no data"));
}

/** Finishes what Plot.plot() made: its style element would break the page's policy; style.css has the same rules. */
export function finished(plot, theme, label) {
    for (const style of plot.querySelectorAll("style")) style.remove();
    const look = { class: "plot", color: theme.ink, "font-family": font, "font-size": fontSize, overflow: "visible" };
    for (const [name, value] of Object.entries({ ...look, role: "img", "aria-label": label }))
        plot.setAttribute(name, value);
    return plot;
}

/** The left margin that the panels of a figure share, so that those below each other are level. */
export function sharedLeft(panels, width, height) {
    return Math.max(...panels.map((panel) => leftOf(panel, rangeOf(panel), width, height)));
}

/**
 * An svg element. `hidden` has the names that are not shown, `cells` the range of z, `tips` says whether there is to be
 * something under the pointer, `label` is what a screen reader says.
 */
export function drawPanel(panel, { width, height, left, theme, hidden, cells, tips, label }) {
    const range = rangeOf(panel);
    if (!range.data) return emptyPanel(width, height, theme, label);
    let frame = frameOf(panel, range, width, height, left);
    if (panel.equal && !panel.x.log && !panel.y.log) frame = makeEqual(panel, frame, range, height);
    const shown = panel.marks.filter((mark) => !hidden.has(mark.name));
    const crowd = (kind) => panel.marks.filter((mark) => mark.kind === kind).length;
    const scale = (axis) => ({ type: panel[axis].log ? "log" : "linear", domain: range[axis], axis: null });
    const plot = Plot.plot({
        width: frame.width,
        height: frame.height,
        marginLeft: frame.left,
        marginRight: frame.right,
        marginTop: frame.top,
        marginBottom: frame.bottom,
        x: scale("x"),
        y: scale("y"),
        marks: [
            ...axes(panel, frame, theme),
            ...shown.flatMap((mark) => plotted(mark, { panel, frame, range, theme, cells, crowd: crowd(mark.kind) })),
            tips ? tip(panel, shown, theme) : null,
        ],
    });
    return finished(plot, theme, label);
}
