# growth.gp - CPU time of a record against columns, window and stream length.
# gnuplot -e "tsv='DIR/growth'; svg='DIR/growth.svg'" growth.gp
# reads DIR/growth_columns.tsv, DIR/growth_window.tsv, DIR/growth_length.tsv.
set terminal svg size 860,300 font "sans-serif,13" background "#ffffff"
set output svg
set datafile separator "\t"
set linetype 1 lw 2 pt 7 ps 0.5 lc rgb "#1f6fb4"
set linetype 2 lw 2 pt 5 ps 0.5 lc rgb "#d1651a"
set grid lc rgb "#dddddd"
set tics nomirror
set logscale xy
set format y "%g"
set multiplot layout 1,3 margins 0.09,0.98,0.2,0.95 spacing 0.06
set key top left Left reverse
set ylabel "us a record"
set xlabel "columns"
set xtics (4, 16, 64, 256, "1 k" 1024, "4 k" 4096)
set xrange [3:6000]
set yrange [0.05:*]
plot tsv . "_columns.tsv" using 1:(column("learn_ns") / 1000) \
        with linespoints lt 2 title "learning", \
    "" using 1:(column("score_ns") / 1000) with linespoints lt 1 \
        title "score only"
unset ylabel
set key off
set yrange [0.05:50]
set xlabel "records a window"
set xtics (128, 512, "2 k" 2048, "8 k" 8192, "32 k" 32768)
set xrange [90:90000]
plot tsv . "_window.tsv" using 1:(column("learn_ns") / 1000) \
        with linespoints lt 2, \
    "" using 1:(column("score_ns") / 1000) with linespoints lt 1
set xlabel "records in the stream"
set xtics ("100 k" 1e5, "1 M" 1e6, "10 M" 1e7)
set xrange [5e4:2e7]
plot tsv . "_length.tsv" using 1:(column("learn_ns") / 1000) \
        with linespoints lt 2, \
    "" using 1:(column("score_ns") / 1000) with linespoints lt 1
unset multiplot
