# zmq_table.awk - the medians of zmq.sh's rounds: a table for people on
# standard output, one for programs in the file TSV.
#
# Input are the rounds. FAILED names a file with cells that have none worth
# showing, and why. A ratio is that of a round to the bare C forwarder in the
# same round and cell, and its median.

# The values of LIST, separated by blanks, sorted by insertion into SORTED:
# there are five at most.
function sort(list, sorted, n, i, j, held) {
    n = split(list, sorted, " ")
    for (i = 2; i <= n; i++) {
        held = sorted[i] + 0
        for (j = i - 1; j > 0 && sorted[j] + 0 > held; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = held
    }
    return n
}

function median(list, sorted, n) {
    n = sort(list, sorted)
    return (sorted[int((n + 1) / 2)] + sorted[int(n / 2) + 1]) / 2
}

function highest(list, sorted, n) {
    n = sort(list, sorted)
    return sorted[n]
}

function title(text, line) {
    line = text
    gsub(/./, "-", line)
    print "\n" text "\n" line
}

function rate_row(transport, per, stage, cell, all, ratios, i) {
    cell = transport " " per " " stage
    printf "%-9s %11d  %-26s", transport, per, name[stage]
    if (cell in why) {
        print "  FAILED: " why[cell]
        print "rate", transport, per, stage, "-", "-", "-", "-", "-", "-" >tsv
        return
    }
    for (i = 1; i <= rounds; i++) {
        all = all " " rate[cell, i]
        if ((transport " " per " c", i) in rate)
            ratios = ratios " " rate[cell, i] / rate[transport " " per " c", i]
    }
    printf "%11.0f", median(all)
    if (ratios != "")
        printf "%8.2f", median(ratios)
    print ""
    print "rate", transport, per, stage, sprintf("%.0f", median(all)),
        ratios == "" ? "-" : sprintf("%.4f", median(ratios)),
        "-", "-", "-", "-" >tsv
}

function latency_row(way, stage, cell, all, i, k, v, line) {
    cell = "latency-" way " " stage
    printf "%-26s", name[stage]
    if (cell in why) {
        print "  FAILED: " why[cell]
        print "latency-" way, "ipc", 1, stage, "-", "-", "-", "-", "-", "-" >tsv
        return
    }
    line = "latency-" way OFS "ipc" OFS 1 OFS stage OFS latency_rate OFS "-"
    for (k = 1; k <= 4; k++) {
        all = ""
        for (i = 1; i <= latency_rounds; i++) {
            split(latency[way " " stage, i], v, " ")
            all = all " " v[k]
        }
        v[k] = k < 4 ? median(all) : highest(all)
        printf "%10.0f", v[k]
        line = line OFS sprintf("%.1f", v[k])
    }
    print ""
    print line >tsv
}

function latency_table(way, stages, stage, s) {
    printf "%-26s%10s%10s%10s%10s\n", "stage", "p50", "p99", "p99.9", "max"
    stages = split(python == "" ? "c now" : "c py now", stage, " ")
    for (s = 1; s <= stages; s++)
        latency_row(way, stage[s])
}

BEGIN {
    name["c"] = "bare C forwarder"
    name["py"] = "bare pyzmq forwarder"
    name["freeze"] = "prae-filter --freeze"
    name["learn"] = "prae-filter"
    name["now"] = "prae-filter --emit=now"
    while ((getline <failed) > 0)
        if (!($1 in why))
            why[$1] = $2
}

$1 == "rate" { rate[$2 " " $3 " " $4, $5] = $7 }
sub(/^latency-/, "", $1) { latency[$1 " " $4, $5] = $7 }

END {
    print "what", "transport", "per", "stage", "records_s", "ratio",
        "p50_us", "p99_us", "p999_us", "max_us" >tsv
    title("Records a second, ZeroMQ to ZeroMQ")
    printf "Arrays of 16 float64; medians of %d rounds; ", rounds
    print "ratios to the bare C forwarder."
    printf "\n%-9s %11s  %-26s%11s%8s\n", "transport", "per message", "stage",
        "records/s", "ratio"
    transports = split("ipc tcp", transport, " ")
    pers = split("1 64 512", per, " ")
    stages = split(python == "" ? "c freeze learn" : "c py freeze learn",
        stage, " ")
    for (t = 1; t <= transports; t++)
        for (p = 1; p <= pers; p++)
            for (s = 1; s <= stages; s++)
                rate_row(transport[t], per[p], stage[s])

    title("Latency at " latency_rate " records a second, in us")
    printf "One record a message, over ipc, %d s after the first ", latency_s
    print "window was learned, from when"
    printf "a record was due; "
    if (latency_rounds > 1)
        printf "medians of %d rounds, and the highest", latency_rounds
    else
        printf "one round"
    print ".\n"
    latency_table("plain")
    if (ways ~ /insulated/) {
        print "\nThe same, peers and stage in a real-time class (chrt -f 50):\n"
        latency_table("insulated")
    } else
        print "\nchrt -f may not be used here: not measured in a real-time class."
    if (python == "")
        print "\nNo Python with pyzmq: its forwarder was left out."
}
