// save.js - files from what is shown: figures as SVG and CSV, tables as CSV.
import { svg, textWidth } from "./dom.js";
import { numbersOf } from "./marks.js";
import { colourOf, font, light } from "./theme.js";

function download(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** The name of a file from any texts. */
function fileName(parts, ending) {
    const words = parts
        .filter(Boolean)
        .map((part) => part.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, ""));
    return `${words.filter(Boolean).join("-").slice(0, 80) || "ckam"}.${ending}`;
}

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

function csvCell(cell) {
    if (cell === null || cell === undefined || Number.isNaN(cell)) return "";
    const text = String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function saveCsv(names, rows) {
    const text = rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
    download(fileName(names, "csv"), "text/csv;charset=utf-8", text);
}

/** All numbers of a figure in long form. */
export function figureRows(figure) {
    const rows = [["panel", "series", "kind", "x", "y", "low", "high", "z"]];
    figure.panels.forEach((panel, index) => {
        for (const mark of panel.marks) {
            const { count, x, y, low, high, z } = numbersOf(mark);
            for (let i = 0; i < count; i++)
                rows.push([
                    panel.title || index + 1,
                    mark.name,
                    mark.kind,
                    x?.[i],
                    y?.[i],
                    low?.[i],
                    high?.[i],
                    z?.[i],
                ]);
        }
    });
    return rows;
}

/* --- SVG ---------------------------------------------------------------------------------------------------------- */

const text = (x, y, size, content, more) => svg("text", { x, y, "font-size": size, fill: light.ink, ...more }, content);

/** A legend from left to right, in as many lines as it takes: { height, elements }. */
function legendAt(series, top, width) {
    let [x, y] = [16, top];
    const elements = [];
    for (const { name, kind, colour, dashed } of series) {
        const room = 38 + textWidth(name, `12px ${font}`);
        if (x > 16 && x + room > width) [x, y] = [16, y + 20];
        elements.push(swatch({ kind, colour, dashed }, light, x, y - 10), text(x + 22, y, 12, name));
        x += room;
    }
    return { elements, height: series.length ? y - top + 20 : 0 };
}

/** The sign of a series in a legend, 16 x 12. */
export function swatch({ kind, colour, dashed }, theme, x = 0, y = 0) {
    const fill = colourOf(theme, colour);
    if (kind === "line" || kind === "rule") {
        const look = { stroke: fill, "stroke-width": 2.5, "stroke-dasharray": dashed ? "4,3" : null };
        return svg("line", { x1: x, x2: x + 16, y1: y + 6, y2: y + 6, ...look });
    }
    if (kind === "dots") return svg("circle", { cx: x + 8, cy: y + 6, r: 4, fill });
    const opacity = { band: 0.35, spans: 0.3 }[kind] ?? 0.85;
    return svg("rect", { x: x + 2, y, width: 12, height: 12, rx: 2, fill, "fill-opacity": opacity });
}

/** Shades from low to high. */
export function rampOf(theme, x = 0, y = 0) {
    const steps = [...Array(24).keys()];
    const step = (i) => svg("rect", { x: x + i * 5, y, width: 5.5, height: 12, fill: theme.ramp(i / 23) });
    return steps.map(step);
}

/**
 * One file from a title, a caption, a legend and drawings in their places: { drawing, title, x, y } below the legend.
 * `range` is [low, high] as texts where there are shades to explain, or null.
 */
export function saveSvg(names, { title, caption, series, range, drawings, width, height }) {
    const heading = title ? [text(16, 30, 16, title, { "font-weight": 600 })] : [];
    let top = title ? 54 : 28;
    const legend = legendAt(series, top, width + 32);
    top += legend.height - 10;
    const shades = range
        ? [text(16, top + 10, 12, range[0]), ...rampOf(light, 22 + textWidth(range[0], `12px ${font}`), top)]
        : [];
    if (range) {
        shades.push(text(22 + textWidth(range[0], `12px ${font}`) + 128, top + 10, 12, range[1]));
        top += 26;
    }
    const panels = drawings.flatMap(({ drawing, title: above, x, y }) => {
        drawing.setAttribute("x", x + 16);
        drawing.setAttribute("y", y + top + (above ? 20 : 0));
        return [above ? text(x + 20, y + top + 12, 12, above, { "font-weight": 600 }) : null, drawing];
    });
    const [w, h] = [Math.ceil(width + 32), Math.ceil(height + top + 12)];
    const root = svg(
        "svg",
        {
            xmlns: "http://www.w3.org/2000/svg",
            width: w,
            height: h,
            viewBox: `0 0 ${w} ${h}`,
            "font-family": font,
            color: light.ink,
        },
        svg("title", null, title),
        svg("desc", null, caption),
        svg("rect", { width: w, height: h, fill: "#ffffff" }),
        heading,
        legend.elements,
        shades,
        panels,
    );
    const markup = new XMLSerializer().serializeToString(root).replaceAll("currentColor", light.ink);
    // XML knows no way to write these characters, not even escaped.
    const clean = markup.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");
    download(fileName(names, "svg"), "image/svg+xml", `<?xml version="1.0" encoding="UTF-8"?>\n${clean}\n`);
}
