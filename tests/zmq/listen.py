#!/usr/bin/env python3
"""listen.py - where the filter listens: not on the network by mistake, not
over what others own, and not disturbed by who only half connects."""
import contextlib
import os
import resource
import signal
import socket as sockets
import time

from peers import Stage, is_listening, is_socket, preload, program, zmq
from doors import CONFIG, SMALL, UNAVAILABLE, Door, Keys
from oracle import Oracle, Records
from raw import (COMMAND, LONG, MORE, Flood, Raw, frame, greeting, initiate,
                 listen, old_greeting, reach, ready, take_frame)
from tap import SLACK, SOAK, main, skip_all, wait_until
from traffic import Consumer, Feed, Producer, messages

HALF_OPEN = 1000 if SOAK else 50


def case_exposed(tap, stage):
    """38: nobody listens on the network by mistake."""
    port = stage.tcp().rpartition(":")[2]
    for host in ("0.0.0.0", "*", "[::]"):
        for spec in ("--in=pull:@", "--outliers=push:@", "--scores=pub:@"):
            ended = stage.run(spec + "tcp://%s:%s" % (host, port),
                              *([] if "--in" in spec
                                else ["--in=pull:@" + stage.ipc("in")]))
            tap.ok(ended.status == CONFIG and "--insecure" in ended.stderr,
                   "38: %s%s needs --insecure" % (spec, host),
                   "%d %s" % (ended.status, ended.stderr))
    keys = Keys(stage)
    for name, options in (("--insecure", ("--insecure",)),
                          ("CURVE", keys.options())):
        filter_ = stage.start("--in=pull:@tcp://0.0.0.0:" + port,
                              "--inliers=null:", *options)
        tap.same(filter_.stop().status, 0, "38: with %s it listens" % name)


def case_paths(tap, stage):
    """39: what stands at an ipc path."""
    path = stage.path("in")
    run = ("--in=pull:@ipc://" + path, "--inliers=null:")

    def refused(name):
        ended = stage.run(*run)
        tap.ok(ended.status == UNAVAILABLE and path in ended.stderr,
               "39: %s is refused" % name,
               "%d %s" % (ended.status, ended.stderr))

    with open(path, "w", encoding="ascii") as file:
        file.write("precious")
    refused("a file")
    os.rename(path, path + ".file")
    os.symlink(path + ".file", path)
    refused("a link")
    tap.ok(os.path.islink(path), "39: the link is left")
    with open(path, encoding="ascii") as file:
        tap.same(file.read(), "precious", "39: and the file as it was")
    os.unlink(path)
    os.mkdir(path)
    refused("a directory")
    os.rmdir(path)
    with sockets.socket(sockets.AF_UNIX) as live:
        live.bind(path)
        live.listen()
        refused("a live socket")
        with sockets.socket(sockets.AF_UNIX) as client:
            client.connect(path)
        tap.ok(is_socket(path), "39: which lives on")
    tap.ok(is_socket(path), "39: closed, it is stale")
    filter_ = stage.start(*run)
    tap.ok(True, "39: a stale socket is bound anew")
    refused("the path of another filter")
    tap.same(filter_.stop().status, 0, "39: which goes on")
    tap.ok(not os.path.lexists(path), "39: and tidies up after itself")


def raise_limit():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 4096:
        resource.setrlimit(resource.RLIMIT_NOFILE,
                           (min(4096, hard) if hard > 0 else 4096, hard))


def half_open(at, count):
    """Connections that say nothing, begin to greet, or talk nonsense."""
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00CURVE"
    words = (b"", greeting[:1], greeting[:10], greeting,
             b"GET / HTTP/1.1\r\n\r\n", os.urandom(200))
    host, _, port = at.partition("://")[2].rpartition(":")
    opened = []
    for number in range(count):
        sock = sockets.create_connection((host, int(port)), 10)
        try:
            sock.sendall(words[number % len(words)])
        except OSError:
            pass  # it was hung up on
        opened.append(sock)
    return opened


def is_hung_up(sock, seconds):
    """Whether the other side closes it within that time."""
    sock.settimeout(seconds)
    try:
        while sock.recv(100):
            pass
        return True
    except sockets.timeout:
        return False
    except OSError:
        return True


def case_slow(tap, stage):
    """40: those who say nothing, or begin to greet and end there."""
    door = Door(stage, *Keys(stage).options())
    start = time.monotonic()
    for sock in half_open(door.at, 2):
        tap.ok(is_hung_up(sock, 15 * SLACK),
               "40: who does not end its greeting is hung up on")
        sock.close()
    seconds = time.monotonic() - start
    tap.ok(seconds > 1, "40: but has time for it", "%.1f s" % seconds)
    tap.same(door.filter.stop().status, 0, "40: which is no failure")


def case_keyless(tap, stage):
    """40: who says much before anybody knows its key."""
    keys = Keys(stage)
    door = Door(stage, *keys.options())
    tap.ok(door.knock(**keys.client("friend")), "40: a friend with a key")
    host, _, port = door.at.partition("://")[2].rpartition(":")
    before = door.filter.peak_mib()
    strangers = []
    for _ in range(12):
        sock = sockets.create_connection((host, int(port)), 10 * SLACK)
        strangers.append(sock)
        sock.sendall(greeting(b"CURVE"))
        # libzmq would wait for all of it, for some seconds.
        with contextlib.suppress(OSError):
            sock.sendall(frame(bytes(15 << 20), COMMAND)[:-1])
    tap.ok(all(is_hung_up(sock, 3 * SLACK) for sock in strangers),
           "40: who says much without a key is hung up on")
    for sock in strangers:
        sock.close()
    grown = door.filter.peak_mib() - before
    tap.ok(grown < 16 * SLACK, "40: and takes no memory", "%.1f MiB" % grown)
    door.filter.wait_said("before its key is known")
    tap.ok(door.knock(**keys.client("friend")), "40: friends come in")
    tap.same(door.filter.stop().status, 0, "40: and nothing is amiss")


def case_refused(tap, stage):
    """40: who has a key, and is not let in by it."""
    keys = Keys(stage)
    door = Door(stage, *keys.options())
    tap.ok(door.knock(**keys.client("friend")), "40: a friend with a key")
    before = door.filter.peak_mib()
    for more in (b"", frame(bytes(15 << 20))[:-1]):
        strangers = []
        for _ in range(6):
            sock, last = initiate(stage, door.at, zmq.PUSH,
                                  keys.client("stranger"))
            with contextlib.suppress(OSError):
                sock.sendall(last + more)
            strangers.append(sock)
        tap.ok(all(is_hung_up(sock, 3 * SLACK) for sock in strangers),
               "40: who is refused is hung up on")
        for sock in strangers:
            sock.close()
    grown = door.filter.peak_mib() - before
    tap.ok(grown < 16 * SLACK, "40: refused, it takes no memory",
           "%.1f MiB" % grown)
    sock, last = initiate(stage, door.at, zmq.PUSH, keys.client("stranger"))
    with sock:
        sock.sendall(last)
        tap.ok(b"\x05ERROR\x03400" in take_frame(sock), "40: but is told")
    sock, last = initiate(stage, door.at, zmq.PUSH, keys.client("friend"))
    with sock:
        sock.sendall(last)
        tap.ok(b"\x05READY" in take_frame(sock) and not is_hung_up(sock, 1),
               "40: who is let in stays")
    tap.ok(door.knock(**keys.client("friend")), "40: and is heard")
    tap.same(door.filter.stop().status, 0, "40: and nothing is amiss")


def case_wordy(tap, stage):
    """40: who says at length who it is."""
    where, control = stage.tcp(), stage.ipc("control")
    door = Door(stage, "--in=pull:" + where, "--control=" + control)
    before = door.filter.peak_mib()
    many = b"".join(b"\x04%04x\0\0\0\0" % number for number in range(60000))
    said = greeting() + frame(ready(b"PUSH")[2:] + many, COMMAND)
    for at, words in ((door.at, said), (control, said.replace(
            b"\x04PUSH", b"\x03REQ")), (door.at, old_greeting(8)
                                        + frame(b"x" * 5000))):
        with reach(at) as sock:
            with contextlib.suppress(OSError):
                sock.sendall(words)
            tap.ok(is_hung_up(sock, 3 * SLACK),
                   "40: who says much of itself is hung up on")
    with listen(where) as listener:
        for _ in range(2):
            with listener.accept()[0] as sock:
                with contextlib.suppress(OSError):
                    sock.sendall(said)
                tap.ok(is_hung_up(sock, 3 * SLACK),
                       "40: also where it is connected to")
    grown = door.filter.peak_mib() - before
    tap.ok(grown < 8 * SLACK, "40: and takes no memory", "%.1f MiB" % grown)
    door.filter.wait_said("more than 4 KiB before it is known")
    with stage.context.socket(zmq.DEALER) as asker:
        asker.linger, asker.identity = 0, b"x" * 255
        asker.connect(control)
        asker.send_multipart([b"", b"HELP"])
        tap.ok(asker.poll(10000 * SLACK), "40: a long name is none too much")
    with stage.context.socket(zmq.PUSH) as host:
        host.bind(where)
        tap.ok(door.knock(), "40: and records go their way")
    tap.same(door.filter.stop().status, 0, "40: and nothing is amiss")


def case_half_open(tap, stage):
    """40: many that never finish what they begin."""
    raise_limit()
    keys = Keys(stage)
    for name, options, client in (
            ("CURVE", keys.options(), keys.client("friend")),
            ("no CURVE", (), {})):
        place = Stage()
        try:
            door = Door(place, *options)
            tap.ok(door.knock(**client), "40: %s: a first visitor" % name)
            rss = door.filter.rss_mib()
            held = door.filter.descriptors()
            opened = half_open(door.at, HALF_OPEN)
            tap.ok(door.knock(**client),
                   "40: %s: who means it gets through" % name)
            grown = door.filter.rss_mib() - rss
            most = (16 + 0.1 * HALF_OPEN) * SLACK
            tap.ok(grown < most, "40: %s: memory is bounded" % name,
                   "%.1f MiB more" % grown)
            for sock in opened:
                sock.close()
            wait_until(lambda: door.filter.descriptors() <= held + 2, 30,
                       "their descriptors to be closed")
            tap.ok(True, "40: %s: what they held is given back" % name)
            ended = door.filter.stop()
            # Without keys libzmq would take what is no greeting for a peer
            # of its first protocol, and garbage for a message of its.
            tap.ok(ended.count("received") == 80
                   and door.oracle.report()[:4] == (0, 0, 0, 0),
                   "40: %s: nothing came of them" % name, ended.stderr)
        finally:
            place.close()


def limited(files):
    """The program, with so many descriptors at most."""
    return ["sh", "-c", 'ulimit -n %d && exec "$@"' % files, "sh", program()]


def case_few(tap, stage):
    """19: too few descriptors to start with."""
    for files in (12, 13, 21, 40):  # a shell needs eleven to start it with
        ended = stage.run("--in=pull:@" + stage.ipc("in"),
                          "--inliers=push:@" + stage.ipc("good"),
                          "--outliers=push:@" + stage.tcp(),
                          command=limited(files))
        tap.ok(ended.status == 1 and "error: " in ended.stderr
               and "open files" in ended.stderr,
               "19: %d descriptors are too few, and that is told" % files,
               "%d %s" % (ended.status, ended.stderr))


def case_crowd(tap, stage):
    """40: more connections than there are descriptors for."""
    raise_limit()
    at, good = stage.tcp(), stage.ipc("good")
    model = stage.path("model")
    filter_ = stage.start("--in=pull:@" + at, "--inliers=push:@" + good,
                          "--window=64", "--max-wait=100ms", "--cold=pass",
                          "--format=jsonl", "--model=" + model,
                          command=limited(128))
    crowd = half_open(at, 200)
    with sockets.socket(sockets.AF_UNIX) as late:
        late.connect(good.partition("://")[2])
        filter_.wait_said("has room for")
        tap.ok(filter_.process.poll() is None, "40: one more by ipc does not end it")
    for sock in crowd:
        sock.close()
    with stage.context.socket(zmq.PUSH) as push, \
            stage.context.socket(zmq.PULL) as pull:
        push.connect(at)
        pull.connect(good)
        pull.rcvtimeo = int(30000 * SLACK)
        for number in range(64):
            push.send(b'{"a":%d,"b":%d}' % (number % 7, number % 5))
        got = 0
        while got < 64:
            got += pull.recv().count(b"{")
        tap.same(got, 64, "40: and once they are gone records flow")
    ended = filter_.stop()
    tap.ok(ended.status == 0 and os.path.exists(model),
           "40: and are learned from", "%d %s" % (ended.status, ended.stderr))


class Flooded:
    """A filter with all kinds of sockets to talk to, and floods."""

    def __init__(self, tap, stage, *options):
        self.tap = tap
        self.push, self.control = stage.ipc("bad"), stage.ipc("control")
        self.pub = stage.tcp()
        self.door = Door(stage, *(options or (
            "--rejects=push:@" + self.push, "--scores=pub:@" + self.pub,
            "--control=" + self.control)))
        tap.ok(self.door.knock(), "40: a first visitor")

    def survives(self, name, said, most_mib, *flood):
        """Whether it is hung up on, and told; for little memory, while
        records go their way."""
        before = self.door.filter.peak_mib()
        since = len(self.door.filter.stderr())
        stream = Flood(*flood)
        self.door.knock()
        while stream.is_alive():
            self.door.knock()
        self.tap.ok(stream.hung_up, "40: %s: it is hung up on" % name)
        if said and stream.hung_up:
            self.door.filter.wait_said("hung up on a peer " + said,
                                       since=since)
        grown = self.door.filter.peak_mib() - before
        if most_mib is None:
            self.tap.skip("40: %s: memory" % name, "sanitizers keep what was "
                          "freed, with red zones around all")
        else:
            self.tap.ok(grown < most_mib * SLACK, "40: %s: memory is bounded"
                        % name, "%.1f MiB more" % grown)
        stream.raw.close()

    def end(self, what):
        received = 40 * self.door.source
        ended = self.door.filter.stop()
        self.tap.ok(ended.status == 0 and ended.count("received") == received
                    and self.door.oracle.report()[:4] == (0, 0, 0, 0),
                    "40: " + what, "%d %s" % (ended.status, ended.stderr))


def case_endless(tap, stage):
    """40: messages that do not end."""
    flooded = Flooded(tap, stage)
    parts = frame(b"", MORE) * 8192
    beats = (frame(b"", MORE) * 50 + frame(b"\x04PING\0\0", COMMAND)) * 200
    names = frame(b"\x09SUBSCRIBE", MORE | COMMAND) * 2000
    at = flooded.door.at
    flooded.survives("an input", "whose message", 16, at, b"PUSH",
                     lambda: parts, 4 << 20)
    flooded.survives("an input, with beats", "", 16, at, b"PUSH",
                     lambda: beats, 4 << 20)
    flooded.survives("an input, with commands", "", 16, at, b"PUSH",
                     lambda: names, 8 << 20)
    flooded.survives("--control", "whose message", 16, flooded.control,
                     b"REQ", lambda: parts, 4 << 20)
    flooded.survives("a publisher", "whose message", 16, flooded.pub, b"SUB",
                     lambda: parts, 4 << 20)
    flooded.end("nobody else has lost anything by it")


def case_loud(tap, stage):
    """40: what is said to outputs."""
    flooded = Flooded(tap, stage)
    long = frame(bytes(1000000))
    flooded.survives("messages to an output", "that sends", 16, flooded.push,
                     b"PULL", lambda: long, 40 << 20)
    held = flooded.door.filter.descriptors()
    for words in (frame(b"x") * 3, frame(b"\x09SUBSCRIBE", COMMAND) * 2) * 20:
        peer = Raw(flooded.push, b"PULL")
        peer.sock.sendall(words)
        peer.close()
    wait_until(lambda: flooded.door.filter.descriptors() <= held + 2, 10,
               "the descriptors of who sent to an output to be closed")
    tap.ok(True, "40: messages to an output: no descriptor stays")
    flooded.survives("long subscriptions", "whose message", 16, flooded.pub,
                     b"SUB", lambda: frame(b"\x01" + os.urandom(4)
                                           + bytes(1000000)), 8 << 20)
    for size, cut in ((4000, False), (5000, True)):
        peer = Raw(flooded.pub, b"SUB")
        peer.sock.sendall(frame(b"\x01" + bytes(size)))
        tap.same(is_hung_up(peer.sock, 10 * SLACK if cut else 1), cut,
                 "40: a subscription of %d bytes" % size)
        peer.close()
    flooded.survives("many subscriptions", "that has most of",
                     64 if SLACK == 1 else None,
                     flooded.pub, b"SUB", lambda: b"".join(
                         frame(b"\x01" + os.urandom(60))
                         for _ in range(500)), 4 << 20)
    nothing = frame(b"") * 8192
    flooded.survives("messages of no bytes", "", 32, flooded.pub, b"SUB",
                     lambda: nothing, 4 << 20)
    # A SUB socket forgets subscriptions that it has no room to send.
    subscriber = Consumer(stage, flooded.pub, lambda frames: None,
                          kind=zmq.SUB, sndhwm=0, topics=[
                              os.urandom(20) for _ in range(3000)] + [b""])
    for _ in range(50):
        if subscriber.count == 0:
            flooded.door.knock()
    tap.ok(subscriber.count > 0, "40: who subscribes 3000 times is heard")
    flooded.door.knock()
    tap.same(subscriber.events[zmq.EVENT_DISCONNECTED], 0,
             "40: and stays")
    flooded.end("records went their way")


def case_beats(tap, stage):
    """40: heartbeats, and those that are too short to be one."""
    flooded = Flooded(tap, stage)
    for at, kind in ((flooded.door.at, b"PUSH"), (flooded.control, b"REQ"),
                     (flooded.push, b"PULL"), (flooded.pub, b"SUB")):
        for short in (b"\x04PING", b"\x04PING\0"):
            with contextlib.closing(Raw(at, kind)) as peer:
                peer.sock.sendall(frame(b"\x04PING\0\0word", COMMAND))
                tap.same(take_frame(peer.sock),
                         frame(b"\x04PONG" b"word", COMMAND),
                         "40: a heartbeat is answered with its own words")
                peer.sock.sendall(frame(short, COMMAND))
                try:
                    heard = peer.sock.recv(100)
                except ConnectionError:
                    heard = b""
                tap.same(heard, b"", "40: %s: one of %d bytes with nothing"
                         % (kind.decode(), len(short)))
    flooded.door.filter.wait_said("whose heartbeat is too short")
    flooded.end("and records go their way")


def case_last_beats(tap, stage):
    """40: heartbeats of who has said more than there is room for, and gone."""
    control, pub = stage.ipc("control"), stage.ipc("pub")
    filter_ = stage.start("--in=pull:@" + stage.ipc("in"),
                          "--inliers=null:", "--outliers=pub:@" + pub,
                          "--control=" + control, "--hwm=10")
    beat = frame(b"\x04PING\0\x64", COMMAND)
    for name, at, kind, said in (
            ("requests", control, b"DEALER", frame(b"", MORE) + frame(b"HELP")),
            ("subscriptions", pub, b"SUB", frame(b"\x01a"))):
        for _ in range(10):
            with contextlib.closing(Raw(at, kind)) as peer:
                # Less than libzmq reads at once.
                peer.sock.sendall((said + beat) * 150)
        time.sleep(0.2 * SLACK)
        with contextlib.closing(Raw(at, kind)) as peer:
            peer.sock.sendall(beat)
            tap.same(take_frame(peer.sock), frame(b"\x04PONG", COMMAND),
                     "40: it outlives who leaves %s and heartbeats" % name)
    tap.same(filter_.stop().status, 0, "40: that is no failure")


def subscribes(peer, count):
    """Whether PEER may subscribe so many times, to 59 bytes each."""
    heard = b""
    with contextlib.suppress(OSError):
        peer.sock.sendall(b"".join(frame(b"\x01" + os.urandom(59))
                                   for _ in range(count))
                          + frame(b"\x04PING\0\0", COMMAND))
        while b"\x04PONG" not in heard:
            some = peer.sock.recv(4096)
            if not some:
                break
            heard += some
    return b"\x04PONG" in heard


def case_idle(tap, stage):
    """40: what is said to pub outputs that publish nothing just now."""
    pub, there = stage.ipc("pub"), stage.ipc("there")
    with listen(there) as listener:
        filter_ = stage.start("--in=pull:@" + stage.ipc("in"), "--hwm=5",
                              "--inliers=pub:@" + pub,
                              "--outliers=pub:" + there)
        with contextlib.closing(Raw(pub, b"SUB")) as peer:
            tap.ok(subscribes(peer, 400),
                   "40: subscriptions beyond the queue are taken")
        with contextlib.closing(Raw(listener, b"SUB")) as peer:
            tap.ok(subscribes(peer, 400), "40: also where a pub connects")
            peer.sock.sendall(frame(b"\x01a") * 400)
        try:
            Raw(listener, b"SUB").close()
            came = True
        except OSError:
            came = False
        tap.ok(came, "40: which comes again when the subscriber has gone")
        tap.same(filter_.stop().status, 0, "40: that is no failure")


def case_come_again(tap, stage):
    """40: where a pub connects, what they subscribed to who were there before
    is kept by libzmq as long as its socket."""
    there, where, oracle = stage.ipc("there"), stage.ipc("in"), Oracle()
    with listen(there) as listener:
        filter_ = stage.start("--in=pull:@" + where, "--inliers=pub:" + there,
                              "--threshold=-1", *SMALL)
        for _ in range(10):
            with contextlib.closing(Raw(listener, b"SUB")) as peer:
                tap.ok(subscribes(peer, 12000), "40: 12000 topics are taken")
        filter_.wait_said("subscribe to much: connecting anew")
    os.unlink(there.removeprefix("ipc://"))
    reader = Consumer(stage, there, lambda f: oracle.inliers(f[-1]), True,
                      zmq.SUB)
    wait_until(lambda: reader.events[zmq.EVENT_HANDSHAKE_SUCCEEDED], 20,
               "the filter")
    time.sleep(0.3)  # for its subscription
    Producer(stage, where, oracle.ledger, messages(Records().some(48)))
    wait_until(lambda: oracle.total() >= 48, 20, "the records")
    ended = filter_.stop()
    tap.ok(ended.status == 0 and ended.stats["dropped"] == 0
           and not any(oracle.report()),
           "40: the next subscriber has all", ended.stderr)


def case_named_late(tap, stage):
    """40: who says its name while --control is being closed."""
    env = preload(tap, stage, "slow_unbind", PRAE_UNBIND="400")
    if env is None:
        return
    control = stage.tcp()
    filter_ = stage.start("--in=pull:@" + stage.ipc("in"), "--inliers=null:",
                          "--control=" + control, env=env)
    wait_until(lambda: is_listening(control), 20, "the endpoint")
    with contextlib.closing(reach(control)) as peer:
        peer.sendall(old_greeting(3))
        peer.recv(100)
        filter_.send(signal.SIGTERM)
        wait_until(lambda: not is_listening(control), 20, "its end")
        with contextlib.suppress(OSError):
            peer.sendall(frame(b"name"))
        tap.same(filter_.wait().status, 0, "40: a name that comes too late")


def case_shared(tap, stage):
    """40: subscriptions of all peers together."""
    pub = stage.tcp()
    # All are heard though nothing moves.
    door = Door(stage, "--scores=pub:@" + pub, "--hwm=100000")
    small, *large = (Raw(pub, b"SUB") for _ in range(5))
    tap.ok(subscribes(small, 10), "40: a subscriber")
    tap.same([subscribes(peer, 4000) for peer in large], [True] * 4,
             "40: four have more than there is room for")
    door.filter.wait_said("hung up on a peer that has most of")
    tap.ok(is_hung_up(large[0].sock, 10 * SLACK),
           "40: who has most of it is hung up on")
    tap.same([is_hung_up(peer.sock, 0.5) for peer in (small, *large[1:])],
             [False] * 4, "40: and nobody else")
    for peer in (small, *large):
        peer.close()
    large = [Raw(pub, b"SUB") for _ in range(10)]
    tap.same([subscribes(peer, 1200) for peer in large], [True] * 10,
             "40: ten share it")
    for peer in large:
        peer.close()
    peer = Raw(pub, b"SUB")
    tap.ok(subscribes(peer, 13000), "40: what they had is one's alone")
    tap.ok(not subscribes(peer, 1000), "40: but no more than that")
    peer.close()
    stayed = []
    for _ in range(6):
        tap.ok(door.knock(), "40: records flow")
        peer = Raw(pub, b"SUB")
        stayed.append(subscribes(peer, 13000))
        peer.close()
    tap.same(stayed, [True] * 6, "40: who comes and goes is no flood")
    tap.same(door.filter.stop().status, 0, "40: and nothing is amiss")


def case_servers(tap, stage):
    """40: the same from those that the filter connects to."""
    pull, sub, push = stage.tcp(), stage.ipc("sub"), stage.tcp()
    pub = stage.ipc("pub")
    by_name = pull.replace("127.0.0.1", "localhost")
    flooded = Flooded(tap, stage, "--in=pull:" + by_name, "--in=sub:" + sub,
                      "--rejects=push:" + push, "--scores=pub:" + pub)
    parts = frame(b"", MORE) * 8192
    topics = (frame(b"\x01" + os.urandom(60)) for _ in iter(int, 1))
    for name, at, kind, said, make, most_mib in (
            ("a pull", pull, b"PUSH", "whose message", lambda: parts, 16),
            ("a sub", sub, b"PUB", "", lambda: parts, 16),
            ("a push", push, b"PULL", "that sends", lambda: parts, 16),
            ("a pub", pub, b"SUB", "that has most of",
             lambda: b"".join(next(topics) for _ in range(500)),
             64 if SLACK == 1 else 128)):
        with listen(at) as listener:
            flooded.survives("who is behind " + name, said, most_mib,
                             listener, kind, make, 8 << 20)
            flooded.survives("and once more", "", most_mib, listener, kind,
                             make, 8 << 20)
    for at, kind in ((pull, zmq.PUSH), (sub, zmq.PUB)):
        flooded.door.host(at, kind)
    tap.ok(True, "40: who means well is heard there")
    flooded.end("nobody else has lost anything by it")


def answer(listener, words, until):
    """Says WORDS, in one piece, to the next who connects, and stays UNTIL
    then."""
    with listener.accept()[0] as sock:
        sock.sendall(words)
        wait_until(lambda: is_hung_up(sock, 0.1) or until(), 20,
                   "what was said to be heard")


def case_hasty(tap, stage):
    """40: who does not wait for an answer where the filter connects to."""
    pull, sub, push = stage.tcp(), stage.ipc("sub"), stage.ipc("push")
    door = Door(stage, "--in=pull:" + pull, "--in=sub:" + sub,
                "--rejects=push:" + push, "--max-message=20000")
    some = [frame(b"\x04PING\0\0", COMMAND), frame(b"\x04PONG", COMMAND),
            frame(b"\x04NONE", COMMAND), bytes([COMMAND | LONG]) + b"\1" * 8]
    for number, (at, kind) in enumerate(((pull, b"PUSH"), (sub, b"PUB"),
                                         (push, b"PULL"))):
        begin = greeting() + ready(kind)
        with listen(at) as listener:
            for words in some:
                answer(listener, begin + words, lambda: True)
            for _ in range(3):  # and has gone before it can be answered
                with listener.accept()[0] as sock:
                    door.filter.send(signal.SIGSTOP)
                    sock.sendall(begin + some[0])
                door.filter.send(signal.SIGCONT)
            if kind != b"PULL":
                records = list(Records(source=10 + number).some(16))
                for record in records:
                    door.oracle.ledger.add(record)
                before = door.oracle.total()
                answer(listener, begin + frame(b"".join(records)),
                       lambda: door.oracle.total() == before + 16)
            answer(listener, begin, lambda: True)
        tap.ok(True, "40: who says more behind READY is connected to again")
    ended = door.filter.stop()
    tap.ok(ended.status == 0 and not any(door.oracle.report()),
           "40: and records that it says are there",
           "%r %s" % (door.oracle.report(), ended.stderr))


def case_long(tap, stage):
    """25: a frame that is too long, from somebody the filter connects to."""
    pull, sub = stage.tcp(), stage.ipc("sub")
    door = Door(stage, "--in=pull:" + pull, "--in=sub:" + sub,
                "--max-message=20000")
    for at, kind, good in ((pull, zmq.PUSH, zmq.PUSH),
                           (sub, zmq.XPUB, zmq.PUB)):
        with stage.context.socket(kind) as host:
            host.linger = 0
            host.bind(at)
            if kind == zmq.XPUB:
                host.recv()  # somebody subscribes
            host.send(bytes(20001))
            time.sleep(0.5)
        wait_until(lambda at=at: not is_listening(at), 10, "the port")
        door.host(at, good)
        tap.ok(True, "25: after a frame that is too long it connects again")
    ended = door.filter.stop()
    tap.ok(ended.status == 0 and not any(door.oracle.report()),
           "25: and all others are there", "%r %s" % (door.oracle.report(),
                                                      ended.stderr))
    tap.ok("hung up on a peer whose frame is longer than --max-message"
           in ended.stderr, "25: which is told", ended.stderr)


def case_unfit(tap, stage):
    """17: somebody else is where the filter connects to, for a while."""
    out, where = stage.tcp(), stage.tcp()
    oracle = Oracle()
    filter_ = stage.start("--in=pull:" + where, "--inliers=push:" + out,
                          "--threshold=-1", *SMALL)
    feed = Feed()
    others = [(out, zmq.PUB, {}), (where, zmq.PULL, {})]
    if zmq.has("curve"):
        public, secret = zmq.curve_keypair()
        others += [(at, kind, {"curve_server": 1, "curve_publickey": public,
                               "curve_secretkey": secret})
                   for at, kind in ((out, zmq.PULL), (where, zmq.PUSH))]

    def visit(at, kind, options):
        with stage.context.socket(kind) as host:
            for name, value in {"linger": 0, **options}.items():
                setattr(host, name, value)
            events = host.get_monitor_socket(zmq.EVENT_ACCEPTED)
            host.bind(at)
            # Once more, as the first time may be the last.
            for _ in range(2):
                if not events.poll(10000 * SLACK):
                    tap.ok(False, "17: %s is tried again" % at)
                    break
                events.recv_multipart()
            host.disable_monitor()
        wait_until(lambda: not is_listening(at), 10, "the port")

    for other in others:
        if other[0] == where:
            visit(*other)
    Producer(stage, where, oracle.ledger, feed, bind=True)
    for message in messages(Records().some(100)):
        feed.put(message)
    filter_.wait_received(100)
    time.sleep(0.3)  # for the last of them to be judged
    for other in others:
        if other[0] == out:
            visit(*other)
    with listen(out) as listener:
        # A PUSH that speaks ZMTP 2.
        answer(listener, old_greeting(8) + frame(b""), lambda: False)
    Consumer(stage, out, lambda f: oracle.inliers(f[-1]), bind=True)
    wait_until(lambda: oracle.total() >= 100, 20, "what waited for it")
    ended = filter_.stop()
    tap.ok(ended.status == 0 and not any(oracle.report()),
           "17: nothing is lost to who does not fit",
           "%r %s" % (oracle.report(), ended.stderr))
    tap.ok("hung up on a peer that is of a type" in ended.stderr,
           "17: which is told", ended.stderr)


def case_gone(tap, stage):
    """40: peers of an idle output that come and go."""
    push = stage.ipc("out")
    filter_ = stage.start("--in=pull:@" + stage.ipc("in"),
                          "--inliers=push:@" + push)
    rss = filter_.rss_mib()
    for _ in range(1000):
        Raw(push, b"PULL").close()
    grown = filter_.rss_mib() - rss
    if SLACK > 1:
        tap.skip("40: memory", "sanitizers keep what was freed")
    else:
        tap.ok(grown < 5, "40: those who are gone are not kept",
               "%.1f MiB more" % grown)
    tap.same(filter_.stop().status, 0, "40: they are no failure")


if not zmq.has("curve"):
    skip_all("libzmq has no CURVE")
main(Stage, [case_exposed, case_paths, case_slow, case_keyless,
             case_refused, case_wordy, case_half_open, case_few, case_crowd,
             case_endless, case_loud, case_beats, case_last_beats,
             case_idle, case_come_again, case_named_late, case_shared,
             case_servers, case_hasty, case_long, case_unfit, case_gone],
     600 if SOAK else 300)
