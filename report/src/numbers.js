// numbers.js - numbers as people read them.
import { format } from "d3";

const exponents = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const short = format(".4~s");

const minus = (text) => text.replace(/-/g, "−");
const power = (exponent) => `10${[...String(exponent)].map((c) => exponents[c]).join("")}`;
const scientific = (text) => text.replace(/e\+?(-?\d+)$/, (_, exponent) => ` × ${power(Number(exponent))}`);

/** In a table or a tip: four significant digits, whole numbers in full. */
export function readable(x) {
    const size = Math.abs(x);
    if (Number.isInteger(x) && size < 1e12)
        return minus(String(x).replace(/\B(?=(\d{3})+$)/g, size < 1e4 ? "" : "\u2009"));
    if (size >= 1e6 || size < 1e-3) return minus(scientific(x.toExponential(3)));
    return minus(size >= 1e4 ? readable(Math.round(x)) : x.toPrecision(4));
}

/** At ticks of an axis from low to high: as few characters as tell them apart. */
export function tickText(low, high, step) {
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (size >= 1e15 || size < 1e-3) return (x) => minus(scientific(Number(x.toPrecision(6)).toExponential()));
    if (size >= 1e4 && step >= 100) return (x) => minus(short(x));
    const digits = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step) - 1e-9)));
    return (x) => minus(x.toFixed(digits));
}

/** At ticks of a logarithmic axis. */
export function logTickText(x) {
    const exponent = Math.log10(x);
    const whole = Math.abs(exponent - Math.round(exponent)) < 1e-9;
    if (x >= 0.001 && x < 1e4) return String(Number(x.toPrecision(3)));
    return whole ? power(Math.round(exponent)) : minus(scientific(Number(x.toPrecision(3)).toExponential()));
}
