#!/usr/bin/env python3
"""live.py - the live page in a browser, before a small server that gives it
facts as a running filter would."""
import http.server
import json
import threading
import time

from browser import Stage, page
from facts import HOSTILE, empty, escaped, hostile, usual
from tap import main, wait_until

WAIT_S = 15


class Filter:
    """Says what a filter says; its facts may be changed, or go on by
    themselves."""

    def __init__(self, stage, facts):
        self.facts = facts
        self.asked = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.server.daemon_threads = True
        self.address = "http://127.0.0.1:%d/" % self.server.server_port
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()
        stage.swept.append(self.stop)

    def answer(self, request):
        if request.path == "/stats.json":
            self.asked += 1
            self.facts["written"] = time.time()
            body, kind = escaped(self.facts).encode(), "application/json"
        elif request.path == "/":
            body, kind = page("live"), "text/html; charset=utf-8"
        else:
            request.send_error(404)
            return
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def more(self, inliers, outliers):
        totals = self.facts["totals"]
        totals["received"] += inliers + outliers
        totals["inliers"] += inliers
        totals["outliers"] += outliers

    def stop(self):
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None


def opened(stage, facts):
    stage.look(1280)
    source = Filter(stage, facts)
    stage.browser().get(source.address)
    wait_until(lambda: "Connected" in stage.text("#banner"), WAIT_S,
               "the first facts")
    stage.settle()
    return source


def pictures(stage, name):
    for width in (375, 1280):
        stage.pictures(name, width)


def total(stage, name):
    return int(stage.text("[data-total=%s] b" % name).replace(",", ""))


def case_updates(tap, stage):
    facts = usual(60, None, live=True)
    source = opened(stage, facts)
    before = total(stage, "received")
    tap.same(before, facts["totals"]["received"], "it shows the total")
    for css, what in (("svg .touch", "windows"), ("svg line.limit", "limit"),
                      (".flagged", "flagged records"),
                      ("#pressure tr", "pressure"), (".blame tr", "blame")):
        tap.ok(stage.count(css) > 0, "it has " + what)
    tap.ok("40\u00a0ms" in stage.text("#training"), "and the time to learn")
    for _ in range(3):
        source.more(1000, 100)
        wait_until(lambda: total(stage, "received") ==
                   source.facts["totals"]["received"], WAIT_S, "an update")
    tap.same(total(stage, "received"), before + 3300, "it follows the stream")
    # The last minute has only what came since the page was opened.
    wait_until(lambda: stage.text("#share b") == "9.09\u202f%", WAIT_S,
               "the recent share")
    tap.ok(stage.run("/^set aside, last [1-9][0-9]?.s$/.test("
                     "document.querySelector('#share span').textContent)"),
           "which says how long it looks back",
           stage.text("#share span"))
    tap.ok(stage.count("svg path.flow") > 0, "it draws throughput")
    source.facts["outputs"][0].update(clogged=True, waiting=512)
    wait_until(lambda: "clogged" in stage.text("#pressure"), WAIT_S,
               "pressure")
    tap.ok("clogged" in stage.text("#news"), "a clogged output is told")
    source.facts["outputs"][0].update(peers=0)
    wait_until(lambda: "Nobody is connected" in stage.text("#news"), WAIT_S,
               "the reason")
    tap.ok("in hand" in stage.text("[data-total=held]"),
           "what waits to leave has been judged")
    tap.same(stage.overflow(), 0, "it fits 1280 px")
    stage.look(375)
    stage.settle()
    tap.same(stage.overflow(), 0, "it fits 375 px")
    tap.same(stage.complaints(), [], "nothing on the console")
    pictures(stage, "live")


def case_burst(tap, stage):
    source = opened(stage, usual(30, None, live=True))
    tap.same(stage.count("svg path.burst"), 0, "no burst at first")
    source.facts = usual(30, 27, live=True)
    source.facts["state"] = "burst"
    wait_until(lambda: stage.count("svg path.burst") > 0, WAIT_S, "the mark")
    tap.same(stage.text("#head .pill"), "burst", "the state is shown")
    tap.ok("burst is under way" in stage.text("#news"), "and told")
    pictures(stage, "burst")


def case_gone(tap, stage):
    source = opened(stage, usual(10, None, live=True))
    source.stop()
    wait_until(lambda: "cannot be reached any more" in stage.text("#banner"),
               WAIT_S, "the page to notice")
    tap.same(stage.run("document.querySelector('main').className"), "stale",
             "what is old looks old")
    tap.same(stage.complaints(), [], "and nothing else is wrong")
    pictures(stage, "gone")
    tap.ok(total(stage, "received") > 0, "the last figures stay")


def case_ended(tap, stage):
    source = opened(stage, usual(10, None, live=True))
    source.facts.update(live=False, exit=0)
    wait_until(lambda: "has ended well" in stage.text("#banner"), WAIT_S,
               "the end")
    source.stop()
    time.sleep(2.5)
    tap.ok("has ended well" in stage.text("#banner"),
           "a filter that has ended may go")


def case_held(tap, stage):
    source = opened(stage, usual(10, None, live=True))
    stage.run("document.querySelector('.strip button').click()")
    time.sleep(1.5)
    asked = source.asked
    time.sleep(2.5)
    tap.same(source.asked, asked, "held still, it does not ask")
    stage.run("document.querySelector('.strip button').click()")
    wait_until(lambda: source.asked > asked, WAIT_S, "it to go on")


def case_hidden(tap, stage):
    """A page that nobody sees asks less often."""
    source = opened(stage, usual(10, None, live=True))
    stage.run("Object.defineProperty(document, 'hidden', {get: () => true})")
    time.sleep(1.5)
    asked = source.asked
    time.sleep(3.5)
    tap.ok(source.asked - asked <= 1, "hidden, it hardly asks",
           "%d times" % (source.asked - asked))


def case_again(tap, stage):
    """Another filter at the same address."""
    source = opened(stage, usual(40, None, live=True))
    facts = empty()
    facts.update(live=True, exit=None, started=time.time())
    source.facts = facts
    wait_until(lambda: "Not ready" in stage.text("#news"), WAIT_S, "the news")
    tap.same(total(stage, "received"), 0, "it begins anew")
    tap.same(stage.complaints(), [], "without a complaint")


def case_hostile(tap, stage):
    facts = hostile()
    facts.update(live=True, exit=None)
    source = opened(stage, facts)
    source.more(5, 5)
    wait_until(lambda: total(stage, "received") ==
               source.facts["totals"]["received"], WAIT_S, "an update")
    tap.same(stage.run("window.ran"), None, "nothing ran")
    tap.same(stage.count("main img, main script"), 0, "no element was made")
    tap.ok(HOSTILE[1] in stage.text("#last"), "texts are shown as they are")
    for width in (375, 1280):
        stage.look(width)
        stage.settle()
        tap.same(stage.overflow(), 0, "it fits %d px" % width)
    tap.same(stage.complaints(), [], "nothing on the console")


def case_bad_answers(tap, stage):
    source = opened(stage, usual(10, None, live=True))
    good = source.facts
    for bad in ([], {"totals": 7, "timeline": {}, "written": "now"}):
        source.facts = Odd(bad)
        asked = source.asked
        wait_until(lambda: source.asked > asked + 1, WAIT_S, "more questions")
    source.facts = good
    wait_until(lambda: "Connected" in stage.text("#banner") and
               total(stage, "received") == good["totals"]["received"],
               WAIT_S, "recovery")
    tap.same(stage.complaints(), [], "odd answers do no harm")


class Odd(dict):
    """Facts that are none: what is set is forgotten."""

    def __init__(self, other):
        super().__init__(json.loads(json.dumps(other)) if other else {})

    def __setitem__(self, key, value):
        pass


main(Stage, [case_updates, case_burst, case_gone, case_ended, case_held,
             case_hidden, case_again, case_hostile, case_bad_answers], 300)
