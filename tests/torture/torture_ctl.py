#!/usr/bin/env python3
"""torture_ctl.py - praectl at a running filter, again and again, each time
with another call of praectl's that fails.

What torture.py says of samples and of choosing holds here, too. The filter is
well, and has to be afterwards.
"""
import collections
import errno
import os
import re
import shutil
import sys
import threading

import campaign
import rig
import terminal
from doors import Keys
from house import House
from peers import Stage, zmq
from tap import Failed, SLACK, Tap, Watchdog
from top_facts import Desk, Facts, Page, make

import zmq.auth

MOST = 2  # calls of a class in each way, of a sample
LIMIT_S = 10 * SLACK
JOBS = 2

# What praectl ends with where that is something else than by rig.py: it has
# nothing that it could do otherwise.
ENDS = {"memory": {1}, "poll": {1, 69}, "zmq_send": {69}, "open": {78},
        "read": {78}, "stat": {78}, "stream": {1, 74}}
SPARE = {"close"}
# Of a filter that is looked at again and again, the next answer does.
AGAIN = {"memory", "poll", "socket", "resolve", "connect", "send", "recv",
         "zmq_new", "zmq_set", "zmq_connect", "zmq_send"}


class Place:
    """All who are asked, and the directories of those who ask."""

    def __init__(self):
        self.stages = [Stage(), Stage()]
        self.calm, self.saving = map(House, self.stages)
        self.page, self.chunks = (
            Page(Facts(lambda step: make()), chunked) for chunked in (0, 1))
        for page in (self.page, self.chunks):
            page.server.handle_error = lambda *who: None  # who hangs up
        stage = Stage()
        self.stages.append(stage)
        self.keys = Keys(stage)
        self.desk = Desk(stage.context, "tcp://127.0.0.1:*",
                         Facts(lambda step: make()),
                         zmq.auth.load_certificate(self.keys.secret("server")))
        self.dir = stage.path("plays")
        os.mkdir(self.dir)
        self.lock = threading.Lock()
        self.plays = 0

    def directory(self):
        with self.lock:
            self.plays += 1
            path = os.path.join(self.dir, str(self.plays))
        os.mkdir(path)
        return path

    def end(self, tap):
        for name, house in (("asked", self.calm), ("saving", self.saving)):
            house.end(tap, "a filter that was " + name)
        self.page.close()
        self.chunks.close()
        self.desk.close()
        for stage in self.stages:
            stage.close()


# ---- scenes ----

# WORDS: of the command, given a house and the place. GOOD: a pattern of what
# it prints. HOUSE: which filter, or "" for one of its own. LIVE: on a
# terminal, where it shows that.
Scene = collections.namedtuple("Scene", "name words good house live",
                               defaults=("calm", False))


def at_control(*words):
    return lambda house, place: (words[0], house.at, *words[1:])


def with_keys(house, place):
    return ("top", "--once", "--curve-secret=" + place.keys.secret("friend"),
            "--curve-server=" + place.keys.public("server"),
            place.desk.endpoint)


TOLD = "(now|in a moment|with the next window)\n"
FACTS = r"(?s).*received \d+ = inliers \d+ .*\n"
LIVE = ("-i", "100ms")
SCENES = {each.name: each for each in (
    Scene("top-page", lambda h, place: ("top", place.page.url), FACTS),
    Scene("top-chunks", lambda h, place: ("top", place.chunks.url), FACTS),
    Scene("top-http", lambda h, place: ("top", "--once", h.url), FACTS),
    Scene("top-control", at_control("top", "--once"), FACTS),
    Scene("top-keys", with_keys, FACTS),
    Scene("live-page", lambda h, place: ("top", *LIVE, place.page.url),
          "received", live=True),
    Scene("live-control", at_control("top", *LIVE), "received", live=True),
    Scene("stats", at_control("stats"), r"\{.*\}\n"),
    Scene("pause", at_control("pause"), "learning pauses, " + TOLD),
    Scene("resume", at_control("resume"), "learning goes on, " + TOLD),
    Scene("set", at_control("set", "fpr", "0.02"), "fpr is 0.02, " + TOLD),
    Scene("revert", at_control("revert"), "goes back to .*/model, " + TOLD),
    Scene("snapshot", at_control("snapshot"),
          "a snapshot goes to .*/model; .*\n", house="saving"),
    Scene("stop", at_control("stop"), "it ends when .*\n", house=""),
)}


# ---- what has to hold ----

def reasons(fault):
    """Texts one of which has to be told."""
    yield os.strerror(fault.error)
    if fault.error == errno.ENOMEM or fault.kind == "stream":
        yield "out of memory"
        yield "Memory allocation failure"  # getaddrinfo's
    if fault.kind == "zmq_send":
        yield "nobody answers at"


def wrong_end(fault, ended, may_pass):
    """What is wrong with status and messages. MAY_PASS: with 0."""
    if ended.status is None:
        return "it hung"
    if ended.status < 0:
        return "it died of signal %d" % -ended.status
    if "Sanitizer" in ended.stderr or "runtime error:" in ended.stderr:
        return "a sanitizer reports"
    if ended.status == 0:
        if ended.failed and not may_pass:
            return "status 0 hides it"
        return "status 0, and a message" if ended.stderr else None
    ends = ENDS.get(fault.kind, rig.ENDS[fault.kind])
    if fault.is_harmless() or ended.status not in ends:
        return "status %d is wrong" % ended.status
    if not re.fullmatch(r"praectl: error: .*\n", ended.stderr):
        return "it does not say in a line why it failed"
    if not any(text in ended.stderr for text in reasons(fault)):
        return "it says something else than what failed"
    return None


def wrong_rest(baseline, ended):
    for what, most in baseline.left.items():
        if ended.left.get(what, most + 1) > most:
            return "%r are left" % ended.left
    return None


def wrong_print(scene, fault, baseline, ended):
    """Of what is printed: all of it, or nothing."""
    harmless = fault.is_harmless() or fault.kind in SPARE
    found = wrong_end(fault, ended, harmless)
    text = rig.read_text(os.path.join(ended.dir, "out"))
    if found is None and ended.status == 0 and not re.fullmatch(scene.good,
                                                                text):
        found = "it prints %r" % text
    if found is None and ended.status != 0 and text and (
            fault.kind not in ("size", "stream")):
        found = "it fails, and prints %r" % text
    return found or wrong_rest(baseline, ended)


def wrong_screen(scene, fault, baseline, ended):
    """Of what is shown: the terminal is given back as it was."""
    gone = fault.kind in ("read", "write") and not fault.is_harmless()
    found = wrong_end(fault, ended, fault.is_harmless() or gone
                      or fault.kind in SPARE | AGAIN)
    if found is None and not ended.screen.is_set_back():
        found = "the terminal is left in another mode"
    if found is None and not ended.screen.is_left() and (
            fault.kind != "write" or fault.is_harmless()):
        found = "the other screen is still shown"
    if found is None and ended.status == 0 and not gone:
        if not ended.typed:
            found = "it ends by itself"
        elif not ended.seen and not fault.always:
            found = "facts were never shown"
    return found or wrong_rest(baseline, ended)


# ---- playing ----

def play(place, scene, house, fault):
    directory = place.directory()
    command = (rig.program("praectl"), *scene.words(house, place))
    if scene.live:
        return terminal.run(directory, command, fault, scene.good.encode())
    return rig.run(directory, command, fault, stdout="out")


def wrong_stop(ended, house):
    """It ends where praectl says so, and all it got is out; else it goes
    on."""
    try:
        stopped = (house.filter.wait() if ended.status == 0
                   or house.filter.has_ended() else house.filter.stop())
        house.wait_all()
    except Failed as error:
        return str(error)
    found = house.oracle.report()
    if stopped.status != 0 or any(found) or (
            stopped.account["received"] != house.ledger.count):
        return "the filter: %d, %r\n%s" % (stopped.status, found,
                                           stopped.stderr)
    return None


def in_own_house(place, scene, fault, baseline):
    """With a filter that is ended by it."""
    stage = Stage()
    try:
        house = House(stage)
        house.bring()
        house.filter.wait_received(house.sent)
        ended = play(place, scene, house, fault)
        found = wrong_stop(ended, house) or fault and wrong_print(
            scene, fault, baseline, ended)
        house.desk.close()
    finally:
        stage.close()
    return ended, found


def play_once(place, scene, fault=None, baseline=None):
    """How it ended, and what is wrong with that or None."""
    if not scene.house:
        return in_own_house(place, scene, fault, baseline)
    house = getattr(place, scene.house)
    house.bring()
    ended = play(place, scene, house, fault)
    judge = wrong_screen if scene.live else wrong_print
    return ended, house.wrong() or fault and judge(scene, fault, baseline,
                                                   ended)


def try_fault(place, scene, fault, baseline):
    ended, found = play_once(place, scene, fault, baseline)
    if scene.live:
        ended.screen.close()
    shutil.rmtree(ended.dir)
    return found and "%s: %s\n%s" % (fault.name(), found, ended.tell())


def main():
    rig.need_programs()
    if not rig.http():
        SCENES.pop("top-http")
    os.environ["LC_ALL"] = "C.UTF-8"
    tap = Tap()
    watchdog = Watchdog(36000 if rig.ALL else 300 * SLACK, Stage.kill_all)
    place = Place()
    baseline = {}
    for name in sys.argv[1:] or SCENES:
        baseline[name], found = play_once(place, SCENES[name])
        ended = baseline[name]
        tap.ok(ended.status == 0 and not found and not ended.stderr
               and ended.left.get("blocks") == 0,
               name + ": runs, and leaves no memory behind",
               "%s\n%s" % (found, ended.tell()))
        if not SCENES[name].live:
            text = rig.read_text(os.path.join(ended.dir, "out"))
            tap.ok(re.fullmatch(SCENES[name].good, text),
                   name + ": and is answered", text)
            ended.counts["size"] = len(text.encode())
    campaign.run(
        tap, {name: each.counts for name, each in baseline.items()},
        lambda name, fault: try_fault(place, SCENES[name], fault,
                                      baseline[name]), MOST, LIMIT_S, JOBS)
    place.end(tap)
    watchdog.cancel()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
