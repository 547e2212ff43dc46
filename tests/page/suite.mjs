// suite.mjs - the list of tests, and what they share: a browser, pages made from documents, pictures.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Press, figuresOf, launch, missing, open, shown, unroll } from "./browser.mjs";
import { documents } from "./documents.mjs";

const tests = [];
const made = new Map();
let browser, press, folder, screenshots;

export const test = (name, run) => tests.push({ name, run });

function documentOf(name) {
    if (!made.has(name)) made.set(name, documents[name]());
    return made.get(name);
}

/** Opens an address; the page is closed when `look` is done. Nothing waits for that: now and then Chromium never says so. */
export async function visitAddress(address, look, options) {
    const page = await open(browser, address, options);
    try {
        await look(page);
    } finally {
        page.context()
            .close()
            .catch(() => {});
    }
}

/** Opens a document, lets `look` look, and asks that nothing went wrong meanwhile. `hash` is put behind the address. */
export async function visit(name, look, { hash = "", document = documentOf(name), ...options } = {}) {
    const address = press.print(name, document) + hash;
    const strictly = async (page) => {
        await look(page, document);
        assert.deepEqual(page.troubles, []);
    };
    await visitAddress(address, strictly, options);
}

/** Opens a page with any text in the place of a document. */
export const visitText = (json, look) => visitAddress(press.text("text", json), look);

/** Opens an ordinary page that `change` has changed. */
export const visitChanged = (change, look) =>
    visitAddress(press.print("changed", documentOf("oneChain"), change), look);

export const shoot = (page, name, more) => page.screenshot({ path: join(screenshots, `${name}.png`), ...more });

/** A picture of the whole page. */
export async function shootAll(page, name) {
    await unroll(page);
    await page.evaluate(() => scrollTo(0, 0));
    await shoot(page, name, { fullPage: true });
}

/** Every figure of the document has its marks, for the parameter that is chosen. */
export async function assertMarks(page, document) {
    await unroll(page);
    const chosen = () => document.querySelector("#parameter")?.selectedOptions[0].textContent ?? null;
    const figures = figuresOf(document, await page.evaluate(chosen));
    assert.deepEqual(missing(figures, await shown(page)), []);
}

const indented = (text) => text.split("\n").slice(0, 25).join("\n       ");

/** Ends with the test, or after ten minutes: some calls of the browser have no limit of their own. */
function limited(run) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error("did not end within 600 s")), 600_000);
    });
    return Promise.race([run(), late]).finally(() => clearTimeout(timer));
}

/** Pages are open beside each other: most of the time a test waits. */
async function work(waiting, failures) {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
        const begin = Date.now();
        const trouble = await limited(next.run).then(
            () => null,
            (error) => String(error.stack ?? error),
        );
        console.log(`${trouble ? "FAILED" : "ok    "} ${next.name} (${Date.now() - begin} ms)`);
        if (!trouble) continue;
        failures.push(next.name);
        console.log(`       ${indented(trouble)}`);
    }
}

/** Runs all tests. Returns how many failed. The browser ends with the process. */
export async function runAll(chromium, template, pictures) {
    screenshots = pictures;
    mkdirSync(screenshots, { recursive: true });
    folder = mkdtempSync(join(tmpdir(), "ckam-page-"));
    const failures = [];
    try {
        press = new Press(template, folder);
        browser = await launch(chromium);
        const waiting = [...tests];
        await Promise.all([work(waiting, failures), work(waiting, failures), work(waiting, failures)]);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
    console.log(`${tests.length - failures.length} passed, ${failures.length} failed`);
    return failures.length;
}

/** A place for files, until the end. */
export const scratch = (name) => join(folder, name);
