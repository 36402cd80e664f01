/* chart.js - what all charts share: a box that draws itself anew when its
 * width changes, scales and axes.
 *
 * A chart is drawn in the pixels that it has, so its letters keep their size
 * on a phone; one in a closed section has no width and is not drawn yet. */
const LETTER = 6.4;

// chart(LABEL, HEIGHT, draw(svg, width, height)); draws when it is shown.
function chart(label, height, draw) {
    const node = el("div.chart");
    let width = 0;

    function redraw() {
        const page = svg("svg", {
            viewBox: `0 0 ${width} ${height}`, role: "img",
            "aria-label": label,
        });
        draw(page, width, height);
        node.replaceChildren(page);
    }

    new ResizeObserver(() => {
        const now = Math.floor(node.clientWidth);
        if (now > 0 && now !== width) {
            width = now;
            redraw();
        }
    }).observe(node);

    return {
        node,
        update(newLabel, newDraw) {
            label = newLabel;
            draw = newDraw;
            if (width > 0)
                redraw();
        },
    };
}

// The caption below teaches what the chart is for.
function figure(node, caption, ...more) {
    return el("figure", {}, node, el("figcaption", {}, caption), ...more);
}

function frame(width, height, {left = 44, right = 14, top = 16,
    bottom = 36} = {}) {
    return {left, top, right: Math.max(left + 1, width - right),
        bottom: height - bottom, width};
}

function rect(at, {x, y, width, height}, title) {
    return svg("rect." + at, {x, y, width: Math.max(0, width),
        height: Math.max(0, height)}, title ? svg("title", {}, title) : null);
}

function line(at, x1, y1, x2, y2) {
    return svg("line." + at, {x1, y1, x2, y2});
}

function label(at, x, y, text, anchor = "middle") {
    return svg("text." + at, {x, y, "text-anchor": anchor}, text);
}

// Round values from LOW to HIGH, about WANTED of them; of what is counted none
// lies between two others.
function roundTicks(low, high, wanted, counted = false) {
    const width = high - low;
    if (!(width > 0) || !Number.isFinite(width))
        return [low];
    const rough = width / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(rough));
    const round = [1, 2, 5, 10].find((n) => n * power >= rough * 0.999) *
        power;
    const step = counted ? Math.max(1, round) : round;
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9
        && ticks.length < 50; i++)
        ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
}

// Powers of ten; where they are few, twice and five times them as well, and
// where that is still too little to read a scale by, any round values.
function logTicks(low, high) {
    if (!(low > 0) || !(high > low))
        return [];
    const from = Math.floor(Math.log10(low));
    const to = Math.ceil(Math.log10(high));
    const steps = to - from > 3 ? [1] : [1, 2, 5];
    const ticks = [];
    for (let power = from; power <= to; power++)
        for (const step of steps)
            ticks.push(Number((step * 10 ** power).toPrecision(12)));
    const within = ticks.filter((tick) => tick >= low && tick <= high);
    return within.length > 1 ? within : roundTicks(low, high, 5);
}

// Where a value lies among the bins FROM to TO, 0 to 1: bins are drawn alike
// in width, whatever their scale, and an end that is not known does no harm.
function binScale(edges, from, to, log) {
    return (value) => {
        let i = from;
        while (i < to - 1 && (real(edges[i + 1]) ?? Infinity) <= value)
            i++;
        const low = real(edges[i]);
        const high = real(edges[i + 1]);
        let within = 0.5;
        if (low !== null && high !== null && high > low)
            within = log && low > 0 && value > 0 ?
                Math.log(value / low) / Math.log(high / low) :
                (value - low) / (high - low);
        const at = (i - from + Math.min(1, Math.max(0, within))) / (to - from);
        return Math.min(1, Math.max(0, at));
    };
}

// Every tick, every second or so has its label: as many as there is room for,
// all of them between FROM and TO where the frame has these.
function axisBelow(page, f, ticks, at, words, format) {
    const places = ticks.map((tick) => {
        const text = format(tick);
        const x = f.left + at(tick) * (f.right - f.left);
        const half = text.length * LETTER / 2;
        return {x, text, half,
            middle: Math.min((f.to ?? f.width) - half,
                Math.max((f.from ?? 0) + half, x))};
    });
    let every = 1;
    while (places.some((place, i) => i % every === 0 && i >= every &&
        places[i - every].middle + places[i - every].half + 8 >
        place.middle - place.half))
        every++;
    page.append(line("axis", f.left, f.bottom, f.right, f.bottom));
    places.forEach(({x, text, middle}, i) => {
        page.append(line("axis", x, f.bottom, x, f.bottom + 4));
        if (i % every === 0)
            page.append(label("tick", middle, f.bottom + 16, text));
    });
    if (words)
        page.append(label("words", f.right, f.bottom + 31, words, "end"));
}

function axisLeft(page, f, ticks, at, words, format) {
    for (const tick of ticks) {
        const y = f.bottom - at(tick) * (f.bottom - f.top);
        page.append(line("grid", f.left, y, f.right, y),
            label("tick", f.left - 6, y + 4, format(tick), "end"));
    }
    if (words)
        page.append(label("words", 0, f.top - 10, words, "start"));
}

// A line of words for the colours and signs: ["inliers", "passed on"], ...
function legend(...entries) {
    return el("p.legend", {}, entries.map(([at, words, sign]) =>
        el("span.key", {}, el("i." + at, {"aria-hidden": "true"}, sign),
            words)));
}

// Numbers behind a chart, made when somebody asks for them.
function numbers(words, heads, rows) {
    const node = el("details.numbers", {}, el("summary", {}, words));
    node.addEventListener("toggle", () => {
        if (node.open && node.childElementCount === 1)
            node.append(table(heads, rows()));
    });
    return node;
}

// HEADS that begin with # have numbers below them. Cells are text or nodes.
function table(heads, rows) {
    const aligned = heads.map((head) => head.startsWith("#") ? ".number" : "");
    return el("div.scroll", {}, el("table", {},
        el("thead", {}, el("tr", {}, heads.map((head, i) =>
            el("th" + aligned[i], {scope: "col"}, head.replace("#", ""))))),
        el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) =>
            el("td" + aligned[i], {}, cell)))))));
}

// A bar as long as its share of the whole.
function bar(share, at) {
    const width = Math.min(1, amount(share)) * 100;
    return svg("svg.bar", {"aria-hidden": "true", focusable: "false"},
        svg("rect.track", {width: "100%", height: "100%"}),
        svg("rect." + at, {width: width + "%", height: "100%"}));
}
