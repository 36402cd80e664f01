"""flat.py - whether what a process holds stays what it was.

A process that starts anew begins with little, so that numbers of several are
looked at life by life: what leaks is seen in the longest of them, if not in
all together.
"""
import collections
import statistics

LEAST = 30  # numbers of a life that say something

Growth = collections.namedtuple("Growth", "first last")


def growth(values):
    """From the first third to the last one, of medians: a peak is none."""
    third = len(values) // 3
    return Growth(statistics.median(values[:third] or values),
                  statistics.median(values[-third:] or values))


def is_flat(lives, share, room):
    """Whether none of LIVES, lists of numbers, grows by more than SHARE and
    ROOM, nor the last from the first; and the worst Growth of all."""
    whole = [value for life in lives for value in life]
    found = [growth(whole), *(growth(life) for life in lives
                              if len(life) >= LEAST)]
    worst = max(found, key=lambda each: each.last - each.first * (1 + share))
    return worst.last <= worst.first * (1 + share) + room, worst
