/* findings.js - what somebody with one minute has to know about a run. */

// [how bad, what, more]: bad, warn, note or good.
function findings(facts) {
    return [...endFindings(facts), ...streamFindings(facts),
        ...calibrationFindings(facts), ...deliveryFindings(facts)]
        .sort((a, b) => "bwng".indexOf(a[0][0]) - "bwng".indexOf(b[0][0]));
}

function endFindings(facts) {
    const found = [];
    const [received, ...parts] = totalsOf(facts);
    if (received !== sum(parts))
        found.push(["bad", "The totals do not add up.",
            "That is a defect of the program; please report it."]);
    if (received === 0)
        found.push(["warn", "No record came in.", "Was the input empty?"]);
    if (real(facts.exit) !== null && facts.exit !== 0)
        found.push(["bad", `The run ended ${EXITS.get(facts.exit) ||
            "with an error"}.`, `Its exit status was ${facts.exit}.`]);
    if (facts.state === "warming" && received > 0)
        found.push(["warn", "Nothing had been learned when this was written.",
            "Verdicts on a first window are the least certain ones."]);
    if (facts.state !== "warming" && record(facts.model).judged === 1)
        found.push(["note", "There was only one window.",
            "Its records were compared with each other, not with a past: " +
            "such verdicts are the least certain ones."]);
    if (facts.state === "burst")
        found.push(["warn", "It ended in the middle of a burst.",
            "The last window was mostly unlike the past."]);
    if (facts.state === "drift")
        found.push(["warn", "It ended in a drift.",
            "The stream was changing, and the model was following it."]);
    if (facts.paused === true)
        found.push(["note", "Learning was paused.", ""]);
    return found;
}

function streamFindings(facts) {
    const found = [];
    const totals = record(facts.totals);
    const [received, inliers, outliers, rejected] = totalsOf(facts);
    const flagged = ratio(outliers, inliers + outliers) ?? 0;
    const refused = ratio(rejected, received) ?? 0;
    if (flagged > 0.1)
        found.push(["warn", `${percent(flagged)} of what was judged was ` +
            "set aside.", "That is a lot. Either the stream has a problem, " +
            "or it is too varied for these options; see the worst records."]);
    if (amount(totals.bursts) > 0)
        found.push(["warn", `${several(totals.bursts, "burst")}.`,
            "Most of a window did not fit the past. It was judged by the " +
            "past, and nothing was learned from it."]);
    if (amount(totals.drifts) > 0)
        found.push(["warn", `${several(totals.drifts, "drift")}.`,
            "What did not fit went on, and is now taken as normal. Was that " +
            "change meant to be?"]);
    if (rejected > 0)
        found.push([refused > 0.01 ? "warn" : "note",
            `${several(rejected, "record")} (${percent(refused)}) could ` +
            "not be judged.", mostlyRefused(facts)]);
    return found;
}

function mostlyRefused(facts) {
    const [first] = list(facts.rejects).map(record)
        .sort((a, b) => amount(b.count) - amount(a.count));
    if (first === undefined)
        return "";
    return `Most often: ${REFUSALS.get(first.reason) ||
        clipped(first.reason, 60)}.`;
}

function calibrationFindings(facts) {
    const {uneven, low} = flatness(facts);
    if (!uneven)
        return [];
    return [["note", "p-values are not flat.", low ?
        "Small ones are too many: records fit worse than those before them. " +
        "With --fpr, more are flagged than asked for." :
        "Large ones are too many: records fit better than those before " +
        "them. With --fpr, fewer are flagged than asked for."]];
}

function deliveryFindings(facts) {
    const totals = record(facts.totals);
    const told = [
        ["undelivered", "bad", "could not be delivered in time", "record"],
        ["dropped", "bad", "did not reach a slow subscriber", "record"],
        ["unheard", "warn", "went out while nobody listened", "record"],
        ["unlearned", "note", "judged, but not learned: they came too " +
            "fast, or were too few to fill the last window", "record"],
        ["turned_away", "warn", "turned away, for want of an allowed key",
            "connection"],
        ["rollbacks", "note", "of the model, as learning went wrong",
            "rollback"],
        ["imputed", "note", "missing and filled in", "value"],
    ];
    return told.filter(([name]) => amount(totals[name]) > 0)
        .map(([name, level, words, what]) => [level,
            `${several(totals[name], what)} ${words}.`, ""]);
}

function findingList(facts) {
    const found = findings(facts);
    if (!found.some(([level]) => level !== "note"))
        found.unshift(["good", "The run itself went well.",
            "No bursts, no drifts, nothing lost."]);
    const signs = {bad: "!", warn: "!", note: "i", good: "\u2713"};
    return el("ul.findings", {}, found.map(([level, what, more]) =>
        el("li." + level, {}, el("span.badge", {"aria-label": level},
            signs[level]),
        el("span", {}, el("b", {}, what), more ? " " + more : null))));
}

// Which features stand out, in a sentence with the worst example of each.
function culprits(facts) {
    const features = list(facts.features).map(record)
        .filter((feature) => amount(feature.blame) >= 0.05).slice(0, 3);
    if (features.length === 0 || totalsOf(facts)[2] === 0)
        return null;
    return el("div.culprits", {}, el("h3", {}, "What gave them away"),
        el("ol", {}, features.map((feature) => el("li", {},
            fieldName(feature.name), ` \u2013 ${percent(feature.blame, 0)} ` +
            `of the blame, named in ${several(amount(feature.named),
                "record")}`, example(facts, feature.name)))));
}

// A field's change or spread will do where itself is no reason.
function example(facts, name) {
    const rank = (why) => amount(why.share) + (why.field === name ? 1 : 0);
    let best = null;
    for (const flagged of [...list(facts.worst), ...list(facts.last)])
        for (const why of list(record(flagged).why).map(record))
            if ((why.field === name ||
                String(why.field).startsWith(name + ", ")) &&
                rank(why) > (best ? rank(best) : 0.1))
                best = {...why, seq: flagged.seq};
    return best === null ? null : el("span.small", {},
        `; record ${count(best.seq)} had `, best.field === name ? null :
            [fieldName(best.field), " "], observedText(best, "observed"),
        " where ", observedText(best, "expected"), " was expected");
}
