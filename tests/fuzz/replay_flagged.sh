#!/bin/sh
# Every input in the corpus, once more through the fuzz target.
exec "$top_builddir/tests/fuzz/replay_flagged" "$top_srcdir/tests/fuzz/corpus/flagged"
