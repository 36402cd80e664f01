"""chances_draw.py - a scene of chances.py, drawn from a seed and a number.

All that chance decides is decided here, before anything is started, so that
the same two numbers give the same scene; what is left to chance then is time.

Scenes end in one of eight ways:

    out       all is sent and has come out, then a signal
    received  all is sent and received, then a signal
    handed    the senders have left all to the kernel and gone, then a signal
    dragged   the same at a filter that is slow, so that much waits then
    swept     the same, and nobody reads before half of the time is over
    amid      a signal while senders go on
    stuck     the same while somebody does not read
    flooded   a signal while they send more than is judged or read

In the first four nothing may be lost. Where it is swept that goes for status 0,
or it is told. In the last three the account has to be right: prae-filter(1),
DELIVERY, says what becomes of the rest. Where it is flooded, little may be
undelivered: what there is no time for is left to the senders.
"""
import collections
import random

ENDS = ("out", "received", "handed", "dragged", "swept", "amid", "stuck",
        "flooded")
WHOLE = ENDS[:5]  # nothing may be lost

# An input: pull, sub, file or fifo. COUNT is that of a file's records.
Input = collections.namedtuple(
    "Input", "name kind bind net topics count", defaults=((), 0))

# An output: push, pub, file, stdout, null or none: no option is given.
# READERS are how those who read do so.
Output = collections.namedtuple(
    "Output", "name kind bind net readers", defaults=(False, "", ()))

# PACE is quick, slow, pauses, late, process, or stuck from some time on.
# STOPS are pairs: after how many seconds it stops, and for how many.
Reader = collections.namedtuple("Reader", "pace hwm rcvbuf stops after")

# Somebody who sends to INPUT, in one visit or several.
Sender = collections.namedtuple("Sender", "input visits")

# COUNT records in messages of up to EACH; after EVERY so many a pause.
Visit = collections.namedtuple(
    "Visit", "source seed count each lead after pause every hwm stays "
    "others")

# What holds the filter up, as a busy machine would: NAME.c, which has to be
# told by how many milliseconds, in ENV.
Drag = collections.namedtuple("Drag", "name env ms")

OUTPUTS = ("inliers", "outliers", "rejects", "scores")
SIGNALS = ("SIGHUP", "SIGUSR1", "SIGUSR2")
COMMANDS = ("STATS", "HELP", "SET fpr 0.02", "SET fpr 0", "SET threshold 0.3",
            "PAUSE", "RESUME", "SNAPSHOT", "REVERT", "FROB")
PAGES = ("/metrics", "/stats.json", "/healthz", "/readyz", "/", "/none")
# What strangers do who connect: see chances_scene.py.
KNOCKS = ("go", "reset", "noise", "half", "greet", "unfit")
DRAGS = {"slow_receive": "PRAE_RECEIVE", "slow_poll": "PRAE_POLL",
         "slow_hear": "PRAE_HEAR"}
DRAG_MS = 5000  # in all: what waits has to leave within --drain
READS = 25  # that a large record may take, of 8192 bytes each


class Scene:
    """What is drawn; `has` are the properties that are counted."""

    def __init__(self, seed, number):
        self.seed = seed
        self.number = number
        self.draw = random.Random("%d:%d" % (seed, number))
        self.has = set()
        self.end = self.draw.choices(ENDS, (22, 8, 16, 18, 16, 12, 8, 8))[0]
        self.note("end " + self.end)
        self.format = self.draw.choices(("msgpack", "jsonl", "csv"),
                                        (4, 2, 2))[0]
        self.note(self.format)
        self.curve = self.chance(0.25, "curve")
        self.sizes = self.pick("sizes", ("small", "mixed", "large"),
                               (5, 4, 2))
        self.broken = self.draw.choice((0, 0, 0.01, 0.1, 0.3))
        if self.broken:
            self.note("broken records")
        self.inputs = self.draw_inputs()
        self.outputs = self.draw_outputs()
        self.senders = self.draw_senders()
        self.options = self.draw_options()
        self.drag = self.draw_drag()
        self.http = self.chance(0.3, "http")
        self.control = self.chance(0.3, "control")
        self.order = self.draw_order()
        self.disturbances = self.draw_disturbances()
        self.stop_at = self.draw.uniform(0.3, 1.5)  # amid, stuck
        self.stop_late = self.draw.choice((0, 0, 0.02, 0.2))  # else
        # Swept: when they read again, as a share of --drain.
        self.read_at = self.draw.uniform(0.3, 0.7)
        # When after the signal it is stopped, and for how long.
        self.asleep = ((self.draw.uniform(0, 0.05),
                        self.draw.uniform(0.1, 1.0))
                       if self.is_whole and self.chance(0.2, "end asleep")
                       else None)
        self.stop_by = self.draw.choice(
            ("SIGTERM", "SIGTERM", "SIGINT")
            + (("STOP",) if self.control else ()))
        self.note("stop by " + self.stop_by)

    # ---- chance ----

    def note(self, what):
        self.has.add(what)

    def chance(self, share, what=None):
        found = self.draw.random() < share
        if found and what:
            self.note(what)
        return found

    def pick(self, what, choices, weights=None):
        found = self.draw.choices(choices, weights)[0]
        self.note("%s %s" % (what, found))
        return found

    @property
    def is_whole(self):
        return self.end in WHOLE

    @property
    def is_handed(self):
        return self.end in ("handed", "dragged", "swept")

    # ---- who sends ----

    def draw_net(self):
        # Keys are asked for over tcp only.
        return self.draw.choices(("ipc", "tcp"),
                                 (1, 4) if self.curve else (1, 1))[0]

    def draw_inputs(self):
        inputs = []
        for at in range(self.draw.choices((1, 2, 3), (5, 3, 2))[0]):
            kind = self.draw.choices(("pull", "sub"), (4, 1))[0]
            bind = self.chance(0.6)
            inputs.append(Input("in%d" % at, kind, bind, self.draw_net()))
        if any(each.kind == "sub" for each in inputs):
            topics = self.draw.choice(((), (b"a",), (b"a.", b"b.")))
            inputs = [each._replace(topics=topics) if each.kind == "sub"
                      else each for each in inputs]
            self.note("topics %d" % len(topics))
        # The rest of a file is not read when it is asked to stop.
        if self.end in ("out", "received") and self.chance(0.25):
            kind = self.draw.choice(("file", "fifo"))
            inputs.append(Input("in9", kind, False, "",
                                count=self.draw.randint(1, 500)))
        for each in inputs:
            self.note(("in", each.kind, "bound" if each.bind else
                       "connected", each.net) if each.net
                      else ("in", each.kind))
        self.note("inputs %d" % len(inputs))
        return inputs

    def draw_senders(self):
        senders, source = [], 0
        most = {"small": 2400, "mixed": 600, "large": 120}[self.sizes]
        if self.end == "dragged":
            most = min(most, 300)
        sockets = [each for each in self.inputs if each.net]
        for each in sockets:
            # Who binds has the address for himself.
            many = self.draw.choices((1, 2, 4), (4, 3, 2))[0] \
                if each.bind else 1
            for _ in range(many):
                visits = []
                for _ in range(self.draw.choices((1, 2, 4), (5, 3, 2))[0]):
                    count = int(most ** self.draw.uniform(0.3, 1)
                                / len(sockets)) + 1
                    visits.append(self.draw_visit(each, source, count))
                    source += 1
                if not self.is_whole:
                    # They send until it has ended.
                    visits[-1] = visits[-1]._replace(count=10 ** 9,
                                                     stays=True)
                senders.append(Sender(each.name, visits))
        if any(len(each.visits) > 1 for each in senders):
            self.note("senders come again")
        self.note("senders %s" % (len(senders) if len(senders) < 4
                                  else "4 or more"))
        return senders

    def draw_visit(self, where, source, count):
        lead = (self.draw.choice(where.topics or (b"any",)) + b"t",) \
            if where.kind == "sub" else ()
        if self.chance(0.4):
            lead += (b"%d" % source, b"", b"x" * 300)[:self.draw.randint(1, 3)]
        if lead:
            self.note("leading frames")
        # How long, and after how many messages; in all not more than that
        # a scene is over soon.
        pause, every = self.draw.choice(
            ((0, 1), (0, 1), (0, 1), (0.005, count // 100 + 1),
             (0.1, count // self.draw.choice((3, 10)) + 1))
            if self.is_whole else ((0, 1),) if self.end == "flooded" else
            ((0.05, 1), (0.05, 1), (0.1, 2), (0.2, 4))
            if self.sizes == "large" else
            ((0.002, 1), (0.005, 1), (0.05, 20), (0.2, 200)))
        seed = self.draw.getrandbits(30)
        each = self.draw.choice((1, 1, 2, 7, 40 if self.is_whole else 3))
        if self.sizes == "large" and not self.is_whole:
            each = 1  # all of it has to leave within --drain
        return Visit(
            source, seed, count, each, lead,
            self.draw.choice((0, 0, 0.05, 0.3)), pause, every,
            self.draw.choice((1, 5, 100, 1000)),
            not self.is_handed and self.chance(0.5),
            self.chance(0.3, "other topics") if where.topics else False)

    # ---- who receives ----

    def draw_outputs(self):
        kinds = {
            "inliers": self.draw.choices(
                ("push", "pub", "file", "stdout", "null"),
                (10, 3, 2, 1, 1))[0],
            "outliers": self.draw.choices(
                ("push", "pub", "file", "null", "none"),
                (10, 3, 3, 1, 1))[0],
            "rejects": self.draw.choices(
                ("none", "push", "pub", "file", "null"),
                (8, 4, 1, 2, 1))[0],
            "scores": self.draw.choices(
                ("none", "push", "pub", "file"), (8, 2, 1, 1))[0]}
        if self.end in ("stuck", "flooded"):
            # Who of several has what is known roughly only.
            kinds = {name: {"pub": "push"}.get(kind, kind)
                     for name, kind in kinds.items()}
            kinds["inliers"] = "push"
        published = "pub" in kinds.values()
        common = self.draw.choice((1, 1, 2, 3)) if published else 0
        outputs = {name: self.draw_output(name, kind, common)
                   for name, kind in kinds.items()}
        sockets = [each for each in outputs.values() if each.net]
        least = min((len(each.readers) for each in sockets), default=0)
        self.wait_peers = 0
        if published or (least and self.chance(0.3)):
            self.wait_peers = least
            self.note("wait-peers")
        return outputs

    def draw_output(self, name, kind, common):
        if kind not in ("push", "pub"):
            self.note("%s %s" % (name, kind))
            return Output(name, kind)
        bind = self.chance(0.6)
        many = self.draw.choice((1, 1, 2, 3)) if bind else 1
        if self.end in ("stuck", "flooded"):
            many = 1
        if common:
            many, bind = common, bind or common > 1
        net = self.draw_net()
        self.note((name, kind, "bound" if bind else "connected", net))
        if many > 1:
            self.note("%s, several readers" % kind)
        readers = tuple(self.draw_reader(kind, net) for _ in range(many))
        if self.end == "stuck" and name == "inliers":
            readers = tuple(each._replace(pace=self.draw.choice(
                ("stuck", "stuck", "nobody"))) for each in readers)
        return Output(name, kind, bind, net, readers)

    def draw_reader(self, kind, net):
        # Where they send on, who is slow would never have all in time.
        paces = ["quick", "slow" if self.is_whole else "quick", "pauses",
                 "late"]
        if self.end == "flooded":
            paces = ["quick", "slow"]
        # A process of its own is a plain PULL, with a small buffer, by which
        # what is large takes seconds.
        large = self.sizes == "large" and net == "tcp"
        if kind == "push" and not (self.curve and net == "tcp") \
                and not large and self.end != "flooded":
            paces.append("process")
        # Late for the signal, too, so that much waits for it everywhere.
        handed = self.is_handed
        pace = self.draw.choices(paces, (5, 2, 3, 6 if handed else 2,
                                         2)[:len(paces)])[0]
        self.note("reader " + pace)
        stops = []
        if pace in ("pauses", "process"):
            stops = [(self.draw.uniform(0, 0.6), self.draw.uniform(0.05, 0.6))
                     for _ in range(self.draw.randint(1, 3))]
        # By a small buffer, too, what is on its way may take seconds.
        small = self.is_whole and not large
        return Reader(pace, self.draw.choice((1, 5, 1000)),
                      self.draw.choice((0, 0, 8192 if small else 0)),
                      tuple(stops),
                      self.draw.uniform(0.1, 2.5 if handed else 0.8)
                      if pace == "late" else 0)

    # ---- the filter ----

    def draw_options(self):
        wait = self.draw.choice(("never", "50ms", "200ms", "1s"))
        if self.end == "out" and wait == "never":
            wait = "100ms"
        drain = {"stuck": 1, "swept": self.draw.choice((1, 2, 4)),
                 "flooded": 5}.get(self.end, 20)
        self.drain = drain
        options = ["--window=%d" % self.pick("window", (8, 32, 100, 512)),
                   "--max-wait=" + wait, "--drain=%ds" % drain]
        self.note("max-wait " + wait)
        hwm = self.pick("hwm", ("1", "2") if self.end == "dragged"
                        else ("1", "2", "10") if self.end == "flooded"
                        else ("1", "2", "10", "default"))
        if hwm != "default":
            options.append("--hwm=" + hwm)
        if self.chance(0.25, "tight"):
            options.append("--tight")
        if self.chance(0.25, "emit now"):
            options.append("--emit=now")
        if self.chance(0.3):
            options.append("--cold="
                           + self.pick("cold", ("pass", "flag", "hold")))
        if self.chance(0.2, "threads"):
            options.append("--threads=%d" % self.draw.randint(2, 3))
        self.model = self.chance(0.25, "model")
        if self.model and self.chance(0.6, "save-every"):
            options.append("--save-every="
                           + self.draw.choice(("1", "5", "100ms")))
        if self.chance(0.2):
            options.append("--threshold=-1")
        if self.wait_peers:
            options.append("--wait-peers=%d" % self.wait_peers)
        return options

    def draw_drag(self):
        if not self.is_whole or not (self.end == "dragged"
                                     or self.chance(0.2)):
            return None
        name = self.draw.choice(sorted(DRAGS))
        visits = [each for sender in self.senders for each in sender.visits]
        frames = sum(each.count * (1 + len(each.lead)) for each in visits)
        if self.sizes == "large":
            frames *= READS
        most = min(50, DRAG_MS // frames)
        if most < 1:
            return None
        self.note(name)
        return Drag(name, DRAGS[name], self.draw.randint(1, most))

    def draw_order(self):
        order = ["filter", "senders", "readers"]
        self.draw.shuffle(order)
        # Any free port can be told to others only once it is bound.
        self.wildcard = None
        bound = [each.name for each in (*self.inputs, *self.outputs.values())
                 if each.net == "tcp" and each.bind]
        if order[0] == "filter" and bound and self.chance(0.5):
            self.wildcard = self.draw.choice(bound)
            self.note("any port")
        self.note("order " + " ".join(order))
        return order

    def draw_disturbances(self):
        """What happens meanwhile: when, what, and how."""
        found = []
        for _ in range(self.draw.choice((0, 0, 1, 3, 8))):
            what = self.draw.choice(("signal", "stop", "knock", "http",
                                     "control"))
            if (what == "http" and not self.http
                    or what == "control" and not self.control):
                what = "knock"
            how = {"signal": lambda: self.draw.choice(SIGNALS),
                   "stop": lambda: self.draw.uniform(0.02, 0.5),
                   "knock": lambda: (self.draw.choice(KNOCKS),
                                     self.draw.randint(1, 5),
                                     self.draw.random()),
                   "http": lambda: self.draw.choice(PAGES),
                   "control": lambda: self.draw.choice(COMMANDS)}[what]()
            if what == "signal":
                self.note(how)
            elif what == "stop":
                self.note("the filter is stopped")
            elif what == "knock":
                self.note("knock " + how[0])
            found.append((self.draw.uniform(0, 1.2), what, how))
        return sorted(found, key=lambda each: each[0])

    def properties(self):
        """Of all that is drawn, in words."""
        return sorted(each if isinstance(each, str) else " ".join(each)
                      for each in self.has)
