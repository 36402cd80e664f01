#!/usr/bin/env python3
"""saving.py - when snapshots are saved, when not, and that one which was not
is told: also where the disk is slow or refuses."""
import os
import re
import signal
import time

from peers import FIELDS, Stage, preload
from oracle import Records
from tap import SLACK, main, wait_until
from traffic import Pipe, messages

WINDOWS = ("--window=64", "--max-wait=never", FIELDS)


def learned(stage, *options, windows=3, **how):
    """A filter that has judged so many windows, and delivered them."""
    pipe = Pipe(stage, *WINDOWS, "--model=" + stage.path("model"), *options,
                **how)
    pipe.produce(messages(Records().some(64 * windows), 8)).wait_sent()
    pipe.wait_all()
    return pipe


def saves(filter_):
    return len(re.findall(r"saved \S*model$", filter_.stderr(), re.M))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def case_lesson(tap, stage):
    """The end comes while a window is learned that takes too long."""
    model = stage.path("model")
    pipe = Pipe(stage, "--emit=now", "--window=64", "--cold-epochs=1",
                "--epochs=10000000", "--drain=1s", FIELDS, "--model=" + model)
    pipe.produce(messages(Records().some(300))).wait_sent()
    pipe.wait_all()
    ended = pipe.filter.stop()
    tap.same(ended.status, 75, "what was learned and not saved is a failure")
    tap.ok("error: what was learned was not saved to %s when --drain=1s"
           % model in ended.stderr, "with the name of the file", ended.stderr)
    tap.ok("warning: the last window was not learned" in ended.stderr,
           "and the reason", ended.stderr)
    tap.same(ended.stats["undelivered"], 0, "though all was delivered")


def case_slow_end(tap, stage):
    """The end comes while the snapshot is written."""
    env = preload(tap, stage, "slow_sync", PRAE_SYNC="8000")
    if env is None:
        return
    pipe = learned(stage, "--drain=1s", env=env)
    ended = pipe.filter.stop()
    tap.same(ended.status, 75, "a snapshot that took too long is a failure")
    tap.ok("was not saved to " in ended.stderr, "which is told", ended.stderr)
    tap.ok("not learned" not in ended.stderr, "and not as something else",
           ended.stderr)
    tap.ok(not os.path.exists(stage.path("model")), "there is none")


def case_saved_before(tap, stage):
    """There is no time, and nothing to save that was not."""
    pipe = learned(stage, "--drain=1ms", "--verbose")
    pipe.filter.send(signal.SIGUSR1)
    pipe.filter.wait_said(r"saved \S*model\n")
    ended = pipe.filter.stop()
    tap.same(ended.status, 0, "what was saved before need not be at the end")


def case_slow(tap, stage):
    """To save takes longer than --save-every."""
    env = preload(tap, stage, "slow_sync", PRAE_SYNC="150")
    if env is None:
        return
    data = stage.path("data.msgpack")
    with open(data, "wb") as file:
        file.write(b"".join(Records().some(64 * 40)))
    model = stage.path("model")
    often = (*WINDOWS, "--save-every=50ms", "--model=" + model,
             "--outliers=null:", data)
    ended = stage.run(*often, env=env)
    tap.ok(ended.status == 0 and ended.count("received") == 64 * 40,
           "a slow disk does not keep it from ending", ended.stderr)
    tap.ok(os.path.exists(model), "with a snapshot")
    ended = stage.run(*often, env={**env, "PRAE_SYNC_FAILS": "yes"})
    tap.ok(ended.status == 74 and ended.count("received") == 64 * 40,
           "nor does one that refuses, which is a failure", ended.stderr)

    os.unlink(model)
    pipe = learned(stage, "--save-every=50ms", "--drain=20s", env=env)
    start = time.monotonic()
    ended = pipe.filter.stop(seconds=30)
    seconds = time.monotonic() - start
    tap.ok(ended.status == 0 and seconds < 5 * SLACK,
           "asked to stop, it does so without delay",
           "%d after %.1f s\n%s" % (ended.status, seconds, ended.stderr))


def case_idle(tap, stage):
    """Nothing comes any more."""
    model = stage.path("model")
    pipe = learned(stage, "--save-every=50ms", "--keep=3", "--verbose",
                   windows=1)
    wait_until(lambda: saves(pipe.filter) == 1, 10, "a snapshot")
    first = read(model)
    pipe.produce(messages(Records(source=1).some(64))).wait_sent()
    pipe.wait_all()
    wait_until(lambda: saves(pipe.filter) == 2, 10, "another one")
    time.sleep(1)
    tap.same(saves(pipe.filter), 2, "where nothing comes nothing is saved")
    tap.ok(read(model + ".1") == first != read(model),
           "and nothing older is pushed out")
    pipe.filter.send(signal.SIGUSR1)
    wait_until(lambda: saves(pipe.filter) == 3, 10, "a third one")
    tap.ok(True, "unless it is asked for")
    pipe.check(tap, "one that waits")


def case_again(tap, stage):
    """A snapshot that cannot be written is tried again."""
    place = stage.path("place")
    os.mkdir(place)
    model = os.path.join(place, "model")
    pipe = Pipe(stage, *WINDOWS, "--model=" + model, "--save-every=100ms")
    os.rename(place, place + "~")
    pipe.produce(messages(Records().some(128))).wait_sent()
    pipe.filter.wait_said("error: cannot write .*model")
    os.rename(place + "~", place)
    wait_until(lambda: os.path.exists(model), 10, "a snapshot")
    tap.ok(True, "what could not be saved is, once it can be")
    pipe.wait_all()
    pipe.check(tap, "one that had to wait")


main(Stage, [case_lesson, case_slow_end, case_saved_before, case_slow,
             case_idle, case_again], 240)
