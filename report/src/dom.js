// dom.js - elements from names, attributes and children. Text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

/** An HTML element; an attribute `onclick` is a listener, one that is null or false is left out. */
export function html(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function button(text, label, onclick) {
    return html("button", { type: "button", "aria-label": label, title: label, onclick }, text);
}

/** Sentences as children: what stands between two ` is code. */
export function prose(text) {
    const parts = String(text ?? "").split(/`([^`]+)`/);
    return parts.map((part, i) => (i % 2 ? html("code", null, part) : part));
}

/** A sentence in place of what could not be shown. */
export function message(text) {
    return html("p", { class: "message", role: "alert" }, text);
}

/** `make()`, or the reason why it failed. One bad block must not take the others with it. */
export function guarded(what, make) {
    try {
        return make();
    } catch (error) {
        return message(`${what} cannot be shown: ${error.message}.`);
    }
}

let made = 0;

/** An id that no other element has. */
export function unique(word) {
    made += 1;
    return `${word}-${made}`;
}

const pen = document.createElement("canvas").getContext("2d");

/** How many pixels a text takes. */
export function textWidth(text, font) {
    pen.font = font;
    return pen.measureText(text).width;
}

/** Cuts a text that is longer than `most` characters, at whole characters. */
export function shorten(text, most) {
    const characters = [...text];
    return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
