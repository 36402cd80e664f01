#!/usr/bin/env python3
"""control.py - --control: what is answered, to whom, and what a rule does."""
import ctypes
import json
import os
import pty
import socket as sockets
import struct
import subprocess
import time

from peers import FIELDS, Stage, is_listening, zmq
from desk import PRAECTL, USUAL, WINDOW, Desk, Steered, tell
from doors import UNAVAILABLE, Keys
from oracle import Records
from raw import (COMMAND, MORE, Raw, frame, greeting, old_greeting, reach,
                 ready)
from tap import SLACK, main, wait_until
from traffic import Pipe, messages


# ---- words ----

def case_words(tap, stage):
    """Good and bad commands, and what comes back."""
    pipe = Steered(stage, *USUAL)
    desk = pipe.desk
    text = desk.does("help")
    tap.ok(all(word in text for word in
               ("PAUSE", "RESUME", "SNAPSHOT", "REVERT", "STATS", "SET",
                "STOP")), "HELP lists all, in any case", text)
    bad = ((b"",), ("FROB",), ("PAUSE", "now"), ("SET",), ("SET", "fpr"),
           ("SET", "window", "5"), ("SET fpr 2",), ("SET fpr -1",),
           ("SET", "fpr", "nan"), ("SET threshold high",), ("SET fpr 0.1 2",),
           ("REVERT",), ("SNAPSHOT",), ("PAUSE",), ("RESUME",),
           ("STATS x",), (b"\xff\xfe\x00\x01",), (b"PAUSE\x00",),
           ("x" * 257,), ("x" * 4000,), ("STATS",) + ("",) * 20,
           [os.urandom(50) for _ in range(50)])
    for frames in bad:
        answer = desk.ask(*frames)
        tap.ok(answer is not None and answer[0] == "ERROR"
               and len(answer) == 2 and 10 < len(answer[1]) < 500,
               "an error for %.40r" % (frames,), answer)
    tap.ok("fpr" in desk.ask("SET", "window", "5")[1]
           and "threshold" in desk.ask("SET", "window", "5")[1],
           "what cannot be set is told what can")
    tap.ok("--model" in desk.ask("SNAPSHOT")[1]
           and "--model" in desk.ask("REVERT")[1],
           "without a model there is nothing to save or to go back to")
    tap.ok(desk.ask("PAUSE")[1].startswith("no window"),
           "nothing is paused before it has learned")
    for frames in (("SET", "fpr", "0.05"), ("set FPR 0.02",),
                   (" Set\tthreshold\n0.2 ",), ("SET", "threshold 0.1")):
        tap.ok(desk.does(*frames), "%r is taken" % (frames,))
    facts = desk.stats()
    tap.ok(facts["fpr"] == 0.02 and facts["version"] == 1 and facts["live"]
           and facts["paused"] is False and facts["state"] == "warming"
           and facts["totals"]["reverts"] == 0,
           "STATS has the facts", facts)
    pipe.pass_on(Records().some(4 * WINDOW))
    facts = desk.stats()
    tap.same((facts["totals"]["received"], facts["totals"]["inliers"]),
             (4 * WINDOW, pipe.oracle.counts["inlier"]),
             "and the counts are right")
    tap.same(facts["training"]["count"], 4, "with what was learned")
    wait_until(lambda: desk.stats()["rate"] > 0, 5, "a rate")
    pipe.check(tap, "words")


def case_many(tap, stage):
    """Somebody who is ahead of the answers, while there is other work."""
    at, path = stage.ipc("control"), stage.path("records")
    with open(path, "wb") as file:
        file.write(b"".join(Records().some(2000)) * 10)
    busy = stage.start(*USUAL, "--in=pull:@" + stage.ipc("in"),
                       *["--in=" + path] * 40, "--inliers=null:",
                       "--control=@" + at)
    asker = stage.context.socket(zmq.DEALER)
    asker.linger = 0
    asker.connect(at)
    ahead, all_of_them, asked, got = 8, 10000, 0, 0
    while got < all_of_them:
        while asked < min(got + ahead, all_of_them):
            asker.send_multipart([b"", b"HELP"])
            asked += 1
        if not asker.poll(5000 * SLACK):
            break
        asker.recv_multipart()
        got += 1
    tap.same(got, all_of_them, "each of many requests is answered")
    asker.close(0)
    tap.same(busy.stop().status, 0, "many: it ends well")


def case_strangers(tap, stage):
    """Those who say too much, or leave before the answer."""
    pipe = Steered(stage, *USUAL, "--max-wait=100ms")
    for i in range(20):
        short = Desk(stage, pipe.at)
        short.socket.send(b"STATS")
        if i % 2:
            time.sleep(0.01)
        short.close()
    tap.ok(pipe.desk.does("STATS"), "who leaves takes nobody along")
    big = Desk(stage, pipe.at)
    big.socket.send(b"x" * 100000)
    tap.ok(not big.socket.poll(300), "a long frame gets no answer")
    big.close()
    rude = stage.context.socket(zmq.DEALER)
    rude.linger = 0
    rude.connect(pipe.at)
    for i in range(500):  # never reads
        rude.send_multipart([b"", b"STATS"], zmq.DONTWAIT)
        rude.send_multipart([b"STATS"] * (i % 5 + 1), zmq.DONTWAIT)
    raw = []
    for i in range(5):
        each = sockets.socket(sockets.AF_UNIX)
        each.connect(pipe.at[len("ipc://"):])
        each.send(os.urandom(1 + 40 * i))
        raw.append(each)
    pipe.pass_on(Records().some(3 * WINDOW))
    tap.ok(pipe.desk.does("STATS"), "nor does who never reads, or speaks "
           "another tongue")
    rude.close()
    for each in raw:
        each.close()
    tap.ok(pipe.filter.rss_mib() < 200 * SLACK, "memory stays small",
           pipe.filter.rss_mib())
    pipe.check(tap, "strangers")


def case_no_envelope(tap, stage):
    """Who asks without the empty frame, and is gone."""
    pipe = Steered(stage, *USUAL, "--max-wait=100ms")
    for count, flags in ((1, 0), (30, 0), (3, MORE), (64, 0)) * 2:
        rude = Raw(pipe.at, b"REQ")
        rude.sock.sendall(frame(b"x", flags) * count)
        rude.close()
        time.sleep(0.1)
        for _ in range(2):
            desk = Desk(stage, pipe.at)
            tap.ok(desk.ask("HELP", seconds=5), "who asks next is answered")
            desk.close()
    with stage.context.socket(zmq.DEALER) as asker:
        asker.linger = 0
        asker.connect(pipe.at)
        for hands, answered in (([], 1), ([b"a"], 1), ([b"a" * 255] * 3, 1),
                                ([b"a"] * 14, 1), ([b"a"] * 15, 0),
                                ([b"a" * 255] * 4 + [b"a"], 0), ([b"b"], 1)):
            asker.send_multipart([*hands, b"", b"HELP"])
            tap.same(asker.poll((5000 if answered else 300) * SLACK) != 0,
                     bool(answered), "by %d hands" % len(hands))
            if answered:
                got = asker.recv_multipart()
                tap.same(got[:-1], [*hands, b"", b"OK"], "and back")
        for frames in ([b""], [b"HELP"], [b"a", b"HELP"], [b"a", b""]):
            asker.send_multipart(frames)
        tap.ok(not asker.poll(300), "who does not ask has no answer")
    tap.ok(pipe.desk.does("STATS"), "but others have")
    pipe.check(tap, "no envelope")


def next_names(count):
    """Those that libzmq is likely to give to who has none, unless it is
    told where to begin."""
    libc = ctypes.CDLL(None)
    libc.srand(1)
    drawn = [libc.rand() for _ in range(count + 1)]
    return [b"\0" + struct.pack(">I", (high << 31 | low) + ahead & 0xffffffff)
            for low, high in zip(drawn, drawn[1:]) for ahead in range(4)]


def case_names(tap, stage):
    """Who takes the name that is to be given to another."""
    pipe = Steered(stage, *USUAL, "--max-wait=100ms")
    names = next_names(8)
    for number, name in enumerate(names):
        sock = reach(pipe.at)
        if number % 4 == 1:
            sock.sendall(old_greeting(3) + frame(name))
        elif number % 4 == 3:
            sock.sendall(old_greeting(3) + frame(b"x", COMMAND)
                         + frame(name, MORE) + frame(b"", MORE)
                         + frame(b"HELP"))
        else:
            sock.sendall(greeting() + frame(
                ready(b"REQ")[2:] + b"\x08Identity\0\0\0\x05" + name,
                COMMAND))
        try:
            while sock.recv(100):
                pass
        except ConnectionError:
            pass
        sock.close()
    tap.ok(True, "who has a reserved name is hung up on")
    for _ in range(8):
        desk = Desk(stage, pipe.at)
        tap.ok(desk.does("HELP"), "who has none is answered")
        desk.close()
    for name in (b"x", b"x" * 255):
        desk = Desk(stage, pipe.at, identity=name)
        tap.ok(desk.does("HELP"), "so is who has one")
        desk.close()
    pipe.filter.wait_said("which begins with a zero byte")
    pipe.check(tap, "names")


def case_names_let_in(tap, stage):
    """The same of who is let in: what is encrypted nobody sees."""
    keys = Keys(stage)
    at = stage.tcp()
    pipe = Pipe(stage, *USUAL, "--control=" + at, *keys.options())
    wait_until(lambda: is_listening(at), 15, "the control endpoint")
    friend = keys.client("friend")
    desks = [Desk(stage, at, identity=name, **friend)
             for name in next_names(8)]
    tap.ok(all(desk.ask("HELP", seconds=5) for desk in desks),
           "names that libzmq would give first are free")
    for _ in range(8):
        desks.append(Desk(stage, at, **friend))
        tap.ok(desks[-1].ask("HELP", seconds=5), "who has none is answered")
    for desk in desks:
        desk.close()
    pipe.check(tap, "names let in")


def case_refused(tap, stage):
    """Endpoints that cannot be, or must not be."""
    for text, status in (("tcp://0.0.0.0:%d" % 5, 78), ("nowhere", 2),
                         ("tcp://127.0.0.1", 2), ("inproc://x", 2),
                         ("ipc://" + stage.path("gone/x"), 69)):
        ended = stage.run("--control=" + text, "--inliers=null:",
                          "--in=pull:@" + stage.ipc("in"))
        tap.same(ended.status, status, "--control=%.20s is refused" % text)
    pipe = Steered(stage, *USUAL)
    ended = stage.run("--control=" + pipe.at, "--inliers=null:",
                      "--in=pull:@" + stage.ipc("in2"))
    tap.same(ended.status, 69, "an endpoint in use is refused")
    tap.ok(pipe.desk.does("HELP"), "and left alone")
    pipe.check(tap, "refused")
    tap.ok(not os.path.exists(pipe.at[len("ipc://"):]),
           "the socket's file goes with the filter")


# ---- the rule ----

def flagged_share(pipe, maker, count=16 * WINDOW):
    before = pipe.oracle.counts["outlier"]
    pipe.pass_on(maker.some(count))
    return (pipe.oracle.counts["outlier"] - before) / count


def case_set(tap, stage):
    """Another share is flagged, from the next window on."""
    for name, options in (("set", ()), ("set, now", ("--emit=now",))):
        place = Stage()
        try:
            pipe = Steered(place, *USUAL, "--max-wait=100ms", *options)
            maker = Records(planted=0.0)
            pipe.pass_on(maker.some(16 * WINDOW))
            for fpr in (0.3, 0.05):
                pipe.desk.does("SET", "fpr", str(fpr))
                time.sleep(0.2 * SLACK)
                share = flagged_share(pipe, maker)
                tap.ok(0.5 * fpr < share < 1.6 * fpr, "%s: fpr %g is about "
                       "what is flagged" % (name, fpr), share)
            tap.same(pipe.desk.stats()["fpr"], 0.05, name + ": STATS shows it")
            pipe.desk.does("SET", "fpr", "0")
            limit = pipe.desk.stats()["limit"]
            pipe.desk.does("SET threshold 1.9")
            time.sleep(0.2 * SLACK)
            more = flagged_share(pipe, maker)
            facts = pipe.desk.stats()
            tap.ok(more > 0.1 and facts["limit"] < limit, name + ": a high "
                   "threshold flags much", (more, limit, facts["limit"]))
            tap.ok(facts["fpr"] is None, name + ": and no fpr is in force")
            pipe.check(tap, name)
        finally:
            place.close()


# ---- praectl ----

def case_praectl(tap, stage):
    """All of it from the command line."""
    model = stage.path("model")
    pipe = Steered(stage, *USUAL, "--model=" + model)
    done = tell("pause", pipe.at)
    tap.ok(done.returncode == 1 and "no window" in done.stderr
           and not done.stdout, "a refusal is told, and is status 1", done)
    pipe.pass_on(Records().some(4 * WINDOW))
    for words, says in ((("pause", pipe.at), "pauses"),
                        (("snapshot", "@" + pipe.at), model),
                        (("resume", pipe.at, "--timeout=9s"), "goes on"),
                        (("set", pipe.at, "fpr", "0.25"), "fpr is 0.25"),
                        (("set", "--", pipe.at, "threshold", "-0.5"), "-0.5")):
        done = tell(*words)
        tap.ok(done.returncode == 0 and says in done.stdout
               and not done.stderr, "praectl %s" % words[0], done)
    wait_until(lambda: os.path.exists(model), 10, "the snapshot")
    wait_until(lambda: tell("revert", pipe.at).returncode == 0, 10,
               "it to go back")
    done = tell("revert", pipe.at, "9")
    tap.ok(done.returncode == 1 and model + ".9" in done.stderr,
           "praectl revert N", done)
    facts = json.loads(tell("stats", pipe.at).stdout)
    tap.same((facts["totals"]["reverts"], facts["fpr"], facts["paused"]),
             (1, 0.25, False), "praectl stats")
    for words in ((), (pipe.at, "x"), ("nowhere",), ("--tim", pipe.at),
                  ("--timeout=5", pipe.at), ("--timeout=0s", pipe.at),
                  ("-x", pipe.at), ("--timeout",), ("--x", pipe.at)):
        tap.same(tell("stop", *words).returncode, 2, "refused: %s" % (words,))
    tap.same(tell("set", pipe.at, "threshold", "-1").returncode, 2,
             "a number below 0 is no option")
    tap.same(tell("set", pipe.at, "window", "7").returncode, 1,
             "what the filter does not know, it refuses")
    done = tell("stop", "--help")
    tap.ok(done.returncode == 0 and "SIGTERM" in done.stdout, "--help", done)
    tap.same(tell("stop", pipe.at).returncode, 0, "praectl stop")
    pipe.check(tap, "praectl", pipe.filter.wait())
    start = time.monotonic()
    done = tell("stats", "--timeout=300ms", pipe.at)
    tap.ok(done.returncode == UNAVAILABLE and "nobody" in done.stderr
           and time.monotonic() - start < 4 * SLACK, "nobody there is 69",
           done)


def case_terminal(tap, stage):
    """What whoever answers says does not drive the terminal."""
    at = stage.ipc("desk")
    leader, follower = pty.openpty()
    with stage.context.socket(zmq.REP) as desk:
        desk.bind(at)
        asking = subprocess.Popen([PRAECTL, "stats", at],
                                  stdout=follower)
        if desk.poll(10000 * SLACK):
            desk.recv_multipart()
            desk.send_multipart([b"OK", b'{"a":\n"\x1b[2J\xc2\x9b31m"}'])
        tap.same(asking.wait(20 * SLACK), 0, "facts on a terminal")
    os.close(follower)
    shown = os.read(leader, 10000)
    os.close(leader)
    tap.ok(shown.startswith(b'{"a":\r\n"') and b"\x1b" not in shown
           and b"\xc2\x9b" not in shown, "... drive it nowhere", shown)


# ---- the end ----

def case_stop(tap, stage):
    """As SIGTERM: what was received is delivered."""
    pipe = Steered(stage, "--window=512", FIELDS, "--max-wait=never")
    pipe.sent = 700
    for message in messages(Records().some(700), 7):
        pipe.feed.put(message)
    pipe.filter.wait_received(700)
    tap.ok("deliver" in pipe.desk.does("STOP"), "STOP is answered")
    ended = pipe.filter.wait()
    pipe.wait_all()
    pipe.check(tap, "stop", ended)
    # Where nobody takes what it has, it goes on being answered.
    stalled = Steered(Stage(), *USUAL, "--drain=2s", consume=False)
    stalled.feed.put(messages(Records().some(WINDOW), WINDOW)[0])
    stalled.filter.wait_received(WINDOW)
    stalled.desk.does("STOP")
    tap.ok("ending" in stalled.desk.does("STOP")
           and stalled.desk.stats()["not_ready"] == "it is ending",
           "while it ends it is still answered")
    tap.ok("ending" in stalled.desk.ask("SET fpr 0.1")[1],
           "but nothing changes any more")
    tap.same(stalled.filter.wait().status, 75, "and it ends in time")
    stalled.stage.close()
    tap.ok(pipe.desk.ask("STATS", seconds=0.2) is None,
           "then nobody is there")


def case_stop_unread(tap, stage):
    """Counts that nobody reads do not hold up the end, whoever asked."""
    pipe = Steered(stage, *USUAL)
    os.mkfifo(pipe.filter.stats_path)
    pipe.desk.does("STOP")
    wait_until(pipe.filter.has_ended, 5, "the end")
    tap.same(pipe.filter.process.returncode, 74,
             "counts that nobody reads are a failure, in time")
    tap.ok("nobody reads it" in pipe.filter.stderr(), "and told",
           pipe.filter.stderr())


def case_secure(tap, stage):
    """Over tcp only who is allowed gets an answer."""
    keys = Keys(stage)
    at = stage.tcp()
    pipe = Pipe(stage, *USUAL, "--control=" + at, *keys.options())
    wait_until(lambda: is_listening(at), 15, "the control endpoint")
    friend = Desk(stage, at, **keys.client("friend"))
    tap.ok(friend.does("HELP"), "an allowed key is answered")
    for name, options in (("another key", keys.client("stranger")),
                          ("no key", {}),
                          ("another server's key",
                           keys.client("friend", "other"))):
        desk = Desk(stage, at, **options)
        tap.ok(desk.ask("STOP", seconds=0.7) is None,
               "%s is not" % name)
        desk.close()
    tap.ok(friend.does("STATS"), "and who is still is")
    for name, status in (("friend", 0), ("stranger", UNAVAILABLE)):
        tap.same(tell("stats", at, "--timeout=2s",
                      "--curve-secret=" + keys.secret(name),
                      "--curve-server=" + keys.public("server")).returncode,
                 status, "praectl with the key of a " + name)
    friend.close()
    pipe.check(tap, "secure")


main(Stage, [case_words, case_many, case_strangers,
             case_no_envelope, case_names, case_names_let_in,
             case_refused, case_set, case_praectl, case_terminal, case_stop,
             case_stop_unread, case_secure], 180)
