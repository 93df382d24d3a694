#!/bin/sh
# Jobs write to one pipe in racing order, some through a program that passes on what it reads.
#
# run: racing
# engine: native (order between processes)
# shows: clone, dup2, fadvise64, openat, pipe2, read, wait4, write
# source: pipes: sizes of reads, order of writers
job() {
    n=0
    while [ $n -lt 15 ]; do
        n=$((n + 1))
        echo "$1 $n $(echo "$n" | cat)"
    done
}
{
    for i in 1 2 3; do job $i & done
    (seq 1 3000 | cat; echo passed) &
    (yes | head -3; echo headed) &
    wait
} | cat
{ for i in 1 2 3; do job "e$i" >&2 & done; wait; } 2>&1 | sed 's/^/: /'
seq 1 12 | xargs -P 3 -n 1 sh -c 'for k in a b c; do echo "$0 $k"; done' | cat
echo guest done
