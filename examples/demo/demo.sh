#!/bin/sh
# The demo of the README: record, lose the inputs, replay, change an argument, compare.
set -eu
rex=$1
here=$(cd "$(dirname "$0")" && pwd)
rm -rf .demo
mkdir .demo
cd .demo
say() { printf '\n== %s\n' "$*"; }

mkdir experiment
cp "$here/analysis.sh" experiment/
awk 'BEGIN { srand(7); print "name,year,value"; for (i = 1; i <= 500; i++) printf "sample%03d,%d,%.4f\n", i, i % 7, 100 * rand() }' > experiment/data.csv
cd experiment

say 'rex record -l ../EXP -- sh analysis.sh data.csv 3'
"$rex" record -l ../EXP -- sh analysis.sh data.csv 3
say 'rex record -l ../EXP -- sh analysis.sh data.csv 5     (one argument changed)'
"$rex" record -l ../EXP -- sh analysis.sh data.csv 5

cd ..
say 'mv experiment gone     (the inputs are no more)'
mv experiment gone

say 'rex replay -l EXP -e exp0 -o out'
"$rex" replay -l EXP -e exp0 -o out

say 'rex replay -l EXP -e exp0 -o out2 --check'
"$rex" replay -l EXP -e exp0 -o out2 --check

say 'rex expdiff EXP:exp0 EXP:exp1'
"$rex" expdiff EXP:exp0 EXP:exp1 || [ $? = 1 ]
say 'rex ls EXP'
"$rex" ls EXP
