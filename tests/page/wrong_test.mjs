// wrong_test.mjs - documents that are wrong, and twins: pages that are wrong, and that the checks must refuse.
import assert from "node:assert/strict";
import { figuresOf, missing, shown, unroll } from "./browser.mjs";
import { leastContrast } from "./contrast.mjs";
import { test, visit, visitChanged, visitText } from "./suite.mjs";

test("without JavaScript there is a sentence", () =>
    visit(
        "ordinary",
        async (page) => {
            assert.match(await page.locator("noscript").innerText(), /JavaScript, which is switched off/);
        },
        { javaScriptEnabled: false },
    ));

for (const [what, json] of [
    ["cut", '{"blocks": [{"ki'],
    ["of another form", '{"ckam": "9"}'],
    ["empty", ""],
    ["null", "null"],
])
    test(`a document that is ${what} gives a sentence`, () =>
        visitText(json, async (page) => {
            const words = await page.getByRole("alert").textContent();
            assert.match(words, /^The document in this page cannot be read: .*ckam report/);
            assert.deepEqual(page.troubles, []);
        }));

test("unknown and broken parts give sentences, the others are shown", () =>
    visit("future", async (page) => {
        await unroll(page);
        const alerts = await page.getByRole("alert").allTextContents();
        assert.equal(alerts.length, 5);
        assert.match(alerts[0], /kind "hologram"/);
        assert.match(alerts[1], /"Broken" cannot be shown: it has no panels/);
        assert.match(alerts[2], /unknown kind "spiral"/);
        assert.match(alerts[4], /This figure cannot be shown: Invalid array length/);
        assert.equal(await page.locator("main code").textContent(), "code");
        assert.equal(await page.getByText("After").isVisible(), true);
    }));

test("twin: a figure without its marks is noticed", () =>
    visit("ordinary", async (page, document) => {
        await unroll(page);
        const figures = figuresOf(document, "x1");
        const found = async () => missing(figures, await shown(page));
        assert.deepEqual(await found(), []);
        await page.evaluate(() => document.querySelector('[data-name="trace"] [data-kind="line"] path').remove());
        assert.deepEqual(await found(), ["trace: panel 1 has 3 of 4 line"]);
        await page.evaluate(() => document.querySelector('[data-name="rank"] [data-kind="bars"] rect').remove());
        assert.equal((await found()).length, 2);
    }));

test("twin: a figure that should hold data and does not is noticed", () =>
    visit("empty", async (page, document) => {
        await unroll(page);
        const promised = structuredClone(document.blocks.find((block) => block.name === "all-null"));
        promised.panels[0].marks[0].y = [1, 2];
        const found = (await shown(page)).filter((each) => each.name === "all-null");
        assert.deepEqual(missing([promised], found), [
            "all-null: panel 1 says 'no data'",
            "all-null: panel 1 has 0 of 1 line",
        ]);
    }));

test("twin: a request, a script and a style that are not the page's are noticed", async () => {
    const foreign =
        '<img src="https://example.invalid/a.png"><script>window.foreign = 1</script><p style="color: red">x</p>';
    const insert = (page) => page.replace("<noscript>", () => `${foreign}<noscript>`);
    await visitChanged(insert, async (page) => {
        for (const wanted of [/policy: img-src/, /policy: script-src/, /policy: style-src/])
            assert.ok(
                page.troubles.some((trouble) => wanted.test(trouble)),
                `${wanted} in ${page.troubles}`,
            );
        assert.equal(await page.evaluate(() => window.foreign), undefined);
    });
    const free = (page) => insert(page).replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
    await visitChanged(free, async (page) => {
        const wanted = /^request: https:\/\/example\.invalid/;
        assert.ok(
            page.troubles.some((trouble) => wanted.test(trouble)),
            `${page.troubles}`,
        );
    });
});

test("twin: a text that is hard to read is noticed", () =>
    visit("ordinary", async (page) => {
        await page.evaluate(() => (document.querySelector("h1").style.color = "#999"));
        assert.ok((await leastContrast(page)).ratio < 3);
    }));
