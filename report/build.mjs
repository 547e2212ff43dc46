// build.mjs - makes the page that ckam puts its documents into: node report/build.mjs OUT.html
//
// One file: the style and the program are inlined, and the policy allows exactly these two by their hashes. The licences
// of the packages that went into the program stand in a comment at its beginning.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const limit = 600_000; // bytes of a page without its document

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

/** The packages that esbuild read a file of, as folders. */
function packagesOf(metafile) {
    const output = Object.values(metafile.outputs)[0];
    const used = Object.entries(output.inputs).filter(([, part]) => part.bytesInOutput > 0);
    const folders = used.map(([path]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
    return [...new Set(folders.filter(Boolean))].sort();
}

/** A comment with every licence once, after the names of the packages under it. */
async function licences(metafile) {
    const texts = new Map();
    for (const folder of packagesOf(metafile)) {
        const { name, version } = JSON.parse(await readFile(join(here, folder, "package.json"), "utf8"));
        const file = (await readdir(join(here, folder))).find((entry) => /^licen[cs]e/i.test(entry));
        if (!file) throw new Error(`${name} has no licence file; look for it, or do without the package`);
        const text = (await readFile(join(here, folder, file), "utf8")).trim();
        texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
    }
    const parts = [...texts].map(([text, names]) => `${names.join(", ")}:\n\n${text}`);
    return `/*! This program holds parts of these packages.\n\n${parts.join("\n\n").replaceAll("*/", "* /")}\n*/\n`;
}

async function bundle(entry) {
    const result = await build({
        absWorkingDir: here,
        entryPoints: [entry],
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        outdir: "out",
        format: "iife",
        target: "es2020",
        charset: "utf8",
        legalComments: "none",
    });
    return { text: result.outputFiles[0].text.trim(), metafile: result.metafile };
}

function count(text, part) {
    return text.split(part).length - 1;
}

async function main(out) {
    const style = (await bundle("src/style.css")).text;
    const program = await bundle("src/main.js");
    const script = (await licences(program.metafile)) + program.text;
    // What would end the element or begin a comment in it.
    if (/<\/script|<!--|<script/i.test(script)) throw new Error("the program holds '<script', '</script' or '<!--'");
    const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
    const values = { POLICY: policy, STYLE: style, SCRIPT: script };
    const skeleton = await readFile(join(here, "src/page.html"), "utf8");
    const page = skeleton.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
    for (const place of ["<!--TITLE-->", "<!--DOCUMENT-->"])
        if (count(page, place) !== 1)
            throw new Error(`the page must hold ${place} once, not ${count(page, place)} times`);
    if (!page.includes("\n<!--DOCUMENT-->\n")) throw new Error("<!--DOCUMENT--> must have a line of its own");
    const bytes = Buffer.byteLength(page);
    if (bytes > limit) throw new Error(`the page has ${bytes} bytes, more than ${limit}`);
    await mkdir(dirname(resolve(out)), { recursive: true });
    await writeFile(out, page);
}

if (process.argv.length !== 3) {
    console.error("usage: node build.mjs OUT.html");
    process.exit(2);
}
try {
    await main(process.argv[2]);
} catch (error) {
    console.error(`build.mjs: ${error.message}`);
    process.exit(1);
}
