# tap.sh - just enough of the Test Anything Protocol for shell tests, and a
# scratch directory to run them in. Sourced:
#
#   . "$top_srcdir/tests/tap.sh"
#   run prae-filter --help            status, stdout and stderr are kept
#   is_status 0 "help succeeds"
#   has stdout 'Usage' "help shows usage"
#   tap_done

tap_count=0
tap_failed=0
filter=${FILTER:-$top_builddir/prae-filter}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/prae.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
cd "$scratch" || exit 99
mkdir run && cd run || exit 99

# ok STATUS NAME: passes where STATUS is 0.
ok() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        echo "not ok $tap_count - $2"
        tap_failed=$((tap_failed + 1))
    fi
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

tap_done() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
}

# Runs a command with its input as it is, its output in ../stdout and
# ../stderr, and its status in $status.
run() {
    "$@" >../stdout 2>../stderr
    status=$?
}

show() {
    sed "s/^/# $1: /" "../$1" | head -n 20
}

is_status() {
    [ "$status" -eq "$1" ]
    result=$?
    ok $result "$2"
    if [ $result -ne 0 ]; then
        echo "# status $status, wanted $1"
        show stderr
    fi
}

# has stdout|stderr PATTERN NAME: the stream has a line that matches.
has() {
    grep -q -e "$2" "../$1"
    result=$?
    ok $result "$3"
    [ $result -eq 0 ] || show "$1"
}

# is_same FILE FILE NAME
is_same() {
    cmp -s "$1" "$2"
    ok $? "$3"
}

# Whether the exit line of the last run adds up: received N = inliers N +
# outliers N + rejected N.
adds_up() {
    sed -n 's/.*received \([0-9]*\) = inliers \([0-9]*\) + outliers \([0-9]*\) + rejected \([0-9]*\);.*/\1 \2 \3 \4/p' ../stderr |
        awk '{ n++; good = $1 == $2 + $3 + $4 } END { exit !(n == 1 && good) }'
    result=$?
    ok $result "$1"
    [ $result -eq 0 ] || show stderr
}
# handles PID: waits until it handles signals, which on a busy machine takes a
# while: SIGTERM, USR2, USR1, INT and HUP, whatever a sanitizer has besides.
handles() {
    tries=0
    while [ $tries -lt 300 ] && caught=$(
        sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$1/status" 2>/dev/null) &&
        [ $((0x0$caught & 0x4a03)) -ne $((0x4a03)) ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
