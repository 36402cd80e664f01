# phase.gp - F1 of the verdict by lambda, with the mean energy as a line.
# gnuplot -e "tsv='phase.tsv'; svg='phase.svg'" phase.gp
set terminal svg size 720,440 font "sans-serif,13" background "#ffffff"
set output svg
set datafile separator "\t"
set title "Phase transition in lambda (subspace data, 20 % outliers)"
set xlabel "lambda / mean energy"
set ylabel "F1 of the verdict (gate below 0.1)"
set xrange [0:2.1]
set yrange [0:1.05]
set grid lc rgb "#dddddd"
set key top right
set arrow 1 from 1,graph 0 to 1,graph 1 nohead dt 2 lw 2 lc rgb "#777777"
set label 1 "mean energy" at 1.02,0.55 tc rgb "#777777"
plot tsv using 1:2 skip 1 with linespoints lw 2 pt 7 ps 0.5 \
         lc rgb "#1f6fb4" title "l1", \
     tsv using 1:3 skip 1 with linespoints lw 2 pt 5 ps 0.5 \
         lc rgb "#d1651a" title "l0"
