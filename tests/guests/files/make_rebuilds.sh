#!/bin/sh
# make decides by modification times what to build.
#
# live: yes
# shows: dup2, newfstatat, openat, pipe2, setresgid, setresuid, stat, utimensat, wait4, write
# source: inodes, sizes, times and modes of files
if ! command -v make > /dev/null; then echo "no make"; echo "guest done"; exit; fi
printf 'all: out.txt\nout.txt: in.txt\n\ttr a-z A-Z < in.txt > out.txt\n\t@echo built\n.PHONY: all\n' > Makefile
make; make; touch -d 2001-01-01 out.txt; make; cat out.txt
make -j2 -s none 2>&1 | tail -1
echo "guest done"
