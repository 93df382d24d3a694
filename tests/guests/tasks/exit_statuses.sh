#!/bin/sh
# Prints exit statuses of children, and exits with 7.
#
# run: status=7
# shows: dup2, exit_group, kill, openat, rt_sigaction, wait4
# source: ends and statuses of children
for i in 0 1 2 127 255; do (exit $i); echo "exit $?"; done
sh -c 'kill -9 $$'; echo "killed $?"
sh -c 'kill -TERM $$'; echo "terminated $?"
sh -c 'ulimit -c 0; kill -SEGV $$'; echo "segmentation fault $?"
none 2> /dev/null; echo "not found $?"
false; echo "false $?"; ! true; echo "not true $?"
trap 'echo "guest done"; exit 7' TERM
kill -TERM $$
exit 8
