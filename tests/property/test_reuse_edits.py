"""Random pipelines and random edits: a run that puts back what is unchanged leaves what a run of everything leaves."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from commands import contents, kept_times
from pace import first
from rex.recorder import Options
from rex.trees.reuse import record_reusing

pytestmark = pytest.mark.usefixtures("tracing")

FILES = [f"f{number}" for number in range(4)]
MADE = [f"g{number}" for number in range(5)]
LINES = (
    "sort {a} > {m}", "sort -r {a} > {m}", "cat {a} {b} > {m}", "grep -c {w} {a} > {m}", "head -n {n} {a} > {m}", "uniq -c < {a} > {m}",
    "wc -l < {a} > {m}", "tr a-c x-z < {a} > {m}", "test -f {a} && cp {a} {m}", "ls d > {m}", "cat {a} | sort | uniq > {m}", "cat {a} >> {m}",
    "mkdir -p d && cp {a} d/{m}", "rm -f {m}", "mv {a} {m}", "ln -sf {a} link; cat link > {m}", "sed -i s/{w}/z/ {a}", "echo {w} > {m}", "{{ head -n 1; cat; }} < {a} > {m}",
    "while read x; do wc -c {a}; done < {b} > {m}", "touch -d @{n} {b}; find {a} -newer {b} > {m}", "sh -c 'sort {a} | uniq -c > {m}'", "(cat {a}; cat {b}) > {m}",
    "x=$(cat {a} | wc -l); head -n $x {b} > {m}", "tee {m} < {a} > {m2}", "cat {a} missing > {m} 2> {m2}", "umask 0{n}7; cp {a} {m}", "cat {a}",
    "stat -c %s {a} > {m}", "cmp -s {a} {b} || cp {b} {m}", "comm {a} {b} > {m}", "exec 3< {a}; cat <&3 > {m}", "split -l 1 {a} d/{m}.", "diff {a} {b} > {m}",
    # their own old output
    "sort -o {a} {a}", "cat {m} {a} > t; mv t {m}", "grep -q {w} {m} || cat {a} >> {m}", "tac {m} > t; cp t {m}; rm t", "sed -n p {m} | tee -a {m2}",
    # names that are not there, and listings
    "cat {a}.conf {a} > {m} 2>&1", "test -e d/x || cp {a} d/x", "ls -A > {m}", "for x in d/*; do cat $x; done > {m}", "find d -type f | sort > {m}",
    "sh -c 'test -e {a}.conf && sort {a}.conf || sort {b}' > {m}", "rm -r d; mkdir d; cp {a} d", "grep -rl {w} d | sort > {m}",
    # temporary names
    "sort {a} > t.$$ && mv -T t.$$ {m}; rm -f t.$$", "t=$(mktemp d/t.XXXX); sort {a} > $t && mv -T $t {m}; rm -f $t", "cp {a} t; sort t > {m}; rm t",
    # what programs inherit, and what they learn of names
    "(umask 0{n}7; cp {a} {m}; true)", "nice -n {n} sort {a} > {m}", "nice -n {n} nice > {m}", "(ulimit -n 10{n}; sh -c 'ulimit -n; cat {a}' > {m}; true)",
    "(trap '' INT; sh -c 'trap; cat {a}' > {m}; true)", "sh -c 'cat {a} missing' 2>&1", "sh -c 'cat {a} missing'", "cat {a} >&2", "sort {a} >&2 2> {m}",
    "stat -c '%h %a %s' {a} > {m}", "ln -f {a} l2; stat -c %h {a} > {m}; rm l2", "(exec 3< {a}; sh -c 'cat <&3' > {m}; true)", "taskset -c 0 nproc > {m}", "nproc > {m}",
    "find d -type f -size +{n}c | sort > {m}", "setsid -w sort {a} > {m}",
    # trees, walked by descriptors of directories
    "du -a d > {m}", "du --apparent-size d > {m}", "find d -printf '%p %s %k %m %n\\n' | sort > {m}", "find d -type f -name '{a}*' -delete",
    "find d -type f -exec cat {{}} + > {m}", "mkdir -p d/s && cp {a} d/s/{b}", "cp -r d e; ls -R e > {m}; rm -r e", "rm -rf d/s", "tar cf {m} --mtime=@1 d/s",
    "cp -a d/s d/s2; rm -rf d/s; mv d/s2 d/s", "grep -r {w} d > {m} 2>&1", "diff -r d d/s > {m}", "chmod -R u+w d", "(cd d && cat ../{a} > ../{m})",
    "python3 -c 'import os; print([sorted(names) for *_, names in os.fwalk(\"d\")])' > {m}", "ls -sR d > {m}", "rmdir d/s; mkdir d/s", "ln -sfn s d/l; cat d/l/{a} > {m}",
    "cat d/l/../{a} > {m}", "ln -s {a} {m} && cat {m}", "ln {a} {m} && cat {m}", "truncate -s 9000 {m}", "truncate -s {n} {a}",
    # in place, and by rename
    "echo {w} >> {a}", "printf {w} | dd of={m} conv=notrunc status=none 2> {m2}", "cp {a} {m}.new && mv {m}.new {m}", "mv {a} t && mv {b} {a} && mv t {b}",
    "python3 -c 'import mmap; f=open(\"{a}\"); print(len(f.read()))' > {m}", "python3 -c 'open(\"{m}\", \"r+\").write(\"{w}\")'", "sh -c 'cat {a}' | tee -a {m}",
    "X={w} sh -c 'echo $X' > {m}", "export X={n}; cat {a} > {m}", "touch -d @{n} {a}; make -s -f d/mk {m}.o 2>&1", "printf '%%.o: {a}\\n\\tcp $< $@\\n' > d/mk", "touch {a}", "PATH=$PWD/d:$PATH; cat {a} > {m}",
    "cat > {m} << .\n{w}\n.", "test d/{a} -ef {a} || cp {a} d", "(sleep 0.01; cat {a} > {m}) & wait", "sh -c 'cat {a} > {m} & wait'",
    # locks
    "flock lock sort {a} > {m}", "mkdir lock && cp {a} {m}; rmdir lock", "(flock 9; sort {a} > {m}) 9> lock", "ln {a} l && cat {b} > {m}; rm -f l",
    "sh -c ': <> lock; cat {a} > {m}; rm -f lock'", "sh -c 'rm -f lock; : >> lock; sort {a} > {m}; rm lock'",
    # who reads ends first
    "sh -c 'yes {w} | head -n {n} > {m}'", "yes {w} | head -n {n} | cat - {a} > {m}", "sh -c 'yes {w} | head -n {n}; cat {a}'", "bash -c 'yes | head -n 1 > {m}; echo ${{PIPESTATUS[*]}}'",
    # one more name for a while
    "sh -c 'cp {a} t; ln -f t {m}; rm t'", "sh -c 'cp {a} t; ln -f t {m}; ln -f t {m2}; rm t'", "sh -c 'cp {a} t; ln -f t {m}; mv t {m2}'", "cp {a} t; ln -f t {m}; rm t",
    "sh -c 'cp {a} t; ln -f t {m}; rm t; echo {w} >> {m}'", "sh -c 'cp {a} t; ln -f t u; rm t; ln -f u {m}; rm u'",
    # one file in turn
    "exec 4>> {m}; cat {a} >&4; echo {w} >&4; sort {b} >&4; exec 4>&-", "cat {a} >> {m}; sort {b} >> {m}; echo {w} >> {m}", "(cat {a}; cat {b} >&3; cat {a}) > {m} 3> {m2}",
    "sh -c 'cat {a} >&5; sort {b} >&5' 5> {m}", "sh -c 'cat {a}; sh -c \"sort {b}\"' > {m}", "for x in {a} {b}; do sort $x >> {m}; done", "(sh -c 'cat {a} missing'; cat {b}) > {m} 2>&1",
    "printf 'sort {a}\\ncat {b}\\n' > d/x.sh; sh d/x.sh > {m}", "exec 4<> {m}; cat {a} >&4; exec 4>&-", "sh -c 'echo {w} >> {m}'; sh -c 'cat {a} >> {m}'",
    # files that a step opens itself, and gives to who runs it
    "sed -i.bak s/{w}/z/ {a}; rm -f {a}.bak", "chown $(id -u) {a}; cat {a} > {m}", "sh -c 'sed -i s/{w}/z/ {a}; echo {w} >> {a}'", "sh -c '(echo {w}; cat {a}) > {m}; echo {w} >> {m}'",
    "sh -c 'exec > {m}; cat {a}; echo {w}; sort {b}'", "exec 4> {m}; sh -c 'cat {a} > {m}'; echo {w} >&4; exec 4>&-", "sh -c '{{ echo {w}; cat {a}; }} >> {m}'",
    "python3 -c 'import subprocess; f = open(\"{m}\", \"w\"); subprocess.run([\"sh\", \"-c\", \"(echo {a}; cat {a}) > {m}\"]); f.write({n} * \"{w}\")'",
    # files that a program opens for others, in which it reads and writes itself
    *(f"python3 -c 'from subprocess import run; {words}'" for words in (
        "f = open(\"{m}\", \"w\"); run([\"cat\", \"{a}\"], stdout=f); f.write({n} * \"{w}\")", "run([\"sort\", \"{a}\"], stdout=open(\"{m}\", \"w\"))",
        "f = open(\"{m}\", \"w\"); run([\"cat\", \"{a}\"], stdout=f); f.seek(0); f.write({n} * \"{w}\")", "f = open(\"{m}\", \"a\"); run([\"cat\", \"{a}\"], stdout=f, stderr=f)",
        "f = open(\"{m}\", \"w\"); run([\"cat\", \"{a}\"], stdout=f); run([\"sort\", \"{b}\"], stdout=f)", "f = open(\"{m}\", \"w\"); f.write(\"{w}\"); f.flush(); run([\"cat\", \"{a}\"], stdout=f)",
        "f = open(\"{m}\", \"w\"); run([\"sh\", \"-c\", \"cat {a} > {m}\"]); f.write({n} * \"{w}\")", "run([\"sort\"], input=open(\"{a}\", \"rb\").read(), stdout=open(\"{m}\", \"wb\"))",
        "f = open(\"{a}\", \"rb\", 0); f.read({n}); run([\"cat\"], stdin=f, stdout=open(\"{m}\", \"w\"))", "f = open(\"{a}\"); run([\"head\", \"-c\", \"{n}\"], stdin=f); run([\"cat\"], stdin=f)",
        "f = open(\"{a}\"); open(\"{a}\", \"a\").write(\"{w}\"); run([\"sort\"], stdin=f)", "f = open(\"{a}\", \"r+\"); run([\"sort\"], stdin=f); f.truncate({n})",
        "f = open(\"{m}\", \"w+\"); run([\"cat\", \"{a}\"], stdout=f); f.seek(0); print(f.read())", "f = open(\"{m}\", \"w+\"); run([\"cat\", \"{a}\"], stdout=f); f.seek(0); run([\"cat\"], stdin=f)",
        "import os; os.dup2(os.open(\"{m}\", 577), 1); run([\"cat\", \"{a}\"]); os.write(1, b\"{w}\")", "import os; os.dup2(os.open(\"{m}\", 577), 1); run([\"cat\", \"{a}\"]); os.lseek(1, 0, 0); os.write(1, {n} * b\"{w}\")",
    )),
    "exec < {a}; echo {w} >> {a}; cat > {m}; exec < /dev/null", "exec 0<> {a}; cat > {m}; exec < /dev/null", "cat {a} 1<> {m}", "sh -c 'sort 0<> {a}'",
    "exec 3< {a}; echo {w} >> {a}; sort <&3 > {m}; exec 3<&-", "exec < {a}; sh -c 'head -c 1; echo {w} >> {a}; cat' > {m}; exec < /dev/null",
    # times that are set, kept or asked for
    "touch -d @{n} {a}", "touch {m}", "touch -r {a} {m}", "cp -p {a} {m}", "touch -a {a}", "touch -a -d @{n} {a}", "touch -d 2100-01-0{n} {a}", "touch -d @{n} {a} {b}; touch {a}",
    "sh -c 'cp {a} t; touch -d @{n} t; mv t {m}'", "sh -c 'cp -p {a} t; mv t {m}'", "sh -c 'cp -p {a} t; ln -f t {m}; rm t'", "sh -c 'touch -d @{n} {a}; echo {w} >> {a}'",
    "sh -c 'echo {w} >> {a}; touch -d @{n} {a}'", "find {a} {b} {m} -newermt @99 > {m2} 2>&1", "sh -c 'test {a} -nt {b} && cp {a} {m}'", "sh -c 'mv {m} {m2}; cat {a}'", "chmod u+w {a}",
    "sh -c ': >> {a}'", "sh -c 'exec 3<> {a}; cat {b}'", "python3 -c 'import os; os.utime(\"{a}\", ({n}, {n}))'", "python3 -c 'import os; os.utime(\"link\")'",
    "python3 -c 'import shutil; shutil.copy2(\"{a}\", \"{m}\")'", "ln -sfn {a} d/l{n}; touch -h -d @{n} d/l{n}", "sh -c 'tar cf t --format=posix {a} && tar xf t -C d && mv d/{a} {m}; rm -f t'",
    "find {a} {b} -newermt 2099-01-01 > {m} 2>&1", "sh -c 'touch -d @{n} t; touch -r t {m}; rm t'", "rm -rf d/c; cp -a d/s d/c", "find {a} {m} ! -newermt @{n} > {m2} 2>&1",
    # sockets between steps: ask.py waits for who serves
    "python3 serve.py s {a} & python3 ask.py s > {m}; wait", "sh -c 'python3 serve.py s {a} & python3 ask.py s > {m}; wait'", "python3 ask.py s > {m} & sh -c 'python3 serve.py s {a}'; wait",
    "python3 serve.py s {a} & python3 ask.py s | sort > {m}; wait",
    # what goes on after its step
    "sh -c 'setsid sleep 9 > t 2>&1 & echo $! > pid'; sort {a} > {m}; kill $(cat pid); rm -f pid t", "sh -c 'sleep 0.05 & cat {a} > {m}'", "sh -c 'sleep 9 > t 2>&1 & echo $!' > pid; kill $(cat pid) && sort {a} > {m}; rm -f pid t",
    "sh -c 'python3 serve.py s {a} > t 2>&1 &'; python3 ask.py s > {m}; cat {b} > {m2}", "sh -c '(sleep 0.01; cat {a}) > {m} & echo $! > pid; wait'; rm pid",
)
# A socket s is made whole and then named, so that who finds it is answered.
SERVE = """import os, socket, sys
with socket.socket(socket.AF_UNIX) as s:
    s.bind(f"{sys.argv[1]}.{os.getpid()}")
    s.listen()
    os.rename(f"{sys.argv[1]}.{os.getpid()}", sys.argv[1])
    s.settimeout(20)            # where the output of who asks is a directory by now, nobody does
    try:
        c, _ = s.accept()
    except TimeoutError:
        os.unlink(sys.argv[1])
        sys.exit()
    os.unlink(sys.argv[1])
    c.sendall(open(sys.argv[2], "rb").read() if os.path.isfile(sys.argv[2]) else b"none")
"""
ASK = """import socket, sys, time
with socket.socket(socket.AF_UNIX) as s:
    while s.connect_ex(sys.argv[1]):
        time.sleep(0.01)
    while data := s.recv(4096):
        sys.stdout.buffer.write(data)
"""


def line(draw: random.Random) -> str:
    template, made = draw.choice(LINES), draw.choice(MADE)
    have = [name for name in (*FILES, *MADE) if name != made or "|" not in template]     # else a race between reader and writer
    other = draw.choice([name for name in MADE if name != made])
    return template.format(a=draw.choice(have), b=draw.choice(have), m=made, m2=other, w=draw.choice("abc"), n=draw.randrange(1, 4))


def text(draw: random.Random) -> str:
    return "".join(draw.choice("abc") + "\n" for _ in range(draw.randrange(5)))


def edit(draw: random.Random, work: Path, lines: list[str]) -> None:
    """One change that an author may make."""
    what = draw.randrange(11)
    path = work / draw.choice([*FILES, *MADE, "d/x", "d/s/x", "d/l", "d/cat", *(f"{name}.conf" for name in FILES), "lock"])
    if what < 3:
        lines[draw.randrange(len(lines))] = line(draw)
    elif what == 3:
        lines.insert(draw.randrange(len(lines) + 1), line(draw))
    elif what == 4 and path.is_file():
        os.utime(path, (1, 1))
    elif what == 5 and path.is_file() or path.is_symlink():
        path.unlink()
    elif what == 6 and path.is_file():
        path.chmod(draw.choice((0o600, 0o644, 0o755)))
    elif what == 9 and path.is_file():                 # the same size at the same time, and the same content as another
        info = path.stat()
        path.write_text(path.read_text()[::-1])
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    elif what == 10 and path.parent.is_dir() and not path.exists():
        path.mkdir() if draw.random() < 0.5 else path.symlink_to(draw.choice((*FILES, "s", "..", "nothing")))
    elif what == 7:
        draw.shuffle(lines)
    elif path.parent.is_dir() and not path.is_dir():
        path.write_text(text(draw))


def both(top: Path, shell: str, archive: Path) -> tuple[Any, Any, int]:
    """The directory, output and status after the script alone, and with reuse; how many steps were put back."""
    work, kept = top / "work", top / "kept"
    results = []
    reused = 0
    subprocess.run(["cp", "-a", str(work), str(kept)], check=True)        # with what is one file by several names
    time.sleep(0.02)           # what was there before has another time, by the clock of files too
    for is_alone in (True, False):
        if not is_alone:
            shutil.rmtree(work)
            kept.rename(work)
        began_ns = time.time_ns()
        with open(top / "out", "w+b") as out, open(os.devnull, "rb") as nothing:
            if is_alone:
                status = subprocess.run([shell, "run.sh"], cwd=work, stdin=nothing, stdout=out, stderr=out, check=False).returncode
            else:
                outcome, summary = record_reusing(Options([shell, "run.sh"], str(archive), cwd=os.fsencode(work),
                                                          streams=(nothing.fileno(), out.fileno(), out.fileno())))
                status, reused = os.waitstatus_to_exitcode(outcome.status), len(summary.reused)
            out.seek(0)
            results.append((contents(work), out.read(), status, kept_times(work, began_ns)))
    return results[0], results[1], reused


def study(top: Path, seed: int, edits: int, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "")
    monkeypatch.setenv("PATH", f"{os.path.dirname(os.path.realpath(sys.executable))}:{os.environ['PATH']}")     # python3 may be a script that looks for it
    draw = random.Random(seed)
    work = top / "work"
    (work / "d").mkdir(parents=True)
    for name in FILES:
        (work / name).write_text(text(draw))
    (work / "serve.py").write_text(SERVE)
    (work / "ask.py").write_text(ASK)
    lines = [line(draw) for _ in range(draw.randrange(3, 7))]
    shell = draw.choice(("dash", "bash"))
    total = 0
    for number in range(edits):
        (work / "run.sh").write_text("\n".join(lines) + "\n")
        alone, reusing, reused = both(top, shell, top / "EXP")
        assert reusing == alone, f"seed {seed}, edit {number}: {lines}"
        total += reused
        if draw.random() < 0.3:                     # what the script left goes, as before a clean run
            for path in work.glob("g*"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        with suppress(OSError):                     # of a link that leads nowhere
            edit(draw, work, lines)
    return total


@pytest.mark.parametrize("seeds", first(1, [range(0, 3), range(3, 6)]))
def test_random_edits(seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(study(tmp_path / str(seed), seed, 6, monkeypatch) for seed in seeds)      # something was put back


@pytest.mark.stress
def test_many_random_edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000, 1400):
        study(tmp_path / str(seed), seed, 10, monkeypatch)
        shutil.rmtree(tmp_path / str(seed))
