#!/bin/sh
# Processes of a shell append to files, by redirections of their own or a shared one.
#
# run: racing
# live: no (its output shows who was first)
# engine: native (order between processes)
# shows: clock_nanosleep, clone, dup2, openat, pipe2, read, wait4, write
# source: files written by several processes
exec 3>> handed.txt
for i in 1 2 3 4; do
    ( sh -c "echo x$i; echo y$i >&3; cat in.txt" >&3; echo z$i >&3 ) &
done
wait
for i in 1 2 3 4 5 6; do
    ( echo i$i >> own.txt; sleep 0.0$((i % 3)); echo j$i >> own.txt ) &
done
wait
( for i in 1 2 3; do echo a$i; /bin/echo b$i; done & for i in 1 2 3; do echo c$i; done; wait; echo end ) > both.txt 2>&1
echo alone >> own.txt
cat handed.txt own.txt both.txt | tr '\n' ' '
echo
echo "guest done"
