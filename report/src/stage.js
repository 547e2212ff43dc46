// stage.js - when things are drawn: as they come into view, again when size or colours change, all of them for paper.
import { message } from "./dom.js";
import { dark, light } from "./theme.js";

const night = matchMedia("screen and (prefers-color-scheme: dark)");
const paper = matchMedia("print");
const drawings = new Map(); // element -> { draw, stale, seen }
let printing = false;
let width = 0;

const sheet = 680; // pixels across a printed page

/** The colours of now. */
export function theme() {
    return night.matches && !printing ? dark : light;
}

function refresh(element) {
    const drawing = drawings.get(element);
    if (!drawing.stale) return;
    drawing.stale = false;
    try {
        drawing.draw(printing ? Math.min(sheet, element.clientWidth || sheet) : element.clientWidth);
    } catch (error) {
        element.replaceChildren(message(`This figure cannot be shown: ${error.message}.`));
    }
    element.setAttribute("aria-busy", "false");
}

const observer = new IntersectionObserver(
    (entries) => {
        for (const { target, isIntersecting } of entries) {
            drawings.get(target).seen = isIntersecting;
            if (isIntersecting) refresh(target);
        }
    },
    { rootMargin: "300px 0px" },
);

/** `draw(width)` is called when the element comes into view, and whenever it has to be drawn anew. */
export function stage(element, draw) {
    drawings.set(element, { draw, stale: true, seen: false });
    element.setAttribute("aria-busy", "true");
    observer.observe(element);
}

/** What the element shows has changed. */
export function changed(element) {
    const drawing = drawings.get(element);
    drawing.stale = true;
    element.setAttribute("aria-busy", "true");
    if (drawing.seen || printing) refresh(element);
}

function changeAll() {
    for (const element of drawings.keys()) changed(element);
}

function print(now) {
    if (printing === now) return;
    printing = now;
    changeAll();
}

/** Begins to follow the window. */
export function open() {
    let timer = 0;
    width = document.documentElement.clientWidth;
    addEventListener("resize", () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
            if (document.documentElement.clientWidth === width || printing) return;
            width = document.documentElement.clientWidth;
            changeAll();
        }, 150);
    });
    night.addEventListener("change", changeAll);
    paper.addEventListener("change", () => print(paper.matches));
    addEventListener("beforeprint", () => print(true));
    addEventListener("afterprint", () => print(false));
}
