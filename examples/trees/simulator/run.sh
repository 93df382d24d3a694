# A simulator reads its parameters when its grid is ready; an analysis follows for each of two regions.
cc -O1 -o simulate simulate.c
./simulate parameters.txt > field.txt
awk 'NR <= 100' field.txt > north.txt
awk 'NR > 100' field.txt > south.txt
awk -v skip=10 '$1 > skip { s += $2 } END { print s }' north.txt > north.sum
awk -v skip=10 '$1 > skip { s += $2 } END { print s }' south.txt > south.sum
paste north.sum south.sum > result.txt
