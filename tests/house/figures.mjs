// figures.mjs DIRECTORY EXPERIMENT:FIGURE... - each figure is on the page of a reproduction with numbers in every panel, and
// drawn as PDF and as SVG.
import { readFileSync, statSync } from "node:fs";

const [directory, ...wanted] = process.argv.slice(2);
const page = readFileSync(`${directory}/index.html`, "utf8");
const json = page.split('<script type="application/json" id="document">')[1].split("</script>")[0];
const seen = new Map();
let heading = "";
const names = { "section 3.1": "bimodal", "section 3.2": "mixture5", "section 3.3": "grid32" };
for (const block of JSON.parse(json).blocks) {
  if (block.kind === "heading") heading = names[/section 3\.\d/.exec(block.text)[0]];
  if (block.kind === "figure") seen.set(`${heading}:${block.name}`, block);
}

const data = (mark) => (mark.kind === "cells" ? mark.z : mark.y ?? mark.high ?? []).filter(Number.isFinite);
let bad = 0;
const complain = (text) => { console.log(`figures: ${text}`); bad = 1; };
for (const name of wanted) {
  const figure = seen.get(name);
  if (!figure) { complain(`${name} is not on the page`); continue; }
  if (!figure.title || !figure.caption) complain(`${name} has no title or caption`);
  figure.panels.forEach((panel, index) => {
    const lines = panel.marks.filter((mark) => !["rule", "spans", "band"].includes(mark.kind));
    if (!lines.length) complain(`${name}, panel ${index + 1}: no marks`);
    for (const mark of lines) {
      const numbers = data(mark);
      if (!numbers.length) complain(`${name}, panel ${index + 1}, ${mark.name ?? mark.kind}: no data`);
      if (mark.kind === "cells" && !numbers.some((z) => z > 0)) complain(`${name}, panel ${index + 1}: all cells are 0`);
    }
  });
  const path = `${directory}/figures/${name.replace(":", "-")}`;
  try {
    const svg = readFileSync(`${path}.svg`, "utf8");
    if ((svg.match(/<(path|image|rect|use)/g) ?? []).length < 20) complain(`${path}.svg is all but empty`);
    if (!readFileSync(`${path}.pdf`, "latin1").startsWith("%PDF") || statSync(`${path}.pdf`).size < 2000)
      complain(`${path}.pdf is not a drawing`);
  } catch (error) { complain(error.message); }
}
process.exit(bad);
