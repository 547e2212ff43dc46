// documents.mjs - documents as docs/report.md has them, made up: those that a run gives, and awkward ones.

/** Uniform numbers that are the same every time. */
function random(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return (state + 0.5) / 4294967296;
    };
}

const normals = (uniform) => () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const round = (x) => (Number.isFinite(x) ? Number(x.toPrecision(5)) : null);
const upTo = (count, make) => Array.from({ length: count }, (_, i) => make(i));

export const axis = (label = "", more = {}) => ({ label, log: false, low: null, high: null, names: null, ...more });
export const mark = (kind, name, colour, numbers, dashed = false) => ({ kind, name, colour, dashed, ...numbers });
export const panel = (title, x, y, marks, equal = false) => ({ title, x, y, equal, marks });
export const figure = (name, panels, more = {}) => ({
    kind: "figure",
    name,
    title: `Title of ${name}`,
    caption: `Caption of ${name}.`,
    parameter: null,
    across: 1,
    small: false,
    panels,
    ...more,
});
export const page = (blocks, more = {}) => ({
    ckam: "0.1.0",
    made: "2026-11-16T10:00:00Z",
    title: "bimodal by ckam",
    subtitle: "4 chains x 1000 draws",
    blocks,
    ...more,
});
const heading = (text) => ({ kind: "heading", text });
const paragraph = (text) => ({ kind: "paragraph", text });
const chainName = (c) => `chain ${c + 1}`;

/** Draws[chain][parameter]: slow chains around two modes; the last chain never leaves the first. */
function made(chains, parameters, count, seed) {
    const uniform = random(seed);
    const normal = normals(uniform);
    return upTo(chains, (c) => {
        const rows = upTo(parameters, () => []);
        let side = 1;
        const slow = new Array(parameters).fill(0);
        for (let i = 0; i < count; i++) {
            if (uniform() < 0.01 && !(chains > 1 && c === chains - 1)) side = -side;
            for (let k = 0; k < parameters; k++) {
                slow[k] = 0.8 * slow[k] + 0.6 * normal();
                rows[k].push(round((k === 0 ? 2.5 * side : 0) + slow[k] + (k === 2 ? 0.7 * slow[0] : 0)));
            }
        }
        return rows;
    });
}

function histogram(values, low, high, bins) {
    const width = (high - low) / bins;
    const counts = new Array(bins).fill(0);
    for (const value of values) if (value >= low && value < high) counts[Math.floor((value - low) / width)]++;
    return counts.map((count) => round(count / values.length / width));
}

function density(draws, k, points) {
    const [low, high] = [-5, 5];
    const y = draws.map((chain) => histogram(chain[k], low, high, points));
    const step = (high - low) / points;
    const lines = y.map((numbers, c) =>
        mark("line", chainName(c), c, { x: { from: low + step / 2, step }, y: numbers }),
    );
    return [panel("", axis("value"), axis("density", { low: 0 }), lines)];
}

function trace(draws, k) {
    const lines = draws.map((chain, c) => mark("line", chainName(c), c, { x: { from: 1, step: 1 }, y: chain[k] }));
    return [panel("", axis("draw"), axis("value"), lines)];
}

function ranks(draws, k) {
    const all = draws.flatMap((chain, c) => chain[k].map((value) => ({ value, c }))).sort((a, b) => a.value - b.value);
    const bins = 20;
    const panels = draws.map((_, c) => {
        const y = new Array(bins).fill(0);
        all.forEach((each, rank) => each.c === c && y[Math.floor((rank * bins) / all.length)]++);
        const even = all.length / bins / draws.length;
        return panel(chainName(c), axis("rank"), axis("draws", { low: 0 }), [
            mark("bars", null, c, { low: upTo(bins, (i) => i), high: upTo(bins, (i) => i + 1), y }),
            mark("rule", "even", -1, { x: [null], y: [round(even)] }, true),
        ]);
    });
    return panels;
}

function running(draws, k) {
    const lines = draws.map((chain, c) => {
        let sum = 0;
        const y = chain[k].map((value, i) => round((sum += value) / (i + 1)));
        return mark("line", chainName(c), c, { x: { from: 1, step: 1 }, y });
    });
    const count = draws[0][k].length;
    const band = mark("band", "error of the mean", -2, {
        x: { from: 1, step: 1 },
        low: upTo(count, (i) => round(-3 / Math.sqrt(i + 1))),
        high: upTo(count, (i) => round(3 / Math.sqrt(i + 1))),
    });
    return [
        panel("", axis("draw"), axis("mean"), [band, ...lines, mark("rule", "truth", -1, { x: [null], y: [0] }, true)]),
    ];
}

function autocorrelation(draws, k) {
    const lines = draws.map((chain, c) => {
        const values = chain[k];
        const mean = values.reduce((a, b) => a + b, 0) / values.length;
        const at = (lag) => values.slice(lag).reduce((sum, value, i) => sum + (value - mean) * (values[i] - mean), 0);
        return mark("line", chainName(c), c, { x: { from: 0, step: 1 }, y: upTo(60, (lag) => round(at(lag) / at(0))) });
    });
    return [panel("", axis("lag"), axis("autocorrelation"), [...lines, mark("rule", null, -2, { x: [null], y: [0] })])];
}

function steps() {
    const cycles = upTo(8, (c) => c * 250);
    const wave = upTo(400, (i) => round(3 * (Math.cos((Math.PI * ((i * 5) % 250)) / 250) + 1) + 0.05));
    const x = { from: 0, step: 5 };
    const spans = [
        mark("spans", "exploration", 1, { low: cycles, high: cycles.map((start) => start + 75) }),
        mark("spans", "sampling", 2, {
            low: cycles.map((start) => start + 75),
            high: cycles.map((start) => start + 250),
        }),
    ];
    return figure(
        "steps",
        [
            panel("Step size", axis("iteration"), axis("step size", { log: true }), [
                ...spans,
                mark("line", chainName(0), 0, { x, y: wave }),
            ]),
            panel("Acceptance", axis("iteration"), axis("share accepted", { low: 0, high: 1 }), [
                ...spans,
                mark("line", chainName(0), 0, { x, y: wave.map((s) => round(1 / (1 + s))) }),
            ]),
        ],
        {
            title: "Step size and acceptance",
            caption: "The cycles are shaded by phase. Long steps find modes, short ones draw from them.",
            across: 2,
        },
    );
}

const kinds = [
    [
        "density",
        "Marginal density",
        "One line a chain. Chains that disagree have not converged.",
        (d, k) => density(d, k, 60),
        {},
    ],
    ["trace", "Trace", "The draws in order. Every 4th is shown.", trace, {}],
    [
        "rank",
        "Ranks",
        "How the draws of each chain rank among all. Even bars mean that the chains agree.",
        ranks,
        { across: 4, small: true },
    ],
    ["mean", "Running mean", "With three standard errors.", running, {}],
    ["autocorrelation", "Autocorrelation", "How long a chain remembers.", autocorrelation, {}],
];

function byParameter(draws, names) {
    return kinds.map(([name, title, caption, make, more]) => ({
        kind: "figures",
        name,
        title,
        caption,
        items: names.map((parameter, k) => ({
            name,
            parameter,
            across: 1,
            small: false,
            ...more,
            panels: make(draws, k),
        })),
    }));
}

function summary(draws, names) {
    const rows = names.map((name, k) => {
        const values = draws.flatMap((chain) => chain[k]).filter(Number.isFinite);
        const mean = values.reduce((a, b) => a + b, 0) / values.length;
        const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
        const sorted = [...values].sort((a, b) => a - b);
        const at = (p) => sorted[Math.floor(p * (sorted.length - 1))];
        const bad = k === 0 && draws.length > 1;
        const rhat = draws.length > 1 ? (bad ? { value: 1.2345678901, flag: true } : 1.00123456) : null;
        return [name, mean, sd, at(0.05), at(0.5), at(0.95), rhat, bad ? { value: 38.25, flag: true } : 812.4, 40000];
    });
    return {
        kind: "table",
        name: "summary",
        title: "Summary",
        caption: "R-hat above 1.01 and effective sizes below 400 are marked.",
        columns: ["parameter", "mean", "sd", "5%", "median", "95%", "R-hat", "ESS", "evaluations"],
        rows,
    };
}

function pairs(draws, names, every = 1) {
    const chain = draws.flatMap((d, c) => d[0].filter((_, i) => i % every === 0).map(() => c));
    const values = names.map((_, k) => draws.flatMap((d) => d[k].filter((__, i) => i % every === 0)));
    return {
        kind: "pairs",
        title: "Pairs",
        caption: "Two parameters at a time, with lines of equal density.",
        names,
        chain,
        values,
    };
}

const settings = {
    kind: "table",
    name: "settings",
    title: "Settings",
    caption: "",
    columns: ["setting", "value"],
    rows: [
        ["sampler", "ckam"],
        ["seed", 1],
        ["step-size", 0.1],
        ["warmup", null],
    ],
};

function run(draws, names, more) {
    return page(
        [
            {
                kind: "finding",
                severity: "problem",
                text: "R-hat of x1 is 1.23: the chains disagree.",
                advice: "Run longer, or look whether a chain is stuck in one mode.",
            },
            { kind: "finding", severity: "note", text: "Every 4th draw is shown on this page.", advice: "" },
            heading("Summary"),
            summary(draws, names),
            heading("One parameter"),
            paragraph("The figures of this section show the parameter that is chosen at the top."),
            ...byParameter(draws, names),
            heading("Parameters together"),
            pairs(draws, names),
            heading("The sampler"),
            steps(),
            settings,
        ],
        more,
    );
}

const ordinary = () => run(made(4, 3, 400, 1), ["x1", "x2", "x3"]);
const oneChain = () =>
    run(made(1, 3, 300, 2), ["x1", "x2", "x3"], { title: "One chain", subtitle: "1 chain x 300 draws" });
const oneParameter = () =>
    run(made(4, 1, 300, 3), ["theta"], { title: "One parameter", subtitle: "4 chains x 300 draws" });

function unknown() {
    const draws = made(2, 2, 200, 4);
    for (let i = 50; i < 80; i++) draws[0][0][i] = null;
    draws[1][1].fill(null);
    const document = run(draws, ["x1", "x2"], { title: "Numbers that are not known" });
    const table = document.blocks.find((block) => block.name === "summary");
    table.rows[1] = ["x2", null, null, null, null, null, null, { value: null, flag: true }, 40000];
    return document;
}

function wide() {
    const names = upTo(200, (k) => (k < 100 ? `beta[${k + 1}]` : `log_scale.of.group[${k + 1}]`));
    return run(made(4, 200, 250, 5), names, { title: "200 parameters", subtitle: "4 chains x 250 draws" });
}

export const awkward = [
    "<script>alert(1)</script>",
    "\"quoted\", 'both' & <b>bold</b>",
    "µ, σ² – 参数 🎲",
    "</script><img src=x onerror=alert(2)>",
    "with\ttab % # ?&=",
    "{{STYLE}} $& $1",
];

function names() {
    const draws = made(2, awkward.length, 120, 6);
    const document = run(draws, awkward, {
        title: "<script>alert('title')</script> & more",
        subtitle: '"><img src=x onerror=alert(3)>',
    });
    document.blocks.push(
        figure(
            "names",
            [
                panel(awkward[0], axis(awkward[1], { names: awkward }), axis(awkward[0]), [
                    mark("dots", awkward[3], 0, {
                        x: upTo(6, (i) => i),
                        y: upTo(6, (i) => i * i),
                        low: upTo(6, (i) => i * i - 1),
                        high: upTo(6, (i) => i * i + 2),
                    }),
                ]),
            ],
            { title: awkward[0], caption: awkward[3] },
        ),
    );
    document.blocks.push({ kind: "finding", severity: "note", text: awkward[0], advice: awkward[3] });
    document.blocks.push(heading(awkward[0]));
    return document;
}

function empty() {
    const nothing = { x: [], y: [] };
    return page(
        [
            heading("Nothing"),
            figure("no-panels", []),
            figure("no-marks", [panel("", axis("x"), axis("y"), [])]),
            figure("empty-marks", [
                panel("", axis("x"), axis("y"), [
                    mark("line", "a", 0, nothing),
                    mark("band", "b", 1, { x: [], low: [], high: [] }),
                    mark("bars", "c", 2, { low: [], high: [], y: [] }),
                    mark("dots", "d", 3, { ...nothing, low: [], high: [] }),
                    mark("spans", "f", 5, { low: [], high: [] }),
                    mark("rule", "g", 6, nothing),
                    mark("cells", null, 0, { columns: 0, rows: 0, x0: 0, y0: 0, width: 1, height: 1, z: [] }),
                ]),
            ]),
            figure("all-null", [
                panel("", axis("x"), axis("y"), [mark("line", "a", 0, { x: { from: 0, step: 1 }, y: [null, null] })]),
            ]),
            figure("below-zero", [
                panel("", axis("x", { log: true }), axis("y", { log: true }), [
                    mark("line", "a", 0, { x: [-1, 0, -2], y: [0, -1, -5] }),
                ]),
            ]),
            heading("Hardly anything"),
            figure("one-point", [panel("", axis("x"), axis("y"), [mark("line", "a", 0, { x: [3], y: [7] })])]),
            figure("one-dot", [
                panel("", axis("x", { log: true }), axis("y", { log: true }), [
                    mark("dots", "a", 0, { x: [3], y: [7], low: [null], high: [null] }),
                ]),
            ]),
            figure("all-equal", [
                panel("", axis("x"), axis("y"), [mark("line", "a", 0, { x: [2, 2, 2], y: [5, 5, 5] })]),
            ]),
            figure("equal-cells", [
                panel(
                    "",
                    axis("x"),
                    axis("y"),
                    [
                        mark("cells", null, 0, {
                            columns: 2,
                            rows: 2,
                            x0: 0,
                            y0: 0,
                            width: 1,
                            height: 1,
                            z: [4, 4, 4, null],
                        }),
                    ],
                    true,
                ),
            ]),
            figure("zero-bars", [
                panel("", axis("x"), axis("y"), [mark("bars", "a", 0, { low: [0, 1], high: [1, 2], y: [0, 0] })]),
            ]),
            figure("some-below-zero", [
                panel("", axis("x"), axis("y", { log: true }), [
                    mark("line", "a", 0, { x: { from: 0, step: 1 }, y: [1, 10, 0, -3, 100, 1000] }),
                    mark("bars", "b", 1, { low: [0, 1, 2], high: [1, 2, 3], y: [5, 0, 500] }),
                ]),
            ]),
            figure("huge", [
                panel("", axis("x"), axis("y"), [
                    mark("line", "a", 0, { x: [1e15, 2e15, 3e15], y: [1e-12, 3e-12, 2e-12] }),
                ]),
            ]),
            { kind: "figures", name: "none", title: "No items", caption: "", items: [] },
            { kind: "pairs", title: "No draws", caption: "", names: ["a", "b"], chain: [], values: [[], []] },
            {
                kind: "pairs",
                title: "Draws that are all equal",
                caption: "",
                names: ["a", "b"],
                chain: [0, 0, 0],
                values: [
                    [1, 1, 1],
                    [2, 2, 2],
                ],
            },
            { kind: "table", name: "no-rows", title: "No rows", caption: "", columns: ["a", "b"], rows: [] },
        ],
        { title: "Empty figures", subtitle: "" },
    );
}

export const samplers = ["rw", "am", "gam", "asm", "kam", "ckam"];

function heat(columns, rows, shift) {
    const z = upTo(columns * rows, (n) => {
        const [x, y] = [-4 + ((n % columns) + 0.5) * (8 / columns), -4 + (Math.floor(n / columns) + 0.5) * (8 / rows)];
        return round(Math.exp(-((x - shift) ** 2) - y * y) + Math.exp(-((x + shift) ** 2) - y * y));
    });
    return mark("cells", null, 0, { columns, rows, x0: -4, y0: -4, width: 8 / columns, height: 8 / rows, z });
}

function experiment() {
    const x = upTo(20, (i) => round(100 * 1.6 ** i));
    const curve = (s) => x.map((evaluations, i) => round((3 + s) * Math.exp(-i / (4 + s)) + 0.01));
    const panels = ["bimodal", "mixture5"].map((title) =>
        panel(
            title,
            axis("evaluations", { log: true }),
            axis("symmetric KL", { log: true }),
            samplers.flatMap((name, s) => [
                mark("band", name, s, {
                    x,
                    low: curve(s).map((y) => round(y / 1.4)),
                    high: curve(s).map((y) => round(y * 1.4)),
                }),
                mark("line", name, s, { x, y: curve(s) }, name === "rw"),
            ]),
        ),
    );
    return page(
        [
            paragraph("Six samplers, 5 seeds each. Lines are medians, bands the range over the seeds."),
            heading("KL against evaluations"),
            figure("kl", panels, { title: "Symmetric KL", across: 2, caption: "Smaller is better." }),
            heading("Multi-ESS"),
            figure(
                "ess",
                [
                    panel("", axis("", { names: samplers }), axis("multi-ESS a second", { low: 0 }), [
                        mark("dots", "median and range", 0, {
                            x: upTo(6, (i) => i),
                            y: [120, 240, 260, 180, 410, 380],
                            low: [100, 200, 250, 100, 380, 300],
                            high: [130, 300, 270, 190, 480, 420],
                        }),
                    ]),
                ],
                { title: "Multi-ESS", caption: "Over 5 seeds." },
            ),
            heading("Densities"),
            figure(
                "targets",
                [
                    panel("truth", axis("x1"), axis("x2"), [heat(40, 40, 2)], true),
                    ...samplers
                        .slice(0, 5)
                        .map((name, s) => panel(name, axis("x1"), axis("x2"), [heat(20, 20, s / 2)], true)),
                ],
                { title: "Density of the samples", across: 3, caption: "On one scale." },
            ),
            heading("Steps"),
            steps(),
            {
                kind: "table",
                name: "claims",
                title: "Claims",
                caption: "What was measured.",
                columns: ["sampler", "KL", "ESS"],
                rows: samplers.map((name, s) => [name, 0.0123456789 * (s + 1), s === 3 ? null : 1e7 / (s + 1)]),
            },
        ],
        { title: "The paper, reproduced", subtitle: "bimodal, mixture5" },
    );
}

/** What a page of today does not know, between things that it knows. */
const future = () =>
    page([
        heading("Before"),
        { kind: "hologram", depth: 3 },
        { kind: "figure", name: "broken", title: "Broken" },
        figure("strange", [panel("", axis("x"), axis("y"), [mark("spiral", "s", 0, {})])]),
        null,
        figure("endless", [
            panel("", axis("x"), axis("y"), [mark("cells", null, 0, { columns: 1e6, rows: 1e6, z: [1] })]),
        ]),
        paragraph("After with `code` in it"),
        heading("End"),
    ]);

export const documents = { ordinary, oneChain, oneParameter, unknown, wide, names, empty, experiment, future };
