// chooser.js - the one parameter that all `figures` blocks show: a bar at the top, two keys, and the page's address.
import { html } from "./dom.js";
import { searchBox } from "./table.js";

const prefix = "#parameter=";

function fromAddress() {
    if (!location.hash.startsWith(prefix)) return null;
    try {
        return decodeURIComponent(location.hash.slice(prefix.length));
    } catch {
        return null; // not ours
    }
}

export class Chooser {
    constructor(names, follow) {
        this.names = names;
        this.follow = follow;
        this.index = Math.max(0, names.indexOf(fromAddress()));
        this.select = html("select", { id: "parameter", onchange: () => this.choose(Number(this.select.value)) });
        this.status = html("span", { class: "hidden", role: "status", "aria-live": "polite" });
        this.offer("");
        const step = (by, text, label, key) =>
            html(
                "button",
                {
                    type: "button",
                    title: `${label} (key ${key})`,
                    "aria-label": label,
                    "aria-keyshortcuts": key,
                    onclick: () => this.step(by),
                },
                text,
            );
        const many = names.length > 1;
        const search = names.length > 8 ? this.search() : null;
        const hint = html("span", { class: "hint" }, "keys ", html("kbd", null, "["), " ", html("kbd", null, "]"));
        this.element = html(
            "div",
            { class: "chooser", role: "group", "aria-label": "Parameter" },
            html("label", { for: "parameter" }, "Parameter"),
            many ? step(-1, "‹", "Previous parameter", "[") : null,
            this.select,
            many ? step(1, "›", "Next parameter", "]") : null,
            search,
            many ? hint : null,
            this.status,
        );
        addEventListener("hashchange", () => this.choose(names.indexOf(fromAddress())));
        addEventListener("keydown", (event) => this.key(event));
    }

    get name() {
        return this.names[this.index];
    }

    /** Fills the list with the names that hold a text. */
    offer(text) {
        const found = this.names.map((name, i) => [name, i]).filter(([name]) => name.toLowerCase().includes(text));
        this.select.replaceChildren(...found.map(([name, i]) => html("option", { value: i }, name)));
        this.select.value = String(this.index);
        return found;
    }

    search() {
        const input = searchBox("Find a parameter", (text) => {
            const found = this.offer(text);
            input.setAttribute("aria-invalid", String(found.length === 0));
            if (text !== "" && found.length) this.choose(found[0][1]);
        });
        this.forget = () => {
            input.value = "";
            input.setAttribute("aria-invalid", "false");
            this.offer("");
        };
        input.addEventListener("keydown", ({ key }) => {
            if (key === "Enter" || key === "Escape") this.forget();
        });
        return input;
    }

    step(by) {
        this.choose((this.index + by + this.names.length) % this.names.length);
    }

    key(event) {
        // AltGr, which many keyboards need for these two, counts as Ctrl and Alt.
        if (event.metaKey || (event.ctrlKey && !event.altKey)) return;
        if (event.target.closest?.("input, select, textarea")) return;
        if (event.key === "[") this.step(-1);
        if (event.key === "]") this.step(1);
    }

    choose(index) {
        if (index < 0 || index === this.index) return;
        this.index = index;
        this.select.value = String(index);
        if (this.select.selectedIndex < 0) this.forget(); // it is not among those that were searched for
        this.status.textContent = `${this.name}, parameter ${index + 1} of ${this.names.length}`;
        history.replaceState(null, "", prefix + encodeURIComponent(this.name));
        this.follow(this.name);
    }
}
