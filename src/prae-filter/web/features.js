/* features.js - which features give flagged records away, and how the values
 * of inliers and outliers lie. */
const GUTTER = 26;

// A name of any length, whole when it is pointed at. Where it is broken, then
// rather behind what joins its words. One of blanks is seen by its quotes.
function fieldName(name) {
    if (typeof name === "string" && name.trim() === "")
        return el("bdi.field", {}, "\u201c" + shown(name) + "\u201d");
    const words = clipped(name, 120).split(/(?<=[_./:-])/);
    return el("bdi.field", {title: shown(name)},
        words.map((word, i) => i > 0 ? [el("wbr"), word] : word));
}

function blameRow(feature, most) {
    return [fieldName(feature.name), bar(ratio(amount(feature.blame), most),
        "outliers"), percent(feature.blame, 1), count(feature.named)];
}

const BLAME_HEADS = ["Feature", "", "#Blame", "#Named in"];

function blameTable(features) {
    const most = Math.max(0, ...features.map((f) => amount(f.blame)));
    const node = table(BLAME_HEADS, features.map((f) => blameRow(f, most)));
    node.classList.add("blame");
    return node;
}

// Counts within the axis, with what lies beyond it at either side.
function spread(counts, beyond) {
    const bins = list(counts).map(amount);
    const [below, above] = [amount(list(beyond)[0]), amount(list(beyond)[1])];
    if (bins.length > 0) {
        bins[0] = Math.max(0, bins[0] - below);
        bins[bins.length - 1] = Math.max(0, bins[bins.length - 1] - above);
    }
    return {bins, below, above, peak: Math.max(below, above, ...bins)};
}

function isAxis(edges) {
    return edges.length > 1 && edges.every((edge, i) => real(edge) !== null &&
        (i === 0 || edge > edges[i - 1]));
}

// Each group is drawn to its own height: there are always fewer outliers.
function drawFeature(feature) {
    const edges = list(feature.edges);
    const groups = [
        ["inliers", spread(feature.inlier_counts, feature.inliers_beyond)],
        ["outliers", spread(feature.outlier_counts, feature.outliers_beyond)],
    ];

    return (page, width, height) => {
        const any = groups.some(([, group]) => group.peak > 0);
        if (!isAxis(edges) || !any) {
            nothing(page, width, height, "Too few values to draw.");
            return;
        }
        const below = groups.some(([, group]) => group.below > 0);
        const above = groups.some(([, group]) => group.above > 0);
        const f = frame(width, height, {
            left: below ? GUTTER + 8 : 4, right: above ? GUTTER + 8 : 4,
            top: 16, bottom: 22,
        });
        if (below)
            f.from = f.left - 4;
        if (above)
            f.to = f.right + 4;
        for (const [at, group] of groups)
            featureBars(page, f, at, group, edges);
        axisBelow(page, f, roundTicks(edges[0], edges[edges.length - 1],
            (f.right - f.left) / 45),
        binScale(edges, 0, edges.length - 1, false), "",
        (tick) => number(tick));
        gutterWords(page, f, below, above, edges);
    };
}

function featureBars(page, f, at, {bins, below, above, peak}, edges) {
    const word = at === "inliers" ? "passed on" : "set aside";
    const wide = (f.right - f.left) / bins.length;
    const bar = (x, width, n, title) => {
        const high = n > 0 ? Math.max(2, n / peak * (f.bottom - f.top)) : 0;
        if (high > 0)
            page.append(rect(at + " overlaid", {x, y: f.bottom - high, width,
                height: high}, `${count(n)} ${word}: ${title}`));
        return high;
    };
    bins.forEach((n, i) => bar(f.left + i * wide, wide, n,
        `${number(edges[i])} to ${number(edges[i + 1])}`));
    const side = (x, n, title) => {
        const high = bar(x, GUTTER, n, title);
        if (high > 0 && at === "outliers")
            page.append(label("beyond", x + GUTTER / 2, f.bottom - high - 4,
                shortCount(n)));
    };
    side(f.left - GUTTER - 6, below, "below " + number(edges[0]));
    side(f.right + 6, above, "above " + number(edges[edges.length - 1]));
}

function gutterWords(page, f, below, above) {
    if (below)
        page.append(label("tick", f.left - GUTTER / 2 - 6, f.bottom + 16,
            "\u25c2"));
    if (above)
        page.append(label("tick", f.right + GUTTER / 2 + 6, f.bottom + 16,
            "\u25b8"));
}

// Of nine quantiles: 0, 1, 5, 25, 50, 75, 95, 99 and 100 %.
function quantileRow(words, group) {
    const q = list(record(group).quantiles);
    return [words, compact(q[0]), compact(q[2]), el("b", {}, compact(q[4])),
        compact(q[6]), compact(q[8])];
}

function missingWords(feature) {
    const share = (group) => ratio(amount(record(group).missing),
        amount(record(group).sample)) ?? 0;
    const [passed, aside] = [share(feature.inliers), share(feature.outliers)];
    return passed + aside < 0.005 ? "" : `; missing in ${percent(passed, 0)} ` +
        `of those passed on and ${percent(aside, 0)} of those set aside`;
}

function featureCard(feature) {
    const drawing = chart(`Values of ${clipped(feature.name, 80)} among ` +
        "records passed on and set aside", 132, drawFeature(feature));
    return el("section.card.feature", {},
        el("h4", {}, fieldName(feature.name)),
        el("p.small", {}, `${percent(feature.blame, 1)} of the blame, ` +
            `named in ${several(amount(feature.named), "record")}` +
            missingWords(feature)),
        drawing.node,
        table(["", "#least", "#5\u202f%", "#median", "#95\u202f%", "#most"],
        [quantileRow(el("span.key", {}, el("i.inliers"), "passed"),
            feature.inliers),
        quantileRow(el("span.key", {}, el("i.outliers"), "aside"),
            feature.outliers)]));
}
