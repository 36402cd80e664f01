#!/bin/sh
# zmq.sh [quick|full] - how fast prae-filter is between two ZeroMQ programs,
# beside forwarders that only pass messages on.
#
#   FILTER  the built program (./prae-filter)
#   PEERS   directory with zmq_peers and zmq_forward, built (tests/bench)
#   OUT     directory for zmq.txt, zmq.tsv and zmq_rounds.tsv, made if need
#           be (zmq-out)
#   PYTHON  (the first of python3, /usr/bin/python3 with pyzmq; without one
#           its rows are left out)
#
# A producer binds PUSH, a consumer binds PULL, and the stage connects to
# both. Rounds are interleaved: each goes through all stages of a cell before
# the next, and ratios are taken within a round, so that a machine that gets
# slower does so for all. A run in which records were lost, or after which
# the filter's account is not what was sent and received, fails.
#
# Latency is measured twice where chrt may: as any program is run, and with
# peers and stage in a real-time class (chrt -f), which leaves out what the
# machine's other programs add. The filter's training leaves that class.
set -eu

mode=${1:-quick}
here=$(dirname "$0")
filter=${FILTER:-./prae-filter}
peers=${PEERS:-tests/bench}
out=${OUT:-zmq-out}

case $mode in
quick) rounds=3 cell_ms=200 latency_rounds=1 latency_s=2 ;;
full) rounds=5 cell_ms=1000 latency_rounds=3 latency_s=5 ;;
*)
    echo "usage: zmq.sh [quick|full]" >&2
    exit 2
    ;;
esac
window=512 # the filter's default: counts are multiples of it
latency_rate=20000
warm_ms=500
insulated= # or a command that puts what it runs in a real-time class

for program in "$filter" "$peers/zmq_peers" "$peers/zmq_forward"; do
    if ! command -v "$program" >/dev/null 2>&1; then
        echo "zmq.sh: no program at '$program':" \
            "build it and set FILTER and PEERS" >&2
        exit 2
    fi
done
python=${PYTHON:-}
for candidate in python3 /usr/bin/python3; do
    [ -z "$python" ] || break
    if "$candidate" -c 'import zmq' >/dev/null 2>&1; then
        python=$candidate
    fi
done

scratch=$(mktemp -d "${TMPDIR:-/tmp}/prae-zmq.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$out"
# Numbers of another run must not pass for this one's.
rm -f "$out"/zmq*.tsv "$out/zmq.txt"
raw=$out/zmq_rounds.tsv
printf 'what\ttransport\tper\tstage\tround\trecords\tvalues\n' >"$raw"
: >"$scratch/failed"

# through STAGE ARGUMENTS...: runs zmq_peers with a stage; what they say is
# in $scratch/said and $scratch/errors. The shell in between puts in the
# endpoints, and is gone.
through() {
    stage=$1
    shift
    plain='exec "$@" "$FROM" "$TO"'
    sockets='exec "$@" --in=pull:"$FROM" --inliers=push:"$TO"'
    case $stage in
    c) set -- "$@" sh -c "$plain" sh "$peers/zmq_forward" ;;
    py) set -- "$@" sh -c "$plain" sh "$python" -B "$here/zmq_forward.py" ;;
    freeze)
        set -- "$@" sh -c "$sockets" sh "$filter" --freeze \
            --model="$scratch/model" --outliers=null:
        ;;
    learn) set -- "$@" sh -c "$sockets" sh "$filter" --outliers=null: ;;
    now)
        # Outliers to the consumer, too: they are no less in a hurry. The
        # 17th field is the time.
        set -- "$@" sh -c "$sockets"' --outliers=push:"$TO"' sh "$filter" \
            --emit=now --ignore=16
        ;;
    esac
    $insulated "$peers/zmq_peers" "$@" >"$scratch/said" 2>"$scratch/errors"
}

# Why the last run of $stage is no good; silent where it is.
fault() {
    if ! read -r sent came late status _ <"$scratch/said"; then
        # What the filter complained of says more than what we saw of it.
        sed -n 's/^prae-filter: error: //p' "$scratch/errors" |
            tail -n 1 | grep . || tail -n 1 "$scratch/errors" | grep . ||
            echo "ended without a word"
        return
    fi
    # The last window may be, where a timer closed one before it early.
    if [ "$late" -gt $window ]; then
        echo "$late records came only after SIGTERM"
        return
    fi
    case $stage in
    c | py)
        [ "$came" -eq "$sent" ] || echo "sent $sent, received $came"
        return
        ;;
    esac
    if [ "$status" -ne 0 ]; then
        echo "exit status $status"
        return
    fi
    fault_of_account $(sed -n "$account_pattern" "$scratch/errors")
}

account_pattern='s/.*received \([0-9]*\) = inliers \([0-9]*\) + outliers '\
'\([0-9]*\) + rejected 0;.*/\1 \2 \3/p'

fault_of_account() { # RECEIVED INLIERS OUTLIERS
    if [ $# -ne 3 ]; then
        echo "no account, or records were rejected or not delivered"
        return
    fi
    due=$2
    [ "$stage" != now ] || due=$(($2 + $3))
    if [ "$1" -ne "$sent" ] || [ "$1" -ne $(($2 + $3)) ] ||
        [ "$came" -ne "$due" ]; then
        echo "sent $sent, received $came, account $1 = $2 + $3"
    fi
}

# fail CELL WHY: notes it, and shows what was said.
fail() {
    printf '%s\t%s\n' "$1" "$2" >>"$scratch/failed"
    echo "zmq.sh: FAILED: $1: $2" >&2
    tail -n 10 "$scratch/errors" | sed 's/^/zmq.sh:   /' >&2
}

has_failed() {
    cut -f 1 "$scratch/failed" | grep -qxF "$1"
}

# endpoints TRANSPORT: the arguments FROM and TO in $from and $to.
endpoints() {
    case $1 in
    ipc) from=ipc://$scratch/from to=ipc://$scratch/to ;;
    tcp) from='tcp://127.0.0.1:*' to='tcp://127.0.0.1:*' ;;
    esac
}

# attempt CELL STAGE ARGUMENTS...: a run that is checked.
attempt() {
    cell=$1
    shift
    through "$@" || :
    why=$(fault)
    [ -z "$why" ] || fail "$cell" "$why"
    [ -z "$why" ]
}

# How many records take $cell_ms, into $scratch/count.STAGE.PER: settled by
# a short run, and the same for both transports and all rounds.
size_cell() { # STAGE PER
    pilot=$((16 * window))
    case $1 in c | py) pilot=$((256 * window)) ;; esac
    endpoints ipc
    if ! attempt "$1 $2" "$1" rate "$from" "$to" $pilot "$2"; then
        for transport in ipc tcp; do
            printf '%s\t%s\n' "$transport $2 $1" "$why" >>"$scratch/failed"
        done
        return
    fi
    awk -v ms="$cell_ms" -v window=$window '{
        windows = int(ms / 1000 * $1 / $5 / window)
        print window * (windows < 8 ? 8 : windows)
    }' "$scratch/said" >"$scratch/count.$1.$2"
}

rate_round() { # ROUND TRANSPORT PER STAGE
    cell="$2 $3 $4"
    if has_failed "$cell"; then return; fi
    endpoints "$2"
    count=$(cat "$scratch/count.$4.$3")
    if attempt "$cell" "$4" rate "$from" "$to" "$count" "$3"; then
        awk -v OFS='\t' -v cell="$cell" -v round="$1" '{
            split(cell, c, " ")
            print "rate", c[1], c[2], c[3], round, $1, $1 / $5
        }' "$scratch/said" >>"$raw"
    fi
}

latency_round() { # ROUND STAGE plain|insulated
    cell="latency-$3 $2"
    if has_failed "$cell"; then return; fi
    endpoints ipc
    [ "$3" = plain ] || insulated='chrt -f 50'
    if attempt "$cell" "$2" latency "$from" "$to" $latency_rate $latency_s \
        $warm_ms; then
        awk -v OFS='\t' -v stage="$2" -v round="$1" -v how="$3" '{
            print "latency-" how, "ipc", 1, stage, round, $1,
                $5 " " $6 " " $7 " " $8
        }' "$scratch/said" >>"$raw"
    fi
    insulated=
}

table() {
    awk -F '\t' -v OFS='\t' -v tsv="$out/zmq.tsv" -v failed="$scratch/failed" \
        -v python="$python" -v rounds=$rounds \
        -v latency_rounds=$latency_rounds -v latency_s=$latency_s \
        -v latency_rate=$latency_rate -v ways="$ways" -f "$here/zmq_table.awk" "$raw"
}

# Of the last minute: whether the machine had other things to do.
load() {
    cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo '?'
}

load_before=$(load)
"$peers/zmq_peers" records $((40 * window)) >"$scratch/records"
if ! "$filter" --model="$scratch/model" --inliers=null: --outliers=null: \
    "$scratch/records" 2>"$scratch/errors"; then
    echo "zmq.sh: '$filter' learned no model:" >&2
    cat "$scratch/errors" >&2
    exit 1
fi

stages="c${python:+ py} freeze learn"
for per in 1 64 512; do
    for stage in $stages; do size_cell "$stage" $per; done
done
for round in $(seq $rounds); do
    for transport in ipc tcp; do
        for per in 1 64 512; do
            for stage in $stages; do
                rate_round "$round" $transport $per "$stage"
            done
        done
    done
done
ways=plain
if chrt -f 50 true 2>/dev/null; then ways='plain insulated'; fi
for round in $(seq $latency_rounds); do
    for way in $ways; do
        for stage in c ${python:+py} now; do
            latency_round "$round" "$stage" $way
        done
    done
done
{
    "$filter" --version | head -n 1
    echo "$(getconf _NPROCESSORS_ONLN) processors;" \
        "load before $load_before, after $(load)"
} >"$out/zmq.txt"
table >>"$out/zmq.txt"
cat "$out/zmq.txt"
[ ! -s "$scratch/failed" ]
