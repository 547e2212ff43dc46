// test.mjs - the report page in a browser: node tests/page/test.mjs TEMPLATE.html SCREENSHOT_DIR [CKAM]
//
// Each document of documents.mjs is put into the template and opened from a file. With CKAM, the path of the command, a
// page that it wrote is looked at as well. Ends with status 77 where there is no Chromium.
import { findChromium } from "./browser.mjs";
import { testCommand } from "./command_test.mjs";
import "./documents_test.mjs";
import "./hands_test.mjs";
import "./media_test.mjs";
import "./palette_test.mjs";
import "./wrong_test.mjs";
import { runAll } from "./suite.mjs";

const [template, screenshots, ckam] = process.argv.slice(2);
if (!screenshots) {
    console.error("usage: node test.mjs TEMPLATE.html SCREENSHOT_DIR [CKAM]");
    process.exit(2);
}
const chromium = findChromium();
if (!chromium) {
    console.log("skipped: there is no Chromium; install the package 'chromium-headless-shell' or set CHROMIUM to its path");
    process.exit(77);
}
if (ckam) testCommand(ckam);
process.exit((await runAll(chromium, template, screenshots)) === 0 ? 0 : 1);
