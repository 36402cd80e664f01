"""chances_judge.py - what came out of a scene of chances.py, held against what
went in and what the filter says of it.

Readers of a push share what comes, so it is put together; those of a pub have
all of it each, so one is judged and the others must have had the same.
"""
import os
import re
import threading
import zlib

from oracle import SOURCE
from peers import adds_up
from tap import SLACK

LATE_S = 3 * SLACK  # behind --drain
SHOWN = 12  # numbers of records
# Of what was received by a filter that is flooded, what may be undelivered, or
# may have come after the signal: what the kernel takes for a slow reader, and
# who reads by fits and starts, nobody foresees.
FLOOD_SHARE, FLOOD_LEAST = 0.4, 200

KINDS = {"inlier": "inliers", "outlier": "outliers", "reject": "rejected"}


class Judge:
    def __init__(self, play):
        self.play = play
        self.scene = play.scene
        self.oracle = play.form.oracle(play.ledger)
        self.lock = threading.Lock()
        self.heard = {}  # sums of a reader's messages, by his name
        self.rows = {}  # of scores, by reader
        self.wrong = []
        self.leads = {visit.source: visit.lead for sender in
                      self.scene.senders for visit in sender.visits}
        self.places = self.find_places()
        self.sees_all = all(self.scene.outputs[place].net
                            for place in self.places.values())

    def find_places(self):
        """Which output has records of a kind."""
        rejects = "rejects" if self.scene.outputs["rejects"].kind != "none" \
            else "outliers"
        return {"inlier": "inliers", "outlier": "outliers",
                "reject": rejects}

    def unseen(self):
        """Kinds that go nowhere, and are counted only."""
        return [kind for kind, place in self.places.items()
                if self.scene.outputs[place].kind in ("null", "none")]

    # ---- while it runs ----

    def take(self, reading, frames):
        """A message, from the thread of who received it."""
        with self.lock:
            if reading.output.kind == "pub":
                sums = self.heard.setdefault(reading.name, [])
                sums.append(zlib.crc32(b"\0".join(frames)))
                if not reading.name.endswith("0"):
                    return
            try:
                self.take_payload(reading.output.name, frames[-1],
                                  reading.name)
            except Exception as error:
                self.wrong.append("%s cannot be read: %r" % (reading.name,
                                                             error))
            if reading.leads and reading.output.name != "scores":
                self.check_lead(tuple(frames[:-1]), reading.name)

    def take_payload(self, name, payload, via):
        self.oracle.sources.clear()
        if name == "scores":
            self.rows.setdefault(via, []).extend(
                self.oracle.split_scores(payload))
        elif name == "inliers":
            self.oracle.inliers(payload, via)
        else:
            self.oracle.flagged(payload, via)

    def check_lead(self, lead, name):
        wanted = {self.leads.get(source, ()) for source
                  in self.oracle.sources} or {*self.leads.values()}
        if lead not in wanted or len(self.oracle.sources) > 1:
            self.wrong.append("%s: %r before records of sources %r" % (
                name, lead, sorted(self.oracle.sources)))

    def total(self):
        return self.oracle.total()

    def has_all(self, account):
        """Whether nothing is to be waited for any more."""
        counts = self.oracle.counts
        wanted = account or {}
        return (all(counts[kind] >= wanted.get(KINDS[kind], 0)
                    for kind, place in self.places.items()
                    if self.scene.outputs[place].net)
                and self.rows_wanted(wanted)
                and all(len(self.heard.get(each.output.name + "0", ()))
                        <= len(self.heard.get(each.name, ()))
                        for each in self.play.readings
                        if each.output.kind == "pub"))

    def rows_wanted(self, account):
        return (not self.scene.outputs["scores"].net
                or sum(map(len, self.rows.values()))
                >= account.get("received", 0))

    # ---- when it is over ----

    def read_files(self):
        for name, output in self.scene.outputs.items():
            path = self.play.stage.path(
                {"file": name, "stdout": "stdout"}.get(output.kind, "-"))
            if os.path.exists(path):
                with open(path, "rb") as file, self.lock:
                    self.take_payload(name, file.read(), name)

    def verdict(self):
        """All that is wrong, in words."""
        self.read_files()
        self.wrong = self.play.wrong + self.wrong[:SHOWN]
        ended = self.play.ended
        self.check_end(ended)
        if adds_up(ended.account):
            found = self.oracle.report()
            if self.may_be_swept(ended):
                self.check_swept(ended, found)
            elif self.scene.is_whole:
                self.check_whole(ended, found)
            elif not self.may_be_late(ended):
                self.check_account(ended)
            else:
                self.check_stuck(ended, found)
            self.check_found(found)
            if not self.may_be_late(ended) and not self.may_be_swept(ended):
                self.check_rows(ended.count("received"))
                self.check_subscribers()
                self.check_header()
        else:
            self.wrong.append("the account does not add up: %r"
                              % ended.account)
        return self.wrong

    def may_be_late(self, ended):
        """Whether some may be left: nobody reads, or as much was on its way as
        this machine does not judge within --drain, or who was kept waiting
        goes on."""
        return (self.scene.end == "stuck" or self.scene.end == "flooded"
                and ended.status == 75) or (
            self.scene.end == "amid" and re.search(
                "was still being learned|no time to judge|was not read",
                ended.stderr))

    def may_be_swept(self, ended):
        """Whether there was no time for all of it, and it says so."""
        return self.scene.end == "swept" and ended.status == 75

    def check_end(self, ended):
        if self.play.took_s > self.scene.drain + LATE_S:
            self.wrong.append("it took %.1f s to end, with --drain=%ds"
                              % (self.play.took_s, self.scene.drain))
        late = self.may_be_late(ended) or self.may_be_swept(ended)
        good = (0, 75) if late else (0,)
        if ended.status not in good:
            self.wrong.append("status %d" % ended.status)
        if "error:" in ended.stderr and ended.status == 0:
            self.wrong.append("an error on stderr")
        if ended.stats is None or ended.stats["exit"] != ended.status:
            self.wrong.append("--stats: %r" % ended.stats)

    def check_found(self, found):
        """Whatever may be missing, nothing is there twice, moved, changed."""
        if any(found[1:]):
            self.wrong.append("%r; moved: %r" % (
                found, self.oracle.moved[:SHOWN]))

    def check_account(self, ended):
        counts = self.oracle.counts
        for kind, name in KINDS.items():
            if kind not in self.unseen() \
                    and counts[kind] != ended.count(name):
                self.wrong.append("%d %s came, the account has %d" % (
                    counts[kind], name, ended.count(name)))
        for name in ("undelivered", "held"):
            if ended.count(name):
                self.wrong.append("%s %d" % (name, ended.count(name)))
        for name in ("undelivered", "unheard", "dropped"):
            if (ended.stats or {}).get(name):
                self.wrong.append("%s %d in --stats" % (
                    name, ended.stats[name]))

    def check_whole(self, ended, found):
        self.check_account(ended)
        sent = self.play.ledger.count
        if ended.count("received") != sent:
            self.wrong.append("%d were sent, %d received" % (
                sent, ended.count("received")))
        unseen = sum(ended.count(KINDS[kind]) for kind in self.unseen())
        if found.lost != unseen:
            self.wrong.append("LOST %d of %d%s" % (
                found.lost - unseen, sent,
                ", and %d that nobody sees" % unseen if unseen else ""))
            self.tell_missing()
        if not any(each.kind in ("file", "fifo")
                   for each in self.scene.inputs):
            messages = sum(each.messages for each in self.play.sendings)
            if (ended.stats or {}).get("messages_in") != messages:
                self.wrong.append("%d messages were sent, %r received" % (
                    messages, (ended.stats or {}).get("messages_in")))

    def tell_missing(self):
        """By source, which is a visit of a sender: which of how many."""
        missing = {}
        for number in self.oracle.missing():
            source, place = divmod(number, SOURCE)
            missing.setdefault(source, []).append(place)
        for source, places in missing.items():
            self.wrong.append("missing of source %d, %d of %d: %s%s" % (
                source, len(places),
                len(self.play.ledger.digests[source]),
                " ".join(map(str, places[:SHOWN])),
                " ... %d" % places[-1] if len(places) > SHOWN else ""))

    def check_stuck(self, ended, found):
        """What did not come is undelivered, or more than that."""
        unseen = sum(ended.count(KINDS[kind]) for kind in self.unseen())
        received, came = ended.count("received"), self.total() + unseen
        undelivered = ended.count("undelivered")
        if came + undelivered < received or came > received:
            self.wrong.append(
                "received %d, came %d, undelivered %d: %d are kept quiet" % (
                    received, came, undelivered,
                    received - came - undelivered))
        much = received * FLOOD_SHARE + FLOOD_LEAST
        if self.scene.end == "flooded" and undelivered > much \
                and received - self.play.before > much:
            self.wrong.append("received %d, then %d, and undelivered %d" % (
                self.play.before, received, undelivered))
        if undelivered and ended.status == 0:
            self.wrong.append("status 0 with %d undelivered" % undelivered)

    def check_swept(self, ended, found):
        """The same, and what was not received is told."""
        self.check_stuck(ended, found)
        sent, received = self.play.ledger.count, ended.count("received")
        if received < sent and not re.search("was not read|no time to count",
                                             ended.stderr):
            self.wrong.append("%d were sent, %d received, without a word" % (
                sent, received))

    def check_rows(self, received):
        if self.scene.outputs["scores"].kind == "none":
            return
        seqs = []
        for name, rows in self.rows.items():
            mine = [seq for seq, _ in rows]
            seqs += mine
            if mine != sorted(mine):
                self.wrong.append("%s: rows change places" % name)
        if sorted(seqs) != list(range(received)):
            self.wrong.append("%d rows of scores for %d records" % (
                len(seqs), received))

    def check_subscribers(self):
        for name, sums in self.heard.items():
            first = self.heard.get(name[:-1] + "0")
            if sums != first:
                self.wrong.append("%s has %d messages, the first one %d" % (
                    name, len(sums), len(first or ())))
        for each in self.play.readings:
            if (each.output.kind == "pub"
                    and self.heard.get(each.output.name + "0")
                    and each.name not in self.heard):
                self.wrong.append("%s has nothing" % each.name)

    def check_header(self):
        """Of a CSV once for each output that has anything."""
        if self.scene.format != "csv":
            return
        kinds = [kind for kind, count in self.oracle.counts.items() if count]
        places = {self.places[kind] for kind in kinds}
        # A file has it though nothing came behind.
        files = {place for place in self.places.values()
                 if self.scene.outputs[place].kind in ("file", "stdout")}
        if not len(places) <= self.oracle.headers <= len(places | files):
            self.wrong.append("%d headers in %d outputs" % (
                self.oracle.headers, len(places)))
