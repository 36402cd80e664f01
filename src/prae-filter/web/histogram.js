/* histogram.js - how scores and p-values are spread. */

// A count of one has to be seen beside one of a million.
function logHeight(most) {
    const whole = Math.log10(Math.max(most, 10)) + 0.4;
    return (value) => value > 0 ? (Math.log10(value) + 0.4) / whole : 0;
}

// The limit follows the stream: the least, the greatest and the last one.
function limitsOf(facts) {
    const all = list(facts.timeline).map((entry) => real(record(entry).limit));
    all.push(real(facts.limit));
    const known = all.filter((limit) => limit !== null);
    return {last: real(facts.limit), least: Math.min(...known),
        most: Math.max(...known)};
}

// Whether it moved so much that one line would tell less than the truth.
function limitMoved(facts) {
    const {last, least, most} = limitsOf(facts);
    return last !== null && most > least * 1.1;
}

// The bins worth drawing: those with something in them, and VALUE's.
function usedBins(edges, groups, value) {
    const bins = Math.max(0, edges.length - 1);
    let from = bins;
    let to = 0;
    for (let i = 0; i < bins; i++) {
        const here = groups.some((group) => amount(group[i]) > 0);
        const low = real(edges[i]) ?? -Infinity;
        const high = real(edges[i + 1]) ?? Infinity;
        if (!here && !(value !== null && value >= low && value < high))
            continue;
        from = Math.min(from, i);
        to = Math.max(to, i + 1);
    }
    return from < to ? [Math.max(0, from - 1), Math.min(bins, to + 1)] : null;
}

function drawScores(facts) {
    const scores = record(facts.scores);
    const edges = list(scores.edges);
    const groups = [list(scores.inliers), list(scores.outliers)];
    const limit = real(facts.limit);
    const used = usedBins(edges, groups, limit);

    return (page, width, height) => {
        const f = frame(width, height, {top: 44});
        if (used === null || groups.every((group) => sum(group) === 0)) {
            nothing(page, width, height, "No record has been scored yet.");
            return;
        }
        const most = Math.max(...groups.flat().map(amount));
        const tall = logHeight(most);
        axisLeft(page, f, logTicks(1, Math.max(most, 10))
            .filter((n) => /^10*$/.test(n)), tall, "records", shortCount);
        scoreBars(page, f, edges, groups, used, tall);
        const at = binScale(edges, ...used, true);
        if (limitMoved(facts))
            limitBand(page, f, at, limitsOf(facts));
        const known = edges.slice(used[0], used[1] + 1).filter((e) => e > 0);
        axisBelow(page, f, logTicks(known[0], known[known.length - 1]), at,
            "score", (tick) => number(tick, 2));
        if (limit !== null)
            limitLine(page, f, at(limit), "limit " + number(limit, 3));
    };
}

function scoreBars(page, f, edges, groups, [from, to], tall) {
    const wide = (f.right - f.left) / (to - from);
    groups.forEach((group, which) => {
        for (let i = from; i < to; i++) {
            const n = amount(group[i]);
            if (n === 0)
                continue;
            const high = tall(n) * (f.bottom - f.top);
            page.append(rect(which ? "outliers" : "inliers", {
                x: f.left + (i - from) * wide + 0.5, y: f.bottom - high,
                width: wide - 1, height: high,
            }, `${count(n)} ${which ? "set aside" : "passed on"}: score ` +
                `${number(edges[i], 3)} to ${number(edges[i + 1], 3)}`));
        }
    });
}

function limitBand(page, f, at, {least, most}) {
    const x = f.left + at(least) * (f.right - f.left);
    page.append(rect("band limits", {x, y: f.top, height: f.bottom - f.top,
        width: (at(most) - at(least)) * (f.right - f.left)}));
}

function scoreLegend(facts) {
    const {least, most} = limitsOf(facts);
    const moved = limitMoved(facts) ? [["band", "where the limit was: " +
        `${number(least, 3)} to ${number(most, 3)}`]] : [];
    return legend(["inliers", "passed on"], ["outliers", "set aside"],
        ...moved);
}

function limitLine(page, f, at, words) {
    const x = f.left + at * (f.right - f.left);
    const half = words.length * LETTER / 2 + 2;
    page.append(line("limit", x, f.top - 22, x, f.bottom),
        label("limit", Math.min(f.width - half, Math.max(half, x)),
            f.top - 27, words));
}

function shortCount(n) {
    const units = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
    const unit = units.find(([size]) => n >= size);
    return unit ? number(n / unit[0], 3) + unit[1] : number(n, 3);
}

function nothing(page, width, height, words) {
    page.append(label("words", width / 2, height / 2, words));
}

function scoreRows(facts) {
    const scores = record(facts.scores);
    const edges = list(scores.edges);
    return edges.slice(0, -1).map((edge, i) => [
        number(edge), number(edges[i + 1]),
        count(amount(list(scores.inliers)[i])),
        count(amount(list(scores.outliers)[i])),
    ]).filter((row) => row[2] !== "0" || row[3] !== "0");
}

// How far the p-values of inliers are from flat. The first bin is left out:
// what would be in it may have been flagged, and is no inlier then.
function flatness(facts) {
    const bins = list(record(facts.p).inliers).map(amount).slice(1);
    const all = sum(bins);
    const expected = bins.length > 0 ? all / bins.length : 0;
    let distance = 0;
    let chi = 0;
    for (const n of bins) {
        distance += Math.abs(n - expected);
        chi += expected > 0 ? (n - expected) ** 2 / expected : 0;
    }
    const half = bins.length / 2;
    return {
        expected, all,
        distance: all > 0 ? distance / all / 2 : 0,
        // Far enough to matter, and more than chance does.
        uneven: all >= 500 && distance / all / 2 > 0.1 &&
            chi > bins.length + 6 * Math.sqrt(2 * bins.length),
        low: sum(bins.slice(0, Math.floor(half))) >
            sum(bins.slice(Math.ceil(half))),
    };
}

function drawP(facts) {
    const bins = list(record(facts.p).inliers).map(amount);
    const edges = list(record(facts.p).edges);
    const {expected} = flatness(facts);
    const fpr = real(facts.fpr);

    return (page, width, height) => {
        const f = frame(width, height, {top: 44});
        if (sum(bins) === 0) {
            nothing(page, width, height, "No p-values: none was due yet.");
            return;
        }
        const most = Math.max(...bins, expected * 1.3);
        axisLeft(page, f, roundTicks(0, most, 4, true), (n) => n / most,
            "records passed on", shortCount);
        const wide = (f.right - f.left) / bins.length;
        const tall = (f.bottom - f.top) / most;
        bins.forEach((n, i) => page.append(rect("inliers", {
            x: f.left + i * wide + 0.5, y: f.bottom - n * tall,
            width: wide - 1, height: n * tall,
        }, `${count(n)} with p from ${number(edges[i])} to ` +
            number(edges[i + 1]))));
        expectedLine(page, f, expected, tall);
        const at = binScale(edges, 0, bins.length, false);
        axisBelow(page, f, [0, 0.2, 0.4, 0.6, 0.8, 1], at, "p-value", number);
        if (fpr !== null)
            limitLine(page, f, at(fpr), "flagged below " + number(fpr));
    };
}

// Chance alone keeps 19 of 20 bars within the band.
function expectedLine(page, f, expected, tall) {
    const off = 2 * Math.sqrt(expected);
    const high = Math.max(f.top, f.bottom - (expected + off) * tall);
    const low = Math.min(f.bottom, f.bottom - (expected - off) * tall);
    const y = f.bottom - expected * tall;
    page.append(rect("band", {x: f.left, y: high, width: f.right - f.left,
        height: low - high}), line("expected", f.left, y, f.right, y));
}
