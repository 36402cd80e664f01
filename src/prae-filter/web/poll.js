/* poll.js - keeps the live page up to date, and owns up when it is not. */
const page = document.getElementById("page");
const banner = el("p.banner", {role: "status", id: "banner"});
const hold = el("button", {type: "button", "aria-pressed": "false"},
    "Hold still");
const shownPage = livePage();
let timer = 0;
let failures = 0;
let lastSeen = null;
let ended = false;

function say(level, words) {
    const at = "banner " + level;
    if (banner.textContent !== words)
        banner.textContent = words;
    if (banner.className !== at)
        banner.className = at;
    page.classList.toggle("stale", level === "bad");
}

function isHeld() {
    return hold.getAttribute("aria-pressed") === "true";
}

async function ask() {
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), PATIENCE_MS);
    try {
        const answer = await fetch("stats.json",
            {cache: "no-store", signal: stop.signal});
        if (!answer.ok)
            throw new Error("it answered with status " + answer.status);
        return record(await answer.json());
    } finally {
        clearTimeout(late);
    }
}

function answered(facts) {
    failures = 0;
    lastSeen = new Date();
    ended = facts.live === false;
    shownPage.show(facts);
    document.title = `${percent(ratio(totalsOf(facts)[2],
        totalsOf(facts)[0]))} set aside, ${stateName(facts.state)} \u2013 ` +
        "prae-filter";
    if (ended)
        say("note", `The filter has ended ${EXITS.get(facts.exit) ||
            "with status " + count(facts.exit)}. These are its last figures.`);
    else
        say("good", "Connected, as of " +
            `${lastSeen.toLocaleTimeString("en-GB")}.`);
}

function unanswered() {
    failures++;
    if (ended)
        return;
    say("bad", lastSeen === null ?
        "The filter cannot be reached. Trying again\u2026" :
        "The filter cannot be reached any more. What you see is from " +
        `${lastSeen.toLocaleTimeString("en-GB")}. Trying again\u2026`);
}

async function poll() {
    clearTimeout(timer);
    if (isHeld())
        return;
    try {
        const facts = await ask();
        if (!isHeld())
            answered(facts);
    } catch (error) {
        unanswered();
    }
    clearTimeout(timer);
    timer = setTimeout(poll, document.hidden ? HIDDEN_MS :
        Math.min(SLOWEST_MS, EVERY_MS * (1 + failures)));
}

hold.addEventListener("click", () => {
    const held = !isHeld();
    hold.setAttribute("aria-pressed", String(held));
    hold.textContent = held ? "Go on" : "Hold still";
    if (held)
        say("note", "Held still; the filter goes on.");
    else
        poll();
});
document.addEventListener("visibilitychange", () => {
    if (!document.hidden)
        poll();
});
page.append(el("div.strip", {}, banner, hold), shownPage.node);
say("note", "Asking the filter\u2026");
poll();
