#!/bin/sh
# Every snapshot in the corpus, once more through the fuzz target.
exec "$top_builddir/tests/fuzz/replay_snapshot" \
    "$top_srcdir/tests/fuzz/corpus/snapshot"
