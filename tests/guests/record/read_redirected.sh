#!/bin/sh
# Reads byte by byte from files and pipes that replace saved standard streams.
#
# run: stdin=pipe
# shows: clone, dup2, openat, pipe2, read, wait4, write
# source: standard streams
exec 4<&0 5>&1
i=0
while [ $i -lt 300 ]; do echo "line $i"; i=$((i + 1)); done > many.txt
n=0
while read -r word number; do n=$((n + number)); done < many.txt
echo "sum of a file: $n"
cat many.txt | { n=0; while read -r word number; do n=$((n + number)); done; echo "sum of a pipe: $n" >&5; }
while read -r line; do echo "from outside: $line"; done <&4
{ while read -r word number; do echo "$number"; done < many.txt; echo "$$" | wc -l; } > numbers.txt
cksum numbers.txt
echo "guest done"
