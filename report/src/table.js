// table.js - tables: numbers to the right, warnings marked, long ones folded and searchable, all of it as CSV.
import { button, html, prose, unique } from "./dom.js";
import { readable } from "./numbers.js";
import { saveCsv } from "./save.js";

const most = 25; // rows before a table is folded

/** { value, flag } of a cell in any of its forms. */
function cellOf(cell) {
    if (cell !== null && typeof cell === "object") return { value: cell.value ?? null, flag: cell.flag === true };
    return { value: cell ?? null, flag: false };
}

function cellText(value) {
    if (value === null) return "–";
    return typeof value === "number" ? readable(value) : String(value);
}

function cellElement(cell, numeric, first) {
    const { value, flag } = cellOf(cell);
    const attributes = { class: [numeric ? "number" : null, flag ? "flag" : null].filter(Boolean).join(" ") || null };
    if (typeof value === "number") attributes.title = String(value);
    if (value === null) attributes.title = "not known";
    if (first) attributes.scope = "row";
    const sign = flag ? html("span", { class: "sign", role: "img", "aria-label": "warning" }, "▲") : null;
    return html(first ? "th" : "td", attributes, sign, cellText(value));
}

/** A search box that calls `search` with what is wanted, in small letters. */
export function searchBox(label, search) {
    const input = html("input", {
        type: "search",
        "aria-label": label,
        placeholder: label,
        autocomplete: "off",
        spellcheck: "false",
    });
    input.addEventListener("input", () => search(input.value.trim().toLowerCase()));
    return input;
}

export function tableView(block) {
    const columns = block.columns ?? [];
    const rows = block.rows ?? [];
    const values = (index) => rows.map((row) => cellOf(row[index]).value).filter((value) => value !== null);
    const numeric = columns.map(
        (_, i) => values(i).length > 0 && values(i).every((value) => typeof value === "number"),
    );
    const labels = columns.map((label, i) => html("th", { scope: "col", class: numeric[i] ? "number" : null }, label));
    const body = html("tbody");
    const count = html("span", { class: "count", "aria-live": "polite" });
    let [wanted, folded] = ["", rows.length > most];
    const unfold = html("button", { type: "button", class: "unfold", onclick: () => ((folded = !folded), fill()) });

    function fill() {
        const has = (row) => row.some((cell) => cellText(cellOf(cell).value).toLowerCase().includes(wanted));
        const found = wanted === "" ? rows : rows.filter(has);
        const shown = folded ? found.slice(0, most) : found;
        const line = (row) =>
            html(
                "tr",
                null,
                columns.map((_, i) => cellElement(row[i], numeric[i], i === 0)),
            );
        body.replaceChildren(...shown.map(line));
        count.textContent = rows.length > most ? `${shown.length} of ${rows.length} rows` : "";
        unfold.textContent = folded ? `Show all ${found.length} rows` : `Show the first ${most} rows`;
        unfold.hidden = rows.length <= most || found.length <= most;
        unfold.setAttribute("aria-expanded", String(!folded));
    }

    fill();
    const save = () => saveCsv([block.name], [columns, ...rows.map((row) => row.map((cell) => cellOf(cell).value))]);
    const search = (text) => ((wanted = text), fill());
    const id = unique("table");
    const long = rows.length > most;
    return html(
        "section",
        { class: "table", "data-name": block.name, "aria-labelledby": id },
        html(
            "div",
            { class: "head" },
            html("h3", { id }, block.title ?? ""),
            html(
                "div",
                { class: "tools" },
                long ? searchBox("Find rows", search) : null,
                button("CSV", `Save ${block.title} as CSV`, save),
            ),
        ),
        html(
            "div",
            { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": id },
            html("table", null, html("thead", null, html("tr", null, labels)), body),
        ),
        rows.length === 0 ? html("p", { class: "none" }, "no rows") : null,
        html("div", { class: "below" }, unfold, count),
        block.caption ? html("p", { class: "caption" }, prose(block.caption)) : null,
    );
}
