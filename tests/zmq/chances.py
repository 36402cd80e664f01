#!/usr/bin/env python3
"""chances.py - filters between peers as chance has it, again and again, and
whether a record is lost.

    chances.py [SECONDS [SEED]]       an hour of scenes
    chances.py --scene SEED:N ...     these alone, as they are told of

Without arguments it is a short sample, of seed 1 or PRAE_SEED. A scene is
drawn (chances_draw.py), played (chances_scene.py) and judged
(chances_judge.py). One that went wrong is told with all that it takes to play
it again, and its directory is kept below chances/.
"""
import collections
import os
import re
import shutil
import signal
import stat
import sys
import time
import traceback

from peers import Stage
from chances_draw import Scene
from chances_judge import Judge
from chances_scene import Play, Void
from tap import SLACK, Tap, Watchdog, stop_by_signal

SAMPLE_S = 15
SCENE_S = 120 * SLACK  # the longest that one may take, whatever goes wrong
SHOWN = 40  # lines of what a filter said
KEPT = "chances"
PLANTS = ("lose", "double", "alter", "swap")


class Campaign:
    def __init__(self, tap):
        self.tap = tap
        self.played = 0
        self.failed = []
        self.void = 0
        self.sent = 0
        self.received = 0
        self.had = collections.Counter()  # scenes, by property

    def try_once(self, scene, plant=None):
        """A play that is over, and what was wrong."""
        play = Play(scene, Judge, plant)
        try:
            play.play()
            wrong = play.judge.verdict()
        except Void:
            play.close()
            raise
        except Exception as error:
            wrong = [*play.wrong, "%s\n%s" % (error, traceback.format_exc())]
        return play, wrong

    def scene(self, seed, number):
        scene = Scene(seed, number)
        began = time.monotonic()
        for _ in range(5):
            try:
                play, wrong = self.try_once(scene)
                break
            except Void:
                self.void += 1
        else:
            self.tap.note("scene %d:%d: no port" % (seed, number))
            return
        self.played += 1
        self.sent += play.ledger.count
        self.received += play.judge.total()
        self.had.update(scene.properties())
        if wrong:
            self.tell(play, wrong)
        play.close()
        took_s = time.monotonic() - began
        if os.environ.get("PRAE_VERBOSE"):
            self.tap.note("scene %d:%d %s: %d records, %.1f s" % (
                seed, number, scene.end, play.ledger.count, took_s))

    def tell(self, play, wrong):
        scene = play.scene
        name = "%d:%d" % (scene.seed, scene.number)
        self.failed.append(name)
        self.tap.ok(False, "scene %s: %s" % (name, scene.end),
                    "\n".join(wrong))
        self.tap.note("drawn: " + ", ".join(scene.properties()))
        self.tap.note("again: chances.py --scene " + name)
        self.tap.note("kept: " + keep(play, wrong))
        if play.filter is not None:
            self.tap.note(" ".join(play.filter.command))
            # Without what it says again and again, to itself or to us.
            said = [line for line in play.filter.stderr().splitlines()
                    if not re.search(r" window \d+: | saved | sandbox",
                                     line)]
            said = [line for at, line in enumerate(said)
                    if "received" not in line or at == len(said) - 1]
            self.tap.note("\n".join(said[-SHOWN:]))

    def run(self, seconds, seed):
        until, told = time.monotonic() + seconds, time.monotonic()
        number = 0
        while time.monotonic() < until:
            self.scene(seed, number)
            number += 1
            if time.monotonic() > told + 300:
                told = time.monotonic()
                self.tap.note("%d scenes so far, %d failed" % (
                    self.played, len(self.failed)))

    def sum_up(self):
        for name, count in sorted(self.had.items()):
            self.tap.note("%6d  %s" % (count, name))
        self.tap.note("%d scenes, %d records sent, %d seen to come out, "
                      "%d scenes failed%s" % (
                          self.played, self.sent, self.received,
                          len(self.failed),
                          ", %d without a port" % self.void
                          if self.void else ""))
        self.tap.ok(self.played and not self.failed,
                    "nothing is lost by chance, in %d scenes" % self.played,
                    " ".join(self.failed))


def keep(play, wrong):
    """The directory of a scene, but sockets and pipes."""
    def unfit(path, names):
        return [name for name in names if not stat.S_IFMT(
            os.lstat(os.path.join(path, name)).st_mode)
            in (stat.S_IFREG, stat.S_IFDIR)]

    place = os.path.join(KEPT, "%d-%d" % (play.scene.seed, play.scene.number))
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(play.stage.dir, place, ignore=unfit)
    with open(os.path.join(place, "wrong"), "w", encoding="utf-8") as file:
        file.write("\n".join(wrong) + "\n")
    return os.path.abspath(place)


def plain(seed):
    """The first scene in which what a reader does wrong can be seen."""
    number = 0
    while True:
        scene = Scene(seed, number)
        inliers = scene.outputs["inliers"]
        if (scene.end == "out" and inliers.kind == "push" and
                len(inliers.readers) == 1 and
                inliers.readers[0].pace in ("quick", "slow") and
                len(scene.senders) == 1 and len(scene.inputs) == 1 and
                scene.senders[0].visits[0].count > 200 and
                scene.senders[0].visits[0].each < 3 and
                len(scene.senders[0].visits) == 1):
            return scene
        number += 1


def try_judge(tap):
    """A judge that never finds anything would be praised for it."""
    for plant in PLANTS:
        play, wrong = Campaign(tap).try_once(plain(1), plant)
        tap.ok(wrong, "a reader that would %s one is found out" % plant)
        tap.note("\n".join(wrong))
        play.close()


def main():
    signal.signal(signal.SIGTERM, stop_by_signal)
    signal.signal(signal.SIGINT, stop_by_signal)
    tap = Tap()
    campaign = Campaign(tap)
    words = sys.argv[1:]
    if words[:1] == ["--scene"]:
        watchdog = Watchdog(SCENE_S * len(words), Stage.kill_all)
        for word in words[1:]:
            campaign.scene(*map(int, word.split(":")))
    elif words:
        seconds = int(words[0])
        seed = int(words[1]) if len(words) > 1 else int(time.time())
        tap.note("%d s of scenes, seed %d" % (seconds, seed))
        watchdog = Watchdog(seconds + 2 * SCENE_S, Stage.kill_all)
        campaign.run(seconds, seed)
    else:
        watchdog = Watchdog(SAMPLE_S + 2 * SCENE_S, Stage.kill_all)
        try_judge(tap)
        campaign.run(SAMPLE_S, int(os.environ.get("PRAE_SEED", "1")))
    campaign.sum_up()
    watchdog.cancel()
    sys.exit(tap.done())


main()
