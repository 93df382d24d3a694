# A simulator reads its parameters when its grid is ready; an analysis follows for each of two regions.
command -v cc > /dev/null || { echo "needs cc: apt-get install gcc libc6-dev" >&2; exit 127; }
skip=10
cc -O1 -o simulate simulate.c
./simulate parameters.txt > field.txt
awk 'NR <= 100' field.txt > north.txt
awk 'NR > 100' field.txt > south.txt
tools/sum $skip north.txt > north.sum
tools/sum $skip south.txt > south.sum
paste north.sum south.sum > result.txt
