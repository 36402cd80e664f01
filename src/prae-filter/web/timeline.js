/* timeline.js - the share of flagged records from window to window, with
 * states and the marks of bursts and drifts. */
const BAND = 10;

// Steps from where an entry begins to where it ends, 0 to 1; by records, so
// that a window cut short by a timer is as narrow as it was.
function timelineSteps(facts) {
    const entries = list(facts.timeline).map(record);
    const sizes = entries.map((entry) => amount(entry.inliers) +
        amount(entry.outliers) + amount(entry.rejected));
    const all = sum(sizes);
    let before = 0;
    return entries.map((entry, i) => {
        const from = all > 0 ? before / all : i / entries.length;
        before += sizes[i];
        const judged = amount(entry.inliers) + amount(entry.outliers);
        return {
            entry, from,
            to: all > 0 ? before / all : (i + 1) / entries.length,
            share: judged > 0 ? amount(entry.outliers) / judged : 0,
            size: sizes[i], judged,
        };
    });
}

function windowName(entry) {
    const first = real(entry.window);
    const windows = real(entry.windows) ?? 1;
    return first === null ? "window" : windows > 1 ?
        `windows ${count(first)} to ${count(first + windows - 1)}` :
        `window ${count(first)}`;
}

function stepTitle({entry, share, judged}) {
    const began = [];
    if (amount(entry.bursts) > 0)
        began.push(several(entry.bursts, "burst") + " began");
    if (amount(entry.drifts) > 0)
        began.push(several(entry.drifts, "drift") + " began");
    return `${windowName(entry)}, ${clock(entry.time)}\n` +
        `${count(entry.outliers)} of ${count(judged)} set aside ` +
        `(${percent(share)})${amount(entry.rejected) > 0 ? ", " +
            count(entry.rejected) + " refused" : ""}\n` +
        `${stateName(entry.state)}${began.length ? "; " : ""}` +
        began.join(", ");
}

function drawTimeline(facts, byTime) {
    const steps = timelineSteps(facts);

    return (page, width, height) => {
        const f = frame(width, height, {top: 36, bottom: 54});
        if (steps.length === 0) {
            nothing(page, width, height, "No window has been judged yet.");
            return;
        }
        const most = Math.max(0.01, ...steps.map((step) => step.share)) * 1.04;
        const x = (at) => f.left + at * (f.right - f.left);
        const y = (share) => f.bottom - share / most * (f.bottom - f.top);
        stateSpans(page, f, steps, x);
        axisLeft(page, f, roundTicks(0, most, 4), (share) => share / most,
            "set aside", (share) => percent(share, most < 0.02 ? 1 : 0));
        page.append(svg("path.area", {d: stepPath(steps, x, y) +
            `L${x(1)} ${f.bottom}L${x(0)} ${f.bottom}Z`}),
        svg("path.edge", {d: stepPath(steps, x, y)}));
        marks(page, f, steps, x);
        timelineAxis(page, f, steps, byTime);
        for (const step of steps)
            page.append(rect("touch", {x: x(step.from), y: f.top - 20,
                width: x(step.to) - x(step.from),
                height: f.bottom - f.top + 20 + BAND}, stepTitle(step)));
    };
}

function stepPath(steps, x, y) {
    return steps.map((step, i) => `${i ? "L" : "M"}${x(step.from).toFixed(1)}` +
        ` ${y(step.share).toFixed(1)}L${x(step.to).toFixed(1)} ` +
        y(step.share).toFixed(1)).join("");
}

// Runs of one state: a band below, and a tint behind where it went wrong.
function stateSpans(page, f, steps, x) {
    let first = 0;
    steps.forEach((step, i) => {
        const state = stateName(step.entry.state);
        const next = steps[i + 1];
        if (next && stateName(next.entry.state) === state)
            return;
        const from = x(steps[first].from);
        const wide = Math.max(1, x(step.to) - from);
        if (state === "burst" || state === "drift")
            page.append(rect("tint " + state, {x: from, y: f.top, width: wide,
                height: f.bottom - f.top}));
        page.append(rect("state " + state, {x: from, y: f.bottom + 1,
            width: wide, height: BAND}, state));
        first = i + 1;
    });
}

function marks(page, f, steps, x) {
    for (const step of steps) {
        const at = x(step.from).toFixed(1);
        const y = f.top - 4;
        if (amount(step.entry.bursts) > 0)
            page.append(line("mark burst", at, y, at, f.bottom),
                svg("path.mark.burst.head",
                    {d: `M${at} ${y}l-5 -9h10z`}));
        if (amount(step.entry.drifts) > 0)
            page.append(line("mark drift", at, y, at, f.bottom),
                svg("path.mark.drift.head",
                    {d: `M${at} ${y}l-5 -5l5 -5l5 5z`}));
    }
}

// Below stands the number of the record, or what the clock said then.
function timelineAxis(page, f, steps, byTime) {
    const below = {...f, bottom: f.bottom + BAND + 2};
    if (byTime) {
        const every = Math.max(1, Math.ceil(steps.length /
            ((f.right - f.left) / 90)));
        const chosen = steps.filter((step, i) => i % every === 0);
        axisBelow(page, below, chosen, (step) => step.from, "time of day",
            (step) => clock(step.entry.time));
        return;
    }
    const start = real(steps[0].entry.seq) ?? 0;
    const all = sum(steps.map((step) => step.size));
    const ticks = roundTicks(start, start + all, (f.right - f.left) / 70,
        true);
    axisBelow(page, below, ticks, (seq) => all > 0 ? (seq - start) / all : 0,
        "record", (seq) => start + all < 1e6 ? count(seq) : shortCount(seq));
}

function timelineRows(facts) {
    return timelineSteps(facts).map(({entry, share}) => [
        windowName(entry).replace(/^windows? /, ""), when(entry.time),
        count(entry.inliers), count(entry.outliers), percent(share),
        count(entry.rejected), stateName(entry.state), count(entry.bursts),
        count(entry.drifts), number(entry.limit),
    ]);
}

const TIMELINE_HEADS = ["Window", "Time", "#Passed on", "#Set aside",
    "#Share", "#Refused", "State", "#Bursts", "#Drifts", "#Limit"];

// Only the states that occur are explained.
function timelineLegend(facts) {
    const entries = list(facts.timeline).map(record);
    const seen = new Set(entries.map((entry) => stateName(entry.state)));
    const keys = [...STATES.keys()].filter((state) => seen.has(state))
        .map((state) => ["state." + state, state]);
    if (entries.some((entry) => amount(entry.bursts) > 0))
        keys.push(["mark.burst", "a burst begins", "\u25bc"]);
    if (entries.some((entry) => amount(entry.drifts) > 0))
        keys.push(["mark.drift", "a drift begins", "\u25c6"]);
    return legend(["outliers", "share set aside"], ...keys);
}
