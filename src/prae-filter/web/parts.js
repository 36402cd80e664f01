/* parts.js - what the report and the live page both show. */

function pill(state) {
    const name = stateName(state);
    return el("span.pill." + name, {title: STATES.get(state) || ""}, name);
}

function totalsOf(facts) {
    const totals = record(facts.totals);
    return ["received", "inliers", "outliers", "rejected", "held"]
        .map((name) => amount(totals[name]));
}

// The sum, written out: whoever doubts it can add.
function sumTiles(facts) {
    const [received, inliers, outliers, rejected, held] = totalsOf(facts);
    const over = facts.live !== true;
    const tile = (at, sign, n, words, name) => el("div.tile." + at,
        {"data-total": name},
        el("span.sign", {"aria-hidden": "true"}, sign),
        el("b", {}, count(n)), el("span", {}, words),
        el("small", {}, at === "received" ? "records" :
            percent(ratio(n, received))));
    return el("div.tiles", {},
        tile("received", "", received, "received", "received"),
        tile("inliers", "=", inliers, "passed on", "inliers"),
        tile("outliers", "+", outliers, "set aside", "outliers"),
        tile("rejected", "+", rejected, "refused", "rejected"),
        tile("held", "+", held, over ? "undelivered" : "in hand",
            "held"));
}

function sumBar(facts) {
    const [, ...parts] = totalsOf(facts);
    const all = sum(parts);
    const names = ["inliers", "outliers", "rejected", "held"];
    const node = svg("svg.whole", {role: "img", "aria-label":
        "How the records received were shared out"});
    let before = 0;
    parts.forEach((n, i) => {
        const width = all > 0 ? n / all * 100 : 0;
        if (n > 0)
            node.append(svg("rect." + names[i], {x: before + "%",
                width: Math.max(width, 0.3) + "%", height: "100%"}));
        before += width;
    });
    return node;
}

function refusalsTable(facts) {
    const rejects = list(facts.rejects).map(record)
        .sort((a, b) => amount(b.count) - amount(a.count));
    if (rejects.length === 0)
        return el("p.none", {}, "No record was refused.");
    const all = sum(rejects.map((reject) => reject.count));
    return table(["Reason", "#Records", "#Share", "What it means",
        "The first one"],
    rejects.map((reject) => [
        el("b", {}, clipped(reject.reason, 60)), count(reject.count),
        percent(ratio(amount(reject.count), all), 1),
        REFUSALS.get(reject.reason) || NONE,
        firstRefused(reject)]));
}

// Its number, and what was said of it where that is more than the reason.
function firstRefused(reject) {
    const said = reject.text === REFUSALS.get(reject.reason) ? [] :
        [foreign(reject.text)];
    if (real(reject.seq) !== null)
        said.unshift("record " + count(reject.seq) +
            (said.length > 0 ? ", " : ""));
    return said;
}

// A list of terms; those without a value are left out.
function terms(pairs) {
    return el("dl.terms", {}, pairs.filter(([, value]) => value !== null)
        .map(([term, value]) => el("div", {}, el("dt", {}, term),
            el("dd", {}, value))));
}

function section(id, title, lead, ...children) {
    return el("section", {id, "aria-labelledby": id + "-title"},
        el("h2", {id: id + "-title"}, title),
        lead ? el("p.lead", {}, lead) : null, ...children);
}

const SCORE_CAPTION = "Each bar counts records whose scores are alike. A " +
    "score says how badly a record fits what was learned; beyond the limit " +
    "it is set aside. The limit moves with the stream; the line is where it " +
    "was last. Both axes are logarithmic: each step up is ten times " +
    "as many.";
const TIMELINE_CAPTION = "How much of each window was set aside. A steady " +
    "low line is a healthy stream; a peak is an incident, and a burst or a " +
    "drift says that most of a window was unlike the past.";
const BLAME_CAPTION = "Of all that was wrong with flagged records, the share " +
    "that lies with each feature, and how many of them name it as a reason.";
