#!/bin/sh
# Every input in the corpus, once more with plans and without.
exec "$top_builddir/tests/fuzz/replay_plan" "$top_srcdir/tests/fuzz/corpus/plan"
