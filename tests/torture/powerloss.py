#!/usr/bin/env python3
"""powerloss.py - the power is cut while snapshots are saved.

A run writes down what it asked of the disk (journal.h). After each of these
steps the power may go. What a file was given since it was last synced may
then be there, in parts, or not; so may each entry of the directory that
changed since that was synced, one without the other. All of these states are
made, and in each the snapshot has to be the one that was saved last, or the
one that was being saved: never a mix, never an older one.

Then the journal is spoilt, as a program would that forgets a step; that has
to be found, or this test could not fail.
"""
import collections
import itertools
import os
import shutil
import sys
import tempfile

import rig
from scenes import OPTIONS, write_inputs
from tap import Tap

MODEL = "model"
PAGE = 4096

# KIND is open, write, sync, directory, rename, link, unlink, close or end.
Entry = collections.namedtuple("Entry", "kind fd name to data",
                               defaults=(-1, "", "", b""))


def read_journal(path):
    with open(path, "rb") as file:
        text = file.read()
    at, found = 0, []
    while at < len(text):
        end = text.index(b"\n", at)
        kind, *rest = text[at:end].decode().split(" ")
        at = end + 1
        if kind == "write":
            size = int(rest[1])
            found.append(Entry(kind, int(rest[0]), data=text[at:at + size]))
            at += size + 1
        elif kind in ("rename", "link"):
            found.append(Entry(kind, name=rest[0], to=rest[1]))
        elif kind == "unlink":
            found.append(Entry(kind, name=rest[0]))
        else:
            found.append(Entry(kind, int(rest[0]), *rest[1:]))
    return found


class File:
    def __init__(self, data=b"", synced=True):
        self.data = data
        self.synced = synced

    def after_cut(self):
        """What may be left of it."""
        if self.synced:
            return [self.data]
        holes = bytearray(self.data)
        for at in range(0, len(holes), 2 * PAGE):
            holes[at:at + PAGE] = bytes(len(holes[at:at + PAGE]))
        return [b"", self.data[:len(self.data) // 2], bytes(len(self.data)),
                bytes(holes), self.data]


class Disk:
    """What the program sees, and what of that is certain."""

    def __init__(self, files):
        self.seen = {name: File(data) for name, data in files.items()}
        self.certain = dict(self.seen)
        self.pending = []  # changes of the directory: {name: File or None}
        self.open = {}  # by descriptor; None: the directory
        self.saved = files.get(MODEL)  # last, for certain
        self.saving = []  # complete, and not certain yet

    def change(self, names):
        self.pending.append(names)
        for name, file in names.items():
            self.seen.pop(name, None)
            if file is not None:
                self.seen[name] = file

    def do(self, entry):
        kind, file = entry.kind, self.open.get(entry.fd)
        if kind == "open" and entry.name.startswith(MODEL):
            self.open[entry.fd] = File(synced=False)
            self.change({entry.name: self.open[entry.fd]})
        elif kind == "directory" and entry.name == ".":
            self.open[entry.fd] = None
        elif kind == "write" and file is not None:
            file.data += entry.data
            file.synced = False
        elif kind == "sync" and file is not None:
            file.synced = True
        elif kind == "sync" and entry.fd in self.open:
            self.sync_directory()
        elif kind == "rename" and entry.name in self.seen:
            self.change({entry.to: self.seen[entry.name], entry.name: None})
            if entry.to == MODEL:
                self.saving.append(self.seen[MODEL].data)
        elif kind == "link":
            self.change({entry.to: self.seen[entry.name]})
        elif kind == "unlink":
            self.change({entry.name: None})
        elif kind == "close":
            self.open.pop(entry.fd, None)

    def sync_directory(self):
        self.certain, self.pending = dict(self.seen), []
        if self.saving:
            self.end_save()

    def end_save(self):
        """The program holds that the snapshot is safe now."""
        self.saved, self.saving = self.saving[-1], []

    def cuts(self):
        """Every state that the power could leave: names and bytes."""
        for there in itertools.product((False, True),
                                       repeat=len(self.pending)):
            names = dict(self.certain)
            for change in itertools.compress(self.pending, there):
                names.update(change)
            files = {name: file for name, file in names.items() if file}
            for bytes_ in itertools.product(
                    *(file.after_cut() for file in files.values())):
                yield dict(zip(files, bytes_))


def wrong_cut(disk, files):
    """What is wrong with the state FILES, or None."""
    found = files.get(MODEL)
    if found is None:
        return None if disk.saved is None else "the snapshot is gone"
    if found == disk.saved or found in disk.saving:
        return None
    return "the snapshot is a mix, or an older one"


def play(journal, files, keep=None):
    """All cuts of JOURNAL, with what was there before: how many, the first
    that is wrong, and distinct states, where kept in KEEP."""
    disk, count = Disk(files), 0
    for step, entry in enumerate((*journal, Entry("end"))):
        # With the next save, or the end, the one before is held to be done.
        if disk.saving and (entry.kind == "end" or entry.kind == "open"
                            and entry.name.startswith(MODEL)):
            disk.end_save()
        disk.do(entry)
        if entry.kind in ("write", "close") and not disk.pending:
            continue
        for state in disk.cuts():
            count += 1
            found = wrong_cut(disk, state)
            if found:
                return count, "step %d, %s %s: %s" % (
                    step, entry.kind, entry.name, found)
            if keep is not None:
                keep[tuple(sorted(state.items()))] = state
    return count, None


# ---- runs ----


def record(directory, *options):
    """A run's journal, and the snapshots that were there before."""
    files = {}
    for name in os.listdir(directory):
        if name.startswith(MODEL):
            with open(os.path.join(directory, name), "rb") as file:
                files[name] = file.read()
    path = os.path.join(directory, "journal")
    os.environ["PRAE_JOURNAL"] = path
    ended = rig.run(directory, [rig.program("prae-filter"), *OPTIONS,
                                "--model=" + MODEL, "--save-every=1",
                                "-o", "good", *options,
                                *("--in=in.msgpack",) * 2])
    del os.environ["PRAE_JOURNAL"]
    if ended.status != 0:
        raise RuntimeError(ended.tell())
    journal = read_journal(path)
    os.unlink(path)
    return journal, files


def loads(states):
    """How many of STATES a filter cannot start from."""
    bad = 0
    for state in states:
        with tempfile.TemporaryDirectory(prefix="prae.cut.") as place:
            for name, data in state.items():
                with open(os.path.join(place, name), "wb") as file:
                    file.write(data)
            ended = rig.run(place, [rig.program("prae-filter"), "--freeze",
                                    "--model=" + MODEL, "--format=msgpack",
                                    "-o", "null:"])
            bad += ended.status != (0 if MODEL in state else 78)
    return bad


def spoilt(journal):
    """Journals of programs that forget something."""
    def is_directory(entry, known):
        if entry.kind in ("open", "directory"):
            known[entry.fd] = entry.kind == "directory"
        return known.get(entry.fd, False)

    known = {}
    syncs = [(entry, is_directory(entry, known)) for entry in journal]
    yield "the file is not synced", [
        entry for entry, directory in syncs
        if entry.kind != "sync" or directory]
    yield "the old one is removed first", [
        each for entry in journal for each in
        ((Entry("unlink", name=MODEL), entry)
         if entry.kind == "rename" and entry.to == MODEL else (entry,))]
    moved = [entry for entry in journal if entry.kind == "rename"
             and entry.to == MODEL]
    early = list(journal)
    for entry in moved:
        early.remove(entry)
    first = next(i for i, entry in enumerate(early) if entry.kind == "open"
                 and entry.name.startswith(MODEL))
    early.insert(first + 1, moved[0])
    yield "it is renamed before it is written", early


def forgets_directory(journal, files):
    """As play(), of a program that holds a snapshot safe once renamed."""
    disk = Disk(files)
    for entry in journal:
        disk.do(entry)
        if entry.kind == "rename" and entry.to == MODEL:
            disk.end_save()
            if any(wrong_cut(disk, state) for state in disk.cuts()):
                return True
    return False


def main():
    rig.need_programs()
    tap = Tap()
    place = tempfile.mkdtemp(prefix="prae.power.")
    try:
        write_inputs(place)
        states = {}
        for name, options in (("the first snapshots", ("--keep=0",)),
                              ("--keep=1", ("--keep=1",)),
                              ("--keep=3", ("--keep=3",))):
            journal, files = record(place, *options)
            saves = sum(entry.kind == "rename" and entry.to == MODEL
                        for entry in journal)
            count, found = play(journal, files, states)
            tap.ok(found is None and saves >= 3,
                   "%s: old or new after %d cuts in %d saves" % (
                       name, count, saves), found)
        for name, bad in spoilt(journal):
            tap.ok(play(bad, files)[1], "it is found where " + name)
        tap.ok(forgets_directory(journal, files),
               "it is found where the directory is not synced")
        most = len(states) if rig.ALL else 40
        some = list(states.values())[::max(1, len(states) // most)]
        tap.same(loads(some), 0, "a filter starts from each of %d states, "
                 "or says that there is none" % len(some))
    finally:
        shutil.rmtree(place)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
