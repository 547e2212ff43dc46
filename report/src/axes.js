// axes.js - the frame of a panel: ticks, margins that fit their texts, axes of equal units.
import * as Plot from "@observablehq/plot";
import { scaleLinear, scaleLog } from "d3";
import { shorten, textWidth } from "./dom.js";
import { logTickText, tickText } from "./numbers.js";
import { font } from "./theme.js";

export const fontSize = 11;

/** Where an axis has ticks, and what stands there. `room` is how many fit. */
export function ticksOf(axis, [low, high], room) {
    if (axis.names) {
        const step = Math.ceil(axis.names.length / Math.max(1, room * 4));
        const values = axis.names.map((_, i) => i).filter((i) => i % step === 0 && i >= low && i <= high);
        return { values, text: (i) => shorten(String(axis.names[i]), 22) };
    }
    if (!axis.log) {
        const values = scaleLinear([low, high], [0, 1]).ticks(room);
        const step = values.length > 1 ? values[1] - values[0] : high - low;
        return { values, text: tickText(low, high, step) };
    }
    const all = scaleLog([low, high], [0, 1]).ticks(10);
    const leading = (x) => Math.round(x / 10 ** Math.floor(Math.log10(x) + 1e-9));
    const powers = all.filter((x) => leading(x) === 1);
    if (powers.length >= 3) {
        const step = Math.ceil(powers.length / Math.max(2, room));
        return { values: powers.filter((_, i) => i % step === 0), text: logTickText };
    }
    const few = all.filter((x) => [1, 2, 5].includes(leading(x)));
    const values =
        few.length >= 2
            ? few
            : scaleLinear([low, high], [0, 1])
                  .ticks(4)
                  .filter((x) => x > 0);
    return { values, text: logTickText };
}

const widest = ({ values, text }) =>
    Math.max(0, ...values.map((value) => textWidth(text(value), `${fontSize}px ${font}`)));

/** How many ticks fit. */
const roomAcross = (width) => Math.max(2, Math.floor(width / 80));
const roomUp = (height) => Math.max(2, Math.floor(height / 48));

/** How much the texts of the y axis take of a panel. */
export function leftOf(panel, range, width, height) {
    const room = widest(ticksOf(panel.y, range.y, roomUp(height)));
    return Math.min(width * 0.45, Math.max(30, Math.ceil(room) + 14));
}

/** The frame of a panel: size, margins and ticks, so that every label has its place. */
export function frameOf(panel, range, width, height, left) {
    const y = ticksOf(panel.y, range.y, roomUp(height));
    const inner = width - left - 14;
    const x = ticksOf(panel.x, range.x, roomAcross(inner));
    const needed = widest(x);
    const turned = panel.x.names !== null && needed + 8 > inner / Math.max(1, x.values.length);
    const bottom = (turned ? Math.min(110, needed * 0.72 + 20) : 24) + (panel.x.label ? 16 : 0);
    return { x, y, turned, width, height, left, right: 14, top: panel.y.label ? 26 : 10, bottom };
}

/** Makes a unit of x as long as one of y: by the height, by the width where that is too much, at last by the range. */
export function makeEqual(panel, frame, range, height) {
    const least = 60;
    const across = range.x[1] - range.x[0];
    const up = range.y[1] - range.y[0];
    const wide = frame.width - frame.left - frame.right;
    const most = Math.max(height * 1.5, least);
    let w = wide;
    let h = (wide * up) / across;
    if (h > most) [w, h] = [Math.max(least, (most * across) / up), most];
    h = Math.max(h, least);
    const unit = Math.max(across / w, up / h);
    const widen = ([low, high], by) => (by > 1e-9 * (high - low) ? [low - by / 2, high + by / 2] : [low, high]);
    range.x = widen(range.x, unit * w - across);
    range.y = widen(range.y, unit * h - up);
    const x = ticksOf(panel.x, range.x, roomAcross(w));
    const y = ticksOf(panel.y, range.y, roomUp(h));
    return { ...frame, x, y, width: w + frame.left + frame.right, height: h + frame.top + frame.bottom };
}

export function axes(panel, frame, theme) {
    const grid = { stroke: theme.grid, strokeOpacity: 1 };
    const look = {
        fill: theme.muted,
        stroke: theme.muted,
        strokeOpacity: 0.6,
        fontSize,
        tickSize: 4,
        labelArrow: "none",
    };
    const label = (axis) => (axis.label === "" ? null : axis.label);
    // As a channel: on a logarithmic scale a tickFormat would be asked only for some of the ticks.
    const ticks = ({ values, text }) => ({ ticks: values, text });
    return [
        panel.x.names ? null : Plot.gridX({ ticks: frame.x.values, ...grid }),
        panel.y.names ? null : Plot.gridY({ ticks: frame.y.values, ...grid }),
        Plot.axisX({
            ...look,
            ...ticks(frame.x),
            label: label(panel.x),
            labelAnchor: "center",
            labelOffset: frame.bottom - 4,
            ...(frame.turned ? { tickRotate: -45, textAnchor: "end" } : {}),
        }),
        Plot.axisY({ ...look, ...ticks(frame.y), label: label(panel.y) }),
    ];
}
