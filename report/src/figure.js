// figure.js - a figure on the page: title, legend, panels, caption and the buttons to save it.
import { button, html, prose, svg, unique } from "./dom.js";
import { rangeOfCells, seriesOf, wholeFigure } from "./marks.js";
import { readable } from "./numbers.js";
import { drawPanel, sharedLeft } from "./panel.js";
import { figureRows, rampOf, saveCsv, saveSvg, swatch } from "./save.js";
import { changed, stage, theme } from "./stage.js";
import { light } from "./theme.js";

const gap = 20;

/** How the panels of a figure stand in a width: { columns, panelWidth, panelHeight }. */
function layoutOf(figure, width) {
    const least = figure.small ? 150 : 240;
    const fit = width < 480 ? 1 : Math.max(1, Math.floor((width + gap) / (least + gap)));
    const columns = Math.max(1, Math.min(figure.across, figure.panels.length, fit));
    const panelWidth = Math.floor((width - gap * (columns - 1)) / columns);
    const full = Math.max(200, Math.min(300, panelWidth * 0.62));
    return { columns, panelWidth, panelHeight: Math.round(figure.small ? Math.max(125, full / 2) : full) };
}

const sentence = (...parts) =>
    parts
        .filter(Boolean)
        .map((part) => (/[.?!:]$/.test(part) ? part : `${part}.`))
        .join(" ");

/** The entries of a legend: a button a series, and the shades of cells. */
function legendOf(series, range, hidden, toggle) {
    const entries = series.map((entry) => {
        const sign = svg(
            "svg",
            { class: "swatch", width: 16, height: 12, "aria-hidden": "true" },
            swatch(entry, theme()),
        );
        const onclick = (event) => {
            if (hidden.has(entry.name)) hidden.delete(entry.name);
            else hidden.add(entry.name);
            event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(entry.name)));
            toggle();
        };
        const pressed = String(!hidden.has(entry.name));
        const attributes = { type: "button", class: "series", "aria-pressed": pressed, title: "Show or hide", onclick };
        return html("li", null, html("button", attributes, sign, html("span", null, entry.name)));
    });
    if (range) {
        const shades = svg("svg", { width: 120, height: 12, "aria-hidden": "true" }, rampOf(theme()));
        entries.push(html("li", { class: "ramp" }, readable(range[0]), shades, readable(range[1])));
    }
    return entries;
}

/** Fills a legend anew; who was on a button of it stays there. */
export function putLegend(list, ...what) {
    const focused = [...list.querySelectorAll("button")].indexOf(document.activeElement);
    list.replaceChildren(...legendOf(...what));
    list.hidden = list.children.length === 0;
    list.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
}

/** The frame around anything drawn: { element, name, body, legend, buttons }. */
export function frame(name, title, caption) {
    const id = unique("figure");
    const heading = html("h3", { id }, title);
    const buttons = html("div", { class: "tools" });
    const legend = html("ul", { class: "legend", "aria-label": "Series" });
    const body = html("div", { class: "panels" });
    const head = html("div", { class: "head" }, heading, buttons);
    const figcaption = html("figcaption", null, prose(caption));
    const element = html("figure", { "data-name": name, "aria-labelledby": id }, head, legend, body, figcaption);
    return { element, heading, legend, body, buttons };
}

/** A view with one figure at a time; `show(figure)` puts another one in. `hidden` stays, so that chains stay hidden. */
export class FigureView {
    constructor(name, title, caption) {
        this.title = title ?? "";
        this.caption = caption ?? "";
        this.hidden = new Set();
        Object.assign(this, frame(name, this.title, this.caption));
        this.buttons.append(
            button("SVG", `Save ${this.title} as SVG`, () => this.saveSvg()),
            button("CSV", `Save the numbers of ${this.title} as CSV`, () => this.saveCsv()),
        );
        stage(this.body, (width) => this.draw(width));
    }

    /** null: there is none. */
    show(figure) {
        this.figure = figure && wholeFigure(figure);
        const parameter = this.figure?.parameter;
        this.heading.replaceChildren(this.title);
        if (parameter) this.heading.append(html("span", { class: "of" }, parameter));
        for (const tool of this.buttons.children) tool.disabled = !figure;
        this.range = figure ? rangeOfCells(this.figure) : null;
        this.series = figure ? seriesOf(this.figure) : [];
        const { panelHeight = 100, columns = 1 } = figure ? layoutOf(this.figure, this.body.clientWidth || 800) : {};
        const rows = Math.ceil((this.figure?.panels.length ?? 1) / columns);
        this.body.style.minHeight = `${rows * panelHeight}px`; // so that the page does not jump when it is drawn
        this.putLegend();
        changed(this.body);
        return this;
    }

    putLegend() {
        putLegend(this.legend, this.series, this.range, this.hidden, () => changed(this.body));
    }

    /** The drawings of all panels, with something under the pointer or without. */
    drawings(width, height, colours, tips) {
        const { panels, parameter } = this.figure;
        const left = sharedLeft(panels, width, height);
        const shared = { width, height, left, theme: colours, hidden: this.hidden, cells: this.range, tips };
        return panels.map((panel) => {
            const label = sentence(this.title, parameter, panel.title, this.caption);
            return drawPanel(panel, { ...shared, label });
        });
    }

    draw(width) {
        this.putLegend();
        if (!this.figure) {
            this.body.replaceChildren(html("p", { class: "none" }, "no data"));
            return;
        }
        const { columns, panelWidth, panelHeight } = layoutOf(this.figure, width);
        this.body.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
        const panels = this.drawings(panelWidth, panelHeight, theme(), true).map((drawing, i) => {
            const { title } = this.figure.panels[i];
            return html("div", { class: "panel" }, title ? html("h4", null, title) : null, drawing);
        });
        this.body.replaceChildren(...(panels.length ? panels : [html("p", { class: "none" }, "no data")]));
        this.body.style.minHeight = "";
    }

    fileName() {
        return [this.figure.name, this.figure.parameter];
    }

    saveCsv() {
        saveCsv(this.fileName(), figureRows(this.figure));
    }

    saveSvg() {
        const width = this.figure.panels.length > 1 ? 1000 : 760;
        const { columns, panelWidth, panelHeight } = layoutOf(this.figure, width);
        let [y, tallest] = [0, 0];
        const drawings = this.drawings(panelWidth, panelHeight, light, false).map((drawing, i) => {
            if (i > 0 && i % columns === 0) [y, tallest] = [y + tallest + gap, 0];
            const above = this.figure.panels[i].title;
            tallest = Math.max(tallest, Number(drawing.getAttribute("height")) + (above ? 20 : 0));
            return { drawing, title: above, x: (i % columns) * (panelWidth + gap), y };
        });
        const { parameter } = this.figure;
        const title = parameter ? `${this.title} of ${parameter}` : this.title;
        const shades = this.range && this.range.map(readable);
        const shown = this.series.filter(({ name }) => !this.hidden.has(name));
        const what = {
            title,
            caption: this.caption,
            series: shown,
            range: shades,
            drawings,
            width,
            height: y + tallest,
        };
        saveSvg(this.fileName(), what);
    }
}
