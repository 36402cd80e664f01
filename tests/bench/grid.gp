# grid.gp - one heat map of AUC by lambda and rate for the block-th data set.
# gnuplot -e "tsv='grid.tsv'; svg='grid_x.svg'; block=0; name='x'" grid.gp
set terminal svg size 620,440 font "sans-serif,13" background "#ffffff"
set output svg
set datafile separator "\t"
set title name . ": AUC x 100 by lambda and rate (l1, in-sample)" noenhanced
set xlabel "rate"
set ylabel "lambda"
set cblabel "AUC x 100"
set palette defined (0 "#f7f3e8", 0.5 "#8fb8d0", 1 "#1f4f86")
set tics out nomirror scale 0
set autoscale xfix
set autoscale yfix
unset key
stats tsv index block using 6 nooutput
middle = 0.5 * (STATS_min + STATS_max)
plot tsv index block using 2:3:6:xtic(4):ytic(5) with image, \
     tsv index block using 2:3:(sprintf("%.1f", $6)):($6 > middle ? \
         0xffffff : 0x000000) with labels tc rgb variable
