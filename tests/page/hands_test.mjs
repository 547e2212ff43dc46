// hands_test.mjs - what a reader does: choose a parameter, point, hide a series, choose pairs.
import assert from "node:assert/strict";
import { drawn, parseCsv, saved, unroll } from "./browser.mjs";
import { axis, figure, mark, page as pageOf, panel } from "./documents.mjs";
import { assertMarks, shoot, test, visit } from "./suite.mjs";

const titles = (page) => page.locator("figure .of").allTextContents();

test("one choice changes all figures of a parameter", () =>
    visit("ordinary", async (page, document) => {
        await unroll(page);
        const all = (name) => new Array(5).fill(name);
        const lineOf = () =>
            page.evaluate(() =>
                document.querySelector('[data-name="trace"] [data-kind="line"] path').getAttribute("d"),
            );
        assert.deepEqual(await titles(page), all("x1"));
        const first = await lineOf();
        await page.locator("#parameter").selectOption({ label: "x2" });
        assert.deepEqual(await titles(page), all("x2"));
        await unroll(page);
        assert.notEqual(await lineOf(), first);
        await page.getByRole("button", { name: "Next parameter" }).click();
        assert.deepEqual(await titles(page), all("x3"));
        await page.getByRole("button", { name: "Next parameter" }).click();
        assert.deepEqual(await titles(page), all("x1"));
        await page.getByRole("button", { name: "Previous parameter" }).click();
        assert.deepEqual(await titles(page), all("x3"));
        await page.keyboard.press("[");
        assert.deepEqual(await titles(page), all("x2"));
        await page.keyboard.press("]");
        assert.deepEqual(await titles(page), all("x3"));
        assert.equal(await page.evaluate(() => location.hash), "#parameter=x3");
        assert.equal(await page.getByRole("status").textContent(), "x3, parameter 3 of 3");
        await page.evaluate(() => (location.hash = "#parameter=x2"));
        await page.waitForFunction(() => document.querySelector("figure .of").textContent === "x2");
        assert.deepEqual(await titles(page), all("x2"));
        await page.evaluate(() => (location.hash = "#parameter=nobody"));
        await page.waitForTimeout(50);
        assert.deepEqual(await titles(page), all("x2"));
        await assertMarks(page, document);
    }));

test("the address keeps the parameter, also when the contents are used", () =>
    visit(
        "ordinary",
        async (page) => {
            assert.equal((await titles(page))[0], "x3");
            await page.locator(".contents a").nth(2).click();
            assert.equal(await page.evaluate(() => location.hash), "#parameter=x3");
            assert.equal(await page.evaluate(() => document.activeElement.textContent), "Parameters together");
        },
        { hash: "#parameter=x3" },
    ));

test("one parameter needs no choice", () =>
    visit("oneParameter", async (page) => {
        await unroll(page);
        assert.equal(await page.getByRole("button", { name: "Next parameter" }).count(), 0);
        assert.equal(await page.locator(".picker").count(), 0);
        assert.equal(await page.locator(".pairs svg").count(), 1);
    }));

test("200 parameters: found by a part of the name, drawn only when in view, tables folded", () =>
    visit("wide", async (page) => {
        await page.waitForTimeout(300);
        const drawn = await page.locator("svg.plot").count();
        assert.ok(drawn < 10, `${drawn} panels were drawn before anybody looked`);
        assert.equal(await page.locator("#parameter option").count(), 200);
        await page.getByLabel("Find a parameter").fill("GROUP[15");
        assert.equal(await page.locator("#parameter option").count(), 10);
        assert.equal((await titles(page))[0], "log_scale.of.group[150]");
        await page.keyboard.press("]");
        assert.equal((await titles(page))[0], "log_scale.of.group[150]", "a key in a text field is text");
        await page.keyboard.press("Escape");
        assert.equal(await page.locator("#parameter option").count(), 200);
        assert.equal((await titles(page))[0], "log_scale.of.group[150]");
        const table = page.locator('[data-name="summary"]');
        assert.equal(await table.locator("tbody tr").count(), 25);
        await table.getByRole("button", { name: "Show all 200 rows" }).click();
        assert.equal(await table.locator("tbody tr").count(), 200);
        await table.getByRole("searchbox").fill("beta[77]");
        assert.deepEqual(await table.locator("tbody th").allTextContents(), ["beta[77]"]);
        assert.equal(parseCsv((await saved(page, table, /CSV/)).text).length, 201);
        await shoot(page, "parameters-200");
    }));

/** Where a number is on the screen, from the frame that the clip path of a mark of ours has. */
async function tipAt(page, name, fx, fy) {
    const plot = page.locator(`[data-name="${name}"] svg.plot`).first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + fx * box.width, box.y + fy * box.height);
    await page.mouse.move(box.x + fx * box.width + 1, box.y + fy * box.height);
    const tip = plot.locator('[aria-label="tip"] text');
    await tip.waitFor();
    return (await tip.locator("tspan").allTextContents()).join("\n").replaceAll("\u200b", "");
}

const tipped = pageOf([
    figure("line", [
        panel("", axis("when", { low: 0, high: 10 }), axis("how much"), [
            mark("line", "left", 0, { x: [5], y: [7.25] }),
        ]),
    ]),
    figure("dots", [
        panel("", axis("when", { low: 0, high: 10 }), axis("how much", { low: 0, high: 2 }), [
            mark("dots", "right", 1, { x: [5], y: [1], low: [0.5], high: [1.5] }),
        ]),
    ]),
    figure("bars", [
        panel("", axis("bin", { low: 0, high: 3 }), axis("count"), [
            mark("bars", "all", 2, { low: [0, 1, 2], high: [1, 2, 3], y: [4, 5, 6] }),
        ]),
    ]),
    figure("cells", [
        panel("", axis("a"), axis("b"), [
            mark("cells", null, 0, {
                columns: 3,
                rows: 3,
                x0: 0,
                y0: 0,
                width: 1,
                height: 1,
                z: [1, 2, 3, 4, 5.5, 6, 7, 8, 9],
            }),
        ]),
    ]),
]);

test("what is under the pointer is said", () =>
    visit(
        "tips",
        async (page) => {
            assert.match(await tipAt(page, "line", 0.52, 0.5), /^left\nwhen: 5\nhow much: 7\.250$/);
            assert.match(await tipAt(page, "dots", 0.52, 0.5), /^right\nwhen: 5\nhow much: 1\nfrom 0\.5000 to 1\.500$/);
            assert.match(await tipAt(page, "bars", 0.52, 0.5), /^all\nbin: 1 to 2\ncount: 5$/);
            assert.match(await tipAt(page, "cells", 0.52, 0.5), /^a: 1\.500\nb: 1\.500\nvalue: 5\.500$/);
        },
        { document: tipped },
    ));

test("a series is hidden and shown again by its entry in the legend", () =>
    visit("ordinary", async (page) => {
        const mean = page.locator('[data-name="mean"]');
        await drawn(mean);
        const lines = () => mean.locator('[data-kind="line"] path').count();
        const entry = mean.getByRole("button", { name: "chain 2" });
        assert.equal(await lines(), 4);
        await entry.click();
        assert.equal(await lines(), 3);
        assert.equal(await entry.getAttribute("aria-pressed"), "false");
        assert.equal(await mean.locator('[data-series="chain 2"]').count(), 0);
        await page.getByRole("button", { name: "Next parameter" }).click();
        assert.equal(await lines(), 3);
        await entry.focus();
        await page.keyboard.press("Enter");
        assert.equal(await lines(), 4);
        assert.equal(await entry.evaluate((each) => each === document.activeElement), true, "the focus stays");
        // In all panels of a figure.
        const steps = page.locator('[data-name="steps"]');
        await drawn(steps);
        assert.equal(await steps.locator('[data-series="exploration"] rect').count(), 16);
        await steps.getByRole("button", { name: "exploration" }).click();
        assert.equal(await steps.locator('[data-series="exploration"]').count(), 0);
    }));

test("pairs: a triangle of the chosen ones, six at most", () =>
    visit("wide", async (page) => {
        const pairs = page.locator('[data-name="pairs"]');
        await drawn(pairs);
        assert.equal(await pairs.locator("svg.plot").count(), 10);
        assert.equal(
            await pairs
                .locator("svg.plot")
                .filter({ has: page.locator('[data-kind="dots"] path') })
                .count(),
            6,
        );
        assert.equal((await pairs.locator('[aria-label="density"] path').count()) > 6, true);
        await pairs.locator("summary").click();
        await pairs.getByRole("searchbox").fill("beta[9");
        const boxes = pairs.locator(".boxes label:visible input");
        assert.equal(await boxes.count(), 11);
        await boxes.nth(3).check();
        await boxes.nth(4).check();
        assert.equal(await pairs.locator(".panels svg.plot").count(), 21);
        assert.equal(await boxes.nth(5).isDisabled(), true);
        assert.match(await pairs.locator("summary").textContent(), /6 of 200/);
        await boxes.nth(3).uncheck();
        assert.equal(await boxes.nth(5).isDisabled(), false);
        assert.equal(await pairs.locator(".panels svg.plot").count(), 15);
    }));
