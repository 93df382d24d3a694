"""Known causes: small programs recorded twice with one change, and the reason that expdiff gives for what comes out differently."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from commands import REX, environment
from rex.archive import Archive
from rex.expdiff.compare import Side, compare

pytestmark = pytest.mark.usefixtures("tracing")
PYTHON = [sys.executable, "-S", "p.py"]
SHELL = ["sh", "p.sh"]
TIMES = {"in": 10**9, "other": 10**9}     # in seconds; of files that nothing else is said of


@dataclass
class Run:
    """One of the two runs; of the second what it has otherwise than the first.

    Attributes:
        files: by path, their text; None: not there; a path that ends in / is a directory, text that begins with -> a link.
        times: of files, when they were changed, in seconds.
    """

    files: dict[str, str | None] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    args: list[str] = field(default_factory=list)
    times: dict[str, int] = field(default_factory=dict)
    stdin: str | None = None
    umask: int = 0o022
    cwd: str = "."
    command: list[str] = field(default_factory=list)


def lay_out(top: Path, run: Run) -> None:
    for name, text in run.files.items():
        path = top / name
        if name.endswith("/") and text is not None:
            path.mkdir(parents=True, exist_ok=True)
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        if text is None:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("->"):
            path.symlink_to(text[2:])
            continue
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    for name, seconds in run.times.items():
        os.utime(top / name, (seconds, seconds))


def record(top: Path, run: Run, command: list[str], variables: dict[str, str]) -> None:
    lay_out(top, run)
    (top / "stdin").write_text(run.stdin or "")
    with open(top / "stdin", encoding="utf-8") as stdin:
        subprocess.run([*REX, "record", "-q", "-l", str(top.parent / "E"), "--", *command, *run.args], cwd=top / run.cwd,
                       env={**environment(), "LC_ALL": "C", "PYTHONDONTWRITEBYTECODE": "1", **variables}, umask=run.umask,
                       stdin=stdin if run.stdin is not None else subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    for name in ("out", "middle"):
        (top / name).unlink(missing_ok=True)


def sh(text: str, one: Run, two: Run, why: str) -> tuple[list[str], dict[str, str | None], Run, Run, str]:
    return SHELL, {"p.sh": text + "\n"}, one, two, why


def py(text: str, one: Run, two: Run, why: str) -> tuple[list[str], dict[str, str | None], Run, Run, str]:
    return PYTHON, {"p.py": text + "\n"}, one, two, why


def text(**files: str | None) -> Run:
    return Run(files={name.replace("__", "/"): value for name, value in files.items()})


SAME = Run()
THE_TIME, RANDOM = "asked for the time", "asked for (random numbers|/dev/urandom)"
WRITE = "open('out', 'w').write"
PACKAGE = {"site-packages/pack/__init__.py": "x = 1\n", "site-packages/pack-1.0.dist-info/METADATA": "Name: pack\n"}
NEWER = {"site-packages/pack/__init__.py": "x = 2\n", "site-packages/pack-1.0.dist-info": None, "site-packages/pack-2.0.dist-info/METADATA": "Name: pack\n"}
CAUSES = {
    "input": sh("cat in > out", text(**{"in": "1"}), text(**{"in": "2"}), "input .*/in differs"),
    "input to standard output": sh("cat in", text(**{"in": "1"}), text(**{"in": "2"}), "input .*/in differs"),
    "input to standard error": sh("cat in >&2", text(**{"in": "1"}), text(**{"in": "2"}), "standard error: .*input .*/in differs"),
    "input to exit status": sh("exit $(cat in)", text(**{"in": "1"}), text(**{"in": "2"}), "exit status: .*input .*/in differs"),
    "input through a pipe": sh("cat in | sort > out", text(**{"in": "1"}), text(**{"in": "2"}), "input .*/in differs"),
    "input through a file": sh("sort in > middle; tr a b < middle > out", text(**{"in": "1"}), text(**{"in": "2"}), "input .*/in differs"),
    "input beside a date": sh("date > middle; cat in > out", text(**{"in": "1"}), text(**{"in": "2"}), "/out: .*input .*/in differs"),
    "included script": sh(". ./conf; echo $A > out", text(conf="A=1"), text(conf="A=2"), "input .*/conf differs"),
    "script": sh("echo 1 > out", SAME, text(**{"p.sh": "echo 2 > out"}), "p.sh differs"),
    "program": sh("./tool > out", text(tool="#!/bin/sh\necho 1"), text(tool="#!/bin/sh\necho 2"), "/tool differs"),
    "target of a link": sh("cat link > out", text(a="1", b="2", link="->a"), text(link="->b"), "/(link|a|b) "),
    "standard input": sh("sort > out", Run(stdin="1"), Run(stdin="2"), "standard input"),
    "argument": sh('echo "$1" > out', Run(args=["1"]), Run(args=["2"]), "argument 2 is '1' in the first and '2' in the second"),
    "argument that names a file": sh('cat "$1" > out', Run({"a": "1", "b": "2"}, args=["a"]), Run(args=["b"]), "argument 2 is"),
    "one argument more": sh('echo $# > out', Run(args=["1"]), Run(args=["1", "2"]), "argument 3 is only in the second"),
    "variable": sh('echo "$V" > out', Run(env={"V": "1"}), Run(env={"V": "2"}), "variable V is '1' in the first"),
    "variable only there": sh('echo "$V" > out', SAME, Run(env={"V": "2"}), "variable V is only in the second"),
    "variable that names a file": sh('cat "$V" > out', Run({"a.txt": "1", "b.txt": "2"}, env={"V": "a.txt"}), Run(env={"V": "b.txt"}),
                                     "variable V is"),
    "variable in a name": sh('cat data_$V.txt > out', Run({"data_1.txt": "1", "data_2.txt": "2"}, env={"V": "1"}), Run(env={"V": "2"}),
                             "variable V is"),
    "variable before an input of no matter": sh('cat in > middle; echo $V > out', Run({"in": "1"}, env={"V": "1"}), Run(env={"V": "2"}),
                                                "variable V is"),
    "PATH": sh("tool > out", Run({"a/tool": "#!/bin/sh\necho 1", "b/tool": "#!/bin/sh\necho 2"}, env={"PATH": "{}/a:/usr/bin:/bin"}),
               Run(env={"PATH": "{}/b:/usr/bin:/bin"}), "variable PATH is"),
    "locale": sh("printf 'é' | wc -m > out", SAME, Run(env={"LC_ALL": "C.UTF-8"}), "variable LC_ALL is"),
    "time zone": sh("date -d @0 > out", Run(env={"TZ": "EST5"}), Run(env={"TZ": "JST-9"}), "variable TZ is"),
    "time zone of a file": sh("date -d @0 > out", Run({"zone/A": "TZif", "zone/B": "TZif2"}, env={"TZ": ":{}/zone/A"}),
                              Run(env={"TZ": "JST-9"}), "variable TZ is"),
    "umask": sh("umask > out", SAME, Run(umask=0o077), "umask is '022' in the first and '077'"),
    "working directory": (["sh", "-c", "pwd"], {"a/": "", "b/": ""}, Run(cwd="a"), Run(cwd="b"), "working directory is"),
    "file that is only looked for": sh("test -e flag && echo yes > out || echo no > out", SAME, text(flag=""), "flag is only in the second"),
    "file that is gone": sh("test -f flag && echo yes > out || echo no > out", text(flag=""), text(flag=None), "flag is only in the first"),
    "directory that is only looked for": sh("test -d d && echo yes > out || echo no > out", SAME, Run({"d/": ""}), "/d is only in the second"),
    "link that is only looked for": sh("test -h l && echo yes > out || echo no > out", SAME, text(l="->in"), "/l is only in the second"),
    "time of a file": sh("ls -l --time-style=+%s in > out", Run({"in": ""}, times={"in": 10**9}), Run(times={"in": 10**9 + 5}),
                         "time of the last change of .*/in differs"),
    "order of times": sh("if [ in -nt other ]; then echo newer > out; else echo older > out; fi",
                         Run({"in": "", "other": ""}, times={"in": 10**9, "other": 10**9 + 1}), Run(times={"in": 10**9 + 2}),
                         "time of the last change of .*/in differs"),
    "size of a file": sh("stat -c %s in > out", text(**{"in": "1"}), text(**{"in": "22"}), "the size of .*/in differs"),
    "right to execute": sh("test -x in && echo yes > out || echo no > out", Run({"in": "#!"}, times={"in": 10**9}),
                           Run({"in": "# "}, times={"in": 10**9}), "the (mode|permission) of .*/in differs"),
    "name in a folder": sh("ls d > out", Run({"d/a": ""}), Run({"d/b": ""}), "/d/b is only in the second"),
    "date": sh("date +%s%N > out", SAME, SAME, "date .*" + THE_TIME),
    "date in Python": py(f"import time; {WRITE}(str(time.time()))", SAME, SAME, THE_TIME),
    "date beside random imports": py(f"import random, time; {WRITE}(str(time.time()))", SAME, SAME, THE_TIME),
    "date after the output was opened": py("import random, time; f = open('out', 'w'); f.write(str(time.time()))", SAME, SAME, THE_TIME),
    "duration": sh("mktemp ./x.XXXXXX > out; rm x.*", SAME, SAME, "asked for the time that has passed"),
    "processor time": py(f"import time; {WRITE}(str(time.process_time_ns()))", SAME, SAME, "asked for processor time"),
    "process id": py(f"import os; {WRITE}(str(os.getpid()))", SAME, SAME, "asked for process ids"),
    "process id of a shell": sh("echo $$ > out", SAME, SAME, "asked for process ids"),
    "random numbers": py(f"import random; {WRITE}(str(random.random()))", SAME, SAME, RANDOM),
    "uuid": py(f"import uuid; {WRITE}(str(uuid.uuid4()))", SAME, SAME, RANDOM),
    "seed of hashes": py(f"{WRITE}(str(hash('a')))", SAME, SAME, RANDOM),
    "input in Python": py(f"import random, time; time.time(); {WRITE}(open('in').read())", text(**{"in": "1"}), text(**{"in": "2"}),
                          "input .*/in differs"),
    "module": py(f"import mod; {WRITE}(str(mod.x))", text(**{"mod.py": "x = 1"}), text(**{"mod.py": "x = 2"}), "/mod.py differs"),
    "variable in Python": py(f"import os; {WRITE}(os.environ['V'])", Run(env={"V": "1"}), Run(env={"V": "2"}), "variable V is"),
    "PYTHONPATH": py(f"import mod; {WRITE}(str(mod.x))", Run({"a/mod.py": "x = 1", "b/mod.py": "x = 2"}, env={"PYTHONPATH": "{}/a"}),
                     Run(env={"PYTHONPATH": "{}/b"}), "variable PYTHONPATH is"),
    "existence in Python": py(f"import os; {WRITE}(str(os.path.exists('flag')))", SAME, text(flag=""), "flag is only in the second"),
    "time of a file in Python": py(f"import os; {WRITE}(str(os.path.getmtime('in')))", Run({"in": ""}, times={"in": 10**9}),
                                   Run(times={"in": 10**9 + 5}), "time of the last change of .*/in differs"),
    "version of a package": py(f"import sys; sys.path.insert(0, 'site-packages'); import pack; {WRITE}(str(pack.x))", Run(PACKAGE), Run(NEWER),
                               "package pack is 1.0 in the first and 2.0 in the second"),
}


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_is_named(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REX_CACHE", str(tmp_path.parent / "cache"))
    command, files, one, two, why = CAUSES[name]
    top = tmp_path / "top"
    top.mkdir()
    lay_out(top, Run(files={"in": "0", "other": "0", **files}, times=TIMES))
    record(top, one, command, {key: value.format(top) for key, value in one.env.items()})
    record(top, two, command, {key: value.format(top) for key, value in two.env.items()})
    archive = Archive.open(tmp_path / "E")
    found = compare(*(Side(archive, archive.experiment(each)) for each in ("exp0", "exp1")))
    sentences = [cause.sentence for cause in found.causes if not re.match(r"\S*/middle:", cause.output + ":")]
    assert sentences and all(re.search(why, sentence) for sentence in sentences), sentences
