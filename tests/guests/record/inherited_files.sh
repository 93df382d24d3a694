#!/bin/sh
# Reads, writes and appends to files that the caller of the recorder opened for it. Children use them, too.
#
# run: redirections=6<in.txt 7>new.txt 8>>data/a.txt 9>both.txt 5>&9 4>&1
# live: no (a new experiment is given no files but the standard ones)
# engine: native (inherited files)
# shows: clone, dup2, openat, read, wait4, write
# source: standard streams
cat <&6
echo written >&7
echo appended >&8
(echo by a child >&8)
read line <&6 || echo "all of it is read"
for name in a b; do sh -c "echo $name.1 >&9; echo $name.2 >&9" & wait $!; done
echo again >&5
echo "to where standard output goes" >&4
stat -c "%s bytes" /proc/self/fd/8
echo "guest done"
