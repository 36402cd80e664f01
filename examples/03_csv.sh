#!/bin/sh
# Clean a CSV file: what fits to clean.csv, what does not to odd.csv with the
# reasons, what cannot be judged to bad.csv. Needs sensors.csv here.
set -e
prae-filter -o clean.csv -O odd.csv --rejects=bad.csv sensors.csv

# The worst five, with the fields that gave them away.
score=$(head -n 1 odd.csv | tr , '\n' | grep -n '^score$' | cut -d: -f1)
tail -n +2 odd.csv | sort -t , -k "$score,${score}gr" | head -n 5
