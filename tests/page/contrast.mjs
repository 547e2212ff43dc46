// contrast.mjs - how well the texts of a page can be read.

/** The least contrast of any text on its ground, and whose it is. */
export function leastContrast(page) {
    return page.evaluate(() => {
        const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        const rgba = (colour) => {
            pen.clearRect(0, 0, 1, 1);
            pen.fillStyle = colour;
            pen.fillRect(0, 0, 1, 1);
            return [...pen.getImageData(0, 0, 1, 1).data];
        };
        const light = ([r, g, b]) => {
            const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
            return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
        };
        const ground = (element) => {
            for (let e = element; e; e = e.parentElement) {
                const colour = rgba(getComputedStyle(e).backgroundColor);
                if (colour[3] === 255) return colour;
            }
            return [255, 255, 255, 255];
        };
        let worst = { ratio: 21 };
        for (const element of document.querySelectorAll("body *")) {
            const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
            if (!own || element.closest("script, noscript, [hidden]") || element.getClientRects().length === 0)
                continue;
            const style = getComputedStyle(element);
            const text = rgba(element.closest("svg") ? style.fill : style.color);
            const [a, b] = [light(text), light(ground(element))].sort((x, y) => y - x);
            const ratio = (a + 0.05) / (b + 0.05);
            if (ratio < worst.ratio) worst = { ratio, text: element.textContent, colour: text.join() };
        }
        return worst;
    });
}
