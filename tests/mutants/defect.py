"""defect.py - what a defect is: in FILE, OLD, which is there once, becomes
NEW. TESTS ought to find it, the quickest first; words behind a file's name
choose cases of it."""
import collections

Defect = collections.namedtuple("Defect", "what file old new tests")
