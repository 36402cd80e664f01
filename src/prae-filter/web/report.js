/* report.js - the curation report, from the facts in this file. */
const WORST_SHOWN = 10;
const FEATURES_SHOWN = 12;
const ROWS_SHOWN = 15;

function headline(facts) {
    const [received, , outliers] = totalsOf(facts);
    const ended = facts.live === true ? "still running when written" :
        real(facts.exit) === 0 || real(facts.exit) === null ? "ended well" :
            `ended with status ${facts.exit}`;
    return el("header.top", {},
        el("p.kind", {}, "Curation report"),
        el("h1", {}, inOneLine(facts)),
        el("p.sub", {}, received === 0 ? null :
            [el("b.big", {}, percent(ratio(outliers, received))),
                " set aside \u00b7 "], ended, ", in state ",
        pill(facts.state), duration(facts)));
}

function inOneLine(facts) {
    const [received, , outliers, rejected] = totalsOf(facts);
    const all = several(received, "record");
    if (received === 0)
        return "No records were received";
    if (rejected === received)
        return received === 1 ? "The only record could not be judged" :
            `None of ${all} could be judged`;
    if (outliers === 0)
        return received === 1 ? "The only record was not set aside" :
            `None of ${all} was set aside`;
    return `${count(outliers)} of ${all} ` +
        (outliers === 1 ? "was" : "were") + " set aside";
}

function duration(facts) {
    if (real(facts.started) === null || real(facts.written) === null)
        return "";
    return ` \u00b7 ${when(facts.started)}, for ` +
        span(facts.written - facts.started);
}

function contents() {
    const links = [["over-time", "Over time"], ["scores", "Scores"],
        ["features", "Features"], ["worst", "Worst records"],
        ["refused", "Refused"], ["run", "Repeat the run"]];
    return el("nav", {"aria-label": "Contents"}, links.map(([id, words]) =>
        el("a", {href: "#" + id}, words)));
}

function timeSection(facts) {
    const drawing = chart("Share of records set aside, from window to window",
        260, drawTimeline(facts, false));
    return section("over-time", "Over time", null,
        el("div.card", {}, figure(drawing.node, TIMELINE_CAPTION,
            timelineLegend(facts),
            numbers("Numbers", TIMELINE_HEADS, () => timelineRows(facts)))));
}

function scoreSection(facts) {
    const scores = chart("How many records have which score", 260,
        drawScores(facts));
    const ps = chart("How the p-values of records passed on are spread", 260,
        drawP(facts));
    const p = record(facts.p);
    return section("scores", "Scores and calibration", null,
        el("div.pair", {},
            el("div.card", {}, el("h3", {}, "Scores"),
                figure(scores.node, SCORE_CAPTION,
                    scoreLegend(facts),
                    numbers("Numbers", ["#From", "#To", "#Passed on",
                        "#Set aside"], () => scoreRows(facts)))),
            el("div.card", {}, el("h3", {}, "p-values of records passed on"),
                figure(ps.node, "A p-value is the share of good records " +
                    "that score at least as high. Among good records every " +
                    "value is equally likely, so bars should end near the " +
                    "line; chance keeps most within the band.",
                legend(["inliers", "passed on"], ["expected", "if flat"]),
                numbers("Numbers", ["#From", "#To", "#Passed on",
                    "#Set aside"], () => list(p.edges).slice(0, -1).map(
                    (edge, i) => [number(edge), number(list(p.edges)[i + 1]),
                        count(list(p.inliers)[i]),
                        count(list(p.outliers)[i])]))))));
}

function blameCard(features) {
    const some = features.slice(0, ROWS_SHOWN);
    const rest = features.slice(ROWS_SHOWN);
    const node = el("div.card", {}, el("h3", {}, "Who is to blame"),
        figure(blameTable(some), BLAME_CAPTION));
    if (rest.length > 0)
        node.append(numbers(`${rest.length} more`, BLAME_HEADS, () =>
            rest.map((f) => blameRow(f, amount(features[0].blame)))));
    return node;
}

function featureSection(facts) {
    const features = list(facts.features).map(record);
    const total = real(facts.features_total) ?? features.length;
    if (features.length === 0)
        return section("features", "Features", null, el("p.none", {},
            "No features were chosen yet."));
    return section("features", "Features",
        total > features.length ? `${count(features.length)} of ` +
            `${count(total)}, those with most of the blame.` : null,
        blameCard(features),
        el("h3", {}, "How their values lie"),
        el("p.lead", {}, "Where the two colours part, the feature by itself " +
            "tells odd records from good ones; where they do not, it was " +
            "odd only beside the others. Each colour has its own height: " +
            "compare shapes. Counts at the edges lie beyond the axis."),
        folded(features, FEATURES_SHOWN, featureCard, "features"));
}

function worstSection(facts) {
    const worst = list(facts.worst).map(record);
    return section("worst", "The worst records", worst.length > 0 ?
        "Highest scores first. Expected is what the rest of the record, and " +
        "the past, led to believe." : null,
    worst.length > 0 ? folded(worst, WORST_SHOWN, (flagged) =>
        flaggedCard(flagged, facts), "records") :
        el("p.none", {}, "No record was set aside."));
}

function omissions(facts) {
    const left = list(facts.left_out).map(record);
    if (left.length === 0)
        return el("p.none", {}, amount(facts.features_total) === 0 ?
            "No field has been looked at." : "Every field was used.");
    const row = (field) => [fieldName(field.name),
        el("span", {}, el("b", {}, clipped(field.reason, 60)),
            OMISSIONS.has(field.reason) ?
                ": " + OMISSIONS.get(field.reason) : "")];
    const node = table(["Field", "Why"], left.slice(0, ROWS_SHOWN).map(row));
    return left.length <= ROWS_SHOWN ? node : el("div", {}, node,
        numbers(`${left.length - ROWS_SHOWN} more`, ["Field", "Why"],
            () => left.slice(ROWS_SHOWN).map(row)));
}

function modelTerms(facts) {
    const model = record(facts.model);
    const known = (value, show = count) => real(value) === null ? null :
        show(value);
    const yes = (value) => value === true ? "yes" :
        value === false ? "no" : null;
    return terms([
        ["Snapshot", model.file ? foreign(model.file) : "not kept"],
        ["Windows judged", known(model.judged)],
        ["Windows learned", known(model.learned)],
        ["Features", known(facts.features_total)],
        ["Inputs of the net", known(model.inputs)],
        ["Latent values", known(model.latent)],
        ["Weights", known(model.weights)],
        ["Trusted records", known(model.trusted)],
        ["Looks at neighbours", yes(model.context)],
        ["Likeness of neighbours", known(model.likeness, number)],
        ["Smooths scores", yes(model.smooth)],
        ["Limit", real(facts.limit) === null ? "none" : number(facts.limit)],
        ["False positive rate", known(facts.fpr, percent)],
        ["Time to learn", known(record(facts.training).seconds, span)],
        ["Longest window", known(record(facts.training).longest, span)],
        ["Waited for outputs", known(facts.blocked_seconds, span)],
        ["Records a second", known(facts.rate)],
        ["Format", facts.format ? clipped(facts.format, 20) : null],
        ["Program", clipped(facts.program, 80)],
        ["Kernels", facts.kernels ? clipped(facts.kernels, 80) : null],
    ]);
}

function runSection(facts) {
    return section("run", "The model, and how to repeat the run", null,
        el("div.card", {}, el("h3", {}, "Command"),
            el("pre.command", {}, shown(facts.command)),
            el("p.small", {}, "The same program gives the same result again " +
                "for the same input and options.")),
        el("div.card", {}, el("h3", {}, "Model"), modelTerms(facts)),
        el("div.card", {}, el("h3", {}, "Left out"),
            el("p.lead", {}, "Fields that tell nothing about whether a " +
                "record fits are no features."), omissions(facts)));
}

function report(facts) {
    document.title = `${count(totalsOf(facts)[2])} set aside \u2013 ` +
        "curation report";
    return [headline(facts),
        el("div.card.sum", {}, sumTiles(facts), sumBar(facts)),
        el("div.glance", {}, findingList(facts), culprits(facts)),
        contents(), timeSection(facts), scoreSection(facts),
        featureSection(facts), worstSection(facts),
        section("refused", "Refused", "Records that could not be judged, by " +
            "reason.", el("div.card", {}, refusalsTable(facts))),
        runSection(facts),
        el("footer", {}, `Written by ${clipped(facts.program, 80)}, ` +
            when(facts.written) + ".")];
}

// What went wrong is said on the page: an empty one would look like no facts.
try {
    const facts = JSON.parse(document.getElementById("facts").textContent);
    document.getElementById("page").append(...report(record(facts)));
} catch (error) {
    document.getElementById("page").append(el("p.alone", {},
        "The facts in this report cannot be shown: " + shown(error.message)));
    throw error;
}
