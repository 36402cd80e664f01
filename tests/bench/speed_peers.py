"""speed_peers.py SPEED FILTER DIR OUT [quick|full] - ours beside others'.

SPEED is the built bench, FILTER the program, DIR for data, OUT for peers.json
and for speed.json of the bench, if that was run before. Each round measures
ours and then theirs, in CPU time of one thread; a figure is the least of all
rounds. What is not installed is left out, with the reason.
"""
import json
import math
import os
import subprocess
import sys

for name in ("OMP", "MKL", "OPENBLAS"):  # before anybody reads them
    os.environ[name + "_NUM_THREADS"] = "1"

RECORDS = 100000
WIDE = 784

# Title, ours, theirs, and how many times as fast we mean to be.
AIMS = [
    ("train step 16-10x5, batch 64: PyTorch", "train_16_64",
     "torch_16_64", 80),
    ("train step 16-10x5, batch 128: PyTorch", "train_16_128",
     "torch_16_128", 80),
    ("train step 784-100x5, batch 64: PyTorch", "train_784_64",
     "torch_784_64", 3),
    ("train step 784-100x5, batch 128: PyTorch", "train_784_128",
     "torch_784_128", 3),
    ("score, file to /dev/null: msgpack + PyTorch", "score_file",
     "torch_score", 30),
    ("retraining: IsolationForest, each window", "learn", "forest", 20),
    ("retraining: HalfSpaceTrees, score + learn", "learn", "halfspace", 15),
    ("retraining: PyOD AutoEncoder, each window", "learn", "pyod", None),
]


class Ours:
    """Our figures, from the bench."""

    def __init__(self, speed, program, scratch):
        self.command = [speed, "figures", program, scratch]

    def measure(self, name):
        said = subprocess.run(self.command + [name], check=True, text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
        return {line.split("\t")[0]: float(line.split("\t")[1])
                for line in said.splitlines()}[name]


def load(speed, scratch):
    """The records as a file and as rows, and rows of the wide kind."""
    import msgpack
    import numpy as np

    tables = {}
    for columns, count in ((16, RECORDS), (WIDE, 1024)):
        path = os.path.join(scratch, "peers-%d" % columns)
        with open(path, "wb") as file:
            subprocess.run([speed, "records", "array", str(columns),
                            str(count)], check=True, stdout=file)
        with open(path, "rb") as file:
            tables[columns] = path, np.array(list(msgpack.Unpacker(file)))
    return tables


def peers(tables):
    """Name: what measures it. Imports are left to the call, so that one that
    is missing costs only its own rows."""
    path, x = tables[16]

    def train(columns, width, batch):
        import numpy as np
        import peers_torch
        rows = tables[columns][1][:4096] / math.sqrt(3)
        return peers_torch.train(rows.astype(np.float32), width, 5, batch)

    def torch_score():
        import peers_torch
        return peers_torch.score(path, x)

    import peers_others
    return {
        "torch_16_64": lambda: train(16, 10, 64),
        "torch_16_128": lambda: train(16, 10, 128),
        "torch_784_64": lambda: train(WIDE, 100, 64),
        "torch_784_128": lambda: train(WIDE, 100, 128),
        "torch_score": torch_score,
        "forest": lambda: peers_others.forest(x),
        "halfspace": lambda: peers_others.halfspace(x),
        "pyod": lambda: peers_others.pyod(x),
    }


def run(ours, theirs, rounds):
    """The least figures, and for what there is none, why."""
    least, why = {}, {}

    def note(name, work):
        if name in why:
            return
        try:
            least[name] = min(least.get(name, math.inf), work())
        except ImportError as error:
            why[name] = str(error)

    for number in range(rounds):
        for name in dict.fromkeys(aim[1] for aim in AIMS):
            note(name, lambda: ours.measure(name))
        for name, work in theirs.items():
            note(name, work)
        print("peers: round %d of %d" % (number + 1, rounds), file=sys.stderr)
    return least, why


def versions():
    from importlib import metadata

    names = []
    for name in ("torch", "scikit-learn", "river", "pyod", "msgpack"):
        try:
            names.append("%s %s" % (name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            pass
    return "Python %s, %s" % (sys.version.split()[0], ", ".join(names))


def table(least, why):
    """Prints it; returns rows for the JSON file."""
    print("\n%-44s %9s %10s %8s %6s" % ("us a record, or a record and epoch",
                                        "ours", "theirs", "ratio", "aim"))
    rows = []
    for title, our, their, aim in AIMS:
        if their in why:
            print("%-44s skipped: %s" % (title, why[their]))
            continue
        ratio = least[their] / least[our]
        word = "" if aim is None else "reached" if ratio >= aim else "missed"
        print("%-44s %9.3f %10.3f %7.1fx %6s %s" % (
            title, least[our] / 1e3, least[their] / 1e3, ratio,
            "" if aim is None else "%dx" % aim, word))
        rows.append({"what": title, "ours_ns": least[our],
                     "theirs_ns": least[their], "ratio": ratio, "aim": aim})
    return rows


def print_alone(out):
    """The aims that need no peer, of the bench's last run."""
    path = os.path.join(out, "speed.json")
    if not os.path.exists(path):
        print("\nThe aims that need no peer: make bench")
        return
    with open(path) as file:
        bench = json.load(file)
    command = "make bench-quick" if bench["quick"] else "make bench"
    print("\n%-62s %8s %6s" % ("alone, by the last " + command, "measured",
                               "most"))
    for aim in bench["aims"]:
        print("%-62s %8.2f %6g %s" % (
            aim["what"], math.nan if aim["measured"] is None else
            aim["measured"], aim["most"], aim["result"]))


def main():
    speed, program, scratch, out = sys.argv[1:5]
    rounds = 2 if sys.argv[5:] == ["quick"] else 5
    tables = load(speed, scratch)
    least, why = run(Ours(speed, program, scratch), peers(tables), rounds)
    sys.stdout.flush()
    subprocess.run([speed, "machine"], check=True)
    print(versions())
    print("CPU time of one thread, the least of %d rounds." % rounds)
    rows = table(least, why)
    print_alone(out)
    with open(os.path.join(out, "peers.json"), "w") as file:
        json.dump({"python": versions(), "rounds": rounds, "rows": rows,
                   "skipped": why}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
