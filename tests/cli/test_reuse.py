"""`rex record --reuse`: what is unchanged is not run, and nothing is put back that could be another thing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import contents, run_rex
from test_trees import PIPELINE

pytestmark = pytest.mark.usefixtures("tracing")


class Study:
    """A directory with a script, recorded again and again with --reuse."""

    def __init__(self, top: Path, script: str, shell: str = "dash") -> None:
        self.top, self.work, self.shell = top, top / "work", shell
        (self.work / "data").mkdir(parents=True)
        self.write("run.sh", script)
        self.write("in.txt", "b\na\nc\na\n")

    def write(self, name: str, text: str) -> None:
        (self.work / name).write_text(text)

    def edit(self, old: str, new: str) -> None:
        text = (self.work / "run.sh").read_text()
        assert old in text
        self.write("run.sh", text.replace(old, new))

    def clear(self) -> None:
        for path in self.work.glob("*.txt"):
            if path.name != "in.txt":
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def record(self, *words: str, options: tuple[str, ...] = ("--reuse",), **changes: str) -> dict[str, Any]:
        """Record with reuse and return the messages. Afterwards the directory is as after a plain run of the script."""
        changes["PYTEST_CURRENT_TEST"] = ""              # else another in each phase of a test
        kept = self.top / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        subprocess.run(["cp", "-a", str(self.work), str(kept)], check=True)
        recorded = run_rex("record", "-q", "-l", "../EXP", *options, "--report", "../report.json", self.shell, "run.sh", *words, cwd=self.work,
                           code=None, **changes)
        found = contents(self.work)
        for path in (self.work, kept):
            path.rename(self.top / ("new" if path == self.work else "work"))
        alone = subprocess.run([self.shell, "run.sh", *words], cwd=self.work, env={**os.environ, **changes}, check=False, text=True,
                               stdin=subprocess.DEVNULL, capture_output=True)
        expected = contents(self.work)
        assert (recorded.returncode, recorded.stdout, recorded.stderr) == (alone.returncode, alone.stdout, alone.stderr)
        shutil.rmtree(self.work)
        (self.top / "new").rename(self.work)
        assert found == expected
        return json.loads((self.top / "report.json").read_text())["reuse"]

    def programs(self, *words: str, **changes: str) -> set[str]:
        """The programs of the steps that a run puts back."""
        return {step["command"].split()[0] for step in self.record(*words, **changes)["reused"]}


@pytest.fixture(params=("dash", "bash"))
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Study:
    made = Study(tmp_path, PIPELINE, request.param)
    assert made.record("a")["reused"] == []
    made.clear()
    return made


def test_nothing_changed_and_nothing_runs(study: Study) -> None:
    for times in (None, (1, 1)):                         # not for a time either that nobody looked at
        os.utime(study.work / "in.txt", times)
        found = study.record("a")
        assert found["executed"] == 0 and len(found["reused"]) == 1
        study.clear()
    run_rex("replay", "-l", "EXP", "-e", "exp1", "--check", cwd=study.top)


def test_changed_argument_runs_what_follows_from_it(study: Study) -> None:
    assert study.programs("b") == {"sort", "ls"}
    study.clear()
    assert study.programs("c") == {"sort", "ls", "cat"}      # there is one b, and one c
    run_rex("replay", "-l", "EXP", "-e", "exp1", "--check", cwd=study.top)


def test_a_run_that_put_steps_back_is_put_back_as_a_whole(study: Study) -> None:
    assert study.programs("b") == {"sort", "ls"}
    study.clear()
    found = study.record("b")
    assert found["executed"] == 0 and len(found["reused"]) == 1
    run_rex("replay", "-l", "EXP", "-e", "exp2", "--check", cwd=study.top)
    study.clear()
    study.write("in.txt", "x\ny\n")                     # an input that only the first run has read
    assert study.programs("b") == {"ls"}
    study.clear()
    study.write("in.txt", "b\na\nc\na\n")
    (study.work / "data/new").write_text("")
    assert "ls" not in study.programs("b")


def test_a_step_around_one_that_was_put_back_has_its_inputs(tmp_path: Path) -> None:
    study = Study(tmp_path, "dash inner.sh > out.txt\n: 1\n")
    study.write("inner.sh", "sort in.txt > s.txt\ncat s.txt > t.txt\ncat t.txt\n# 1\n")
    study.record()
    study.clear()
    study.write("inner.sh", "sort in.txt > s.txt\ncat s.txt > t.txt\ncat t.txt\n# 2\n")
    assert study.programs() == {"sort", "cat"}
    study.clear()
    study.edit(": 1", ": 2")
    assert study.programs() == {"dash"}                  # which has put parts back itself
    study.clear()
    assert study.record()["executed"] == 0               # and so had the whole
    study.clear()
    study.write("in.txt", "x\n")
    assert study.programs() == set()


def test_changed_input_runs_its_readers(study: Study) -> None:
    study.write("in.txt", "x\ny\n")
    assert study.programs("a") == {"ls"}


def test_variable_runs_all(study: Study) -> None:
    found = study.record("a", MODE="x")
    assert (found["reused"], found["variables"]) == ([], ["MODE"])
    told = run_rex("record", "-l", "../EXP", "--reuse", study.shell, "run.sh", "a", cwd=study.work, MODE="y", PYTEST_CURRENT_TEST="").stderr
    assert "all programs run, as these variables differ from the recorded ones: MODE" in told


def test_programs_that_walk_through_directories(tmp_path: Path) -> None:
    study = Study(tmp_path, "find data -type f > f.txt\ndu -a data > du.txt\ngrep -r a data > g.txt\ncp -r data new.txt\ntar cf tar.txt data\ncp -r data old.txt\nrm -r old.txt\n# 1\n")
    (study.work / "data/sub/below").mkdir(parents=True)
    for name in ("data/one", "data/sub/two", "data/sub/below/three"):
        study.write(name, "a\n")
    study.record()
    study.edit("# 1", "# 2")
    study.clear()
    assert study.programs() == {"find", "du", "grep", "cp", "tar", "rm"}
    study.write("data/sub/below/three", "b\n" * 5000)
    study.edit("# 2", "# 1")
    study.clear()
    assert study.programs() == {"find", "rm"}


def test_a_step_that_wrote_through_a_link_runs_where_the_name_is_a_file(tmp_path: Path) -> None:
    study = Study(tmp_path, "cat in.txt > /dev/null\nsh -c 'sort in.txt | uniq -c > made'\n")
    study.write("target", "before\n")
    (study.work / "made").symlink_to("target")
    study.record()
    (study.work / "made").unlink()
    study.edit("cat in", "head -1 in")
    study.record()
    assert (study.work / "made").read_text().split() == ["2", "a", "1", "b", "1", "c"]


@pytest.mark.parametrize("step, after", [("sh -c 'cat none.txt > one.txt & wait'", "cat one.txt > seen.txt\n"), ("sort one.txt > seen.txt", "")])
def test_a_file_that_was_written_by_another_name_later(step: str, after: str, tmp_path: Path) -> None:
    study = Study(tmp_path, f"{step}\necho later > other.txt\n")
    study.write("none.txt", "")
    study.write("one.txt", "once\n")
    (study.work / "other.txt").hardlink_to(study.work / "one.txt")
    study.record()
    (study.work / "other.txt").unlink()
    study.write("one.txt", "later\n")
    study.edit(step, f"{step}\n{after}true")
    study.record()


def test_strict_runs_what_drew_something(tmp_path: Path) -> None:
    study = Study(tmp_path, "sort in.txt > s.txt\ndate +%Y > year.txt\n")
    study.record()
    study.edit("%Y", "%y")
    assert study.programs() == {"sort"}
    study.edit("sort in.txt", "sort -r in.txt")
    study.record()
    study.edit("%y", "%Y")
    found = study.record(options=("--reuse=strict",))
    assert found["reused"] == []                    # sort asks for the processors, date for the time


def test_files_that_a_step_opens_itself_are_put_back(tmp_path: Path) -> None:
    study = Study(tmp_path, "sh -c '(echo a; cat in.txt) > both.txt'\nsh -c 'cp in.txt x.txt; sed -i s/a/b/ x.txt'\n# one\n")
    study.record()
    study.edit("one", "two")
    study.clear()
    assert len(study.record()["reused"]) == 2


def test_files_with_another_name_for_a_while_are_put_back(tmp_path: Path) -> None:
    study = Study(tmp_path, "dash -c 'cp in.txt t; ln t h.txt; rm t'\ndash -c ': <> lock; sort in.txt > s.txt; rm lock'\n/bin/echo one > e.txt\n")
    study.record()
    study.edit("one", "two")
    study.clear()
    assert {step["command"].split()[0] for step in study.record()["reused"]} == {"dash"}


def test_a_pipeline_whose_reader_ends_early_is_put_back(tmp_path: Path) -> None:
    study = Study(tmp_path, "sh -c 'yes | head -n 1 > one.txt'\n: 1\n")
    study.record()
    study.clear()
    study.edit(": 1", ": 2")
    assert study.programs() == {"sh"}


@pytest.mark.parametrize("address", ['"::1", 0', '"127.0.0.1", 0', '"0.0.0.0", 0', '"127.0.0.1", 0)); s.listen(); s.setblocking(False); s.connect_ex(("127.0.0.1", 9'])
def test_a_free_port_that_no_other_host_reaches_is_no_network(address: str, tmp_path: Path) -> None:
    family = "AF_INET6" if "::" in address else "AF_INET"
    study = Study(tmp_path, f"python3 -c 'import socket; s = socket.socket(socket.{family}); s.bind(({address}))'\n: 1\n")
    study.record()
    study.edit(": 1", ": 2")
    is_network = "0.0.0.0" in address or "connect" in address
    assert study.programs() == (set() if is_network else {"python3"})


def test_runs_of_which_nothing_can_be_put_back_are_not_read(tmp_path: Path) -> None:
    study, cache = Study(tmp_path, "ln -f in.txt a.txt\n# 1\n"), tmp_path / "cache"
    for edit in ("1", "2", "3"):
        study.edit("# ", f"# {edit}")                     # else equal runs are looked at once anyway
        for facts in cache.glob("**/*.json.gz"):
            facts.unlink()
        assert study.record(XDG_CACHE_HOME=str(cache))["reused"] == []
    assert len(list(cache.glob("**/*.index.json"))) == 2
    assert len(list(cache.glob("**/*.json.gz"))) == 1     # of the newest, to make its index


def test_recheck_finds_what_is_another_thing(tmp_path: Path) -> None:
    study = Study(tmp_path, "cp in.txt copy.txt\n# one\n")
    study.record()
    study.edit("one", "two")
    study.clear()
    found = study.record(options=("--reuse", "--recheck", "5"))
    assert found["reused"] == [] and found["rechecked"] == 1 and found["differing"] == []


TRAPS = {
    "reads its own old output": ("cat in.txt >> sum.txt\n", None),
    "file that was not there": ("cat in.txt extra.txt > all.txt\nexit 0\n", lambda s: s.write("extra.txt", "x\n")),
    "link to nothing": ("stat -c %F new.txt > f.txt\nexit 0\n", lambda s: (s.work / "new.txt").symlink_to("nowhere")),
    "time that was set": ("cp in.txt a.txt\nfind a.txt -newer run.sh > f.txt\n", lambda s: s.edit("cp in.txt a.txt", "touch -d @1 a.txt")),
    "file that is tested for": ("test -e extra.txt && /bin/echo yes > y.txt\nexit 0\n", lambda s: s.write("extra.txt", "x\n")),
    "directory that is listed": ("ls data > names.txt\n", lambda s: s.write("data/new", "")),
    "glob": ("cat data/* in.txt > all.txt\n", lambda s: s.write("data/new", "1\n")),
    "time of a file": ("find in.txt -newer run.sh > newer.txt\n", lambda s: os.utime(s.work / "in.txt", (1, 1))),
    "mode of a file": ("stat -c %a in.txt > mode.txt\n", lambda s: (s.work / "in.txt").chmod(0o600)),
    "link that leads elsewhere": ("cat link > got.txt\n", lambda s: ((s.work / "link").unlink(), (s.work / "link").symlink_to("run.sh"))),
    "output with another mode": ("cp in.txt copy.txt\n", lambda s: (s.work / "copy.txt").chmod(0o600)),
    "output that is a link": ("cp in.txt copy.txt\n", lambda s: ((s.work / "copy.txt").unlink(), (s.work / "copy.txt").symlink_to("other"))),
    "output that became a link": ("cp in.txt a.txt\nsort in.txt > b.txt\nln -sf a.txt b.txt\n", None),
    "name that is there by now": ("sort in.txt > tmp.txt\nuniq tmp.txt > u.txt\nrm tmp.txt\n",
                                  lambda s: (s.write("keep.txt", "k\n"), (s.work / "tmp.txt").symlink_to("keep.txt"))),
    "directory that is there": ("mkdir made && cp in.txt made/x\nexit 0\n", None),
    "part of a file": ("{ head -n 1 > one.txt; cat > rest.txt; } < in.txt\n", lambda s: s.edit("-n 1", "-n 2")),
    "directory to read": ("tr a b < data > x.txt\nexit 0\n", lambda s: ((s.work / "data").rmdir(), s.write("data", ""))),
    "what a shell writes first": ("sh -c '(echo a; cat in.txt) > b.txt'\n: cat in.txt\n", lambda s: ((s.work / "b.txt").unlink(), s.edit(": cat in.txt", "cat in.txt > b.txt"))),
    "loop over lines": ("while read x; do wc -c > c.$x; done < in.txt\n", lambda s: s.edit("while read x; do", "while read x && read y; do")),
    "two in one file": ("{ sort in.txt; sort -r in.txt; } > both.txt\n", lambda s: s.edit("sort -r", "sort -u")),
    "one reads on": ("{ head -n 1 > h.txt; cat > c.txt; } < in.txt\n", lambda s: s.edit("cat", "tail -n 1")),
    "pipe": ("sort in.txt | tail -n 1 > last.txt\n", lambda s: s.edit("sort in", "sort -r in")),
    "substitution": ("n=$(sort in.txt | tail -n 1)\nsort in.txt > $n.txt\n", lambda s: s.write("in.txt", "z\n")),
    "umask": ("cp in.txt copy.txt\n", lambda s: s.edit("cp", "umask 077; cp")),
    "failing step": ("grep zzz in.txt > g.txt || echo none > n.txt\n", lambda s: s.write("in.txt", "zzz\n")),
    "temporary name": ("t=$(mktemp ./tmpXXXX)\nsort in.txt > $t\nuniq $t > u.txt\nrm $t\n", lambda s: s.write("in.txt", "zzz\n")),
    "removed input": ("cp in.txt copy.txt\nrm copy.txt\n", None),
    "moved": ("cp in.txt a.txt\nmv a.txt b.txt\n", lambda s: s.write("in.txt", "zzz\n")),
    "in place": ("cp in.txt a.txt\nsed -i s/a/b/ a.txt\n", lambda s: s.edit("s/a/b/", "s/b/c/")),
    "held open by another": (f"{sys.executable} -c 'import subprocess as s; f = open(\"m\", \"w\"); s.run([\"sh\", \"-c\", \"(echo long; cat in.txt) > m\"]); f.write(\"xxx\")'\n",
                             lambda s: s.edit('"xxx"', '"x"')),
    "held open by another, one command": (f"{sys.executable} -c 'import subprocess as s; f = open(\"m\", \"w\"); s.run([\"sh\", \"-c\", \"cat in.txt > m\"]); f.write(\"xxx\")'\n",
                                          lambda s: s.edit('"xxx"', '"x"')),
    "held open by another, forked": (f"{sys.executable} -c 'import subprocess as s; f = open(\"m\", \"w\"); s.run([\"sh\", \"-c\", \"cat in.txt > m; :\"]); f.write(\"xxx\")'\n",
                                     lambda s: s.edit('"xxx"', '"x"')),
    "passed on and written": (f"{sys.executable} -c 'import subprocess as s; f = open(\"m\", \"w\"); s.run([\"cat\", \"in.txt\"], stdout=f); f.write(\"xxx\")'\n",
                              lambda s: s.edit('"xxx"', '"x"')),
    "passed on and written at its start": (f"{sys.executable} -c 'import subprocess as s; f = open(\"m\", \"w\"); s.run([\"cat\", \"in.txt\"], stdout=f); f.seek(0); f.write(\"xxx\")'\n",
                                           lambda s: s.edit('"xxx"', '"x"')),
    "shell that holds it": ("exec 3> m\ncat in.txt > m\necho xxx >&3\n", lambda s: s.edit("xxx", "x")),
    "empty file": ("flock lock true\n", lambda s: (s.work / "lock").unlink()),
    "lock file": ("flock lock sort in.txt > s.txt\n", lambda s: s.write("in.txt", "zzz\n")),
    "own output through a link": ("cat link > in.txt\nexit 0\n", lambda s: (s.work / "link").unlink()),
    "own name for a while": ("sh -c 'cp in.txt t; ln -f t h.txt; rm t'\nln -f h.txt l.txt\nsh -c 'cp in.txt t; ln t k.txt; ln t m.txt; rm t'\nsh -c 'cp in.txt t; ln t n.txt; mv t o.txt'\n",
                             lambda s: s.write("in.txt", "zzz\n")),
    "lock file for a while": ("sh -c ': <> lock; sort in.txt > s.txt; rm lock'\nsh -c ': <> lock; uniq in.txt > u.txt; rm lock'\n", lambda s: s.write("lock", "1\n")),
    "link of its own": ("ln -s in.txt l\ncat l > x.txt\nstat -L -c %s l > y.txt\nrm l x.txt\n", lambda s: s.write("in.txt", "zzz\n")),
    "mode set in a tree": ("cp in.txt data/x\nchmod -R u+x data\ncat data/x > y.txt\n", lambda s: s.write("in.txt", "zzz\n")),
    "name of a file": ("ln in.txt h.txt && echo x >> h.txt\n/bin/echo y >> in.txt\nexit 0\n", lambda s: (s.work / "h.txt").unlink()),
    "names of its output": ("ln -f in.txt h.txt\nstat -c %h in.txt > in.txt\nrm h.txt\n", lambda s: s.edit("ln -f", "true")),
    "number of names": ("ln in.txt h.txt\nstat -c %h in.txt > y.txt\n", lambda s: (s.work / "h.txt").unlink()),
    "descriptor 3": ("exec 3< in.txt\nsh -c 'read x <&3; echo $x' > x.txt\n", lambda s: s.write("in.txt", "zzz\n")),
}


@pytest.mark.parametrize("name", TRAPS)
def test_trap(name: str, tmp_path: Path) -> None:
    """Whatever is put back, the directory is as after the script alone: again at once, after a change, and changed back."""
    script, change = TRAPS[name]
    study = Study(tmp_path, script)
    (study.work / "link").symlink_to("in.txt")
    study.record()
    study.record()
    if change:
        change(study)
        study.record()
        study.write("in.txt", "b\na\nc\na\n")
        study.record()


@pytest.mark.parametrize("change", ("chmod u+w data", "touch -d @1 data"))
def test_names_in_a_directory_that_the_run_itself_has_changed_count(change: str, tmp_path: Path) -> None:
    study = Study(tmp_path, f"{change}\nls data > out.txt\n")
    study.record()
    study.clear()
    (study.work / "data/new").write_text("")
    study.record()
    assert (study.work / "out.txt").read_text() == "new\n"
