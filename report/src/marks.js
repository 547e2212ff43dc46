// marks.js - the numbers of marks, as docs/report.md has them, without a word on how they are drawn.

const finite = Number.isFinite;
const kinds = ["line", "band", "bars", "dots", "cells", "spans", "rule"];

/** A list of numbers; what is missing or not finite is NaN. */
function list(numbers, count) {
    if (numbers && finite(numbers.from))
        return Array.from({ length: count }, (_, i) => numbers.from + i * numbers.step);
    const given = Array.isArray(numbers) ? numbers : [];
    return Array.from({ length: count ?? given.length }, (_, i) => (finite(given[i]) ? given[i] : NaN));
}

function cellsOf(mark) {
    const { columns = 0, rows = 0, x0, y0, width, height } = mark;
    const count = columns * rows;
    const x = Array.from({ length: count }, (_, i) => x0 + ((i % columns) + 0.5) * width);
    const y = Array.from({ length: count }, (_, i) => y0 + (Math.floor(i / columns) + 0.5) * height);
    return { count, x, y, z: list(mark.z, count) };
}

/** { count, and lists of count numbers: those of x, y, low, high, z that the kind has }. The place of a cell is its middle. */
export function numbersOf(mark) {
    const length = (numbers) => (Array.isArray(numbers) ? numbers.length : 0);
    const take = (count, ...names) => {
        const numbers = { count };
        for (const name of names) numbers[name] = list(mark[name], count);
        return numbers;
    };
    switch (mark.kind) {
        case "line":
            return take(length(mark.y), "x", "y");
        case "band":
            return take(Math.max(length(mark.low), length(mark.high)), "x", "low", "high");
        case "bars":
            return take(length(mark.y), "low", "high", "y");
        case "dots":
            return take(length(mark.y), "x", "y", "low", "high");
        case "cells":
            return cellsOf(mark);
        case "spans":
            return take(length(mark.low), "low", "high");
        default: // a rule
            return take(Math.max(length(mark.x), length(mark.y)), "x", "y");
    }
}

/** What a mark spans along x and y: two lists of numbers, of places that can be shown only. */
function reach(mark, log) {
    const { count, x, y, low, high, z } = numbersOf(mark);
    const xs = [];
    const ys = [];
    const shown = (axis, number) => finite(number) && (!log[axis] || number > 0);
    const put = (axis, ...numbers) => (axis === "x" ? xs : ys).push(...numbers.filter((number) => shown(axis, number)));
    for (let i = 0; i < count; i++) {
        switch (mark.kind) {
            case "line":
            case "dots":
                if (!shown("x", x[i]) || !shown("y", y[i])) break;
                put("x", x[i]);
                put("y", y[i]);
                if (mark.kind === "dots" && finite(low[i]) && finite(high[i])) put("y", low[i], high[i]);
                break;
            case "band":
                if (!shown("x", x[i]) || !finite(low[i]) || !shown("y", high[i])) break;
                put("x", x[i]);
                put("y", low[i], high[i]);
                break;
            case "bars":
                if (!finite(low[i]) || !shown("x", high[i]) || !shown("y", y[i])) break;
                put("x", low[i], high[i]);
                put("y", 0, y[i]);
                break;
            case "cells":
                if (!finite(z[i])) break;
                put("x", x[i] - mark.width / 2, x[i] + mark.width / 2);
                put("y", y[i] - mark.height / 2, y[i] + mark.height / 2);
                break;
            case "spans":
                if (finite(low[i]) && finite(high[i])) put("x", low[i], high[i]);
                break;
            default:
                put("x", x[i]);
                put("y", y[i]);
        }
    }
    return { xs, ys };
}

/** Extends [low, high] where it is a point, or not known. */
function widened(low, high, log) {
    if (!(low <= high)) return log ? [1, 10] : [0, 1];
    if (low < high) return [low, high];
    if (log) return [low / 2, low * 2];
    const half = low === 0 ? 0.5 : Math.abs(low) * 0.05;
    return [low - half, low + half];
}

function limits(axis, low, high, room) {
    const given = (number) => finite(number) && (!axis.log || number > 0);
    if (axis.names) [low, high] = [-0.5, axis.names.length - 0.5];
    else if (low <= high) {
        [low, high] = widened(low, high, axis.log);
        if (axis.log) [low, high] = [low / (high / low) ** room.low, high * (high / low) ** room.high];
        else [low, high] = [low - room.low * (high - low), high + room.high * (high - low)];
    }
    if (given(axis.low)) low = axis.low;
    if (given(axis.high)) high = axis.high;
    return widened(low, high, axis.log);
}

/** { x: [low, high], y: [low, high], data }: what a panel shows; `data` is false where there is nothing. */
export function rangeOf(panel) {
    const log = { x: panel.x.log, y: panel.y.log };
    const range = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    let data = false;
    for (const mark of panel.marks) {
        const { xs, ys } = reach(mark, log);
        if (xs.length + ys.length > 0) data = true;
        for (const [axis, numbers] of [
            ["x", xs],
            ["y", ys],
        ]) {
            for (const number of numbers) {
                if (number < range[axis][0]) range[axis][0] = number;
                if (number > range[axis][1]) range[axis][1] = number;
            }
        }
    }
    const has = (...kinds) => panel.marks.some((mark) => kinds.includes(mark.kind));
    const tight = { low: 0, high: 0 };
    const floor = has("bars") && range.y[0] >= 0 ? 0 : 0.04; // bars stand on their axis
    const roomX = has("dots") && !has("cells") ? { low: 0.03, high: 0.03 } : tight;
    const roomY = has("cells") ? tight : { low: floor, high: 0.05 };
    return {
        x: limits(panel.x, ...range.x, panel.equal ? tight : roomX),
        y: limits(panel.y, ...range.y, panel.equal ? tight : roomY),
        data,
    };
}

/** The range of z over the cells of all panels, from 0 where none is below; null without cells. */
export function rangeOfCells(figure) {
    let low = Infinity;
    let high = -Infinity;
    for (const panel of figure.panels)
        for (const mark of panel.marks)
            if (mark.kind === "cells")
                for (const z of mark.z ?? []) {
                    if (!finite(z)) continue;
                    if (z < low) low = z;
                    if (z > high) high = z;
                }
    if (low > high) return null;
    if (low >= 0) low = 0;
    return low < high ? [low, high] : [low, low + 1];
}

/** The names in the legend, once each: [{ name, kind, colour, dashed }], of the first mark, after bands and spans. */
export function seriesOf(figure) {
    const series = new Map();
    const ground = (kind) => kind === "band" || kind === "spans";
    for (const { name, kind, colour, dashed } of figure.panels.flatMap((panel) => panel.marks)) {
        if (typeof name !== "string" || name === "") continue;
        if (!series.has(name) || (ground(series.get(name).kind) && !ground(kind)))
            series.set(name, { name, kind, colour, dashed });
    }
    return [...series.values()];
}

/** A figure with every member that the rest of the program relies on. */
export function wholeFigure(figure) {
    if (!figure || !Array.isArray(figure.panels)) throw new Error("it has no panels");
    const axis = (given) => {
        const { label, log, low, high, names } = given ?? {};
        return {
            label: label ?? "",
            log: log === true,
            low,
            high,
            names: Array.isArray(names) && names.length ? names : null,
        };
    };
    const panels = figure.panels.map((panel) => {
        const marks = Array.isArray(panel.marks) ? panel.marks : [];
        const strange = marks.find(({ kind }) => !kinds.includes(kind));
        if (strange) throw new Error(`a mark is of the unknown kind "${strange.kind}"`);
        return { ...panel, title: panel.title ?? "", x: axis(panel.x), y: axis(panel.y), marks };
    });
    return { ...figure, name: figure.name ?? "figure", across: Math.max(1, figure.across || 1), panels };
}
