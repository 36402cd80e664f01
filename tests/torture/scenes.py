"""scenes.py - what the programs are made to do while something fails: each
scene a command line, the files it finds, and those it leaves.

The data are small, so that a run takes some hundredths of a second, and have
something of everything: numbers, strings, outliers, records that are refused.
"""
import collections
import json
import os
import random
import shutil

import msgpack

from rig import program, run

RECORDS = 200
OPTIONS = ("--window=64", "--cold-epochs=4", "--epochs=1", "--fields=a,b,c")


def rows(seed=1):
    draw = random.Random(seed)
    for i in range(RECORDS):
        u = draw.gauss(0, 1)
        odd = 40 if draw.random() < 0.03 else 0
        yield {"i": i, "a": round(u + odd, 4),
               "b": round(2 * u + draw.gauss(0, 0.1), 4),
               "c": draw.choice(("on", "off", "idle")),
               "text": "pump %d says %s" % (i % 7, "x" * draw.randint(0, 40))}


def write_inputs(directory):
    made = list(rows())
    bad = dict(made[90], a=float("nan"))
    with open(os.path.join(directory, "in.msgpack"), "wb") as file:
        for row in [*made[:90], bad, *made[90:]]:
            file.write(msgpack.packb(row))
    with open(os.path.join(directory, "in.jsonl"), "w",
              encoding="ascii") as file:
        for at, row in enumerate(made):
            file.write(json.dumps(row) + "\n")
            if at == 90:
                file.write("{\"broken\": \n")
    with open(os.path.join(directory, "in.csv"), "w",
              encoding="ascii") as file:
        file.write(",".join(made[0]) + "\n")
        for at, row in enumerate(made):
            file.write(",".join(map(str, row.values())) + "\n")
            if at == 90:
                file.write("1,2\n")
    with open(os.path.join(directory, "filter.conf"), "w",
              encoding="ascii") as file:
        file.write("# what the others are given\nwindow = 64\n"
                   "cold-epochs = 4\nepochs = 1\nfields = a,b,c\n"
                   "outliers = odd\nformat = csv\n")


# OUTPUTS: files of records, by format, which a fault may only cut off.
# WHOLE: files that are there as they were, or as they should be.
# LOOSE: verdicts hang on timing, so only where records went is compared.
Scene = collections.namedtuple(
    "Scene", "name command inputs stdin stdout outputs whole loose")


def scene(name, command, inputs, outputs, stdin=None, stdout=None, whole=(),
          loose=False, tool="prae-filter"):
    return Scene(name, (program(tool), *command), tuple(inputs), stdin, stdout,
                 dict(outputs), tuple(whole), loose)


def filter_scenes():
    for kind in ("msgpack", "jsonl", "csv"):
        yield scene(kind, (*OPTIONS, "-o", "good", "-O", "odd",
                           "--stats=stats", "in." + kind),
                    ("in." + kind,), {"good": kind, "odd": kind})
    yield scene("stdin", (*OPTIONS, "--format=jsonl", "-O", "odd"),
                ("in.jsonl",), {"good": "jsonl", "odd": "jsonl"},
                stdin="in.jsonl", stdout="good")
    yield scene("named", (*OPTIONS, "--format=jsonl", "-o", "/dev/stdout",
                          "-O", "odd", "--stats=/dev/stderr", "/dev/stdin"),
                ("in.jsonl",), {"good": "jsonl", "odd": "jsonl"},
                stdin="in.jsonl", stdout="good")
    yield scene("scores", (*OPTIONS, "-o", "good", "-O", "odd", "--rejects",
                           "bad", "--scores=scores", "in.csv"), ("in.csv",),
                {"good": "csv", "odd": "csv", "bad": "csv", "scores": "csv"})
    yield scene("save", (*OPTIONS, "--model=model", "--save-every=1",
                         "--keep=2", "-o", "good", "-O", "odd",
                         "in.msgpack"),
                ("in.msgpack",), {"good": "msgpack", "odd": "msgpack"},
                whole=("model", "model.1", "model.2"))
    yield scene("load", (*OPTIONS, "--model=model", "-o", "good", "-O", "odd",
                         "in.msgpack"),
                ("in.msgpack", "model", "model.1"),
                {"good": "msgpack", "odd": "msgpack"},
                whole=("model", "model.1"))
    yield scene("freeze", ("--freeze", "--model=model", "-o", "good", "-O",
                           "odd", "in.jsonl"), ("in.jsonl", "model"),
                {"good": "jsonl", "odd": "jsonl"}, whole=("model",))
    yield scene("report", (*OPTIONS, "--report=report.json", "--model=model",
                           "--save-every=2", "-o", "good", "-O", "odd",
                           "in.csv"), ("in.csv",),
                {"good": "csv", "odd": "csv"},
                whole=("model", "report.json"))
    yield scene("now", (*OPTIONS, "--emit=now", "--model=model", "-o", "good",
                        "-O", "odd", "in.jsonl"), ("in.jsonl",),
                {"good": "jsonl", "odd": "jsonl"}, whole=("model",),
                loose=True)
    yield scene("now-frozen", ("--emit=now", "--freeze", "--model=model",
                               "--scores=scores", "-o", "good", "-O", "odd",
                               "in.jsonl"), ("in.jsonl", "model"),
                {"good": "jsonl", "odd": "jsonl", "scores": "jsonl"})
    yield scene("config", ("--config=filter.conf", "-o", "good", "in.csv"),
                ("in.csv", "filter.conf"), {"good": "csv", "odd": "csv"})
    yield scene("threads", (*OPTIONS, "--threads=3", "--log-file=log", "-o",
                            "good", "in.csv"), ("in.csv",), {"good": "csv"})
    yield scene("inspect", ("--inspect=model",), ("model",),
                {"good": "lines"}, stdout="good")


def control_scenes():
    for kind in ("msgpack", "jsonl", "csv"):
        odd = "odd." + kind
        yield scene("show-" + kind, ("show", odd), (odd,), {"out": "lines"},
                    stdout="out", tool="praectl")
        yield scene("release-" + kind, ("release", odd), (odd,),
                    {"out": kind}, stdout="out", tool="praectl")
        yield scene("rescore-" + kind, ("rescore", "--model=model", odd),
                    (odd, "model"), {"out": "lines"}, stdout="out",
                    tool="praectl")
    yield scene("keygen", ("keygen", "new.key"), (), {"out": "lines"},
                stdout="out", tool="praectl")


def prepare(directory):
    """Everything that scenes find, in DIRECTORY."""
    write_inputs(directory)
    for kind in ("msgpack", "jsonl", "csv"):
        ended = run(directory, [program("prae-filter"), *OPTIONS,
                                "--model=model", "--save-every=1", "-o",
                                "/dev/null", "-O", "odd." + kind,
                                "in." + kind])
        if ended.status != 0:
            raise RuntimeError(ended.tell())
    # So that a run which cannot read the one, and goes on from the other as
    # it should, ends as the others do.
    shutil.copy(os.path.join(directory, "model"),
                os.path.join(directory, "model.1"))


def place(scene_, store, directory):
    """What SCENE_ finds, in a new DIRECTORY."""
    os.mkdir(directory)
    for name in scene_.inputs:
        shutil.copy(os.path.join(store, name), directory)
