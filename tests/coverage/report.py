"""report.py GCOV TOP BUILD WHY - what the tests reached of TOP/src.

Reads what gcc left beside the objects in BUILD. A source that is compiled for
several programs, or a header for several processors, is one text: what one of
them reached is reached. The kernels for a processor that this one is not are
left out, as nothing here could run them.

WHY has a line for what is not reached, and the reason:

    src/prae-filter/file.c function: reason

A line of it that excuses nothing any more is told, so that it can go, unless
its reason begins with `failing': calls fail by a sample.
"""
import collections
import json
import os
import subprocess
import sys

LINES_LEAST = 90.0
BRANCHES_LEAST = 80.0
BRANCHES = ["codec", "snapshot", "feature", "plan"]  # of src/libprae
ASKED = ["codec", "snapshot", "feature"]
WIDTH = 79


class Source:
    def __init__(self):
        self.lines = {}  # line -> times
        self.branches = {}  # (function, line, index) -> times
        self.owners = {}  # line -> function


def can_run(name):
    """Whether this processor runs the kernels in an object file."""
    if "kernel_v4" not in name:
        return True
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return " avx512vl" in file.read()
    except OSError:
        return False


def objects(build):
    found = []
    for folder, _, names in os.walk(build):
        found += [os.path.join(folder, name) for name in names
                  if name.endswith(".gcno") and can_run(name)]
    return sorted(found)


def read(gcov, build, top):
    sources = collections.defaultdict(Source)
    names = objects(build)
    for first in range(0, len(names), 50):
        done = subprocess.run(
            [gcov, "--json-format", "--stdout", "--branch-probabilities"] +
            [os.path.abspath(name) for name in names[first:first + 50]],
            cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            check=True)
        for text in done.stdout.splitlines():
            if text.strip():
                add(sources, json.loads(text), top)
    return dict(sources)


def add(sources, unit, top):
    for file in unit["files"]:
        path = os.path.realpath(
            os.path.join(unit["current_working_directory"], file["file"]))
        name = os.path.relpath(path, top)
        if name.startswith("src/"):
            for line in file["lines"]:
                count(sources[name], line)


def count(source, line):
    number = line["line_number"]
    function = line.get("function_name", "")
    source.lines[number] = source.lines.get(number, 0) + line["count"]
    source.owners[number] = function
    for index, branch in enumerate(line["branches"]):
        key = (function, number, index)
        source.branches[key] = source.branches.get(key, 0) + branch["count"]


def share(counts):
    counts = list(counts)
    reached = sum(1 for times in counts if times > 0)
    return reached, len(counts), 100.0 * reached / max(len(counts), 1)


def row(name, counts):
    print("%-32s %6d of %6d %7.2f %%" % ((name,) + share(counts)))


def lines_of(sources, prefix):
    return [times for name, source in sources.items()
            if name.startswith(prefix) for times in source.lines.values()]


def branches_of(sources, prefix):
    return [times for name, source in sources.items()
            if name.startswith("src/libprae/" + prefix)
            for times in source.branches.values()]


def tell_shares(sources):
    print("lines")
    row("src", lines_of(sources, "src/"))
    for folder in sorted({os.path.dirname(name) for name in sources}):
        row("  " + folder, lines_of(sources, folder + "/"))
    print("\nbranches")
    for prefix in BRANCHES:
        row("src/libprae/" + prefix + "*", branches_of(sources, prefix))
        for name in sorted(sources):
            if name.startswith("src/libprae/" + prefix):
                row("  " + os.path.basename(name),
                    sources[name].branches.values())


def ranges(source, numbers):
    """Lines as ranges; what has no code between two is no gap."""
    place = {number: i for i, number in enumerate(sorted(source.lines))}
    spans = []
    for number in sorted(numbers):
        if spans and place[number] == place[spans[-1][1]] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ["%d" % a if a == b else "%d-%d" % (a, b) for a, b in spans]


def wrapped(head, words):
    line = head
    for word in words:
        if len(line) + 1 + len(word) > WIDTH:
            print(line)
            line = " " * 8
        line += " " + word
    print(line)


def read_reasons(path):
    reasons = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                what, _, reason = line.partition(":")
                name, _, function = what.partition(" ")
                reasons[name, function.strip()] = reason.strip()
    return reasons


def tell_missing(sources, reasons):
    """Lines first, by function; then branches, where those are asked for."""
    used = set()
    print("\nnot reached: lines, with the function they are in")
    for name in sorted(sources):
        source = sources[name]
        missing = collections.defaultdict(list)
        for number, times in source.lines.items():
            if times == 0:
                missing[source.owners[number]].append(number)
        if missing:
            print("  " + name)
        for function in sorted(missing, key=lambda f: min(missing[f])):
            wrapped("    %s:" % function, ranges(source, missing[function]))
            for key in ((name, function), (name, "*")):
                if key in reasons:
                    wrapped("        -", reasons[key].split())
                    used.add(key)
                    break
    print("\nnot taken: branches, by line, of what has its branches counted")
    for name in sorted(sources):
        base = os.path.basename(name)
        if not (name.startswith("src/libprae/") and
                base.startswith(tuple(BRANCHES))):
            continue
        source = sources[name]
        ways = collections.Counter(
            number for (_, number, _), times in source.branches.items()
            if times == 0 and source.lines[number] > 0)
        if ways:
            wrapped("  %s:" % base, [
                "%d" % n if ways[n] == 1 else "%d(%d)" % (n, ways[n])
                for n in sorted(ways)])
    stale = sorted(key for key in set(reasons) - used
                   if not reasons[key].startswith("failing"))
    if stale:
        print("\nreasons that nothing needs any more")
        for name, function in stale:
            print("  %s %s" % (name, function))


def main():
    gcov, top, build, why = sys.argv[1:]
    sources = read(gcov, build, os.path.realpath(top))
    if not sources:
        sys.exit("coverage: nothing was counted in " + build)
    tell_shares(sources)
    tell_missing(sources, read_reasons(why))
    enough = share(lines_of(sources, "src/"))[2] >= LINES_LEAST and all(
        share(branches_of(sources, prefix))[2] >= BRANCHES_LEAST
        for prefix in ASKED)
    print("\nasked for: %g %% of lines, %g %% of the branches of %s: %s" % (
        LINES_LEAST, BRANCHES_LEAST, ", ".join(ASKED),
        "reached" if enough else "not reached"))
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
