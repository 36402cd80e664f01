# subspace.gp - how far the learned subspace is from the true one, by the
# share of outliers. Blocks of the file: l1, l0, none; then the same for
# another number of dimensions.
# gnuplot -e "tsv='subspace.tsv'; svg='subspace.svg'" subspace.gp
set terminal svg size 720,440 font "sans-serif,13" background "#ffffff"
set output svg
set datafile separator "\t"
# Counting comes before any range is set, as that would cut what is counted.
stats tsv using 3 nooutput
blocks = STATS_blocks
titles = ""
do for [b = 0:blocks - 1] {
    stats tsv index b using 1 nooutput
    titles = titles . sprintf("%s,_%d_dim. ", \
                              word("l1 l0 no_gates", b % 3 + 1), STATS_max)
}
readable(text) = system("echo '" . text . "' | tr _ ' '")
set title "Subspace recovery, linear net, lambda = ME/2"
set xlabel "outliers, %"
set ylabel "error of the subspace (0 found, 1 at right angles)"
set xrange [0:100]
set yrange [0:1.05]
set grid lc rgb "#dddddd"
set key top left
set linetype 1 lw 2 pt 7 ps 0.5 lc rgb "#1f6fb4"
set linetype 2 lw 2 pt 5 ps 0.5 lc rgb "#d1651a"
set linetype 3 lw 2 pt 9 ps 0.5 lc rgb "#777777"
plot for [b = 0:blocks - 1] tsv index b using 3:6 with linespoints \
    lt b % 3 + 1 dt 1 + b / 3 title readable(word(titles, b + 1))
