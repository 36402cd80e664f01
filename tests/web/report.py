#!/usr/bin/env python3
"""report.py - the curation report in a browser: it shows what the facts say,
fits every screen, and nothing that a record says gets out of its text."""
import os
import re

from browser import PICTURES, Stage, tidy
from facts import (HOSTILE, clean, empty, escaped, hostile, large, refused,
                   single, usual)
from tap import main


def fits(tap, stage, name):
    """No sideways scrolling, on a phone and on a desk."""
    for width in (375, 1280):
        stage.look(width)
        stage.settle()
        tap.same(stage.overflow(), 0, "%s: fits %d px" % (name, width))
        stage.pictures(name, width)


def shows(tap, stage, name, facts):
    tap.same(stage.complaints(), [], name + ": nothing on the console")
    for total in ("received", "inliers", "outliers", "rejected", "held"):
        found = stage.text("[data-total=%s] b" % total)
        tap.same(found.replace(",", ""), str(facts["totals"][total]),
                 "%s: %s" % (name, total))
    tap.same(stage.run("[...document.querySelectorAll('svg, svg *')].filter("
                       "e => [...e.attributes].some(a => "
                       "/NaN|Infinity|undefined/.test(a.value))).length"),
             0, name + ": every coordinate is a number")
    tap.same(stage.run(OVERLAPS), [], name + ": no words on others")


# Words of a chart that lie on words of the same chart.
OVERLAPS = """[...document.querySelectorAll('.chart svg')].flatMap(chart => {
    const all = [...chart.querySelectorAll('text')].map(text =>
        [text.textContent, text.getBoundingClientRect()]);
    return all.flatMap(([one, a], i) => all.slice(i + 1).filter(([, b]) =>
        a.left < b.right && b.left < a.right &&
        a.top + 3 < b.bottom && b.top + 3 < a.bottom).map(([other]) =>
        one + ' on ' + other));
})"""


def words(stage, css):
    return stage.text(css).replace("\u00a0", " ")


def case_usual(tap, stage):
    facts = usual()
    path = stage.report(escaped(facts))
    shows(tap, stage, "usual", facts)
    tap.same(tidy(path) or "", "", "usual: tidy finds no fault")
    for css, what in (("#over-time svg .touch", "timeline"),
                      ("#over-time svg path.burst", "burst mark"),
                      ("#scores svg line.limit", "limit"),
                      ("#scores svg rect.limits", "range of limits"),
                      ("#scores svg line.expected", "flat line"),
                      (".blame svg rect", "blame"),
                      (".feature svg rect.outliers", "distributions"),
                      ("svg text.beyond", "counts beyond the axis")):
        tap.ok(stage.count(css) > 0, "usual: has a " + what)
    tap.same(stage.count(".flagged"), 10, "usual: ten of the worst at first")
    stage.run("document.querySelector('#worst button').click()")
    tap.same(stage.count(".flagged"), 50, "usual: and then all fifty")
    text = stage.text()
    for words in (facts["command"], "1 burst", facts["worst"][0]["record"],
                  facts["left_out"][2]["name"], facts["rejects"][1]["text"]):
        tap.ok(words in text.replace("\u00a0", " "), "usual: says " + words)
    stage.run("document.querySelectorAll('details').forEach("
              "d => { d.open = true; })")
    stage.settle()
    tap.ok(stage.count("#over-time tbody tr") == len(facts["timeline"]),
           "usual: the numbers of every window, when asked for")
    stage.report(escaped(facts))
    fits(tap, stage, "usual")


def case_words(tap, stage):
    """What is said of numbers is what one would say of them."""
    facts = usual()
    why = facts["worst"][0]["why"][0]
    why.update(observed=0.25, expected=-2.8e-191)
    row = facts["timeline"][0]
    facts["worst"][1].update(window=row["window"], score=row["limit"] * 1.04)
    facts["features"][0]["inliers"]["quantiles"][4] = 0.0012
    stage.report(escaped(facts))
    tap.same(words(stage, "#worst .flagged:first-of-type tbody tr:first-child "
                   "td:nth-child(3)"), "0",
             "what sums leave behind is expected to be nothing")
    tap.ok("just beyond the limit" in words(stage, "#worst .score"),
           "not 1 times the limit")
    tap.same(words(stage, ".feature td b").split("\n")[0], "0.0012",
             "thousandths are written out")
    tap.same(words(stage, "#refused td:first-child"), "nonfinite\nmalformed",
             "the most frequent refusal first")
    tap.same(words(stage, "#refused td:last-child"), "record 679\nrecord "
             "1,015, line 1017: a quote that is not closed",
             "which record was refused first, and what is not said already")
    why = facts["worst"][0]["why"]
    why[0].update(field="line, rarest words", observed=7.5, expected=1.9,
                  observed_text="fatal, Write", expected_text=None)
    why[1].update(field="line, length", observed=4.5, expected=3.25,
                  observed_text="Dec 10", expected_text=None)
    why[2].update(field="mode", observed=2.5, expected=0.25,
                  observed_text="off", expected_text="run")
    stage.report(escaped(facts))
    cells = "#worst .flagged:first-of-type tbody td:nth-child(%d)"
    tap.same((words(stage, cells % 2), words(stage, cells % 3)),
             ("\u201cfatal, Write\u201d rarity 7.5\n\u201cDec 10\u201d log of "
              "length 4.5\n\u201coff\u201d",
              "rarity 1.9\nlog of length 3.25\n\u201crun\u201d"),
             "what is expected of words is called a rarity")
    why[0].update(observed=0.25, expected=0, observed_text=None)
    facts["features"][0]["name"] = facts["worst"][0]["why"][0]["field"] = "a, b"
    facts["worst"][0]["why"][0]["share"] = 1
    stage.report(escaped(facts))
    tap.ok("0.25 where 0 was expected" in words(stage, ".culprits"),
           "an example of a field with a comma in its name")


def case_few(tap, stage):
    """Where there is little to show, that is what it says."""
    stage.report(escaped(single()))
    tap.same(words(stage, "h1"), "The only record was not set aside",
             "one record is not none of one")
    ticks = words(stage, "#over-time svg text.tick").split("\n")
    tap.ok(len(set(ticks)) == len(ticks), "no number stands there twice",
           repr(ticks))
    tap.ok(stage.run("[...document.querySelectorAll('#scores .card:first-child "
                     "svg line.axis')].length") > 2,
           "a scale has more than one mark")
    tap.ok("only one window" in words(stage, ".findings"),
           "one window has no past")
    stage.report(escaped(refused()))
    tap.same(words(stage, "h1"), "None of 1,000 records could be judged",
             "what could not be judged was not found good")
    tap.ok("No field has been looked at" in words(stage, "#run"),
           "nor was every field used")
    stage.report(escaped(empty()))
    tap.ok("set aside" not in words(stage, ".sub"),
           "nothing has no share that was set aside")
    facts = empty()
    facts["training"]["seconds"] = 6.1e-7
    stage.report(escaped(facts))
    tap.ok("0.61 \u00b5s" in words(stage, "#run dd"), "microseconds")


def case_edges(tap, stage):
    for name, facts in (("empty", empty()), ("clean", clean()),
                        ("single", single()), ("refused", refused()),
                        ("large", large()),
                        ("drifted", usual(60, 10, 40, live=True))):
        stage.look(1280)
        path = stage.report(escaped(facts))
        shows(tap, stage, name, facts)
        tap.same(tidy(path) or "", "", name + ": tidy finds no fault")
        fits(tap, stage, name)
    stage.report(escaped(large()))
    stage.run("document.querySelectorAll('button').forEach("
              "b => b.click())")
    stage.settle()
    tap.same(stage.count(".feature svg"), 256, "large: every feature is drawn")
    tap.same(stage.complaints(), [], "large: without a complaint")


def case_hostile(tap, stage):
    facts = hostile()
    stage.report(escaped(usual(6, 3)))
    usual_kinds = set(stage.run(KINDS))
    path = stage.report(escaped(facts))
    shows(tap, stage, "hostile", facts)
    stage.run("document.querySelectorAll('button').forEach("
              "b => b.click())")
    stage.run("document.querySelectorAll('details').forEach("
              "d => { d.open = true; })")
    stage.settle()
    tap.same(stage.complaints(), [], "hostile: quiet when all is open")
    tap.same(stage.run("window.ran"), None, "hostile: nothing ran")
    tap.same(set(stage.run(KINDS)) - usual_kinds - {"i", "span"}, set(),
             "hostile: no element of another kind")
    tap.same(stage.run("({}).state"), None, "hostile: no prototype is changed")
    tap.same(stage.run("[...document.querySelectorAll('*')].filter(e => "
                       "[...e.attributes].some(a => /^on|^style$/.test("
                       "a.name))).length"), 0, "hostile: no handler")
    text = stage.text()
    for each in HOSTILE[:3] + HOSTILE[5:10]:
        tap.ok(each in text, "hostile: shown as it is: " + each)
    tap.ok("\\u202etxet" in text and "\u202e" not in text.split("{\"")[0],
           "hostile: what turns text around is named")
    tap.ok("tag\\ue0041\\ufff9ged" in text, "hostile: and what hides in it")
    tap.same(stage.run("[...document.querySelectorAll('.field')].filter("
                       "e => e.textContent.trim() === '').length"), 0,
             "hostile: a name of blanks can be seen")
    tap.same(tidy(path) or "", "", "hostile: tidy finds no fault")
    fits(tap, stage, "hostile")


# Names of all elements but what the charts may have or not.
KINDS = ("[...new Set([...document.querySelectorAll('*')].map("
         "e => e.localName))]")


def case_policy(tap, stage):
    """Were markup to get in, it could do nothing."""
    stage.report(escaped(usual(6, 3)))
    stage.run("void document.body.insertAdjacentHTML('beforeend', "
              "'<img src=x onerror=\"window.ran=1\"><p style=\"position:"
              "fixed\" id=odd>')")
    stage.run("void document.body.append(Object.assign("
              "document.createElement('script'), {text: 'window.ran=1'}))")
    stage.settle()
    tap.same(stage.run("window.ran"), None, "no other script runs")
    tap.same(stage.run("getComputedStyle(document.getElementById('odd'))"
                       ".position"), "static", "no other style counts")
    source = stage.run("document.documentElement.outerHTML")
    tap.same(re.findall(r"(?:src|href)=\"(?!data:|#)[^\"]*\"", source.split(
        "<img")[0]), [], "nothing is loaded from anywhere")


def case_broken(tap, stage):
    stage.report("{\"totals\":")
    tap.ok("cannot be shown" in stage.text("main"),
           "facts that are cut short are told")
    stage.report("{}")
    tap.same(stage.complaints()[1:], [], "no facts at all are no error")
    tap.ok("No records" in stage.text("h1"), "and nothing is made up")


def case_paper(tap, stage):
    stage.look(1280, dark=True)
    stage.report(escaped(usual()))
    data = stage.paper(os.path.join(PICTURES or stage.dir, "usual.pdf"))
    pages = len(re.findall(rb"/Type\s*/Page\b", data))
    tap.ok(data[:5] == b"%PDF-" and 2 <= pages <= 20,
           "it prints, on a few pages", "%d pages" % pages)
    shown = "getComputedStyle(document.querySelector('#worst %s')).display"
    tap.same(stage.run(shown % ".printed"), "none",
             "what is for paper is not on the screen")
    stage.browser().execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"media": "print"})
    tap.same((stage.run(shown % "button"), stage.run(shown % ".printed")),
             ("none", "block"), "paper says that there are more records")
    stage.browser().execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"media": ""})


main(Stage, [case_usual, case_words, case_few, case_edges, case_hostile,
             case_policy, case_broken, case_paper], 300)
