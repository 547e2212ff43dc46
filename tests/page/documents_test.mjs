// documents_test.mjs - every document is shown whole: its figures, tables, names and files.
import assert from "node:assert/strict";
import { drawn, parseCsv, saved, shown, unroll } from "./browser.mjs";
import { awkward, documents, samplers } from "./documents.mjs";
import { assertMarks, shoot, test, visit } from "./suite.mjs";
import { light } from "../../report/src/theme.js";

for (const name of Object.keys(documents)) {
    if (name === "future") continue;
    test(`${name}: no error, no request, marks in every figure`, () => visit(name, assertMarks));
    test(`${name}: fits a phone`, () =>
        visit(
            name,
            async (page) => {
                await unroll(page);
                const width = await page.evaluate(() => document.documentElement.scrollWidth);
                assert.ok(width <= 400, `the page is ${width} pixels wide`);
            },
            { viewport: { width: 400, height: 800 } },
        ));
}

test("a line for every series, with its breaks", () =>
    visit("unknown", async (page, document) => {
        await unroll(page);
        const trace = (await shown(page)).find((each) => each.name === "trace");
        // Chain 1 has a hole of 30 draws: two pieces. Chain 2 has none.
        assert.deepEqual(trace.panels[0].kinds.line, [2, 1]);
        await page.locator("#parameter").selectOption({ label: "x2" });
        await unroll(page);
        assert.deepEqual((await shown(page)).find((each) => each.name === "trace").panels[0].kinds.line, [1]);
        assert.equal(document.blocks.find((block) => block.name === "trace").items[1].panels[0].marks.length, 2);
    }));

test("what is not there is called so", () =>
    visit("empty", async (page) => {
        await unroll(page);
        const found = new Map((await shown(page)).map((each) => [each.name, each]));
        for (const name of ["no-panels", "no-marks", "empty-marks", "all-null", "below-zero", "none"])
            assert.match(found.get(name).text, /no data/, name);
        for (const name of ["one-point", "one-dot", "all-equal", "equal-cells", "huge"])
            assert.doesNotMatch(found.get(name).text, /no data/, name);
        // A line without length is shown as a dot.
        assert.deepEqual(found.get("one-point").panels[0].kinds.point, [1]);
        assert.deepEqual(found.get("all-equal").panels[0].kinds.point, [1]);
        // 1, 10 and 100, 1000: two pieces, without 0 and -3. Of the bars, the one of 0 is not there.
        assert.deepEqual(found.get("some-below-zero").panels[0].kinds.line, [2]);
        assert.equal(found.get("some-below-zero").panels[0].kinds.bars.length, 2);
    }));

test("a name is text, whatever it holds", () =>
    visit("names", async (page, document) => {
        await unroll(page);
        assert.equal(await page.title(), document.title);
        assert.equal(await page.locator("h1").textContent(), document.title);
        assert.deepEqual(await page.locator("#parameter option").allTextContents(), awkward);
        assert.equal(await page.locator("img, b").count(), 0);
        for (const name of [...awkward].reverse()) {
            await page.locator("#parameter").selectOption({ label: name });
            assert.equal(await page.locator('[data-name="trace"] .of').textContent(), name);
            assert.equal(await page.evaluate(() => decodeURIComponent(location.hash)), `#parameter=${name}`);
        }
        const csv = parseCsv((await saved(page, page.locator('[data-name="names"]'), /CSV/)).text);
        assert.deepEqual(csv[1], [awkward[0], awkward[3], "dots", "0", "0", "-1", "2", ""]);
        await assertSvg(page, (await saved(page, page.locator('[data-name="names"]'), /SVG/)).text, [
            awkward[0],
            awkward[3],
        ]);
    }));

test("named and logarithmic axes", () =>
    visit("experiment", async (page) => {
        await unroll(page);
        const found = await shown(page);
        for (const name of samplers) assert.ok(found[1].panels[0].words.includes(name), name);
        assert.ok(found[0].panels[0].words.includes("10⁴"));
        assert.ok(found[0].panels[0].words.includes("symmetric KL"));
        const [wide, high] = await page.evaluate(() => {
            const cells = document.querySelector('[data-kind="cells"]');
            const rect = cells.querySelector("clipPath rect");
            return [rect.getAttribute("width"), rect.getAttribute("height")].map(Number);
        });
        assert.ok(Math.abs(wide - high) < 0.5, "equal axes over the same range make a square");
    }));

test("tables: four digits to read, all of them in the file, warnings marked", () =>
    visit("ordinary", async (page, document) => {
        const table = page.locator('[data-name="summary"]');
        const flag = table.locator("td.flag").first();
        assert.equal(await flag.textContent(), "▲1.235");
        assert.equal(await flag.getByRole("img", { name: "warning" }).count(), 1);
        assert.equal(
            await table
                .locator("td")
                .nth(2)
                .evaluate((cell) => getComputedStyle(cell).textAlign),
            "right",
        );
        const rows = parseCsv((await saved(page, table, /CSV/)).text);
        const source = document.blocks.find((block) => block.name === "summary");
        const plain = (cell) => String(cell?.value ?? cell ?? "");
        assert.deepEqual(rows, [source.columns, ...source.rows.map((row) => row.map(plain))]);
        const findings = await page.locator(".finding .badge").allTextContents();
        assert.deepEqual(findings, ["▲ Problem", "● Note"]);
        assert.match(await page.locator("footer").textContent(), /ckam 0\.1\.0.*2026/);
    }));

test("what is not known is a dash, and empty in the file", () =>
    visit("unknown", async (page) => {
        const table = page.locator('[data-name="summary"]');
        assert.equal(await table.locator("tbody tr").nth(1).locator("td").first().textContent(), "–");
        assert.deepEqual(parseCsv((await saved(page, table, /CSV/)).text)[2], [
            "x2",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "40000",
        ]);
    }));

/** An SVG file: well formed, alone in the world, white, with these words in it. */
async function assertSvg(page, text, words) {
    const found = await page.evaluate((source) => {
        const document = new DOMParser().parseFromString(source, "image/svg+xml");
        const root = document.documentElement;
        const drawn = [...document.querySelectorAll("path")].filter((path) => path.getAttribute("d"));
        return {
            wrong: document.querySelector("parsererror")?.textContent ?? null,
            root: `${root.namespaceURI} ${root.localName}`,
            ground: document.querySelector("rect").getAttribute("fill"),
            words: [...document.querySelectorAll("text, title, desc")].map((each) => each.textContent),
            panels: document.querySelectorAll("svg svg").length,
            drawn: drawn.length,
        };
    }, text);
    assert.equal(found.wrong, null);
    assert.equal(found.root, "http://www.w3.org/2000/svg svg");
    assert.equal(found.ground, "#ffffff");
    for (const word of words)
        assert.ok(
            found.words.some((each) => each.includes(word)),
            `"${word}" is not in the SVG`,
        );
    assert.doesNotMatch(text, /currentColor|var\(|<style|class="hidden/);
    const links = text.match(/(?:href|src)="[^#][^"]*"|url\((?!"?#|&quot;#)/g);
    assert.equal(links, null);
    return found;
}

test("a figure as SVG stands alone, on white also in dark mode", async () => {
    for (const colorScheme of ["light", "dark"])
        await visit(
            "ordinary",
            async (page) => {
                const scope = page.locator('[data-name="rank"]');
                const file = await saved(page, scope, /SVG/);
                assert.equal(file.name, "rank-x1.svg");
                const found = await assertSvg(page, file.text, ["Ranks", "chain 1", "chain 4", "even", "rank"]);
                assert.equal(found.panels, 4);
                assert.match(file.text, new RegExp(light.palette[0]));
                const pairs = await saved(page, page.locator('[data-name="pairs"]'), /SVG/);
                assert.equal((await assertSvg(page, pairs.text, ["x1", "x3", "chain 2"])).panels, 6);
                // It is drawn alike when it is opened by itself.
                const alone = await page.context().newPage();
                await alone.setContent(file.text.replace(/^<\?xml.*\?>/, ""));
                await shoot(alone, `figure-alone-${colorScheme}`);
            },
            { colorScheme },
        );
});

const cell = (number) => (Number.isFinite(number) ? String(number) : "");

test("a figure as CSV holds every number of the document", () =>
    visit("experiment", async (page, document) => {
        const [kl, ess, targets, steps] = document.blocks.filter((block) => block.kind === "figure");
        const csvOf = async (source) =>
            parseCsv((await saved(page, page.locator(`[data-name="${source.name}"]`), /CSV/)).text);
        const wanted = kl.panels.flatMap((each) =>
            each.marks.flatMap((m) =>
                m.x.map((x, i) =>
                    m.kind === "band"
                        ? [each.title, m.name, "band", cell(x), "", cell(m.low[i]), cell(m.high[i]), ""]
                        : [each.title, m.name, "line", cell(x), cell(m.y[i]), "", "", ""],
                ),
            ),
        );
        assert.deepEqual(await csvOf(kl), [["panel", "series", "kind", "x", "y", "low", "high", "z"], ...wanted]);
        const dots = ess.panels[0].marks[0];
        assert.deepEqual(
            (await csvOf(ess)).slice(1),
            dots.x.map((x, i) => [
                "1",
                dots.name,
                "dots",
                cell(x),
                cell(dots.y[i]),
                cell(dots.low[i]),
                cell(dots.high[i]),
                "",
            ]),
        );
        const cells = (await csvOf(targets)).filter((row) => row[0] === "truth");
        assert.equal(cells.length, 1600);
        assert.deepEqual(cells[41], [
            "truth",
            "",
            "cells",
            "-3.7",
            "-3.7",
            "",
            "",
            cell(targets.panels[0].marks[0].z[41]),
        ]);
        const line = (await csvOf(steps)).filter((row) => row[0] === "Step size" && row[2] === "line");
        assert.deepEqual(
            line.map((row) => Number(row[3])),
            steps.panels[0].marks[2].y.map((_, i) => 5 * i),
        );
    }));

test("pairs as CSV are the draws", () =>
    visit("unknown", async (page, document) => {
        const pairs = document.blocks.find((block) => block.kind === "pairs");
        const rows = parseCsv((await saved(page, page.locator('[data-name="pairs"]'), /CSV/)).text);
        assert.deepEqual(rows[0], ["chain", "x1", "x2"]);
        assert.deepEqual(
            rows.slice(1),
            pairs.chain.map((c, i) => [String(c + 1), cell(pairs.values[0][i]), cell(pairs.values[1][i])]),
        );
    }));
