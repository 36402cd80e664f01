#!/usr/bin/env python3
"""soak.py - a filter under half its load for a long time, with a random fault
every minute.

    soak.py [SECONDS [SEED]]

One producer comes by ipc, one by tcp through a proxy that can reset; inliers
go to a process that can be stopped and killed. Every lost record is charged
to the last fault before it: most faults may cost nothing, and those that cut
something off may cost what was on its way there. Order is kept within a
connection; only a fault that makes a new one under the same producer may let
records overtake others. Memory and descriptors have to stay flat, within each
filter's life as well: one that is started anew holds little. Shorter runs have faults more often.
"""
import random
import signal
import sys
import time

from flat import is_flat
from peers import Stage
from oracle import SOURCE
from soak_faults import RECONNECT, Happened, Soak
from tap import Failed, Watchdog, stop_by_signal
from traffic import settle

SECONDS = 3600
MOST_RATE = 4000  # records a second; the oracle, too, has to keep up


def stop_producers(soak):
    """Without loss: none hangs up before all has come out."""
    for enough in soak.enough:
        enough.set()
    settle(soak.oracle, 2)
    for which in (0, 1):
        soak.stop_producer(which, -1)


def capacity(soak):
    """Records a second, measured while it warms up."""
    for which in (0, 1):
        soak.start_producer(which, 0)
    soak.wait_traffic(8)
    before, start = soak.oracle.total(), time.monotonic()
    time.sleep(3)
    rate = (soak.oracle.total() - before) / (time.monotonic() - start)
    stop_producers(soak)
    return rate


def run(soak, seconds, gap):
    """Lets faults happen; gives samples of memory and descriptors, of each
    filter's life."""
    rate = capacity(soak)
    each = min(rate / 2, MOST_RATE) / 2
    print("soak: takes %.0f records/s, runs at %.0f" % (rate, 2 * each))
    for which in (0, 1):
        soak.start_producer(which, each)
    lives, bag = [[]], []
    began = time.monotonic()
    end = began + seconds
    due = began + gap
    while time.monotonic() < end:
        time.sleep(min(1.0, gap / 4))
        if len(lives) <= len(soak.accounts):
            lives.append([])
        lives[-1].append((soak.filter.rss_mib(), soak.filter.descriptors()))
        if time.monotonic() < due:
            continue
        due += gap
        if not bag:
            bag = list(Soak.FAULTS)
            soak.draw.shuffle(bag)
        fault = bag.pop()
        soak.doing = fault.__name__
        noted = Happened(fault.__name__, soak.frontier(),
                         time.monotonic() - began)
        soak.happened.append(noted)
        noted.limit = fault(soak, min(gap / 3, 10))
        soak.wait_traffic()
    stop_producers(soak)
    return lives


def end(soak):
    settle(soak.oracle, 3)
    soak.stop_filter()
    settle(soak.oracle, 1)


def charge(soak, numbers, kind):
    """Each of NUMBERS to the last fault that was before it; how many had
    none."""
    free = 0
    for number in numbers:
        source, place = divmod(number, SOURCE)
        guilty = [h for h in soak.happened
                  if h.start.get(source, SOURCE) <= place]
        if guilty:
            getattr(guilty[-1], kind).append((source, place))
        else:
            free += 1
    return free


def charge_all(soak):
    return (charge(soak, soak.oracle.missing(), "lost")
            + charge(soak, soak.oracle.moved, "moved"))


def tell_faults(soak):
    """A row for each kind; how many faults cost too much."""
    print("%-18s %6s %8s %8s %8s %8s" % ("fault", "times", "lost", "at once",
                                         "allowed", "moved"))
    for name in sorted({h.name for h in soak.happened}):
        these = [h for h in soak.happened if h.name == name]
        print("%-18s %6d %8d %8d %8d %8d" % (
            name, len(these), sum(len(h.lost) for h in these),
            max(len(h.lost) for h in these), max(h.limit for h in these),
            sum(len(h.moved) for h in these)))
    bad = 0
    for number, fault in enumerate(soak.happened):
        wrong = fault.lost if len(fault.lost) > fault.limit else []
        if fault.name not in RECONNECT:
            wrong = wrong + fault.moved
        if wrong:
            bad += 1
            print("TOO MANY: fault %d, %s, at %.0f s, from source %d place %d "
                  "to source %d place %d; it found them at %r" % (
                      number, fault.name, fault.at, *wrong[0], *wrong[-1],
                      fault.start))
    return bad


def tell(soak, lives, free):
    bad = tell_faults(soak)
    found = soak.oracle.report()
    sent = soak.oracle.ledger.count
    received = sum(account["received"] for account in soak.accounts)
    rss, fds = (is_flat([[sample[which] for sample in life]
                         for life in lives], share, room)
                for which, share, room in ((0, 0.1, 8), (1, 0, 4)))
    checks = (
        ("sent %d, received %d by %d filters" % (
            sent, received, len(soak.accounts)), received <= sent),
        ("lost or moved before any fault %d" % free, free == 0),
        ("duplicated %d, altered %d, strange %d" % (
            found.duplicated, found.altered, found.strange),
         not (found.duplicated or found.altered or found.strange)),
        ("memory %.1f MiB at first, %.1f at last" % rss[1], rss[0]),
        ("descriptors %d at first, %d at last" % fds[1], fds[0]))
    for text, good in checks:
        bad += not good
        print("%s%s" % (text, "" if good else "  WRONG"))
    print("soak: %s" % ("FAILED" if bad else "passed"))
    return 1 if bad else 0


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    gap = min(60.0, max(2.0, seconds / 30))
    print("soak: %d s, a fault every %g s, seed %d" % (seconds, gap, seed),
          flush=True)
    signal.signal(signal.SIGTERM, stop_by_signal)
    watchdog = Watchdog(seconds * 2 + 300, Stage.kill_all)
    stage = Stage()
    soak = Soak(stage, random.Random(seed))
    try:
        lives = run(soak, seconds, gap)
        end(soak)
        status = tell(soak, lives, charge_all(soak))
    except Failed as error:
        print("soak: FAILED: after %s: %s" % (soak.doing, error))
        print(soak.filter.stderr()[-2000:])
        status = 1
    finally:
        stage.close()
    watchdog.cancel()
    sys.exit(status)


main()
