#!/bin/bash
# Pipelines, expansions, redirections, and values that change from run to run.
#
# live: yes
# engine: native (order between processes)
# shows: clone, dup2, execve, getdents64, openat, pipe2, read, unlinkat, wait4, write
# source: pipes: sizes of reads, order of writers; standard streams
set -o pipefail
date +%s.%N; echo "$RANDOM $RANDOM $$ $PPID $SECONDS $EPOCHREALTIME"
seq 1 200 | sort -R | head -5
head -c 6 /dev/urandom | od -An -tx1
sort -r in.txt | tee sorted.txt | tr a-z A-Z
while read -r line; do echo "<$line>"; done < in.txt
cat <<< "a here string"
cat << END
a here document of $(basename "$0"), $(wc -l < in.txt) lines
END
diff <(sort in.txt) <(sort -r in.txt) | head -2
yes | head -3; echo "status ${PIPESTATUS[0]}"
false | true; echo "pipefail $?"
temporary=$(mktemp -p .); echo x > "$temporary"; echo "$temporary"; rm "$temporary"
exec 5> five.txt; echo five >&5; exec 5>&-
echo "$GUEST_VARIABLE" "${#GUEST_VARIABLE}"
ls -li data; ls -d */ ./*.txt
find . -type f -newer in.txt | sort; find data -printf '%p %i %T@\n'
echo "to standard error" >&2
(echo one; echo two >&2; exit 7) 2>&1 | cat; echo "${PIPESTATUS[*]}"
echo "guest done"
