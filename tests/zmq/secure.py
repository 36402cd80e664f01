#!/usr/bin/env python3
"""secure.py - CURVE: who is let in, and by whom the filter is."""
import contextlib
import os
import signal
import socket
import subprocess
import threading
import time

from peers import Stage, preload, zmq
from doors import CONFIG, SMALL, Door, Keys
from oracle import Oracle, Records
from proxy import Proxy
from raw import COMMAND, frame, greeting, listen
from tap import SLACK, main, skip_all, wait_until
from traffic import (Consumer, Feed, Message, Peer, Producer, endless,
                     hand_over, messages, settle)

from zmq.auth.thread import ThreadAuthenticator


def case_matrix(tap, stage):
    """36: only who is allowed, and knows whom to talk to."""
    keys = Keys(stage)
    door = Door(stage, *keys.options())
    cases = (("an allowed key", keys.client("friend"), True),
             ("an unknown key", keys.client("stranger"), False),
             ("another server's key", keys.client("friend", "other"), False),
             ("no security", {}, False),
             ("a password", {"plain_username": b"friend",
                             "plain_password": b"secret"}, False),
             ("an allowed key again", keys.client("friend"), True))
    for name, options, wanted in cases:
        tap.same(door.knock(**options), wanted, "36: %s is %s" % (
            name, "let in" if wanted else "refused"))
    ended = door.filter.stop()
    tap.ok(ended.count("received") == 80 and not any(door.oracle.report()),
           "36: and nothing came by the others", ended.stderr)
    tap.ok(ended.stats["turned_away"] > 0, "36: who was not allowed is "
           "counted", ended.stats)


def case_nobody(tap, stage):
    """36: nobody is allowed."""
    keys = Keys(stage)
    keys.keep_out("friend")
    door = Door(stage, *keys.options())
    tap.same(door.knock(**keys.client("friend")), False,
             "36: an empty directory lets nobody in")
    door.filter.stop()
    ended = stage.run("--in=pull:@" + stage.tcp(), "--inliers=null:",
                      "--curve-secret=" + keys.secret("server"))
    tap.same(ended.status, CONFIG, "36: a secret without a directory is "
             "refused")


def case_reload(tap, stage):
    """37: the list is read again."""
    keys = Keys(stage)
    door = Door(stage, *keys.options())
    tap.same(door.knock(**keys.client("stranger")), False,
             "37: a stranger is refused")
    keys.let_in("stranger")
    keys.keep_out("friend")
    since = len(door.filter.stderr())
    door.filter.send(signal.SIGHUP)
    door.filter.wait_said(r"allow|key", since=since)
    tap.same(door.knock(**keys.client("stranger")), True,
             "37: after SIGHUP the stranger is let in")
    tap.same(door.knock(**keys.client("friend")), False,
             "37: and the friend no longer")
    with open(os.path.join(keys.allow, "bad.key"), "w",
              encoding="ascii") as file:
        file.write("curve\n    public-key = \"too short\"\n")
    since = len(door.filter.stderr())
    door.filter.send(signal.SIGHUP)
    door.filter.wait_said(r"bad\.key", since=since)
    tap.same(door.knock(**keys.client("stranger")), True,
             "37: a list that cannot be read changes nothing")
    tap.same(door.filter.stop().status, 0, "37: and it goes on")


def case_new_pair(tap, stage):
    """37: a new pair of our own costs no record that is on its way out."""
    keys = Keys(stage)
    oracle, where, out = Oracle(), stage.ipc("in"), stage.tcp()
    filter_ = stage.start("-v", "--in=pull:@" + where,
                          "--inliers=push:@" + out, "--threshold=-1", *SMALL,
                          *keys.options())
    reader = Consumer(stage, out, lambda f: oracle.inliers(f[-1]), hwm=5,
                      rcvbuf=8192, stalled=True, **keys.client("friend"))
    # Who has not shaken hands by then never will: it knows the old key.
    wait_until(lambda: reader.events[zmq.EVENT_HANDSHAKE_SUCCEEDED], 20,
               "the reader")
    producer = Producer(stage, where, oracle.ledger,
                        messages(Records().some(512, 2000)))
    producer.wait_sent()
    filter_.wait_received(512)  # whole windows: none is left to wait
    since = len(filter_.stderr())
    keys.replace("server", "other")
    filter_.send(signal.SIGHUP)
    filter_.wait_said(r"another pair", since=since)
    time.sleep(0.3)
    reader.resume()
    wait_until(lambda: oracle.total() >= 512, 20, "all that was sent")
    filter_.wait_said(r"bound tcp.* again", since=since)
    tap.ok(True, "37: a new pair waits until all is read")
    producer.end()
    reader.end()
    Consumer(stage, out, lambda f: oracle.inliers(f[-1]),
             **keys.client("friend", "other"))
    Producer(stage, where, oracle.ledger,
             messages(Records(source=1).some(100))).wait_sent()
    wait_until(lambda: oracle.total() >= 612, 20, "what comes after")
    ended = filter_.stop()
    tap.ok(ended.status == 0 and ended.count("received") == 612
           and not any(oracle.report()),
           "37: and who knows it is let in", "%r %s" % (oracle.report(),
                                                        ended.stderr))


def case_new_pair_in(tap, stage):
    """37: nor one that came and is not in the queues yet, or that is told."""
    # A machine that is busy may take longer than is waited.
    tap.ok(any(new_pair_in(tap, 0.2) == 0 for _ in range(3)),
           "37: what waits before an input is waited for")
    tap.ok(new_pair_in(tap, 2.0) > 0, "37: but not for ever")


def new_pair_in(tap, seconds):
    """Records that are lost where a reader goes on so much later."""
    with contextlib.closing(Stage()) as stage:
        return pass_new_pair(tap, stage, seconds)


def pass_new_pair(tap, stage, seconds):
    keys, where, out = Keys(stage), stage.tcp(), stage.ipc("out")
    oracle = Oracle()
    filter_ = stage.start("-v", "--in=pull:@" + where, "--inliers=push:@" + out,
                          "--outliers=null:", "--threshold=-1", "--hwm=5",
                          *SMALL, *keys.options())
    reader = Consumer(stage, out, lambda f: oracle.inliers(f[-1]), hwm=5,
                      stalled=True)
    # What sockets take that nobody reads, and more.
    hand_over(where, oracle.ledger, messages(Records().some(400, 3000)),
              **keys.client("friend"))
    wait_until(lambda: filter_.counters()["received"] > 0, 20, "some to come")
    time.sleep(0.3)  # for the rest to be stuck
    since = len(filter_.stderr())
    keys.replace("server", "other")
    filter_.send(signal.SIGHUP)
    filter_.wait_said(r"another pair", since=since)
    time.sleep(seconds)
    reader.resume()
    filter_.wait_said(r"bound tcp.* again", since=since)
    settle(oracle)
    ended = filter_.stop()
    settle(oracle)
    lost, *strange = oracle.report()
    is_told = "are cut off" in ended.stderr and "was not read" in ended.stderr
    tap.ok(not any(strange) and (ended.status, is_told) ==
           ((75, True) if lost > 0 else (0, False)),
           "37: what waits before an input for %g s is not lost without a word"
           % seconds, "%r %s" % (oracle.report(), ended.stderr))
    return lost


def case_new_pair_idle(tap, stage):
    """37: who has sent all is cut off by then, whatever waits of it, so that
    what it sends from then on stays there."""
    keys, where, out = Keys(stage), stage.tcp(), stage.ipc("out")
    oracle, feed = Oracle(), Feed()
    filter_ = stage.start("-v", "--in=pull:@" + where, "--inliers=push:@" + out,
                          "--threshold=-1", *SMALL, *keys.options())
    producer = Producer(stage, where, oracle.ledger, feed,
                        **keys.client("friend"))
    for message in messages(Records().some(64)):
        feed.put(message)
    filter_.wait_received(16)  # more it does not take
    time.sleep(0.3)  # for the rest to be in its queues
    keys.replace("server", "other")
    filter_.send(signal.SIGHUP)
    filter_.wait_said(r"bound tcp.* again")
    wait_until(lambda: producer.lost_connections() > 0, 10, "the cut")
    tap.ok(True, "37: who sends is cut off though nobody reads")
    Consumer(stage, out, lambda f: oracle.inliers(f[-1]))
    wait_until(lambda: oracle.total() >= 64, 20, "what waited")
    ended = filter_.stop()
    tap.ok(ended.status == 0 and not any(oracle.report()),
           "37: and what waited is not lost", "%r %s" % (oracle.report(),
                                                         ended.stderr))


def case_nobody_yet(tap, stage):
    """37: nor does it wait for who knows the old one and never comes."""
    keys, oracle, out = Keys(stage), Oracle(), stage.tcp()
    filter_ = stage.start("-v", "--in=pull:@" + stage.ipc("in"),
                          "--inliers=push:@" + out, "--threshold=-1", *SMALL,
                          *keys.options())
    Producer(stage, stage.ipc("in"), oracle.ledger,
             messages(Records().some(64))).wait_sent()
    filter_.wait_received(16)  # more it does not take
    time.sleep(0.3)  # for them to be judged
    keys.replace("server", "other")
    filter_.send(signal.SIGHUP)
    filter_.wait_said(r"bound tcp.* again")
    Consumer(stage, out, lambda f: oracle.inliers(f[-1]),
             **keys.client("friend", "other"))
    wait_until(lambda: oracle.total() >= 64, 20, "what waited")
    ended = filter_.stop()
    tap.ok(ended.status == 0 and not any(oracle.report()),
           "37: what waits for anybody leaves to who knows a new pair",
           "%r %s" % (oracle.report(), ended.stderr))


def case_cut_off(tap, stage):
    """37: nor one that leaves while those before are being cut off."""
    env = preload(tap, stage, "slow_close", PRAE_CLOSE="500")
    if env is None:
        return
    for kind, hears in ("push", zmq.PULL), ("pub", zmq.SUB):
        place = Stage()
        try:
            cut_off(tap, place, env, kind, hears)
        finally:
            place.close()


def cut_off(tap, stage, env, kind, hears):
    keys, oracle, out = Keys(stage), Oracle(), stage.tcp()
    filter_ = stage.start("-v", "--in=-", "--inliers=%s:@%s" % (kind, out),
                          "--threshold=-1", *SMALL, *keys.options(), env=env,
                          stdin=subprocess.PIPE)

    def consume(server):
        Consumer(stage, out, lambda f: oracle.inliers(f[-1]), kind=hears,
                 reconnect_ivl=10, **keys.client("friend", server))

    def write(source):
        # More than libzmq writes at once.
        for record in Records(source=source).some(48, 2000):
            oracle.ledger.add(record)
            filter_.process.stdin.write(record)
        filter_.process.stdin.flush()

    keys.replace("stranger", "server")  # which is to be replaced itself
    consume("stranger")
    filter_.wait_said("a peer has come")
    time.sleep(0.2)  # for its subscription
    write(0)
    wait_until(lambda: oracle.total() >= 48, 20, "what comes first")
    keys.replace("server", "other")
    filter_.send(signal.SIGHUP)
    filter_.wait_said(r"bound tcp.* again")
    if kind == "push":
        write(1)
    consume("other")
    filter_.wait_said(r"(?s)again.* a peer has come")
    time.sleep(0.2)
    write(2)
    filter_.process.stdin.close()
    ended = filter_.wait()
    wait_until(lambda: oracle.total() >= ended.count("received"), 5,
               "the last records")
    tap.ok(ended.status == 0 and not any(oracle.report()),
           "37: of what a %s sends then nothing is lost" % kind,
           "%r %s" % (oracle.report(), ended.stderr))


def case_robbed(tap, stage):
    """37: a new pair, and somebody is at the port before it is bound."""
    keys = Keys(stage)
    door = Door(stage, *keys.options())
    for attempt in range(20):
        keys.replace("server", ("other", "stranger")[attempt % 2])
        since = len(door.filter.stderr())
        door.filter.send(signal.SIGHUP)
        with socket.socket() as robber:
            if takes(robber, door.at):
                door.filter.wait_said(r"cannot bind again", since=since)
                tap.ok(True, "37: a port that is taken is told of")
                break
    else:
        tap.skip("37: a port that is taken", "it never was")
    tap.same(door.knock(**keys.client("friend")), True,
             "37: and bound once it is free")
    tap.same(door.filter.stop().status, 0, "37: and it goes on")


def takes(robber, endpoint):
    """Whether the endpoint's port was free for a moment."""
    robber.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    limit = time.monotonic() + 0.5
    while time.monotonic() < limit:
        with contextlib.suppress(OSError):
            robber.bind(("127.0.0.1", int(endpoint.rpartition(":")[2])))
            robber.listen()
            return True
    return False


def case_secret(tap, stage):
    """37: a secret that others can read is none."""
    keys = Keys(stage)
    for mode in (0o644, 0o640, 0o604):
        os.chmod(keys.secret("server"), mode)
        ended = stage.run("--in=pull:@" + stage.tcp(), "--inliers=null:",
                          *keys.options())
        tap.ok(ended.status == CONFIG and "server.key_secret" in ended.stderr,
               "37: a secret of mode %o is refused" % mode,
               "%d %s" % (ended.status, ended.stderr))


def case_queue(tap, stage):
    """36: however short the queues are, who is let in is heard."""
    for hwm in (1, 2):
        for name, way in (("a sender is heard", send_to),
                          ("a publisher is heard", publish_to),
                          ("a subscriber hears", subscribe_to)):
            place = Stage()
            try:
                tap.ok(way(place, Keys(place), "--hwm=%d" % hwm),
                       "36: %s, --hwm=%d" % (name, hwm))
            finally:
                place.close()


def case_steady(tap, stage):
    """36: messages whose parts cannot be counted come on and on: an end is
    none the later for that."""
    keys = Keys(stage)
    door = Door(stage, "--drain=40s", *keys.options())
    records, enough = Records(), threading.Event()

    def talk():
        while not enough.is_set():
            yield Message((b"a", b"b"), tuple(records.some(1)))
    producer = Producer(stage, door.at, door.oracle.ledger, talk(), rate=100,
                        **keys.client("friend"))
    door.filter.wait_received(50)
    since = time.monotonic()
    ended = door.filter.stop(seconds=60)
    took = time.monotonic() - since
    enough.set()
    producer.end()
    tap.ok(ended.status == 0 and took < 8 * SLACK,
           "36: it ends soon though somebody goes on",
           "%.1f s\n%s" % (took, ended.stderr))


def send_to(stage, keys, hwm):
    return Door(stage, hwm, *keys.options()).knock(**keys.client("friend"))


def publish_to(stage, keys, hwm):
    oracle, where = Oracle(), stage.tcp()
    filter_ = stage.start("--in=sub:@" + where, "--inliers=null:", hwm,
                          *SMALL, *keys.options())
    # What it sends before it is subscribed to nobody hears.
    producer = Producer(stage, where, oracle.ledger,
                        endless(Records(), threading.Event()), kind=zmq.PUB,
                        rate=1000, **keys.client("friend"))
    filter_.wait_received(40)
    producer.end()
    return filter_.stop().status == 0


def subscribe_to(stage, keys, hwm):
    oracle, where, out = Oracle(), stage.ipc("in"), stage.tcp()
    filter_ = stage.start("--in=pull:@" + where, "--inliers=pub:@" + out,
                          "--threshold=-1", "--wait-peers=1", hwm, *SMALL,
                          *keys.options())
    Consumer(stage, out, lambda f: oracle.inliers(f[-1]), kind=zmq.SUB,
             **keys.client("friend"))
    Producer(stage, where, oracle.ledger, messages(Records().some(40)))
    wait_until(lambda: oracle.total() >= 40, 20, "what is published")
    return filter_.stop().status == 0 and not any(oracle.report())


class Server(Peer):
    """A consumer that lets in whom KEYS allow."""

    def __init__(self, stage, keys, take):
        self.take = take
        super().__init__(stage, zmq.PULL, stage.tcp(), True,
                         keys.serving("other"))

    def work(self, socket):
        while not self.ended.is_set():
            if socket.poll(20):
                self.take(socket.recv_multipart()[-1])


def case_client(tap, stage):
    """36: the filter connects to somebody who asks for its key."""
    keys = Keys(stage)
    keys.let_in("server")
    doorkeeper = ThreadAuthenticator(stage.context)
    doorkeeper.start()
    try:
        doorkeeper.configure_curve(domain="*", location=keys.allow)
        oracle = Oracle()
        server = Server(stage, keys, oracle.inliers)
        for known, wanted in (("other", True), ("stranger", False)):
            knock_at(tap, stage, keys, server, oracle, known, wanted)
    finally:
        doorkeeper.stop()


def case_not_yet(tap, stage):
    """36: who is let in later has lost nothing until then."""
    keys = Keys(stage)
    doorkeeper = ThreadAuthenticator(stage.context)
    doorkeeper.start()
    try:
        doorkeeper.configure_curve(domain="*", location=keys.allow)
        oracle, where = Oracle(), stage.ipc("in")
        server = Server(stage, keys, oracle.inliers)
        filter_ = stage.start(
            "--in=pull:@" + where, "--inliers=push:" + server.endpoint,
            "--threshold=-1", *SMALL,
            "--curve-secret=" + keys.secret("server"),
            "--curve-server=" + keys.public("other"))
        Producer(stage, where, oracle.ledger,
                 messages(Records().some(48))).wait_sent()
        filter_.wait_said("does not let us in")
        keys.let_in("server")
        doorkeeper.configure_curve(domain="*", location=keys.allow)
        wait_until(lambda: oracle.total() == 48, 20, "the records")
        ended = filter_.stop()
        tap.ok(ended.status == 0 and not any(oracle.report()),
               "36: who is let in later has lost nothing until then",
               "%r %s" % (oracle.report(), ended.stderr))
    finally:
        doorkeeper.stop()


def case_forged(tap, stage):
    """36: somebody without keys is where the filter connects to."""
    keys, out, where = Keys(stage), stage.tcp(), stage.ipc("in")
    for words, wanted in (
            # A client, as the filter is, says nothing that is for one.
            (frame(b"\x05HELLO" + bytes(194), COMMAND), "does not let us in"),
            (frame(b"\x07WELCOME" + bytes(160), COMMAND), "forged")):
        filter_ = stage.start(
            "--in=pull:@" + where, "--inliers=push:" + out, "--threshold=-1",
            "--drain=1s", *SMALL, "--curve-secret=" + keys.secret("server"),
            "--curve-server=" + keys.public("other"))
        Producer(stage, where, Oracle().ledger,
                 messages(Records().some(48))).wait_sent()
        filter_.wait_received(48)
        time.sleep(0.3)  # for the last of them to be judged
        with listen(out) as listener:
            for _ in range(2 if wanted != "forged" else 1):
                peer = listener.accept()[0]
                with peer:
                    peer.settimeout(10)
                    peer.sendall(greeting(b"CURVE"))
                    peer.recv(4096)
                    peer.sendall(words)
                    filter_.wait_said(wanted)
        ended = filter_.stop()
        tap.same((ended.status, ended.count("inliers"),
                  ended.count("undelivered")),
                 (1 if wanted == "forged" else 75, 0, 48),
                 "36: %s: nothing counts as delivered" % wanted)


def forge(listener):
    """Is there in a server's place; whether the filter came."""
    try:
        peer = listener.accept()[0]
    except socket.timeout:
        return False
    with peer:
        peer.settimeout(10)
        peer.sendall(greeting(b"CURVE"))
        peer.recv(4096)
        peer.sendall(frame(b"\x07WELCOME" + bytes(160), COMMAND))
        peer.recv(4096)  # that it hangs up
    return True


def forge_for(tap, stage, keys, name, where, *options, env=None):
    """A filter that NAME of connects to WHERE, and to nobody right yet."""
    with listen(where) as listener:
        listener.settimeout(10)
        filter_ = stage.start(
            "--threshold=-1", *SMALL, *options,
            "--curve-secret=" + keys.secret("server"),
            "--curve-server=" + keys.public("other"), env=env)
        since = time.monotonic()
        came = sum(forge(listener) for _ in range(4))
        took = time.monotonic() - since
    tap.ok(came == 4 and took > 1.5, "36: a %s comes again to who forges "
           "the handshake, but once a second" % name, (came, took))
    tap.same(filter_.stderr().count("forged"), 1, "36: that is told once")
    return filter_


def case_forged_anew(tap, stage):
    """36: somebody without keys was where an input or a pub connects to."""
    keys = Keys(stage)
    for name, kind in (("pull", zmq.PUSH), ("sub", zmq.PUB),
                       ("pub", zmq.SUB)):
        where, here, oracle = stage.tcp(), stage.ipc(name), Oracle()
        feed = Feed()
        if kind == zmq.SUB:
            ends = ("--in=pull:@" + here, "--inliers=pub:" + where)
        else:
            ends = ("--in=%s:%s" % (name, where), "--inliers=push:@" + here)
        filter_ = forge_for(tap, stage, keys, name, where, *ends)
        if kind == zmq.SUB:
            right = Consumer(stage, where, lambda f, o=oracle:
                             o.inliers(f[-1]), True, kind,
                             **keys.serving("other"))
            Producer(stage, here, oracle.ledger, feed)
        else:
            right = Producer(stage, where, oracle.ledger, feed, True, kind,
                             **keys.serving("other"))
            Consumer(stage, here, lambda f, o=oracle: o.inliers(f[-1]))
        wait_until(lambda r=right: r.events[zmq.EVENT_HANDSHAKE_SUCCEEDED],
                   20, "the filter")
        time.sleep(0.3)  # for who subscribes
        for message in messages(Records().some(48)):
            feed.put(message)
        wait_until(lambda o=oracle: o.total() == 48, 20, "the records")
        ended = filter_.stop()
        tap.ok(ended.status == 0 and not any(oracle.report()),
               "36: and meets the right one when that is there",
               "%r %s" % (oracle.report(), ended.stderr))


def case_forged_late(tap, stage):
    """36: that is seen by whatever looks at it first."""
    env = preload(tap, stage, "slow_turn", PRAE_TURN="20")
    if env is None:
        return
    where = stage.tcp()
    forge_for(tap, stage, Keys(stage), "pub", where, "--in=pull:@" +
              stage.ipc("in"), "--inliers=pub:" + where, env=env)


def listen_at_last(where):
    """Where libzmq may be about to let go."""
    found = []

    def try_it():
        with contextlib.suppress(OSError):
            found.append(listen(where))
        return found

    wait_until(try_it, 20, "a port to be free")
    return found[0]


def case_forged_queue(tap, stage):
    """36: what waits for the subscriber that a pub connects to."""
    keys, where, here = Keys(stage), stage.tcp(), stage.ipc("in")
    reader = Consumer(stage, where, lambda frames: None, True, zmq.SUB, hwm=5,
                      rcvbuf=4096, **keys.serving("other"))
    filter_ = stage.start(
        "-v", "--in=pull:@" + here, "--inliers=pub:" + where, "--threshold=-1",
        "--tight", "--hwm=500", "--wait-peers=1", *SMALL,
        "--curve-secret=" + keys.secret("server"),
        "--curve-server=" + keys.public("other"))
    filter_.wait_said("all peers are there")
    reader.stall()
    Producer(stage, here, Oracle().ledger,
             messages(Records().some(320, 3000))).wait_sent()
    filter_.wait_received(320)
    reader.end()
    with listen_at_last(where) as listener:
        listener.settimeout(10)
        tap.ok(forge(listener), "36: a pub comes to who forges")
        filter_.wait_said("are lost to it")
    ended = filter_.stop()
    tap.ok(ended.status == 0 and ended.stats["dropped"] > 100,
           "36: what waited for its subscriber is counted",
           "%r %s" % (ended.stats, ended.stderr))


def make_noise(proxy, at_target):
    """To who PROXY leads to, or who comes by it: what nobody can decrypt."""
    for sock in [sock for sock in list(proxy.links)
                 if (sock.getpeername() == proxy.target) == at_target]:
        sock.sendall(frame(b"\x07MESSAGE" + bytes(33)))


def case_noise_in(tap, stage):
    """36: what cannot be decrypted costs an input that connection alone."""
    keys, oracle, feed = Keys(stage), Oracle(), Feed()
    server = Producer(stage, stage.tcp(), oracle.ledger, feed, True,
                      **keys.serving("other"))
    proxy, out = Proxy(stage, server.endpoint), stage.ipc("out")
    filter_ = stage.start(
        "--in=pull:" + proxy.endpoint, "--inliers=push:@" + out,
        "--threshold=-1", *SMALL, "--curve-secret=" + keys.secret("server"),
        "--curve-server=" + keys.public("other"))
    Consumer(stage, out, lambda f: oracle.inliers(f[-1]))
    some = list(messages(Records().some(64)))
    for half in some[:len(some) // 2], some[len(some) // 2:]:
        for message in half:
            feed.put(message)
        wanted = oracle.total() + 32
        wait_until(lambda w=wanted: oracle.total() == w, 20, "the records")
        make_noise(proxy, False)
        time.sleep(0.3)  # for the server to know
    ended = filter_.stop()
    tap.ok(ended.status == 0 and not any(oracle.report()),
           "36: who comes after noise is heard",
           "%r %s" % (oracle.report(), ended.stderr))


def case_noise(tap, stage):
    """36: what cannot be decrypted ends a connection, and leaves nothing."""
    keys = Keys(stage)
    for kind, peer in (("push", zmq.PULL), ("pub", zmq.SUB)):
        out = stage.tcp()
        filter_ = stage.start("-v", "--in=pull:@" + stage.ipc(kind),
                              "--inliers=%s:@%s" % (kind, out),
                              *keys.options())
        held = filter_.descriptors()
        proxy = Proxy(stage, out)
        consumer = Consumer(stage, proxy.endpoint, lambda frames: None,
                            kind=peer, **keys.client("friend"))
        filter_.wait_said("a peer has come")
        make_noise(proxy, True)
        consumer.end()
        proxy.ended.set()
        wait_until(lambda: filter_.descriptors() <= held, 20,
                   "the connection to be closed")
        tap.same(filter_.stop().status, 0, "36: who makes noise at a %s is "
                 "hung up on" % kind)


def knock_at(tap, stage, keys, server, oracle, known, wanted):
    where = stage.ipc("in-" + known)
    before = oracle.total()
    filter_ = stage.start(
        "--in=pull:@" + where, "--inliers=push:" + server.endpoint,
        "--outliers=null:", "--threshold=-1", "--drain=1s", *SMALL,
        "--curve-secret=" + keys.secret("server"),
        "--curve-server=" + keys.public(known))
    Producer(stage, where, oracle.ledger,
             messages(Records(source=int(wanted)).some(48))).wait_sent()
    filter_.wait_received(48)
    if wanted:
        wait_until(lambda: oracle.total() == before + 48, 20, "the records")
    ended = filter_.stop()
    tap.same((ended.status, oracle.total() - before),
             (0, 48) if wanted else (75, 0),
             "36: connecting with the %s server's key" % (
                 "right" if wanted else "wrong"))


if not zmq.has("curve"):
    skip_all("libzmq has no CURVE")
main(Stage, [case_matrix, case_nobody, case_reload, case_new_pair,
             case_new_pair_in, case_new_pair_idle, case_nobody_yet,
             case_cut_off, case_robbed, case_secret, case_queue, case_steady,
             case_client, case_not_yet, case_forged, case_forged_anew,
             case_forged_late, case_forged_queue, case_noise, case_noise_in],
     240)
