"""The paper's story without a browser: another last argument, one program from here, recorded, compared."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Iterator

import pytest

from commands import REX, ROOT, run_rex
from rex.tracer import native

pytestmark = [pytest.mark.usefixtures("tracing"),
              pytest.mark.skipif(not native.is_built(), reason="only the native engine runs live"),
              pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")]

# In the way of blast: a database is made, searched by a program of one's choice, and sorted.
SCRIPT = """#!/bin/sh
set -e
echo "search for $(cat "$1") with $3 on $(date +%s)" > search.log
tr a-z A-Z < "$2" > db.made
"$3" "$(cat "$1")" db.made > "$3.tmp"
sort "$3.tmp" > "$3.hits"
rm "$3.tmp"
echo "$3: $(wc -l < "$3.hits") hits"
"""
FINDER = """#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char line[256];
    FILE *f = argc > 2 ? fopen(argv[2], "r") : NULL;
    while (f && fgets(line, sizeof line, f))
        if (FOUND(line, argv[1]))
            fputs(line, stdout);
    return !f;
}
"""
DATABASE = "acgt\nttac\ngacg\ncccc\n"
SLEEPER = "#!/bin/sh\necho $$ > pids\nsleep 100 & echo $! >> pids\n(sleep 100; echo late > late) &\necho ready\nwait\n"


def build(folder: Path, name: str, test: str) -> Path:
    """A program that prints the lines of a file that pass a test."""
    source = folder / f"{name}.c"
    source.write_text(FINDER)
    subprocess.run(["gcc", f"-DFOUND(line, what)={test}", "-o", str(folder / name), str(source)], check=True)
    source.unlink()
    return folder / name


class Story:
    """A recorded experiment whose directory is gone, and a place to run new ones from."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.exp = top / "exp"
        self.archive = top / "EXP"
        self.env = {"PATH": f"{self.exp}/bin:{os.environ['PATH']}", "HOME": str(top), "LANG": "C.UTF-8",
                    "REX_CACHE": str(top / "cache"), "PYTHONPATH": str(ROOT), "MARK": "old"}
        (self.exp / "bin").mkdir(parents=True)
        for name, text in (("in.seq", "AC"), ("in.db", DATABASE), ("blast", SCRIPT), ("sleeper", SLEEPER)):
            (self.exp / name).write_text(text)
        for name in ("blast", "sleeper"):
            (self.exp / name).chmod(0o755)
        build(self.exp / "bin", "find-all", "strstr(line, what)")
        build(self.exp / "bin", "find-first", "!strncmp(line, what, 2)")
        self.rex("record", "-l", str(self.archive), "--", "./blast", "in.seq", "in.db", "find-all", cwd=self.exp)
        self.rex("record", "-l", str(self.archive), "--", "find-first", "AC", "in.db", cwd=self.exp)
        self.newer = build(top, "newer", "!strstr(line, what)")
        self.exp.rename(top / "away")

    def rex(self, *args: str, code: int = 0, cwd: Path | None = None, text: str = "") -> "subprocess.CompletedProcess[str]":
        """Run rex, and see that it ends with this code."""
        done = subprocess.run([*REX, *args], cwd=cwd or self.top, env=self.env, text=True,
                              input=text, capture_output=True, timeout=60, check=False)
        assert done.returncode == code, f"{done.returncode}: {done.stderr}{done.stdout}"
        return done

    def new(self, out: Path, *args: str, code: int = 0, exp: str = "exp0", text: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a new experiment."""
        return self.rex("runnew", "-l", str(self.archive), "--headless", "-e", exp, "-o", str(out), *args, code=code, text=text)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    if native.is_built():
        yield Story(tmp_path_factory.mktemp("story"))


def inside(story: Story, out: Path, name: str) -> Path:
    return out / str(story.exp).lstrip("/") / name


def test_story(story: Story, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = story.new(out, "--args", "in.seq in.db find-first", "--app", f"sort={shutil.which('tac')}", "--record", "second")
    assert done.stdout == "find-first: 1 hits\n"
    assert inside(story, out, "find-first.hits").read_text() == "ACGT\n"
    assert sorted(os.listdir(inside(story, out, ""))) == ["db.made", "find-first.hits", "search.log"]
    last = done.stderr.splitlines()[-1]
    assert "2 changes" in last and "3 outputs" in last and "rex expdiff" in last
    assert "from exp0" in story.rex("ls", str(story.archive)).stdout
    differs = json.loads(story.rex("expdiff", f"{story.archive}:exp0", f"{story.archive}:second", "--json", code=1).stdout)
    assert "find-first" in json.dumps(differs) and "search.log" in json.dumps(differs)
    shown = story.rex("show", f"{story.archive}:second").stdout
    assert "argument 3 is find-first, was find-all" in shown
    story.rex("replay", "-l", str(story.archive), "-e", "second", "--check", "-o", str(tmp_path / "again"))
    assert not story.exp.exists()


def test_everything_may_change(story: Story, tmp_path: Path) -> None:
    (tmp_path / "other.db").write_text("xacx\nnone\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "deep.txt").write_text("deep\n")
    out = tmp_path / "out"
    words = 'pwd; echo "$MARK $NEW ${GONE-unset}"; cat in.db more/deep.txt; ls more; find-all AC in.db || echo nothing'
    done = story.new(out, "--file", f"in.db={tmp_path / 'other.db'}", "--add", f"more={tmp_path / 'more'}", "--env", "NEW=a=b",
                     "--unset", "MARK", "--app", f"{story.exp}/bin/find-all={story.newer}", "--json", "--", "sh", "-c", words)
    text, report = done.stdout.rsplit("\n", 2)[0].splitlines(), json.loads(done.stdout.splitlines()[-1])
    assert text == [str(story.exp), " a=b unset", "xacx", "none", "deep", "deep.txt", "xacx", "none"]
    assert len(report["changes"]) == 6 and report["outputs"] == [] and report["exit_status"] == 0
    assert os.listdir(out) == []


def test_status_and_input_are_the_programs(story: Story, tmp_path: Path) -> None:
    done = story.new(tmp_path / "a", "-q", "--", "sh", "-c", "cat; exit 7", text="typed\n", code=7)
    assert done.stdout == "typed\n" and done.stderr == ""
    story.new(tmp_path / "b", "--", "sh", "-c", "kill -TERM $$", code=-signal.SIGTERM)
    story.new(tmp_path / "c", "--", "no-such-program", code=127)
    story.new(tmp_path / "d", "--", "./in.db", code=126)


def test_uses_of_this_machine_are_named(story: Story, tmp_path: Path) -> None:
    local = tmp_path / "local.txt"
    local.write_text("local\n")
    tac = shutil.which("tac")
    script = f"cat {local}; {tac} {local}; read x < /proc/self/stat; head -c1 /dev/urandom > r; echo changed > {local}"
    done = story.new(tmp_path / "out", "--json", "--", "sh", "-c", script)
    uses = {(use["kind"], use["what"]) for use in json.loads(done.stdout.splitlines()[-1])["live_uses"]}
    assert {("file", str(local)), ("program", os.path.realpath(str(tac))), ("randomness", "/dev/urandom"),
            ("system", "/proc/self/stat")} <= uses
    assert local.read_text() == "local\n", "a file outside OUTDIR was changed"
    assert (tmp_path / "out" / str(local).lstrip("/")).read_text() == "changed\n"


MISCHIEF = """cd "$1" || exit 9
chmod 600 a; touch -d @1 b; truncate -s 1 c; mv d moved; rm e; : > f; echo more >> g; sed -i s/h/H/ h
exec 3< i; ln -L /proc/self/fd/3 linked; echo changed > linked; ln j hard; echo changed > hard; cp k copy; echo x > copy
chown 0:0 l; chmod 640 /proc/self/fd/3; echo changed > /proc/self/fd/3; dd of=m conv=notrunc status=none < /dev/null; echo y >> m
mkdir folder/new; mv folder gone; rm -r gone/inner; rmdir gone/new; ln -s a n; mkfifo pipe; echo changed 1<> o
"""


def states(top: Path) -> dict[str, tuple[object, ...]]:
    """Everything about the files below a directory that a program could change."""
    found: dict[str, tuple[object, ...]] = {}
    for base, dirs, files in os.walk(top):
        for name in dirs + files:
            path = Path(base, name)
            info = path.lstat()
            links = info.st_nlink if path.is_dir() else 0    # runs link archived files
            found[str(path)] = (info.st_mode, info.st_ino, info.st_size, info.st_mtime_ns, info.st_uid, links,
                                path.read_bytes() if path.is_file() else b"")
    return found


@pytest.mark.parametrize("is_archived", [False, True])
def test_nothing_else_changes(story: Story, tmp_path: Path, is_archived: bool) -> None:
    """What a program may do to files of this machine, and to archived ones, which lie in the cache."""
    folder = tmp_path / "folder"
    (folder / "folder" / "inner").mkdir(parents=True)
    for name in "abcdefghijklmo":
        (folder / name).write_text(name * 3 + "\n")
    (folder / "folder" / "inner" / "deep").write_text("deep\n")
    exp = "exp0"
    if is_archived:
        exp = "mischief"
        story.rex("record", "-q", "-l", str(story.archive), "-e", exp, "--", "sh", "-c", f"cat {folder}/[a-z] {folder}/folder/inner/deep")
        folder.rename(tmp_path / "away")
    story.new(tmp_path / "warm", "-q", "--", "true", exp=exp)
    before = states(tmp_path), states(tmp_path.parent / "none"), states(story.top / "cache" / "objects")
    out = tmp_path.parent / f"{tmp_path.name}.out"
    done = story.new(out, "-q", "--", "sh", "-c", MISCHIEF, "sh", str(folder), exp=exp)
    assert (states(tmp_path), states(tmp_path.parent / "none"), states(story.top / "cache" / "objects")) == before
    made = out / str(folder).lstrip("/")
    assert (made / "linked").read_text() == "changed\n" and (made / "hard").read_text() == "changed\n", done.stderr
    assert (made / "a").stat().st_mode & 0o777 == 0o600 and (made / "moved").read_text() == "ddd\n"
    assert (made / "c").read_text() == "c" and (made / "h").read_text() == "Hhh\n" and not (made / "e").exists()
    assert os.listdir(made / "gone") == []


def test_what_was_not_there_is_not_there(story: Story, tmp_path: Path) -> None:
    """The recorded run found no search.log; one that this machine has now is not seen."""
    story.exp.mkdir()
    try:
        (story.exp / "search.log").write_text("of another time\n")
        done = story.new(tmp_path / "out", "--", "sh", "-c", "cat search.log 2>/dev/null || echo none")
        assert done.stdout == "none\n"
        assert os.listdir(story.exp) == ["search.log"]
    finally:
        shutil.rmtree(story.exp)


@pytest.mark.parametrize("given, why", [
    (["--file", "nosuch=/etc/hostname"], "the experiment has no input nosuch"),
    (["--file", "in.db=/no/such/file"], "/no/such/file: there is no file"),
    (["--file", "find-all=/etc/hostname"], "the experiment has no input find-all"),
    (["--app", "sort=/etc/passwd"], "/etc/passwd is neither a program nor a script"),
    (["--unset", "NOSUCH"], "no variable NOSUCH"),
    (["--add", "in.db=/etc/hostname"], "is in the archive already"),
    (["--cwd", "/no/such/directory"], "there is no directory /no/such/directory"),
    (["--record", "exp0"], "experiment exp0 exists"),
    (["--record", "bad/name"], "cannot name an experiment"),
    (["--args", "'not closed"], "close the quotation"),
    (["--env", "WORD"], "it has no ="),
])
def test_conflicts_are_refused(story: Story, tmp_path: Path, given: list[str], why: str) -> None:
    out = tmp_path / "out"
    done = story.new(out, *given, code=125)
    assert why in done.stderr and len(done.stderr.splitlines()) == 1 and not done.stdout
    assert not out.exists(), "something was made before the conflict was told"


def test_conflicts_of_files_here(story: Story, tmp_path: Path) -> None:
    used = tmp_path / "used"
    used.mkdir()
    (used / "something").write_text("")
    foreign = tmp_path / "foreign"
    data = bytearray(story.newer.read_bytes())
    data[18:20] = (183).to_bytes(2, "little")     # e_machine: AArch64
    foreign.write_bytes(data)
    foreign.chmod(0o755)
    done = story.new(used, "--app", f"sort={foreign}", code=125)
    assert "is not empty" in done.stderr and "another architecture" in done.stderr
    assert (used / "something").exists()


def test_plan_runs_nothing(story: Story, tmp_path: Path) -> None:
    done = story.rex("runnew", "-l", str(story.archive), "-e", "exp0", "--plan", "--app", f"sort={story.newer}", "--json")
    plan = json.loads(done.stdout)
    by_path = {source["path"]: source for source in plan["sources"]}
    assert by_path[os.path.realpath(str(shutil.which("sort")))]["local"] == str(story.newer)
    assert by_path[f"{story.exp}/in.db"] == {"path": f"{story.exp}/in.db", "role": "input", "origin": "archive", "size": 20, "local": ""}
    assert by_path[f"{story.exp}/blast"]["role"] == "program" and plan["program"] == f"{story.exp}/blast"
    text = story.rex("runnew", "-l", str(story.archive), "-e", "exp0", "--plan").stdout
    assert "nothing is changed" in text and not story.exp.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_cancel_ends_the_whole_tree(story: Story, tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "out"
    before = [line.split()[0] for line in story.rex("ls", str(story.archive)).stdout.splitlines()]
    process = subprocess.Popen([*REX, "runnew", "-l", str(story.archive), "--headless", "-e", "exp0",
                                "-o", str(out), "--add", f"sleeper={story.top}/away/sleeper", "--record", "--", "./sleeper"], cwd=story.top,
                               env=story.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert process.stdout and process.stdout.readline() == b"ready\n"
    pids = [int(line) for line in inside(story, out, "pids").read_text().split()]
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and b"cancelled, not recorded" in said
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)
    assert [line.split()[0] for line in story.rex("ls", str(story.archive)).stdout.splitlines()] == before


def test_reference_engine_says_no(story: Story, tmp_path: Path) -> None:
    story.env["REX_ENGINE"] = "reference"
    try:
        done = story.new(tmp_path / "out", code=125)
    finally:
        del story.env["REX_ENGINE"]
    assert "need the native engine" in done.stderr and len(done.stderr.splitlines()) == 1


LOOKED_AT = {
    "stat": "ls -l data; [ $1 = go ] && cat data; echo end",
    "access": "[ -e data ] && echo there; [ $1 = go ] && cat data; echo end",
    "listing": "ls folder; [ $1 = go ] && cat folder/in; echo end",
    "link": "ls -l link; [ $1 = go ] && cat link; echo end",
    "directory": "[ -d folder ]; [ $1 = go ] && cat folder/*; echo end",
    "search path": "PATH=$PWD:$PATH; command -v tool; [ $1 = go ] && tool; echo end",
    "appended": "ls -l data; [ $1 = go ] && { echo more >> data; cat data; }; echo end",
    "other size": "ls -l grows; [ $1 = go ] && cat grows; echo end"}


@pytest.mark.parametrize("script", LOOKED_AT.values(), ids=LOOKED_AT)
def test_a_file_that_the_parent_only_looked_at_is_kept(tmp_path: Path, script: str) -> None:
    (tmp_path / "folder").mkdir()
    for name, text in (("data", "data\n"), ("folder/in", "inner\n"), ("tool", "#!/bin/sh\necho tool\n"), ("grows", "g"), ("script", script + "\n")):
        (tmp_path / name).write_text(text)
    (tmp_path / "tool").chmod(0o755)
    (tmp_path / "link").symlink_to("data")
    run_rex("record", "-q", "-l", "A", "--", "sh", "script", "no", cwd=tmp_path)
    (tmp_path / "grows").write_text("grown")
    done = run_rex("runnew", "-l", "A", "--headless", "--args", "script go", "-o", "o1", "--record", cwd=tmp_path)
    assert "changed by somebody else" not in done.stderr
    for name in ("data", "folder/in", "tool", "grows", "script"):
        (tmp_path / name).unlink()
    assert run_rex("replay", "-l", "A", "-e", "exp1", "-o", "o2", cwd=tmp_path).stdout == done.stdout
    run_rex("replay", "-l", "A", "-e", "exp1", "-o", "o3", "--check", cwd=tmp_path)
