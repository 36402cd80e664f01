"""campaign.py - which faults are tried, and what is told of them.

All scenes' faults are put in one row by chance, PRAE_SEED's, and tried until
time is up: a slow machine tries fewer of them, not fewer scenes. With
PRAE_TORTURE=all every call fails in every way, however long it takes.
"""
import collections
import concurrent.futures
import random
import time

import rig

SHOWN = 5  # of what went wrong in a scene
SIZES = 200  # that files of a scene are limited to, of all there are


def row(counts, most):
    """Faults for scenes that make COUNTS of calls, by scene and class; first
    one of each way, then up to MOST, then the rest."""
    draw = random.Random(rig.SEED)
    first, later = [], []
    for name, calls in counts.items():
        for kind, ways in rig.WAYS.items():
            for error, always in ways:
                count = calls.get(kind, 0)
                step = count // SIZES + 1 if kind == "size" else 1
                numbers = list(range(1, count + 1, step))
                draw.shuffle(numbers)
                # Nothing comes after these that could make up for them.
                numbers.sort(key=lambda number, last=count - rig.TAKES.get(
                    kind, 0): number <= last)
                made = [(name, rig.Fault(kind, number, error, always))
                        for number in (numbers if rig.ALL
                                       else numbers[:most])]
                first += made[:1]
                later += made[1:]
    draw.shuffle(first)
    draw.shuffle(later)
    return first + later


def run(tap, counts, try_fault, most, limit_s, jobs):
    """TRY_FAULT, of a scene's name and a fault, gives what went wrong or
    None."""
    until = time.monotonic() + (1e9 if rig.ALL else limit_s)
    tried = collections.defaultdict(collections.Counter)
    wrong = collections.defaultdict(list)

    def try_one(pair):
        if time.monotonic() < until:
            found = try_fault(*pair)
            tried[pair[0]][pair[1].kind] += 1
            if found:
                wrong[pair[0]].append(found)

    wanted = row(counts, most)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(try_one, wanted))
    for name in counts:
        told = ", ".join("%s %d" % each for each in
                         sorted(tried[name].items()))
        tap.ok(not wrong[name], "%s: one call failed, %d times" % (
            name, sum(tried[name].values())), "%d went wrong\n%s" % (
                len(wrong[name]), "\n".join(wrong[name][:SHOWN])))
        tap.note(told)
    tap.note("%d of %d faults were tried, seed %d" % (
        sum(sum(each.values()) for each in tried.values()), len(wanted),
        rig.SEED))
