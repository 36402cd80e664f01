/* live.js - a running filter: asks it for its facts every second and shows
 * them, and says so when it no longer answers.
 *
 * Parts are made anew only where what they show has changed, so that text can
 * be selected and the page stays still in a stream that does. */
const EVERY_MS = 1000;
const HIDDEN_MS = 10000;
const SLOWEST_MS = 5000;
const PATIENCE_MS = 4000;
const HISTORY = 180;
const RECENT_S = 60;

// Our own short past; a filter that was started again begins a new one.
class Past {
    constructor() {
        this.samples = [];
    }

    add(facts) {
        const [received, inliers, outliers] = totalsOf(facts);
        const time = real(facts.written) ?? Date.now() / 1000;
        const last = this.samples[this.samples.length - 1];
        if (last && (last.started !== facts.started ||
            received < last.received))
            this.samples = [];
        else if (last && time <= last.time)
            return;
        const before = this.samples[this.samples.length - 1];
        this.samples.push({time, received, inliers, outliers,
            started: facts.started, rate: before ?
                (received - before.received) / (time - before.time) :
                amount(facts.rate)});
        this.samples.splice(0, this.samples.length - HISTORY);
    }

    // The share set aside of what was judged of late, and since when: what
    // was before the page was opened is not known.
    share() {
        const last = this.samples[this.samples.length - 1];
        const first = this.samples.find((sample) =>
            sample.time >= last.time - RECENT_S);
        const outliers = last.outliers - first.outliers;
        return [ratio(outliers, outliers + last.inliers - first.inliers),
            Math.round(last.time - first.time)];
    }
}

function drawRate(samples) {
    return (page, width, height) => {
        const f = frame(width, height, {left: 40, top: 18, bottom: 18});
        if (samples.length < 2) {
            nothing(page, width, height, "Listening\u2026");
            return;
        }
        const most = Math.max(1, ...samples.map((s) => s.rate)) * 1.05;
        const end = samples[samples.length - 1].time;
        const long = Math.max(30, end - samples[0].time);
        const x = (s) => f.right - (end - s.time) / long * (f.right - f.left);
        const y = (s) => f.bottom - s.rate / most * (f.bottom - f.top);
        const path = samples.map((s, i) => (i ? "L" : "M") +
            `${x(s).toFixed(1)} ${y(s).toFixed(1)}`).join("");
        axisLeft(page, f, roundTicks(0, most, 3), (rate) => rate / most,
            "records a second", shortCount);
        page.append(svg("path.area.flow", {d: `${path}L${f.right} ${f.bottom}` +
            `L${x(samples[0])} ${f.bottom}Z`}), svg("path.edge.flow",
            {d: path}),
        label("tick", f.left, f.bottom + 14, `${span(long)} ago`, "start"),
        label("tick", f.right, f.bottom + 14, "now", "end"));
    };
}

// A figure with words below; the words may change, too.
function gauge(id, words) {
    const value = el("b", {}, NONE);
    const more = el("small", {}, "");
    const head = el("span", {}, words);
    return {
        node: el("div.gauge", {id}, head, value, more),
        name(newWords) {
            head.textContent = newWords;
        },
        show(text, rest, alarm) {
            value.textContent = text;
            more.textContent = rest;
            this.node.classList.toggle("alarm", alarm === true);
        },
    };
}

// A part whose content is made by MAKE where KEY's answer is a new one.
function part(id, key, make) {
    const node = el("div", {id});
    let last = null;
    return {
        node,
        show(facts) {
            const now = JSON.stringify(key(facts)) ?? "";
            if (now === last)
                return;
            last = now;
            node.replaceChildren(...[make(facts)].flat());
        },
    };
}

function pressure(facts) {
    const inputs = list(facts.inputs).map(record);
    const outputs = list(facts.outputs).map(record);
    return [
        el("h3", {}, "Inputs"),
        inputs.length > 0 ? table(["From", "#Messages", "#Waiting"],
            inputs.map((input) => [input.name === "-" ?
                "standard input" : fieldName(input.name),
                count(input.messages), count(input.waiting)])) :
            el("p.none", {}, "None is open."),
        el("h3", {}, "Outputs"),
        outputs.length > 0 ? table(["To", "#Peers", "#Waiting", ""],
            outputs.map((output) => [
                [fieldName(output.name), el("br"), el("bdi.small", {},
                    clipped(output.to, 120))],
                real(output.peers) === null ? NONE : count(output.peers),
                count(output.waiting), outputState(output)])) :
            el("p.none", {}, "None is open."),
    ];
}

function outputState(output) {
    if (output.clogged === true)
        return el("span.pill.burst", {}, "clogged");
    if (output.peers === 0)
        return el("span.pill.warming", {}, "nobody there");
    return el("span.pill.live", {}, "flows");
}

// Everything that is shown, in the order of the page.
function livePage() {
    const past = new Past();
    const gauges = {
        rate: gauge("rate", "records a second"),
        share: gauge("share", "set aside, last minute"),
        waiting: gauge("waiting", "waiting"),
        blocked: gauge("blocked", "held up by outputs"),
        training: gauge("training", "to learn a window"),
    };
    const flow = chart("Records a second", 150, drawRate([]));
    const line = chart("Share of records set aside", 240,
        drawTimeline({}, true));
    const scores = chart("How many records have which score", 250,
        drawScores({}));
    const parts = liveParts();
    const node = el("div", {},
        parts.head.node, parts.news.node,
        el("div.gauges", {}, Object.values(gauges).map((g) => g.node)),
        el("div.card.sum", {}, parts.sum.node),
        el("div.pair", {},
            el("section.card", {}, el("h2", {}, "Throughput"), flow.node),
            el("section.card", {id: "flow"}, el("h2", {}, "Pressure"),
                parts.pressure.node)),
        el("section.card", {}, el("h2", {}, "Windows"), figure(line.node,
            TIMELINE_CAPTION, parts.legend.node)),
        el("div.pair", {},
            el("section.card", {}, el("h2", {}, "Scores"), figure(
                scores.node, SCORE_CAPTION, parts.limits.node)),
            el("section.card", {}, el("h2", {}, "Who is to blame"),
                figure(parts.blame.node, BLAME_CAPTION))),
        el("section", {}, el("h2", {}, "Set aside last"), parts.last.node),
        el("section.card", {}, el("h2", {}, "Refused"), parts.refused.node));

    return {
        node,
        show(facts) {
            past.add(facts);
            for (const each of Object.values(parts))
                each.show(facts);
            showGauges(gauges, facts, past);
            flow.update("Records a second", drawRate(past.samples));
            line.update("Share of records set aside",
                drawTimeline(facts, true));
            scores.update("How many records have which score",
                drawScores(facts));
        },
    };
}

function liveParts() {
    return {
        head: part("head", (f) => [f.state, f.program, f.started, f.paused],
            liveHead),
        news: part("news", (f) => [f.state, f.not_ready, f.paused, f.outputs,
            record(f.totals).rejected], liveNews),
        sum: part("sum", (f) => f.totals, (f) => [sumTiles(f), sumBar(f)]),
        pressure: part("pressure", (f) => [f.inputs, f.outputs], pressure),
        legend: part("legend", (f) => timelineLegend(f).textContent,
            timelineLegend),
        limits: part("limits", (f) => limitsOf(f), scoreLegend),
        blame: part("blame", (f) => f.features, (f) =>
            list(f.features).length > 0 ?
                blameTable(list(f.features).map(record)) :
                el("p.none", {}, "No record has been set aside yet.")),
        last: part("last", (f) => f.last, (f) => list(f.last).length > 0 ?
            list(f.last).map((flagged) => flaggedCard(record(flagged), f)) :
            el("p.none", {}, "No record has been set aside yet.")),
        refused: part("refused", (f) => f.rejects, refusalsTable),
    };
}

function liveHead(facts) {
    return el("header.top", {}, el("p.kind", {}, "Live"),
        el("h1", {}, "prae-filter ", pill(facts.state),
            facts.paused === true ? el("span.pill.frozen", {}, "paused") :
                null),
        el("p.sub", {}, `${clipped(facts.program, 80)}, since ` +
            when(facts.started)));
}

// What an operator would want to be told without looking for it.
function liveNews(facts) {
    const found = [];
    if (facts.state === "burst" || facts.state === "drift")
        found.push(["warn", facts.state === "burst" ? "A burst is under way." :
            "The stream has drifted.", STATES.get(facts.state)]);
    if (typeof facts.not_ready === "string")
        found.push(["note", "Not ready yet:", clipped(facts.not_ready, 200)]);
    if (facts.paused === true)
        found.push(["note", "Learning is paused.", "Records are judged by " +
            "what is known already."]);
    for (const output of list(facts.outputs).map(record))
        if (output.clogged === true)
            found.push(["warn", "An output is clogged:",
                `${clipped(output.name, 80)}. ` + (output.peers === 0 ?
                    "Nobody is connected to it, and senders have to wait." :
                    "Senders have to wait for it.")]);
    return found.length === 0 ? [] : el("ul.findings", {}, found.map(
        ([level, what, more]) => el("li." + level, {},
            el("span.badge", {"aria-label": level},
                level === "note" ? "i" : "!"),
            el("span", {}, el("b", {}, what), " " + more))));
}

function showGauges(gauges, facts, past) {
    const training = record(facts.training);
    const [received, inliers, outliers] = totalsOf(facts);
    const into = sum(list(facts.inputs).map((i) => record(i).waiting));
    const out = sum(list(facts.outputs).map((o) => record(o).waiting));
    gauges.rate.show(count(facts.rate), `${count(received)} in all`);
    const [share, seconds] = past.share();
    gauges.share.name("set aside, last " + (seconds > RECENT_S - 3 ?
        "minute" : span(seconds)));
    gauges.share.show(percent(share),
        `${percent(ratio(outliers, inliers + outliers))} in all`);
    gauges.waiting.show(count(out), "records to go out, " +
        `${several(into, "message")} to come in`,
    list(facts.outputs).some((o) => record(o).clogged === true));
    gauges.blocked.show(span(facts.blocked_seconds), "since the start");
    gauges.training.show(span(training.last), real(training.longest) === null ?
        "none learned yet" : `at most ${span(training.longest)}, ` +
        `${several(amount(training.count), "window")}`);
}
