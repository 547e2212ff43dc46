// command_test.mjs - a page that the command itself has written.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { parametersOf } from "./browser.mjs";
import { assertMarks, scratch, shoot, shootAll, test, visitAddress } from "./suite.mjs";

const command = promisify(execFile); // the other pages go on meanwhile

const place = /<script type="application\/json" id="document">(.*?)<\/script>/s;

/** As `make run` does it: docs/report.png, the picture in README, is a view of this page. */
const settings = ["--seed", "1", "--save-warmup"];

export function testCommand(ckam) {
    test("a page by the command", async () => {
        const [run, file] = [scratch("run"), scratch("run.html")];
        await command(ckam, ["sample", "bimodal", ...settings, "--out", run]);
        await command(ckam, ["report", run, "--out", file]);
        const document = JSON.parse(place.exec(readFileSync(file, "utf8"))[1]);
        await visitAddress(pathToFileURL(file).href, async (page) => {
            assert.equal(await page.title(), document.title);
            for (let i = 0; i < parametersOf(document).length; i++) {
                await assertMarks(page, document);
                await page.keyboard.press("]");
            }
            assert.equal(await page.getByRole("alert").count(), 0);
            await shootAll(page, "run");
            await page.setViewportSize({ width: 1120, height: 1180 });
            await assertMarks(page, document);
            await page.evaluate(() => scrollTo(0, document.querySelector("figure").offsetTop - 90));
            await shoot(page, "report");
            assert.deepEqual(page.troubles, []);
        });
    });

    test("a page of a sampler that names modes", async () => {
        const [run, file] = [scratch("jumps"), scratch("jumps.html")];
        const flags = ["--sampler", "jump", "--seed", "1", "--draws", "2000", "--format", "csv"];
        await command(ckam, ["sample", "bimodal", ...flags, "--out", run]);
        await command(ckam, ["report", run, "--out", file]);
        const document = JSON.parse(place.exec(readFileSync(file, "utf8"))[1]);
        const modes = document.blocks.find(({ kind, name }) => kind === "table" && name === "modes");
        assert.equal(modes.rows.length, 2);
        await visitAddress(pathToFileURL(file).href, async (page) => {
            await assertMarks(page, document);
            const table = page.locator("table", { hasText: "moves into" });
            assert.equal(await table.locator("tbody tr").count(), 2);
            assert.deepEqual(await table.locator("thead th").allTextContents(), modes.columns);
            await shootAll(page, "jumps");
            assert.deepEqual(page.troubles, []);
        });
    });
}
