#!/usr/bin/env python3
"""mutants.py - plants defects in a copy of the sources, one at a time, and
has the tests find them.

    mutants.py SOURCES PLACE [WORD...]

copies SOURCES to PLACE and builds them there, runs every test that is named
in the list of defects, which all have to pass, then plants each defect whose
description has one of the WORDs, or each, and runs its tests until one fails.
A defect that none of them finds has survived: that is what is wrong with the
tests, and the exit status says so.

    mutants.py SOURCES

only looks whether each defect has a place in the sources and each test is
there.
"""
import os
import sys
import time

import defects
from planted import Plantation
from trial import Trials, Unfit


def misplaced(sources):
    """What is wrong with the list, in lines."""
    names = set()
    for defect in defects.ALL:
        if defect.what in names:
            yield "%s: is there twice" % defect.what
        names.add(defect.what)
        if not defect.tests:
            yield "%s: has no test" % defect.what
        found = 0
        if os.path.exists(os.path.join(sources, defect.file)):
            with open(os.path.join(sources, defect.file)) as file:
                found = file.read().count(defect.old)
        if found != 1:
            yield "%s: its place in %s is there %d times" % (
                defect.what, defect.file, found)
        for test in defect.tests:
            path = os.path.join(sources, test.split()[0])
            if not os.path.exists(path) and not os.path.exists(path + ".c"):
                yield "%s: there is no %s" % (defect.what, test)


def chosen(words):
    some = [defect for defect in defects.ALL
            if not words or any(word in defect.what for word in words)]
    if not some:
        raise Unfit("no defect is described by " + " or ".join(words))
    return some


def prove(plantation, trials, some):
    """Without a defect all tests pass."""
    tests = sorted({test for defect in some for test in defect.tests})
    plantation.build(tests)
    print("without a defect %d tests have to pass" % len(tests), flush=True)
    for test in tests:
        trials.prove(test)


def hunt(plantation, trials, defect):
    """The first test that finds DEFECT, with what it says; or None."""
    plantation.plant(defect)
    try:
        for test in defect.tests:
            plantation.build([test])
            said = trials.fails(test)
            if said is not None:
                return test, said
    finally:
        plantation.mend(defect)
    return None


def main():
    sources, words = sys.argv[1], sys.argv[3:]
    bad = list(misplaced(sources))
    if bad or len(sys.argv) == 2:
        print("\n".join(bad))
        return 1 if bad else 0
    began = time.monotonic()
    plantation = Plantation(sources, sys.argv[2])
    trials = Trials(plantation.tree)
    some, survivors = chosen(words), 0
    plantation.make()
    prove(plantation, trials, some)
    width = max(len(defect.what) for defect in some)
    print("\n%-*s  caught by" % (width, "defect"), flush=True)
    for defect in some:
        caught = hunt(plantation, trials, defect)
        survivors += caught is None
        print("%-*s  %s" % (width, defect.what, "SURVIVED" if caught is None
                            else "%s: %s" % caught), flush=True)
    print("\n%d defects, %d caught, %d survived; %d s" % (
        len(some), len(some) - survivors, survivors,
        time.monotonic() - began))
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unfit as error:
        print("mutants: %s" % error, file=sys.stderr)
        sys.exit(2)
