#!/bin/sh
# Learn from one stretch, judge another by it and learn nothing more: the
# same verdicts tomorrow. Needs sensors.csv here.
set -e
head -n 2001 sensors.csv >past.csv
{ head -n 1 sensors.csv && tail -n +2002 sensors.csv; } >new.csv
prae-filter -m pump.prae -o null: past.csv
prae-filter --inspect=pump.prae
prae-filter --freeze -m pump.prae --scores=scores.csv -o clean.csv new.csv
