/* record.js - a flagged record: what gave it away, and the record itself. */

// Texts are judged by numbers; these are no texts, and are called what they
// are.
function measure(why) {
    return String(why.field).endsWith(", length") ? "log of length " :
        "rarity ";
}

function observedText(why, which) {
    const text = why[which + "_text"];
    const other = why[(which === "observed" ? "expected" : "observed") +
        "_text"];
    const value = real(why[which]);
    if (typeof text === "string")
        return el("span.text", {}, "\u201c", foreign(text), "\u201d",
            typeof other === "string" || value === null ? null :
                el("span.small", {}, ` ${measure(why)}${number(value)}`));
    if (value === null)
        return el("i.missing", {}, "missing");
    if (typeof other === "string")
        return measure(why) + number(value);
    // What is nothing beside the other value is what sums leave behind.
    const least = Math.abs(real(why.observed) ?? 0) * 1e-9;
    return which === "expected" && Math.abs(value) < least ? number(0) :
        number(value);
}

function whyTable(whys) {
    const node = table(["Field", "#Observed", "#Expected", "#Share"],
        whys.map((why) => [fieldName(why.field), observedText(why, "observed"),
            observedText(why, "expected"),
            el("span.share", {}, bar(why.share, "outliers"),
                el("span", {}, percent(why.share, 0)))]));
    node.classList.add("why");
    return node;
}

// How far beyond the limit of its window, where that is known.
function beyond(flagged, facts) {
    const entry = list(facts.timeline).map(record).find((one) =>
        flagged.window >= one.window &&
        flagged.window < one.window + (real(one.windows) ?? 1));
    const limit = entry && entry.windows === 1 ? real(entry.limit) : null;
    const score = real(flagged.score);
    if (score === null || limit === null || limit <= 0 || score <= limit)
        return "";
    return score < limit * 1.05 ? " \u2013 just beyond the limit" :
        ` \u2013 ${number(score / limit, 2)} times the limit`;
}

function flaggedCard(flagged, facts) {
    const where = [`window ${count(flagged.window)}`,
        stateName(flagged.state), clock(flagged.time)];
    if (real(flagged.p) !== null)
        where.unshift("p " + number(flagged.p, 2));
    const whys = list(flagged.why).map(record);
    return el("article.card.flagged", {},
        el("header", {},
            el("h4", {}, "Record " + count(flagged.seq)),
            el("p.score", {}, "score ", el("b", {}, number(flagged.score, 4)),
                beyond(flagged, facts)),
            el("p.small", {}, where.join(" \u00b7 "))),
        el("div.halves", {},
            whys.length > 0 ? whyTable(whys) :
                el("p.small", {}, "No single field stands out."),
            el("div", {}, el("pre.record", {dir: "auto"},
                shown(flagged.record)),
            flagged.cut ? el("p.small", {}, "Shortened; the output has all " +
                "of it.") : null)));
}

// The first few, and a button that makes the others.
function folded(items, first, make, words) {
    const node = el("div.folded", {}, items.slice(0, first).map(make));
    const rest = items.slice(first);
    if (rest.length === 0)
        return node;
    const button = el("button", {type: "button"}, `Show ${rest.length} more ` +
        words);
    // Paper has no buttons, and is not to look as if this were all.
    const note = el("p.small.printed", {}, `${rest.length} more ${words} are ` +
        "in the page this was printed from; open them there to print them, " +
        "too.");
    button.addEventListener("click", () => {
        note.remove();
        button.replaceWith(...rest.map((item, i) => make(item, first + i)));
    });
    node.append(button, note);
    return node;
}
