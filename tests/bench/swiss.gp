# swiss.gp - AUC on the swiss roll by the outliers' variance, first net.
# gnuplot -e "tsv='swiss.tsv'; svg='swiss.svg'" swiss.gp
set terminal svg size 720,440 font "sans-serif,13" background "#ffffff"
set output svg
set datafile separator "\t"
set title "Swiss roll"
set xlabel "variance of the outliers"
set ylabel "AUC x 100"
set logscale x
set yrange [0:105]
set grid lc rgb "#dddddd"
set key below
plot tsv using 2:3 skip 1 every ::0::4 with linespoints lw 2 pt 7 ps 0.5 \
         lc rgb "#1f6fb4" title "relative", \
     tsv using 2:4 skip 1 every ::0::4 with linespoints lw 2 pt 5 ps 0.5 \
         lc rgb "#d1651a" title "squared", \
     tsv using 2:5 skip 1 every ::0::4 with linespoints lw 2 pt 9 ps 0.5 \
         lc rgb "#2f8f5b" title "squared, divided by ||x||", \
     tsv using 2:6 skip 1 every ::0::4 with linespoints lw 2 dt 2 pt 11 \
         ps 0.5 lc rgb "#777777" title "1/||x||, no model"
