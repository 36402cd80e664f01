#!/bin/sh
# The list of `make mutants' is about the sources as they are.
. "$top_srcdir/tests/tap.sh"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
python=${PYTHON:-python3}
"$python" -c '' 2>/dev/null || skip_all "there is no python3"

run "$python" "$top_srcdir/tests/mutants/mutants.py" "$top_srcdir"
is_status 0 "each planted defect has one place in the sources, and a test"
[ "$status" -eq 0 ] || show stdout
tap_done
