#!/bin/bash
# Jobs sleep and then write to one internal pipe. The one with the shortest sleep writes first.
#
# run: racing
# engine: native (order by sleeps)
# shows: clock_nanosleep, clone, dup2, openat, pipe2, read, wait4, write
# source: sleeps and timeouts; pipes: sizes of reads, order of writers
for i in 3 1 4 2 5; do
    (sleep 0.0$i; echo "job $i"; sleep 0.1; echo "job $i again") &
done | cat
for i in 2 0 1; do
    (sleep 0.0$((i * 3 + 1)); cat "$0" | wc -l; echo "counted $i") &
done | sed 's/^/> /'
echo "guest done"
