#!/bin/sh
# Opens the standard streams by their names. What it writes there is output.
#
# shows: dup2, openat, pipe2, read, write
# source: standard streams
echo first
echo named > /dev/stdout
echo appended >> /proc/self/fd/1
echo "what went wrong" > /dev/stderr
echo in between
sh -c 'echo of a child > /dev/fd/1; echo elsewhere > /dev/stderr' 2> errors.txt
cat errors.txt
echo through tee | tee /dev/stderr | sed s/through/out\ of/ > /dev/stdout
(echo to a pipe inside > /dev/stdout) | sed s/to/from/
echo "guest done"
