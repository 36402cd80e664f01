"""quality.py - prae-filter itself on labelled data.

    quality.py --filter=PROGRAM --out=DIR [--options=TEXT] quick|full
               [EXPERIMENT...]

Prints a table for each experiment on stdout, the time each took on stderr;
the same numbers go to DIR/NAME.tsv. Data sets are read from $PRAE_DATA.
Labels never reach the program: they are cut off the records and meet the
verdicts here. One configuration for all, the program's defaults but for what
a table says; the same seeds give the same tables. The experiment long runs
only when named. Exit status 1 where a run of the program failed.
"""
import argparse
import os
import shlex
import sys
import time

import quality_bursts
import quality_contamination
import quality_halfspace
import quality_logs
import quality_long
import quality_metric
import quality_peers
import quality_rates
import quality_streams
import quality_tables
from quality_data import Library
from quality_out import Writer
from quality_run import Runner

EXPERIMENTS = [
    ("batch", quality_tables.batch),
    ("shuffled", quality_tables.shuffled),
    ("natural", quality_streams.natural),
    ("bursts", quality_bursts.bursts),
    ("fpr", quality_rates.rates),
    ("contamination", quality_contamination.contamination),
    ("life", quality_tables.life),
    ("logs", quality_logs.logs),
    ("long", quality_long.long),
]
UNASKED = [name for name, _ in EXPERIMENTS if name != "long"]


class Bench:
    """What every experiment is given."""

    def __init__(self, arguments):
        self.full = arguments.mode == "full"
        self.library = Library(os.environ.get("PRAE_DATA", ""))
        self.runner = Runner(arguments.filter, shlex.split(arguments.options))
        self.writer = Writer(arguments.out)

    def sets(self, names, folder):
        return [name for name in names
                if self.library.has(folder + "/" + name)]


def parse():
    names = [name for name, _ in EXPERIMENTS]
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--filter", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--options", default="")
    parser.add_argument("mode", choices=["quick", "full"])
    parser.add_argument("experiment", nargs="*",
                        help="of: " + " ".join(names))
    arguments = parser.parse_args()
    for name in arguments.experiment:
        if name not in names:
            parser.error("no experiment is called '%s'" % name)
    return arguments


def main():
    quality_metric.check()
    arguments = parse()
    bench = Bench(arguments)
    version = bench.runner.version()
    print("%s (%s); %s run%s" % (
        version[0], version[1] if len(version) > 1 else "?", arguments.mode,
        "; options " + arguments.options if arguments.options else ""))
    for why in (quality_peers.WHY,
                quality_halfspace.why() if bench.full else ""):
        if why:
            print("left out: " + why)
    for name, run in EXPERIMENTS:
        if name not in (arguments.experiment or UNASKED):
            continue
        start = time.monotonic()
        run(bench)
        sys.stdout.flush()
        print("quality: %s took %.1f s" % (name, time.monotonic() - start),
              file=sys.stderr)
    print()
    if bench.library.missing:
        print("not in PRAE_DATA: " + ", ".join(bench.library.missing))
    print("%d runs of the program, %d failed" % (bench.runner.runs,
                                                 bench.runner.failures))
    return 1 if bench.runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
