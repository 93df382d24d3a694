"""Root directories that run, and recipes of images."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Experiment
from rex.errors import UsageError
from rex.transfer.image import (build_directory, definition, dockerfile, export_apptainer, export_dir, export_docker,
                                program_of, run_script)
from rex.transfer.tree import Tree

Record = Callable[..., Experiment]


def test_program_of(record: Record) -> None:
    assert program_of(record({}).manifest) == "/bin/run"
    assert program_of(record({}, extra={"record": {"program": "./x"}}).manifest) == "/w/x"
    assert program_of(record({}, extra={"record": {}}).manifest) == "/bin/run"


def test_dockerfile(record: Record) -> None:
    text = dockerfile(record({}, environment={"A": 'x"$\\', "B": "two\nlines", "BASH_FUNC%%": "()"}))
    assert 'ENV A="x\\"\\$\\\\"\n' in text and "# B is left out" in text and "BASH_FUNC" not in text
    assert 'CMD ["/bin/run", "a b"]\n' in text and "ADD root.tar /\nENV" in text and "WORKDIR /w\n" in text
    assert 'CMD ["/bin/run", "\\n# \\u001b"]' in dockerfile(record({}, command=("/bin/run", "\n# \x1b")))


@pytest.mark.parametrize("facts", [{"command": ("x", "\udcff")}, {"cwd": "/a\nRUN x"}])
def test_what_no_dockerfile_can_say(record: Record, facts: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        dockerfile(record({}, **facts))


def test_nothing_breaks_out_of_a_script(record: Record) -> None:
    evil = "x'; touch broken; '\n$(touch broken) `touch broken`"
    experiment = record({}, name="e", command=(evil, evil), environment={"A": evil, "B;touch broken": "x"}, cwd="/w")
    text = run_script(experiment)
    assert shlex.quote(f"A={evil}") in text and "B;touch" not in text
    assert all(line.startswith("#") for line in text.splitlines()[:2])
    with pytest.raises(UsageError):   # a line could begin a section of its own
        definition(experiment)
    plain = evil.replace("\n", "")
    assert shlex.quote(plain) in definition(record({}, command=("x", plain)))
    assert subprocess.run(["sh", "-n"], input=text, text=True, check=False).returncode == 0


def test_directories_of_images(archive: Archive, record: Record, tmp_path: Path) -> None:
    experiment = record({"/w/in": b"data"}, name="Exp.1")
    export_docker(archive, experiment, str(tmp_path / "d"))
    export_apptainer(archive, experiment, str(tmp_path / "a"))
    assert sorted(os.listdir(tmp_path / "d")) == ["Dockerfile", "root.tar"]
    assert sorted(os.listdir(tmp_path / "a")) == ["exp-1.def", "root.tar"]
    assert json.loads((tmp_path / "d/Dockerfile").read_text().splitlines()[-1][4:]) == ["/bin/run", "a b"]


def test_a_directory_that_runs(archive: Archive, record: Record, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text('#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v)'
                      '{ char b[9] = {0}; FILE *f = fopen("in", "r"); if (!f) return 4; fread(b, 1, 8, f);'
                      ' printf("%s %s %s", v[1], b, getenv("A")); fclose(fopen("/tmp/out", "w")); return 3; }\n')
    if subprocess.run(["gcc", "-static", "-o", tmp_path / "p", source], capture_output=True, check=False).returncode:
        pytest.skip("no static C library here")
    if subprocess.run(["unshare", "--mount", "--map-root-user", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces here")
    experiment = record({"/w/in": b"data", "/bin/run": (tmp_path / "p").read_bytes()})
    export_dir(archive, experiment, str(tmp_path / "made"))
    os.chmod(tmp_path / "made/root/bin/run", 0o755)
    done = subprocess.run([tmp_path / "made/run.sh"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, 'a b data $b "c"'), done.stderr
    assert (tmp_path / "made/root/tmp/out").exists()
    done = subprocess.run([tmp_path / "made/run.sh", "/bin/run", "other"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("other data")


def test_a_directory_comes_whole_or_not_at_all(tmp_path: Path) -> None:
    def fail(work: str) -> Tree:
        Path(work, "half").touch()
        raise OSError("disk full")
    with pytest.raises(OSError):
        build_directory(str(tmp_path / "made"), fail)
    assert os.listdir(tmp_path) == []
    (tmp_path / "made").mkdir()
    build_directory(str(tmp_path / "made"), lambda work: Path(work, "x").touch() or Tree({}, ()))
    assert os.listdir(tmp_path / "made") == ["x"]
    with pytest.raises(UsageError, match="exists"):
        build_directory(str(tmp_path / "made"), lambda work: Tree({}, ()))
