#!/bin/sh
# Runs scripts whose interpreters are scripts, scripts by descriptor, and scripts made during the run.
#
# live: yes
# shows: dup2, execve, fchmodat, openat, unlinkat
# source: environment, arguments; fork, clone, exec
./outer a "b c"
./tool.sh direct
sh tool.sh named
PATH=.:$PATH outer found
sh < tool.sh
. ./tool.sh
printf '#!/bin/sh\necho "made: $0 $*"\n' > made; chmod +x made; ./made x
printf '#!./made first\n' > chained; chmod +x chained; ./chained last
printf '#!/usr/bin/env -S sh -e\necho "by env: $*"\n' > env.sh; chmod +x env.sh; ./env.sh y
printf 'echo "without a first line"\n' > plain; chmod +x plain; ./plain
printf '#!/no/such/interpreter\n' > broken; chmod +x broken; ./broken 2> /dev/null; echo "broken $?"
./in.txt 2> /dev/null; echo "not executable $?"; ./none 2> /dev/null; echo "none $?"
rm made; ./made 2> /dev/null; echo "removed $?"
echo "guest done"
