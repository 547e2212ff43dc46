// browser.mjs - Chromium without a window, and what is asked of every page: no error, no request, marks in every figure.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(fileURLToPath(new URL("../../report/package.json", import.meta.url)));
const flags = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/** The path of Chromium, or null. */
export function findChromium() {
    if (process.env.CHROMIUM) return process.env.CHROMIUM;
    const folders = (process.env.PATH ?? "").split(delimiter);
    const exists = (path) => statSync(path, { throwIfNoEntry: false })?.isFile();
    const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(exists) ?? null;
}

export function launch(executablePath) {
    return require("playwright-core").chromium.launch({ executablePath, args: flags });
}

const escapes = (text) =>
    text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const entities = (text) => text.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Writes pages as the C side does. */
export class Press {
    constructor(template, folder) {
        this.template = readFileSync(template, "utf8");
        this.folder = folder;
        this.count = 0;
        mkdirSync(folder, { recursive: true });
    }

    /** `json` is the text of the document. Returns the address. */
    text(name, json, title = name, change = (page) => page) {
        const element = `<script type="application/json" id="document">${json}</script>`;
        const page = this.template
            .replace("<!--TITLE-->", () => entities(title))
            .replace("<!--DOCUMENT-->", () => element);
        const path = join(this.folder, `${++this.count}-${name}.html`);
        writeFileSync(path, change(page));
        return pathToFileURL(path).href;
    }

    print(name, document, change) {
        return this.text(name, escapes(JSON.stringify(document)), document.title, change);
    }
}

/** Opens an address; `page.troubles` collects all that a page must not do. */
export async function open(browser, address, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(600_000); // for what hangs: a busy machine takes long for anything
    const page = await context.newPage();
    page.troubles = [];
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) page.troubles.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => page.troubles.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
        page.troubles.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on("request", (request) => {
        const url = request.url();
        if (url.split("#")[0] !== address.split("#")[0] && !url.startsWith("blob:"))
            page.troubles.push(`request: ${url}`);
    });
    await page.addInitScript(() => {
        addEventListener("securitypolicyviolation", (event) =>
            console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
        );
    });
    await page.goto(address);
    return page;
}

/** Brings every figure into view once, so that all are drawn. */
export async function unroll(page) {
    for (const figure of await page.locator("figure").all()) await drawn(figure);
}

/**
 * Brings a figure into view at once, and waits until it is drawn. A page that glides would have to stand still first, which
 * takes frames, and on a busy machine they come late.
 */
export async function drawn(figure) {
    await figure.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
    await figure.locator('.panels[aria-busy="false"]').waitFor();
    return figure;
}

/**
 * What a figure shows: [{ name, panels: [{ empty, kinds: { line: [parts of each path], ... } }] }]. A part of a path begins
 * with M; the number of parts tells the dots of a series, or the pieces of a line.
 */
export function shown(page) {
    return page.evaluate(() => {
        const parts = (element) =>
            element.tagName === "path" ? (element.getAttribute("d") ?? "").split("M").length - 1 : 1;
        const panelOf = (plot) => {
            const kinds = {};
            for (const group of plot.querySelectorAll("[data-kind]")) {
                const self = group.tagName === "g" ? [] : [group];
                const drawn = [...self, ...group.querySelectorAll("path, rect, circle, line")].filter(
                    (e) => !e.closest("clipPath"),
                );
                (kinds[group.dataset.kind] ??= []).push(...drawn.map(parts).filter((count) => count > 0));
            }
            const words = [...plot.querySelectorAll("text")].map((text) => text.textContent);
            return { empty: words.includes("no data"), kinds, words };
        };
        return [...document.querySelectorAll("figure")].map((figure) => ({
            name: figure.dataset.name,
            panels: [...figure.querySelectorAll("svg.plot")].map(panelOf),
            text: figure.querySelector(".panels").textContent,
        }));
    });
}

/** How many things must be drawn for a mark: [kind, at least so many elements or parts]. null: nothing. */
export function expected(mark, panel) {
    const finite = Number.isFinite;
    const okX = (x) => finite(x) && (!panel.x.log || x > 0);
    const okY = (y) => finite(y) && (!panel.y.log || y > 0);
    const at = (x, i) => (Array.isArray(x) ? x[i] : x.from + i * x.step);
    const count = (list, test) => (list ?? []).filter(test).length;
    switch (mark.kind) {
        case "line":
            return count(mark.y, (y, i) => okY(y) && okX(at(mark.x, i))) > 0 ? 1 : 0;
        case "band":
            return count(mark.high, (y, i) => okY(y) && finite(mark.low[i]) && okX(at(mark.x, i))) > 0 ? 1 : 0;
        case "bars":
            return count(mark.y, (y, i) => okY(y) && finite(mark.low[i]) && okX(mark.high[i]));
        case "dots":
            return count(mark.y, (y, i) => okY(y) && okX(mark.x[i]));
        case "cells":
            return count(mark.z, finite) > 0 ? 1 : 0;
        case "spans":
            return count(mark.low, (low, i) => finite(low) && finite(mark.high[i]));
        case "rule":
            return count(mark.x, okX) + count(mark.y, okY);
        default:
            return 0;
    }
}

/** Compares what is drawn with a document: a list of sentences, empty when every figure has its marks. */
export function missing(figures, found) {
    const sentences = [];
    if (found.length !== figures.length) sentences.push(`${found.length} figures for ${figures.length}`);
    figures.forEach((figure, index) => {
        const there = found[index];
        const say = (words) => sentences.push(`${figure.name}: ${words}`);
        if (!there || there.name !== figure.name) return say("is not there");
        if (figure.name === "pairs") return figure.pairs <= there.panels.length || say(`${there.panels.length} cells`);
        if (there.panels.length !== figure.panels.length)
            return say(`${there.panels.length} panels for ${figure.panels.length}`);
        figure.panels.forEach((panel, p) => {
            const wanted = {};
            for (const mark of panel.marks) wanted[mark.kind] = (wanted[mark.kind] ?? 0) + expected(mark, panel);
            const nothing = Object.values(wanted).every((count) => count === 0);
            if (there.panels[p].empty !== nothing)
                say(`panel ${p + 1} ${nothing ? "has marks without data" : "says 'no data'"}`);
            for (const [kind, count] of Object.entries(wanted)) {
                const parts = there.panels[p].kinds[kind] ?? [];
                const drawn = kind === "dots" ? parts.reduce((a, b) => a + b, 0) : parts.length;
                if (drawn < count) say(`panel ${p + 1} has ${drawn} of ${count} ${kind}`);
            }
        });
    });
    return sentences;
}

/** The figures that a page shows of a document, in order, when `parameter` is chosen. */
export function figuresOf(document, parameter) {
    return document.blocks.filter(Boolean).flatMap((block) => {
        if (block.kind === "figure") return [block];
        if (block.kind === "figures")
            return [block.items.find((item) => item.parameter === parameter) ?? { name: block.name, panels: [] }];
        if (block.kind !== "pairs") return [];
        const chosen = block.chain.length === 0 ? 0 : Math.min(4, block.names.length);
        return [{ name: "pairs", pairs: (chosen * (chosen + 1)) / 2 }];
    });
}

/** The parameters of a document, in the order of the list. */
export function parametersOf(document) {
    return [
        ...new Set(
            document.blocks.flatMap((block) =>
                block?.kind === "figures" ? block.items.map((item) => item.parameter) : [],
            ),
        ),
    ];
}

/** A figure's file, by the button with this text. All is drawn first: what is drawn above a button may still move it. */
export async function saved(page, scope, text) {
    await unroll(page);
    const [download] = await Promise.all([
        page.waitForEvent("download"),
        scope.getByRole("button", { name: text }).click(),
    ]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

/** Rows of a CSV text. */
export function parseCsv(text) {
    const rows = [[""]];
    let quoted = false;
    for (let i = 0; i < text.length; i++) {
        const row = rows[rows.length - 1];
        const c = text[i];
        if (quoted && c === '"' && text[i + 1] === '"') row[row.length - 1] += text[++i];
        else if (c === '"') quoted = !quoted;
        else if (!quoted && c === ",") row.push("");
        else if (!quoted && c === "\n") rows.push([""]);
        else if (quoted || c !== "\r") row[row.length - 1] += c;
    }
    rows.pop();
    return rows;
}
