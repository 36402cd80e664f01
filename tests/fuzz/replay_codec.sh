#!/bin/sh
# Every input in the corpus, once more through the fuzz target.
exec "$top_builddir/tests/fuzz/replay_codec" "$top_srcdir/tests/fuzz/corpus/codec"
