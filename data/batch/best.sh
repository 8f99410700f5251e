#!/bin/bash
# The best network of each data set of a sweep, and a table of all of them: results/table.csv.
#
#   DATA="a.csv b.csv c.csv" sbatch --dependency=afterok:JOB best.sh
#
#SBATCH --job-name=best
set -eu
shopt -s extglob
readarray -t data < <(xargs -n 1 <<< "$DATA")
for file in "${data[@]}"; do
    stem=results/$(basename "$file" .csv)
    mntools best "$stem"-+([0-9]).cliques --data "$file" -q --table "$stem.table.csv" -o "$stem.best.cliques"
    tail -n +2 "$stem.table.csv"
done > results/rows.csv
{ head -n 1 "$stem.table.csv"; cat results/rows.csv; } > results/table.csv
