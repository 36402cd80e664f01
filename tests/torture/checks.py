"""checks.py - what must hold after a run in which something failed.

No signal and no hang; a status that the manual has for it, and an error line
with any but 0; 0 only where nothing is the worse for it, and after that
everything is as without the fault. Outputs hold whole
records, the first ones of those that should be there, and as many as the
account says. Snapshots and reports are old or new. Nothing is left behind.
"""
import glob
import json
import os

import msgpack

from peers import adds_up
from rig import program, run


def read(directory, name):
    try:
        with open(os.path.join(directory, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def split(data, kind, cut=False):
    """DATA as records; with CUT those that are whole, else None where the
    last is not."""
    if kind != "msgpack":
        lines = data.splitlines(True)
        if lines and not lines[-1].endswith(b"\n"):
            return lines[:-1] if cut else None
        return lines
    unpacker = msgpack.Unpacker(strict_map_key=False)
    unpacker.feed(data)
    found, at = [], 0
    for _ in unpacker:
        found.append(data[at:unpacker.tell()])
        at = unpacker.tell()
    return found if cut or at == len(data) else None


class Expected:
    """A scene played without a fault, and how others compare with that."""

    def __init__(self, scene, store, ended):
        self.scene = scene
        self.store = store
        self.ended = ended
        self.outputs = {name: read(ended.dir, name) for name in scene.outputs}
        # What may stand in a file that is whole: the old, the new, and what
        # was there on the way.
        self.known = {data for name in scene.whole for data in
                      (read(store, name), read(ended.dir, name)) if data}
        self.kept = len(set(self.older(ended)))
        ended.counts["size"] = max(
            [len(read(ended.dir, name)) for name in os.listdir(ended.dir)
             if name not in (".fault", *scene.inputs)] + [0])

    def faults_of(self, fault, ended):
        """What is wrong with ENDED, in words; None where nothing is."""
        if ended.status is None:
            return "it hung"
        if ended.status < 0:
            return "it died of signal %d" % -ended.status
        if "Sanitizer" in ended.stderr or "runtime error:" in ended.stderr:
            return "a sanitizer reports"
        if ended.status not in fault.statuses():
            return "status %d is wrong" % ended.status
        if ended.status == 0 and ended.failed and not self.may_pass(
                fault, ended):
            return "status 0 hides it"
        if ended.status != 0 and not ended.said_error():
            return "it failed and does not say why"
        return (self.wrong_outputs(fault, ended)
                or self.wrong_account(fault, ended)
                or self.wrong_files(fault, ended)
                or self.wrong_older(fault, ended)
                or self.wrong_rest(fault, ended) or self.left(fault, ended))

    def may_pass(self, fault, ended):
        made = ended.counts.get(fault.kind, 0)
        if fault.kind == "close_file":
            made -= len(self.scene.outputs)
        return (fault.is_told(ended.stderr)
                or fault.may_pass(bool(self.scene.whole), made))

    # ---- records ----

    def wrong_outputs(self, fault, ended):
        for name, kind in self.scene.outputs.items():
            data, wanted = read(ended.dir, name), self.outputs[name]
            if ended.status == 0 and data is None:
                return "%s is missing" % name
            if ended.status == 0 and not self.scene.loose and data != wanted:
                return "%s is not what it should be, and status 0" % name
            if data is None or kind == "lines":
                continue
            if not self.scene.loose and not wanted.startswith(data):
                return "%s has other records" % name
            if not fault.cuts_records() and split(data, kind) is None:
                return "%s ends within a record" % name
        return self.wrong_split(ended) if self.scene.loose else None

    def wrong_split(self, ended):
        """Where verdicts may differ: no record is in two places, and they are
        in order."""
        source = split(read(self.store, self.scene.inputs[0]), "jsonl")
        good, odd = (
            [line for line in (read(ended.dir, name) or b"").splitlines(True)
             if line.endswith(b"\n")] for name in ("good", "odd"))
        odd = [json.loads(line)["seq"] for line in odd]
        at = [source.index(line) for line in good]
        if at != sorted(set(at)) or odd != sorted(set(odd)):
            return "records are out of order, or twice there"
        if set(at) & set(odd):
            return "records are in two outputs"
        if ended.status == 0 and len(at) + len(odd) != len(source):
            return "records are missing, and status 0"
        return None

    # ---- the account ----

    def wrong_account(self, fault, ended):
        account = ended.account
        if account is None:
            # A log that is full has none.
            if ended.status == 0 and self.ended.account is not None and (
                    fault.kind != "size"):
                return "the account is missing"
            return None
        if not adds_up(account):
            return "the account does not add up"
        if ended.status == 0 and not self.scene.loose and (
                account != self.ended.account):
            return "the account is another, and status 0"
        flagged = account["outliers"]
        if "bad" not in self.scene.outputs:
            flagged += account["rejected"]
        for name, told in (("good", account["inliers"]), ("odd", flagged),
                           ("bad", account["rejected"])):
            written = self.records(ended, name, fault.cuts_records())
            if written is not None and written != told:
                return "%d records in %s, the account says %d" % (
                    written, name, told)
        return None

    def records(self, ended, name, cut):
        """How many are in the output of that name, which may be CUT within
        one; None: not to be told."""
        kind = self.scene.outputs.get(name, "lines")
        if kind == "lines":
            return None
        found = split(read(ended.dir, name) or b"", kind, cut)
        if found is None:
            return None
        return len(found) - (kind == "csv" and len(found) > 0)

    # ---- files ----

    def wrong_files(self, fault, ended):
        for name in self.scene.whole:
            data = read(ended.dir, name)
            if data is None or data in self.known:
                continue
            if name.endswith(".json"):
                json.loads(data)
            elif self.is_snapshot(ended.dir, name):
                self.known.add(data)
            else:
                return "%s cannot be loaded" % name
        if read(self.store, "model") and "model" in self.scene.inputs and (
                read(ended.dir, "model") is None):
            return "the snapshot is gone"
        return None

    def older(self, ended):
        kept = [read(ended.dir, name) for name in self.scene.whole]
        return [data for data in kept if data is not None]

    def wrong_older(self, fault, ended):
        """In the scene that saves more than once."""
        kept = self.older(ended)
        if self.scene.name != "save":
            return None
        if len(set(kept)) < len(kept):
            return "a snapshot is kept twice, and pushed another out"
        # What is in its place but may not last is saved again.
        if fault.kind in ("sync", "open") and ended.status == 0 and (
                len(kept) < self.kept):
            return "an older snapshot is gone"
        return None

    def wrong_rest(self, fault, ended):
        # Where the worker was left to itself the next start sweeps it out.
        if fault.kind != "unlink" and not ended.counts.get("early") and (
                glob.glob(os.path.join(ended.dir, "*.tmp"))):
            return "a temporary file is left"
        if self.scene.name == "keygen" and fault.kind != "unlink" and (
                len(glob.glob(os.path.join(ended.dir, "new.key*"))) == 1):
            return "half a pair of keys is left"
        if ended.status == 0 and "stats" in os.listdir(ended.dir):
            json.loads(read(ended.dir, "stats"))
        return None

    @staticmethod
    def is_snapshot(directory, name):
        return run(directory, [program("prae-filter"),
                               "--inspect=" + name]).status == 0

    def left(self, fault, ended):
        # What could not be closed or ended is not ours any more.
        if not ended.left:
            return "it ended without a last word"
        for what, most in self.ended.left.items():
            if ended.left[what] > most:
                return "%d %s are left" % (ended.left[what] - most, what)
        return None
