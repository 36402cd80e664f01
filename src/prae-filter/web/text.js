/* text.js - elements, and words for what is in the facts.
 *
 * 1. Names and texts come out of records and may be hostile. They reach the
 *    page as text nodes and attribute values only, never as markup.
 * 2. Any number may be missing; any list, too. */
const SVG = "http://www.w3.org/2000/svg";
const NONE = "\u2013";

// el("p.note", {title: "..."}, child, ...): strings become text.
function el(name, attributes, ...children) {
    return fill(document.createElement(name.split(".")[0]), name, attributes,
        children);
}

function svg(name, attributes, ...children) {
    return fill(document.createElementNS(SVG, name.split(".")[0]), name,
        attributes, children);
}

function fill(node, name, attributes, children) {
    const classes = name.split(".").slice(1).join(" ");
    if (classes)
        node.setAttribute("class", classes);
    for (const [key, value] of Object.entries(attributes || {}))
        node.setAttribute(key, value);
    for (const child of children.flat(2))
        if (child !== null && child !== undefined)
            node.append(child);
    return node;
}

// What turns text around, or cannot be seen, is shown as its number: a name
// has to look like what it is.
const UNSEEN = new RegExp("[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f" +
    "\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
    "\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]", "gu");

function shown(text) {
    return String(text ?? NONE).replace(UNSEEN, (c) => "\\u" +
        c.codePointAt(0).toString(16).padStart(4, "0"));
}

// Text of others, apart from the direction of what stands around it.
function foreign(text, name = "bdi") {
    return el(name, {}, shown(text));
}

function clipped(text, length) {
    const all = Array.from(shown(text));
    return all.length <= length ? all.join("") :
        all.slice(0, length - 1).join("") + "\u2026";
}

function list(value) {
    return Array.isArray(value) ? value : [];
}

function record(value) {
    return value !== null && typeof value === "object" ? value : {};
}

// A number that can be drawn, or null.
function real(value) {
    return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function amount(value) {
    return Math.max(0, real(value) ?? 0);
}

function sum(values) {
    return list(values).reduce((all, value) => all + amount(value), 0);
}

function grouped(value, decimals, least = 0) {
    return value.toLocaleString("en-GB", {
        minimumFractionDigits: least, maximumFractionDigits: decimals,
    }).replace("-", "\u2212");
}

function count(value) {
    const n = real(value);
    if (n === null)
        return NONE;
    return Math.abs(n) < 1e15 ? grouped(Math.round(n), 0) : number(n);
}

// "1 burst", "3 bursts".
function several(n, one, many) {
    return count(n) + "\u00a0" + (n === 1 ? one : many || one + "s");
}

function number(value, digits = 4) {
    const n = real(value);
    if (n === null)
        return NONE;
    const size = Math.abs(n);
    if (Number.isInteger(n) && size < 1e9)
        return grouped(n, 0);
    if (size >= 1e7 || size < 1e-4)
        return n.toExponential(digits - 1).replace(/\.?0*e\+?/, "e")
            .replace(/-/g, "\u2212");
    const before = Math.floor(Math.log10(size)) + 1;
    return grouped(n, Math.max(0, digits - before));
}

// At most eight letters, for narrow columns.
function compact(value) {
    const size = Math.abs(real(value) ?? 0);
    if (size === 0 || (size >= 0.01 && size < 1e5))
        return number(value, 3);
    if (size >= 0.001 && size < 0.01)
        return number(value, 2);
    return value.toExponential(1).replace(/\.?0*e\+?/, "e")
        .replace(/-/g, "\u2212");
}

function percent(part, decimals) {
    const value = real(part);
    if (value === null)
        return NONE;
    const of = value * 100;
    if (of > 0 && of < 0.01)
        return "<\u20090.01\u202f%";
    const wanted = of === 0 || of === 100 ? 0 : decimals ?? (of < 10 ? 2 : 1);
    return grouped(of, wanted, wanted) + "\u202f%";
}

function ratio(part, whole) {
    return whole > 0 ? part / whole : null;
}

function span(value) {
    const s = real(value);
    if (s === null || s < 0)
        return NONE;
    if (s > 0 && s < 0.001)
        return number(s * 1e6, 3) + "\u00a0\u00b5s";
    if (s < 1)
        return number(s * 1000, 3) + "\u00a0ms";
    if (s < 60)
        return number(s, 3) + "\u00a0s";
    if (s < 3600)
        return Math.floor(s / 60) + "\u00a0min " + Math.floor(s % 60) +
            "\u00a0s";
    if (s < 172800)
        return Math.floor(s / 3600) + "\u00a0h " +
            Math.floor(s % 3600 / 60) + "\u00a0min";
    return number(s / 86400, 3) + " days";
}

function dated(seconds, options) {
    const date = new Date((real(seconds) ?? NaN) * 1000);
    return Number.isNaN(date.getTime()) ? NONE :
        date.toLocaleString("en-GB", options);
}

function when(seconds) {
    return dated(seconds, {dateStyle: "long", timeStyle: "long"});
}

function clock(seconds) {
    return dated(seconds, {timeStyle: "medium"});
}

// Maps, as a name such as __proto__ must find nothing.
const STATES = new Map([
    ["warming", "No window has been learned yet."],
    ["live", "The last window fitted what was learned."],
    ["burst", "Most of the last window did not fit: it was judged by the " +
        "past and not learned."],
    ["drift", "What did not fit has gone on: it is being learned as the new " +
        "normal."],
    ["frozen", "Nothing is learned: --freeze was given, or learning is " +
        "paused."],
]);

const EXITS = new Map([
    [0, "well"],
    [65, "because of what is wrong with the input"],
    [66, "because an input could not be opened"],
    [69, "because an endpoint could not be had"],
    [74, "because reading or writing failed"],
    [75, "with records that could not be delivered in time"],
    [78, "because of its configuration"],
]);

const REFUSALS = new Map([
    ["malformed", "not a value of the input's format"],
    ["type", "a value of a kind that has no place there"],
    ["depth", "nested deeper than the limit"],
    ["length", "longer than the limit"],
    ["elements", "more fields than a record may have"],
    ["nonfinite", "a feature is NaN or infinite"],
    ["missing", "more than half of the features are missing"],
    ["dimension", "an array or a row of another length"],
    ["features", "no field of its window makes a feature, or too many do"],
    ["parts", "a message of more frames than the limit"],
]);

const OMISSIONS = new Map([
    ["identifier", "differs in almost every record, so it names records " +
        "rather than describing them"],
    ["timestamp", "a time, which only passes"],
    ["only grows", "a counter, whose next value always is a new one"],
    ["rarely present", "missing in too many records"],
    ["numbers and text", "a number in some records and text in others"],
    ["no numbers, no text", "nothing that can be compared"],
    ["not asked for", "excluded by --fields or --ignore"],
]);

function stateName(state) {
    return STATES.has(state) ? state : "unknown";
}
