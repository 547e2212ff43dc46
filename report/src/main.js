// main.js - reads the document in the page and shows its blocks in order.
import { guarded, html, message, prose, unique } from "./dom.js";
import { Chooser } from "./chooser.js";
import { FigureView } from "./figure.js";
import { wholeFigure } from "./marks.js";
import { pairsView } from "./pairs.js";
import { open } from "./stage.js";
import { tableView } from "./table.js";

/** Blocks of one figure a parameter: { view, items by parameter }. */
const following = [];

function follow(name) {
    for (const { view, items } of following) view.show(items.get(name) ?? null);
}

const severities = {
    problem: { sign: "▲", word: "Problem" },
    note: { sign: "●", word: "Note" },
};

function findingView({ severity, text, advice }) {
    const { sign, word } = severities[severity] ?? severities.note;
    const badge = html("strong", { class: "badge" }, html("span", { "aria-hidden": "true" }, sign), ` ${word}`);
    const words = html(
        "div",
        null,
        html("p", null, prose(text)),
        advice ? html("p", { class: "advice" }, prose(advice)) : null,
    );
    return html("li", { class: `finding ${word.toLowerCase()}` }, badge, words);
}

function figuresView(block) {
    const items = new Map(block.items.map((item) => [item.parameter, wholeFigure(item)]));
    const view = new FigureView(block.name, block.title, block.caption);
    following.push({ view, items });
    return view.element;
}

const views = {
    heading: ({ text }) => html("h2", { id: unique("section"), tabindex: "-1" }, text),
    paragraph: ({ text }) => html("p", { class: "paragraph" }, prose(text)),
    finding: findingView,
    table: tableView,
    figure: (block) => new FigureView(block.name, block.title, block.caption).show(block).element,
    figures: figuresView,
    pairs: pairsView,
};

function blockView(block) {
    const kind = block?.kind;
    if (!Object.hasOwn(views, kind))
        return message(`This page cannot show a part of the kind "${kind}". It may come from a newer ckam.`);
    const what = block.title ? `"${block.title}"` : `A part of the kind "${kind}"`;
    return guarded(what, () => views[kind](block));
}

/** The blocks in order; findings that follow each other become one list. */
function blocksView(blocks, main) {
    let findings = null;
    for (const block of blocks) {
        const view = blockView(block);
        if (block?.kind !== "finding") findings = null;
        else if (!findings) main.append((findings = html("ul", { class: "findings", "aria-label": "Findings" })));
        (findings ?? main).append(view);
    }
}

function contents(headings) {
    const links = headings.map((heading) =>
        html("li", null, html("a", { href: `#${heading.id}` }, heading.textContent)),
    );
    const wide = matchMedia("(min-width: 72rem)");
    const list = html("details", { open: wide.matches }, html("summary", null, "Contents"), html("ol", null, links));
    wide.addEventListener("change", () => (list.open = wide.matches));
    return html("nav", { class: "contents", "aria-label": "Contents" }, list);
}

/** Marks the section that is being read in the contents. */
function followReading(nav, headings) {
    const links = new Map([...nav.querySelectorAll("a")].map((link, i) => [headings[i], link]));
    const mark = () => {
        const passed = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight * 0.35);
        const now = passed[passed.length - 1] ?? headings[0];
        for (const [heading, link] of links) {
            if (heading === now) link.setAttribute("aria-current", "true");
            else link.removeAttribute("aria-current");
        }
    };
    let asked = false;
    const later = () => {
        if (!asked) requestAnimationFrame(() => ((asked = false), mark()));
        asked = true;
    };
    addEventListener("scroll", later, { passive: true });
    mark();
}

/** Links inside the page leave its address alone: that keeps the parameter. */
function keepAddress(event) {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    const target = document.getElementById(link.hash.slice(1));
    target?.scrollIntoView();
    target?.focus({ preventScroll: true });
}

function dateText(made) {
    const date = new Date(made);
    if (Number.isNaN(date.getTime())) return String(made);
    return date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }) + " UTC";
}

function footer({ ckam, made }) {
    const time = made ? html("time", { datetime: made }, dateText(made)) : null;
    return html("footer", null, `Made by ckam ${ckam ?? ""}`.trim(), time ? [", ", time] : null, ".");
}

function show(document_) {
    const main = html("main", { id: "main", tabindex: "-1" });
    const title = html("h1", null, document_.title ?? "ckam");
    const header = html(
        "header",
        null,
        title,
        document_.subtitle ? html("p", { class: "subtitle" }, document_.subtitle) : null,
    );
    blocksView(document_.blocks, main);
    const names = [
        ...new Set(following.flatMap(({ items }) => [...items.keys()]).filter((name) => typeof name === "string")),
    ];
    const chooser = names.length > 0 ? new Chooser(names, follow) : null;
    const headings = [...main.querySelectorAll("h2")];
    const nav = headings.length > 1 ? contents(headings) : null;
    const skip = html("a", { class: "skip", href: "#main" }, "Skip to the report");
    const page = html(
        "div",
        { class: nav ? "page with-contents" : "page" },
        header,
        nav,
        html("div", { class: "column" }, chooser?.element, main, footer(document_)),
    );
    document.body.append(skip, page);
    document.addEventListener("click", keepAddress);
    if (nav) followReading(nav, headings);
    open();
    follow(chooser?.name);
}

function read() {
    const element = document.getElementById("document");
    if (!element) throw new Error("there is none in it");
    const document_ = JSON.parse(element.textContent);
    if (!document_ || !Array.isArray(document_.blocks)) throw new Error("it has no list of blocks");
    return document_;
}

try {
    show(read());
} catch (error) {
    const words = `The document in this page cannot be read: ${error.message}. Make the page again with "ckam report".`;
    document.body.append(html("main", { id: "main" }, html("h1", null, "ckam"), message(words)));
}
