// pairs.js - the pair plot: every two of some chosen parameters against each other, and each alone on the diagonal.
import * as Plot from "@observablehq/plot";
import { bin } from "d3";
import { ticksOf } from "./axes.js";
import { button, guarded, html, shorten, svg } from "./dom.js";
import { dotsPath, dotsStroke } from "./drawing.js";
import { frame, putLegend } from "./figure.js";
import { rangeOf, wholeFigure } from "./marks.js";
import { finished } from "./panel.js";
import { saveCsv, saveSvg } from "./save.js";
import { changed, stage, theme } from "./stage.js";
import { searchBox } from "./table.js";
import { colourOf, light } from "./theme.js";

const most = 6; // parameters at a time
const many = 12; // parameters from which on they can be searched
const dots = 9000; // in all cells together
const finite = Number.isFinite;

/** The range of a list of numbers, as for any panel. */
function rangeOfValues(y) {
    const marks = [{ kind: "dots", x: { from: 0, step: 1 }, y }];
    return rangeOf(wholeFigure({ panels: [{ marks }] }).panels[0]).y;
}

class PairsView {
    constructor(block) {
        this.block = block;
        this.names = block.names ?? [];
        this.values = this.names.map((_, k) => (block.values?.[k] ?? []).map((value) => (finite(value) ? value : NaN)));
        this.chain = block.chain ?? [];
        const chains = [...new Set(this.chain)].sort((a, b) => a - b);
        this.series = chains.map((chain) => ({ name: `chain ${chain + 1}`, kind: "dots", colour: chain, chain }));
        this.hidden = new Set();
        this.chosen = this.names.map((_, k) => k).slice(0, 4);
        Object.assign(this, frame("pairs", block.title, block.caption));
        this.body.classList.add("pairs");
        this.buttons.append(
            button("SVG", `Save ${block.title} as SVG`, () => this.saveSvg()),
            button("CSV", `Save the draws of ${block.title} as CSV`, () => this.saveCsv()),
        );
        if (this.names.length > 1) this.legend.before(this.picker());
        this.putLegend();
        const across = this.chosen.length;
        this.body.style.minHeight = `${Math.min(750, 250 * across) + 20}px`; // so that the page does not jump
        stage(this.body, (width) => this.draw(width));
    }

    /* --- the choice --- */

    picker() {
        const box = (name, k) => {
            const input = html("input", { type: "checkbox", value: k, onchange: () => this.pick(k, input.checked) });
            input.checked = this.chosen.includes(k);
            return html("label", { title: name }, input, html("span", null, name));
        };
        this.boxes = this.names.map(box);
        const list = html("div", { class: "boxes" }, this.boxes);
        this.summary = html("summary");
        this.told = html("p", { class: "count", "aria-live": "polite" });
        const search = (text) =>
            this.boxes.forEach((each, k) => (each.hidden = !this.names[k].toLowerCase().includes(text)));
        const find = this.names.length > many ? searchBox("Find parameters", search) : null;
        const legend = html("legend", { class: "hidden" }, "Parameters of the pair plot");
        this.tell();
        return html(
            "details",
            { class: "picker", open: this.names.length <= many },
            this.summary,
            html("fieldset", null, legend, find, list, this.told),
        );
    }

    tell() {
        this.summary.textContent = `Parameters: ${this.chosen.length} of ${this.names.length} chosen`;
        const full = this.chosen.length >= most;
        this.told.textContent = full ? `${most} at a time: take one away to choose another.` : `Choose up to ${most}.`;
        this.boxes.forEach((box, k) => (box.firstChild.disabled = full && !this.chosen.includes(k)));
    }

    pick(k, wanted) {
        this.chosen = wanted ? [...this.chosen, k].sort((a, b) => a - b) : this.chosen.filter((other) => other !== k);
        this.tell();
        changed(this.body);
    }

    /* --- the drawings --- */

    /** For each chain that is shown: its rows, every `step`-th of them. */
    rows(step) {
        const shown = this.series.filter(({ name }) => !this.hidden.has(name));
        const rows = new Map(shown.map(({ chain }) => [chain, []]));
        for (let i = 0; i < this.chain.length; i += step) rows.get(this.chain[i])?.push(i);
        return rows;
    }

    plot(colours, label, frameOptions, xRange, yRange, marks) {
        const { x: ticksX, y: ticksY, ...size } = frameOptions;
        const look = { fill: colours.muted, stroke: colours.muted, strokeOpacity: 0.6, tickSize: 3, fontSize: 10 };
        const axis = (range) => {
            const { values, text } = ticksOf({ names: null, log: false }, range, 4);
            return { ...look, ticks: values, text, label: null };
        };
        const plot = Plot.plot({
            ...size,
            x: { domain: xRange, axis: null },
            y: { domain: yRange, axis: null },
            marks: [
                Plot.frame({ stroke: colours.grid, strokeOpacity: 1 }),
                ticksX ? Plot.axisX(axis(xRange)) : null,
                ticksY ? Plot.axisY(axis(yRange)) : null,
                ...marks,
            ],
        });
        return finished(plot, colours, label);
    }

    /** The histogram of one parameter, an outline a chain. */
    alone(k, size, colours) {
        const range = rangeOfValues(this.values[k]);
        const count = 28;
        const width = (range[1] - range[0]) / count;
        const edges = Array.from({ length: count - 1 }, (_, i) => range[0] + (i + 1) * width);
        let top = 0;
        const marks = [...this.rows(1)].flatMap(([chain, rows]) => {
            const numbers = rows.map((i) => this.values[k][i]).filter(finite);
            const bins = bin().domain(range).thresholds(edges)(numbers);
            const share = (each) => each.length / Math.max(1, numbers.length);
            const colour = colourOf(colours, chain);
            // The last height once more, so that the last step is as long as the others.
            const x = [...bins.map((each) => each.x0), range[1]];
            const y = [...bins.map(share), share(bins[bins.length - 1])];
            const tallest = Math.max(...y);
            if (tallest > top) top = tallest;
            const line = { x, y, curve: "step-after", stroke: colour, strokeWidth: 1.3 };
            const area = { x, y1: x.map(() => 0), y2: y, curve: "step-after", fill: colour, fillOpacity: 0.1 };
            return [Plot.areaY(x, area), Plot.line(x, line)];
        });
        const label = `Histogram of ${this.names[k]} by chain.`;
        return this.plot(colours, label, { ...size, y: false }, range, [0, 1.06 * top || 1], marks);
    }

    /** Two parameters: dots by chain, and lines of equal density of all that is shown. */
    together(across, up, size, colours) {
        const cells = (this.chosen.length * (this.chosen.length - 1)) / 2;
        const step = Math.max(1, Math.ceil((this.chain.length * cells) / dots));
        const paths = (index, scales) => {
            const group = svg("g", { "data-kind": "dots" });
            for (const [chain, rows] of this.rows(step)) {
                const at = (k) => rows.map((i) => this.values[k][i]);
                const look = dotsStroke(colourOf(colours, chain), 2.2, 0.4);
                group.append(svg("path", { d: dotsPath(at(across), at(up), scales), ...look }));
            }
            return group;
        };
        const thin = this.rows(Math.max(1, Math.ceil(this.chain.length / 4000)));
        const both = [...thin.values()]
            .flat()
            .filter((i) => finite(this.values[across][i]) && finite(this.values[up][i]));
        const at = (k) => both.map((i) => this.values[k][i]);
        const bandwidth = Math.max(4, size.width / 26);
        const density = {
            x: at(across),
            y: at(up),
            stroke: colours.ink,
            strokeOpacity: 0.65,
            strokeWidth: 0.9,
            bandwidth,
            thresholds: 7,
            clip: true,
        };
        const label = `${this.names[up]} against ${this.names[across]}, by chain, with lines of equal density.`;
        const ranges = [rangeOfValues(this.values[across]), rangeOfValues(this.values[up])];
        return this.plot(colours, label, size, ...ranges, [
            paths,
            both.length > 2 ? Plot.density(both, density) : null,
        ]);
    }

    /** All drawings with their places: [{ drawing, x, y, row, column }], and the size of the whole. */
    drawings(width, colours) {
        const n = this.chosen.length;
        const left = width < 480 ? 34 : 46;
        const cell = Math.min(n === 1 ? 460 : 250, Math.floor((width - left) / n));
        const height = n === 1 ? Math.round(cell * 0.6) : cell;
        const placed = [];
        for (let row = 0; row < n; row++)
            for (let column = 0; column <= row; column++) {
                const [first, last] = [column === 0, row === n - 1];
                const size = {
                    width: cell + (first ? left - 4 : 0),
                    height: height + (last ? 20 : 0),
                    x: last,
                    y: first,
                };
                const margins = { marginLeft: first ? left : 4, marginRight: 4, marginBottom: last ? 24 : 4 };
                const at = { ...size, ...margins, marginTop: row === column ? 18 : 4 };
                const drawing = guarded("This cell", () => this.cell(row, column, at, colours));
                placed.push({ drawing, x: column * cell + (first ? 0 : left - 4), y: row * height, row, column });
            }
        return { placed, cell, left, width: n * cell + left, height: n * height + 20 };
    }

    cell(row, column, size, colours) {
        const [across, up] = [this.chosen[column], this.chosen[row]];
        if (row !== column) return this.together(across, up, size, colours);
        return this.nameOn(this.alone(up, size, colours), this.names[up], size, colours);
    }

    nameOn(drawing, name, size, colours) {
        const x = (size.marginLeft + size.width - size.marginRight) / 2;
        const room = Math.max(4, Math.floor((size.width - size.marginLeft) / 7));
        const look = { x, y: 12, "text-anchor": "middle", "font-size": 12, "font-weight": 600, fill: colours.ink };
        drawing.append(svg("text", look, shorten(name, room)));
        return drawing;
    }

    putLegend() {
        putLegend(this.legend, this.series, null, this.hidden, () => changed(this.body));
    }

    draw(width) {
        this.putLegend();
        this.body.style.minHeight = "";
        if (this.chosen.length === 0 || this.chain.length === 0) {
            this.body.replaceChildren(
                html("p", { class: "none" }, this.chain.length ? "Choose a parameter." : "no data"),
            );
            return;
        }
        const { placed, cell, left } = this.drawings(width, theme());
        this.body.style.gridTemplateColumns = `${cell + left - 4}px repeat(${this.chosen.length - 1}, ${cell}px)`;
        for (const { drawing, row, column } of placed) {
            drawing.style.gridRow = row + 1;
            drawing.style.gridColumn = column + 1;
        }
        this.body.replaceChildren(...placed.map(({ drawing }) => drawing));
    }

    saveCsv() {
        const head = ["chain", ...this.names];
        const row = (chain, i) => [chain + 1, ...this.values.map((numbers) => numbers[i])];
        saveCsv(["pairs"], [head, ...this.chain.map(row)]);
    }

    saveSvg() {
        const { placed, width, height } = this.drawings(1000, light);
        const { title, caption } = this.block;
        const series = this.series.filter(({ name }) => !this.hidden.has(name));
        const words = { title: title ?? "", caption: caption ?? "" };
        saveSvg(["pairs"], { ...words, series, range: null, drawings: placed, width, height });
    }
}

export function pairsView(block) {
    return new PairsView(block).element;
}
