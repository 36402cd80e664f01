# contamination.gp - AUC and flagged share by the share of outliers planted,
# scattered on the left, clustered on the right.
# gnuplot -e "tsv='DIR/contamination'; svg='DIR/c.svg'" contamination.gp
# reads DIR/contamination_scattered.tsv and DIR/contamination_clustered.tsv.
set terminal svg size 860,640 font "sans-serif,13" background "#ffffff"
set output svg
set datafile separator "\t"
set datafile missing "-"
set linetype 1 lw 2 pt 7 ps 0.5 lc rgb "#1f6fb4"
set linetype 2 lw 2 pt 5 ps 0.5 lc rgb "#d1651a"
set linetype 3 lw 2 pt 9 ps 0.5 lc rgb "#2f8f5b"
methods = "gates none forest"
titles = "'prae-filter' '--gates=none' 'isolation forest'"
file(kind) = tsv . "_" . kind . ".tsv"
set grid lc rgb "#dddddd"
set tics nomirror
set xrange [0:41]
set xtics 10
set multiplot layout 2,2 margins 0.08,0.98,0.09,0.94 spacing 0.08,0.08
set yrange [0:102]
set key bottom left Left reverse
do for [kind in "scattered clustered"] {
    set title kind . " outliers"
    set ylabel (kind eq "scattered" ? "AUC x 100" : "")
    plot for [m = 1:3] file(kind) using (100 * column("planted")): \
        (100 * column("auc_" . word(methods, m))) with linespoints lt m \
        title word(titles, m)
}
unset title
set key off
set xlabel "outliers planted, % of the stream"
set yrange [0:42]
set label 1 "what was planted" at 29,31.5 right tc rgb "#777777"
do for [kind in "scattered clustered"] {
    set ylabel (kind eq "scattered" ? "flagged, % of the stream" : "")
    plot for [m = 1:3] file(kind) using (100 * column("planted")): \
        (100 * column("flagged_" . word(methods, m))) with linespoints lt m, \
        x with lines lw 1 dt 2 lc rgb "#777777"
}
unset multiplot
