// tips.js - what is said of the place under the pointer.
import * as Plot from "@observablehq/plot";
import { numbersOf } from "./marks.js";
import { readable } from "./numbers.js";

const finite = Number.isFinite;

const valueOn = (axis, number) => (axis.names?.[number] !== undefined ? String(axis.names[number]) : readable(number));

/** What is said where the pointer is: places with sentences. */
function tipsOf(panel, marks) {
    const places = [];
    const say = (axis, other, number) => `${axis.label || other}: ${valueOn(axis, number)}`;
    for (const mark of marks) {
        if (!["line", "dots", "bars", "cells"].includes(mark.kind)) continue;
        const { count, x, y, low, high, z } = numbersOf(mark);
        for (let i = 0; i < count; i++) {
            const px = mark.kind === "bars" ? (low[i] + high[i]) / 2 : x[i];
            if (!finite(px) || !finite(y[i]) || (panel.x.log && px <= 0) || (panel.y.log && y[i] <= 0)) continue;
            if (mark.kind === "cells" && !finite(z[i])) continue;
            const bin = mark.kind === "bars" && !panel.x.names;
            const across = bin
                ? `${panel.x.label || "x"}: ${readable(low[i])} to ${readable(high[i])}`
                : say(panel.x, "x", px);
            const lines = [mark.name, across, say(panel.y, "y", y[i])];
            if (mark.kind === "cells") lines.push(`value: ${readable(z[i])}`);
            if (mark.kind === "dots" && finite(low[i]) && finite(high[i]))
                lines.push(`from ${readable(low[i])} to ${readable(high[i])}`);
            places.push({ x: px, y: y[i], text: lines.filter(Boolean).join("\n") });
        }
    }
    return places;
}

export function tip(panel, marks, theme) {
    const places = tipsOf(panel, marks);
    if (places.length === 0) return null;
    const cells = marks.some((mark) => mark.kind === "cells");
    const free = cells || marks.some((mark) => mark.kind === "dots");
    const options = {
        x: "x",
        y: "y",
        title: "text",
        fill: theme.ground,
        stroke: theme.muted,
        pathFilter: "none",
        maxRadius: cells ? Infinity : 60,
        fontSize: 12,
        lineWidth: 30,
    };
    return Plot.tip(places, (free ? Plot.pointer : Plot.pointerX)(options));
}
