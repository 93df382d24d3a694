#!/bin/sh
# Loaders that look for libraries in many places: they ask often before anything of the program is set up.
places=$PWD
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
    places=$places:$PWD/none$n
done
for program in cat sort; do
    LD_LIBRARY_PATH=$places $program in.txt || exit
done
echo "guest done"
