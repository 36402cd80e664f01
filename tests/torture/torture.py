#!/usr/bin/env python3
"""torture.py - every scene again and again, each time with another call that
fails.

In `make check` a sample, by PRAE_SEED; with PRAE_TORTURE=all every call in
every way. Names on the command line choose scenes, kind:number:errno after
one of them a single fault, whose directory is then kept.
"""
import os
import shutil
import sys
import tempfile
import threading

import campaign
import rig
from checks import Expected
from scenes import control_scenes, filter_scenes, place, prepare
from tap import SLACK, Tap

MOST = 2  # calls of a class in each way, of a sample
LIMIT_S = 18 * SLACK
JOBS = min(4, os.cpu_count() or 1)


class Rack:
    """Where scenes are played."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="prae.torture.")
        self.store = os.path.join(self.dir, "store")
        self.lock = threading.Lock()
        self.plays = 0
        os.mkdir(self.store)
        prepare(self.store)

    def play(self, scene, fault=None):
        with self.lock:
            self.plays += 1
            directory = os.path.join(self.dir, "play%d" % self.plays)
        place(scene, self.store, directory)
        return rig.run(directory, scene.command, fault, scene.stdin,
                       scene.stdout)

    def try_fault(self, scene, expected, fault):
        """None, or what went wrong."""
        ended = self.play(scene, fault)
        try:
            wrong = expected.faults_of(fault, ended)
        except (ValueError, KeyError) as error:
            wrong = "what was written cannot be read: %s" % error
        shutil.rmtree(ended.dir)
        if wrong is None:
            return None
        return "%s: %s\n%s" % (fault.name(), wrong, ended.tell())

    def close(self):
        shutil.rmtree(self.dir)


def single(rack, scene, text):
    """One fault, looked at closely."""
    tap = Tap()
    kind, number, error = text.split(":")
    always = rig.ALWAYS if number.endswith("+") else ""
    fault = rig.Fault(kind, int(number.rstrip("+")), int(error), always)
    expected = Expected(scene, rack.store, rack.play(scene))
    ended = rack.play(scene, fault)
    wrong = expected.faults_of(fault, ended)
    tap.ok(wrong is None, "%s: %s" % (scene.name, fault.name()), wrong)
    tap.note(ended.tell())
    tap.note(ended.dir)
    return tap.done()


def main():
    rig.need_programs()
    scenes = {scene.name: scene for scene in
              (*filter_scenes(), *control_scenes())}
    wanted = [name for name in sys.argv[1:] if ":" not in name]
    rack = Rack()
    if len(sys.argv) == 3 and ":" in sys.argv[2]:
        return single(rack, scenes[wanted[0]], sys.argv[2])
    tap = Tap()
    expected = {}
    try:
        # What a run that saves nothing has open when it ends.
        rest = rack.play(scenes["msgpack"]).left.get("fds")
        for name in wanted or scenes:
            ended = rack.play(scenes[name])
            expected[name] = Expected(scenes[name], rack.store, ended)
            tap.ok(ended.status == 0 and ended.left.get("blocks") == 0,
                   name + ": runs, and leaves no memory behind", ended.tell())
            if scenes[name].whole:
                tap.same(ended.left.get("fds"), rest,
                         name + ": and no file open that it saved")
        campaign.run(
            tap, {name: each.ended.counts for name, each in expected.items()},
            lambda name, fault: rack.try_fault(scenes[name], expected[name],
                                               fault), MOST, LIMIT_S, JOBS)
    finally:
        rack.close()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
