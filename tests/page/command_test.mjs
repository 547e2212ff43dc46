// command_test.mjs - a page that the command itself has written.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parametersOf } from "./browser.mjs";
import { assertMarks, scratch, shootAll, test, visitAddress } from "./suite.mjs";

const place = /<script type="application\/json" id="document">(.*?)<\/script>/s;
const settings = ["--seed", "1", "--chains", "2", "--draws", "500"];

export function testCommand(ckam) {
    test("a page by the command", async () => {
        const [run, file] = [scratch("run"), scratch("run.html")];
        execFileSync(ckam, ["sample", "bimodal", ...settings, "--out", run], { stdio: "pipe" });
        execFileSync(ckam, ["report", run, "--out", file], { stdio: "pipe" });
        const document = JSON.parse(place.exec(readFileSync(file, "utf8"))[1]);
        await visitAddress(pathToFileURL(file).href, async (page) => {
            assert.equal(await page.title(), document.title);
            for (let i = 0; i < parametersOf(document).length; i++) {
                await assertMarks(page, document);
                await page.keyboard.press("]");
            }
            assert.equal(await page.getByRole("alert").count(), 0);
            await shootAll(page, "run");
            assert.deepEqual(page.troubles, []);
        });
    });
}
