#!/bin/sh
# The service unit gives the program no more than it needs.
. "$top_srcdir/tests/tap.sh"
unit=$top_srcdir/examples/systemd/prae-filter@.service

if ! systemd-analyze security --help 2>/dev/null | grep -q -e --offline; then
    skip_all "no systemd-analyze that looks at files"
fi
run systemd-analyze security --offline=true --threshold=15 "$unit"
is_status 0 "its exposure is 1.5 at most"
sed -n 's/^.*Overall exposure/# overall exposure/p' ../stdout
tap_done
