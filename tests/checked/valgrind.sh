#!/bin/sh
# Stands in for rex-engine: runs it under valgrind, which leaves its report beside it. Valgrind reads the processor's counter, so that it is not trapped.
here=$(dirname "$(readlink -f "$0")")
export REX_TSC=1
exec valgrind -q --child-silent-after-fork=yes --log-file="$here/reports/%p" "$here/rex-engine.real" "$@"
