// media_test.mjs - dark and light, paper, phones, keys, screen readers, and no JavaScript.
import assert from "node:assert/strict";
import { drawn, figuresOf, missing, shown, unroll } from "./browser.mjs";
import { leastContrast } from "./contrast.mjs";
import { shootAll, test, visit } from "./suite.mjs";
import { dark, light } from "../../report/src/theme.js";

for (const colorScheme of ["light", "dark"])
    test(`${colorScheme}: every text has a contrast of 4.5`, () =>
        visit(
            "ordinary",
            async (page) => {
                await unroll(page);
                const worst = await leastContrast(page);
                assert.ok(worst.ratio >= 4.5, JSON.stringify(worst));
                const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
                const brightness =
                    ground
                        .match(/\d+/g)
                        .map(Number)
                        .reduce((a, b) => a + b) / 3;
                assert.equal(brightness < 60, colorScheme === "dark", ground);
                await shootAll(page, colorScheme);
            },
            { colorScheme },
        ));

const rgb = (colour) => `rgb(${[1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)).join(", ")})`;
const strokeOfSteps = (page) =>
    page
        .locator('[data-name="steps"] [data-kind="line"] path')
        .first()
        .evaluate((path) => getComputedStyle(path).stroke);

test("a change of the colour scheme draws anew", () =>
    visit("ordinary", async (page) => {
        await unroll(page);
        assert.equal(await strokeOfSteps(page), rgb(light.palette[0]));
        await page.emulateMedia({ colorScheme: "dark" });
        await unroll(page);
        assert.equal(await strokeOfSteps(page), rgb(dark.palette[0]));
    }));

test("a change of the width draws anew", () =>
    visit("ordinary", async (page) => {
        await unroll(page);
        await page.setViewportSize({ width: 700, height: 900 });
        // The figures out of view wait until they are looked at.
        await page.waitForFunction(() => document.querySelectorAll('[aria-busy="true"]').length > 0);
        await drawn(page.locator('[data-name="steps"]'));
        await page.waitForFunction(
            () => Number(document.querySelector('[data-name="steps"] svg.plot').getAttribute("width")) < 330,
        );
    }));

test("on paper: light, no buttons, every figure drawn", () =>
    visit(
        "ordinary",
        async (page, document) => {
            const pdf = await page.pdf({ format: "A4" });
            assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
            assert.ok(pdf.length > 30000, `a PDF of ${pdf.length} bytes`);
            await page.emulateMedia({ media: "print" });
            await page.waitForFunction(() =>
                [...document.querySelectorAll("figure .panels")].every((body) => body.querySelector("svg.plot")),
            );
            const figures = figuresOf(document, "x1");
            assert.deepEqual(missing(figures, await shown(page)), []);
            assert.equal(await page.locator(".tools button:visible, .chooser:visible, nav:visible").count(), 0);
            const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
            assert.equal(ground, "rgb(255, 255, 255)");
            assert.equal(await strokeOfSteps(page), rgb(light.palette[0]));
            assert.equal(
                await page
                    .locator("figure")
                    .first()
                    .evaluate((each) => getComputedStyle(each).breakInside),
                "avoid",
            );
        },
        { colorScheme: "dark" },
    ));

test("nothing moves for those who do not want it", async () => {
    for (const [reducedMotion, behaviour] of [
        ["reduce", "auto"],
        ["no-preference", "smooth"],
    ])
        await visit(
            "ordinary",
            async (page) => {
                assert.equal(
                    await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior),
                    behaviour,
                );
            },
            { reducedMotion },
        );
});

test("everything is reached by Tab, and is seen to be", () =>
    visit("ordinary", async (page) => {
        await unroll(page);
        await page.evaluate(() => scrollTo(0, 0));
        const reached = new Set();
        for (let i = 0; i < 120; i++) {
            await page.keyboard.press("Tab");
            const now = await page.evaluate(() => {
                const element = document.activeElement;
                if (element === document.body) return null;
                const style = getComputedStyle(element);
                const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
                const index = [...document.querySelectorAll("*")].indexOf(element);
                return { index, seen, what: element.outerHTML.slice(0, 80) };
            });
            if (!now || reached.has(now.index)) break;
            assert.ok(now.seen, `the focus is not seen on ${now.what}`);
            reached.add(now.index);
        }
        const all = await page.evaluate(() =>
            [...document.querySelectorAll("button, select, input, summary, a[href], .scroll")]
                .filter((e) => e.checkVisibility() && !e.disabled)
                .map((e) => [...document.querySelectorAll("*")].indexOf(e)),
        );
        assert.deepEqual(
            all.filter((index) => !reached.has(index)),
            [],
        );
        await page.reload();
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the report");
        await page.keyboard.press("Enter");
        assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    }));

test("figures have words for those who do not see them", () =>
    visit("ordinary", async (page) => {
        await unroll(page);
        const label = await page.locator('[data-name="steps"] svg.plot').first().getAttribute("aria-label");
        assert.match(label, /Step size and acceptance\. Step size\. The cycles are shaded/);
        assert.equal(await page.locator("svg.plot:not([role=img]), svg.plot:not([aria-label])").count(), 0);
        assert.deepEqual(await page.locator("nav a").allTextContents(), [
            "Summary",
            "One parameter",
            "Parameters together",
            "The sampler",
        ]);
    }));

for (const [name, as, options] of [
    ["ordinary", "phone", { viewport: { width: 400, height: 800 } }],
    ["ordinary", "phone-dark", { viewport: { width: 400, height: 800 }, colorScheme: "dark" }],
    ["experiment", "experiment", {}],
    ["experiment", "experiment-dark", { colorScheme: "dark" }],
])
    test(`picture: ${as}`, () => visit(name, (page) => shootAll(page, as), options));
