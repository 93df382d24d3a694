#!/bin/sh
# A small experiment: several programs, an input file, the time, a random number.
set -e
table=$1 limit=$2
echo "analysis of $table on $(date +%F) by process $$"
awk -F, -v limit="$limit" 'NR > 1 && $2 >= limit { n++; sum += $3 } END { printf "%d rows, mean %.3f\n", n, sum / n }' "$table"
tail -n +2 "$table" | sort -t, -k3,3 -rn | head -n "$limit" > best.csv
echo "seed $(od -An -N4 -tu4 /dev/urandom | tr -d ' ')" > seed.txt
cat best.csv seed.txt
