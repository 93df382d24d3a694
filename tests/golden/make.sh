#!/bin/sh
# Makes archive-FORMAT and archive-FORMAT.rex beside this script, once per format of the
# manifest: what was released stays for good. Needs root, for a host name and a place
# that tell nothing of the machine. PYTHON is an interpreter that has what Rex needs.
set -e
here=$(cd "$(dirname "$0")" && pwd) root=$(cd "$(dirname "$0")/../.." && pwd)
format=$(cd "$root" && "$PYTHON" -c 'from rex.archive.manifest import VERSION; print(VERSION)')
[ ! -e "$here/archive-$format" ] || { echo "archive-$format is there" >&2; exit 1; }
[ "${1-}" = inside ] || exec unshare --uts --mount "$0" inside
hostname golden
mount -t tmpfs -o mode=755 golden /mnt
mkdir /mnt/w && cd /mnt/w
gcc -Os -nostdlib -static -ffreestanding -fno-stack-protector -fcf-protection=none \
    -Wl,--build-id=none,-z,norelro -o guest "$here/guest.c"
strip guest
printf 'golden\n' > in
rex() { env -i LANG=C.UTF-8 PYTHONPATH="$root" "$PYTHON" -m rex.cli.main "$@"; }
export PATH=/usr/bin:/bin
cat > record.py <<'P'
import os, sys
os.environ.clear()
# The padding, which is in the log too, makes the second log worth storing as a difference.
os.environ.update(LANG="C.UTF-8", TOKEN="withheld", PAD="golden " * 6000)
from rex.recorder import Options, record
outcome = record(Options(["./guest", "a b", b"\xff".decode("utf-8", "surrogateescape")], "/mnt/A"))
sys.exit(os.waitstatus_to_exitcode(outcome.status) != 3)
P
PYTHONPATH="$root" "$PYTHON" record.py < /dev/null > stdout 2> stderr
printf 'another\n' > in
rm -r d
PYTHONPATH="$root" "$PYTHON" record.py < /dev/null > /dev/null 2>&1
rex default /mnt/A:exp0
rex check /mnt/A
rex export /mnt/A -o /mnt/A.rex
cp -r /mnt/A "$here/archive-$format"
cp /mnt/A.rex "$here/archive-$format.rex"
