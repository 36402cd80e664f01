#!/bin/sh
# --threads changes how long it takes, and nothing else.
. "$top_srcdir/tests/tap.sh"

# 600 columns that hang together; every fiftieth row does not.
awk 'BEGIN {
    for (d = 0; d < 600; d++)
        printf "%sc%d", d == 0 ? "" : ",", d
    print ""
    seed = 7
    for (i = 0; i < 300; i++) {
        for (k = 0; k < 3; k++) {
            seed = (seed * 16807) % 2147483647
            free[k] = seed / 2147483647 - 0.5
        }
        for (d = 0; d < 600; d++) {
            seed = (seed * 16807) % 2147483647
            noise = seed / 2147483647 - 0.5
            x = free[d % 3] + 0.1 * noise
            if (i % 50 == 49)
                x = 6 * noise
            printf "%s%.4f", d == 0 ? "" : ",", x
        }
        print ""
    }
}' >wide.csv || exit 99
"$top_builddir/examples/sensors" --records 12000 >big.msgpack || exit 99

# same NAME FILE ARGUMENTS...: all that comes out, for any number of threads.
same() {
    name=$1
    file=$2
    shift 2
    for n in 1 2 3 8; do
        rm -f m$n
        run "$filter" --threads=$n "$@" -o in$n -O out$n --scores=scores$n \
            -m m$n "$file"
        is_status 0 "$name: --threads=$n"
        [ $n -eq 1 ] && continue
        cmp in1 in$n && cmp out1 out$n && cmp scores1 scores$n && cmp m1 m$n
        ok $? "$name: the same records, scores and model"
    done
}

same "wide records" wide.csv -w 100 --batch=64 --hidden=60,20
[ -s out1 ]
ok $? "of which some are flagged"
same "wide records, two layers" wide.csv -w 100 --batch=64 \
    --hidden=none --latent=40
same "big windows" big.msgpack -w 5000
cp m1 model
for n in 1 2; do
    run "$filter" --threads=$n --freeze -m model -o f$n --scores=s$n \
        big.msgpack
    is_status 0 "a frozen model: --threads=$n"
done
cmp f1 f2 && cmp s1 s2
ok $? "... judges the same"
for n in 1 2; do
    run "$filter" --threads=$n --emit=now -w 2000 -o n$n --scores=t$n \
        big.msgpack
    is_status 0 "--emit=now: --threads=$n"
done
cmp n1 n2 && cmp t1 t2
ok $? "... decides the same"
tap_done
