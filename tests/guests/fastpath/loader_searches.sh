#!/bin/sh
# The loader looks for libraries in many directories. It makes many calls before the program is set up.
#
# shows: newfstatat, openat, read, write
# source: names, renames, files without a name
places=$PWD
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
    places=$places:$PWD/none$n
done
for program in cat sort; do
    LD_LIBRARY_PATH=$places $program in.txt || exit
done
echo "guest done"
