#!/bin/sh
# Files that whoever starts the recording has opened for the program (8>file): read, written, appended to, by children too.
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
