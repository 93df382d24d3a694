#!/bin/bash
# Background jobs of a shell, their ends, and signals to them.
#
# shows: clock_nanosleep, clone, dup2, kill, openat, pipe2, read, rt_sigaction, wait4, write
# source: ends and statuses of children; signals
(sleep 0.05; exit 3) &
first=$!
(echo "in the background"; exit 4) > job.out &
second=$!
jobs | wc -l
wait $first; echo "first ended with $?"
wait $second; echo "second ended with $?"
cat job.out
sleep 100 &
kill $!
wait $! 2> /dev/null; echo "killed: $?"
trap 'echo "trapped USR1"' USR1
(sleep 0.02; kill -USR1 $$) &
wait $!; echo "wait said $?"
wait
for i in 1 2 3; do { echo "$i" > "part$i"; } & done
wait
cat part1 part2 part3
trap 'echo "guest done"' EXIT
exit 0
