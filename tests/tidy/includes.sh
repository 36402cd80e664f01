#!/bin/sh
# Includes point one way: the library knows nothing of the program, each
# foreign header has its place, and the library does no I/O.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 99

# none PATTERN FILES... NAME-LAST
none() {
    pattern=$1
    name=$2
    shift 2
    if grep -nE -- "$pattern" "$@" /dev/null; then
        ok 1 "$name"
    else
        ok 0 "$name"
    fi
}

lib=$(ls src/libprae/*.[ch])
prog=$(ls src/prae-filter/*.[ch] src/praectl/*.[ch])
but() { for f in $2; do case " $1 " in *" $f "*) ;; *) echo "$f" ;; esac; done; }

none '#include.*<blis' 'blis.h is included in matrix.c only' \
    $(but 'src/libprae/matrix.c' "$lib $prog")
none '#include.*<msgpack' 'msgpack.h is included in envelope.c only' \
    $(but 'src/libprae/envelope.c' "$lib $prog")
none '#include.*<zmq' 'the library knows no sockets' $lib
# name_hash.c asks the system for a seed, which unistd.h declares.
none '#include.*<(pthread|threads|unistd|fcntl|signal|getopt|sys/)' \
    'the library opens nothing and starts nothing' \
    $(but 'src/libprae/name_hash.c' "$lib")
none '\b(stderr|stdout|stdin|exit|abort|printf|puts|fopen) *\(|\b(stderr|stdout)\b' \
    'the library prints nothing and never exits' $(ls src/libprae/*.c)
# matrix.c looks whether BLIS has a variable of its own to read.
none '\bgetenv *\(' 'the library does not ask the environment' \
    $(but 'src/libprae/matrix.c' "$lib")
for header in src/libprae/*.h; do
    name=$(basename "$header")
    grep -ln "#include \"$name\"" $prog
done >"$scratch/seen"
[ ! -s "$scratch/seen" ]
ok $? "the programs include nothing from inside the library"

# From the bottom up; a file may include only what stands above it here.
order='mem denormal runner vmath rng gate kernel kernel_vec kernel_lay
    kernel_product kernel_layer kernel_near kernel_rank kernel_scale kernel_step
    kernel_all matrix stat scale net adam trainer shape fit context
    reservoir history smooth neighbours ribbon learner record packed number codec
    name_hash text csv_names rarity path survey feature plan plan_walk window filter
    bytes snapshot snapshot_parts'
bad=0
for file in src/libprae/*.h; do
    self=$(basename "$file" .h)
    case " $(echo $order) " in
    *" $self "*) ;;
    *) echo "# $self has no place in the order"; bad=1 ;;
    esac
    for other in $(sed -n 's/^#include "\(.*\)\.h"$/\1/p' "$file"); do
        [ "$other" = prae ] && continue
        echo "$order" | tr -s ' \n' '\n\n' | awk -v s="$self" -v o="$other" '
            $1 == s { at_s = NR } $1 == o { at_o = NR }
            END { exit !(at_o > 0 && at_o < at_s) }' || {
            echo "# $self.h includes $other.h, which lies above it"
            bad=1
        }
    done
done
ok $bad "headers include downwards only"

wc -l src/libprae/*.c src/prae-filter/*.c src/praectl/*.c |
    awk '$2 != "total" && $1 > 900 { print "# " $0; bad = 1 } END { exit bad }'
ok $? "no file has more than 900 lines"
tap_done
