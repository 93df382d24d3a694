#!/bin/sh
# Compiles a program, links it with a library of its own, and executes it.
#
# live: differs=main
# shows: dup2, execve, openat, pipe2, read, wait4, write
# source: fork, clone, exec
if ! command -v gcc > /dev/null; then echo "no compiler"; echo "guest done"; exit; fi
cat > twice.c << 'END'
int twice(int n) { return 2 * n; }
END
cat > main.c << 'END'
#include <stdio.h>
int twice(int);
int main(int argc, char **argv) { printf("%s: %d on %s\n", argv[0], twice(argc), __TIME__); return 3; }
END
gcc -shared -fPIC -o libtwice.so twice.c && gcc -o main main.c -L. -ltwice -Wl,-rpath,. || exit 1
./main a b; echo "status $?"
gcc -o main main.c twice.c && ./main; echo "status $?"
echo "guest done"
