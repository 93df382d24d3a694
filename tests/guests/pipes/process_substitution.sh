#!/bin/bash
# A shell writes to pipes that it opens by the names of their descriptors, to be truncated as files are.
#
# shows: openat, wait4, write
# source: pipes: sizes of reads, order of writers; fork, clone, exec
mkfifo ready
sort -r in.txt > >(cat > sorted; echo > ready)
read < ready
cat sorted
tee >(sort > copied; echo > ready) < in.txt > /dev/null
read < ready
cat copied
exec 3> named
echo first >&3
echo second > /dev/fd/3
echo third >> /dev/fd/3
cat named
{ echo one more; } > >(read line; echo "read: $line"; echo > ready)
read < ready
echo guest done
