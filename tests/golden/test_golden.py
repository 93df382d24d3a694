"""Archives of every format version that ever was: they read and replay for good."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path

import pytest

from commands import run_rex
from rex.archive import COMPLETE, Archive
from rex.archive.check import check
from rex.archive.exporting import export, import_from
from rex.archive.manifest import VERSION
from rex.cli.doctor_command import trace_child, why_not
from rex.log import LogReader
from rex.tracer import native

HERE = Path(__file__).parent
FORMATS = list(range(1, VERSION + 1))
WHY_NOT = why_not(trace_child)


@pytest.fixture(params=FORMATS)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the golden archive of one format that nobody may write."""
    copy = tmp_path / f"archive-{request.param}"
    shutil.copytree(HERE / f"archive-{request.param}", copy)
    for base, _, names in os.walk(copy, topdown=False):
        for name in names:
            os.chmod(os.path.join(base, name), 0o444)
        os.chmod(base, 0o555)
    return copy


def test_it_is_whole(golden: Path) -> None:
    archive = Archive.open(golden)
    assert check(archive) == []
    assert [(e.name, e.state) for e in archive.experiments()] == [("exp0", COMPLETE), ("exp1", COMPLETE)]


def test_what_it_says(golden: Path) -> None:
    archive = Archive.open(golden)
    manifest = archive.experiment("exp0").manifest
    assert manifest.command == ("./guest", "a b", "\udcff")
    assert (manifest.cwd, manifest.host, manifest.exit_status) == ("/mnt/w", "golden", 3)
    assert manifest.environment["LANG"] == "C.UTF-8" and manifest.withheld == ("TOKEN",)
    given, made = manifest.files["/mnt/w/in"].initial, manifest.files["/mnt/w/d/out"]
    assert given and given.content and archive.read(given.content) == b"golden\n"
    assert made.initial is None and made.final and made.final.content and made.is_changed
    lines = archive.read(made.final.content).splitlines()
    assert lines[0] == b"golden" and [len(line) for line in lines[1:]] == [16, 16, 16]


def test_its_log(golden: Path) -> None:
    experiment = Archive.open(golden).experiment("exp0")
    with LogReader(experiment.open_log()) as log:
        events = list(log)
        assert log.is_finished and log.count == len(events) == experiment.manifest.counts["events"]


def test_the_second_log_differs_from_the_first(golden: Path) -> None:
    one, two = (e.manifest for e in Archive.open(golden).experiments())
    assert one.log and two.log and one.log.is_apart and two.log.is_apart and two.log.is_packed and two.log.base == one.log.content
    assert one.changed and one.changed != two.changed and len(one.times_ns) == len(two.times_ns) == 22


def test_its_identity(golden: Path) -> None:
    archive = Archive.open(golden)
    for experiment in archive.experiments():
        assert archive.experiment(f"@{experiment.identity[:12]}").name == experiment.name


def test_its_export_file(golden: Path, tmp_path: Path) -> None:
    data = (HERE / f"{golden.name}.rex").read_bytes()
    archive = Archive.create(tmp_path / "B")
    assert [each.name for each in import_from(io.BytesIO(data), archive)] == ["exp0", "exp1"]
    again, straight = io.BytesIO(), io.BytesIO()
    export(archive, again)
    export(Archive.open(golden), straight)
    assert again.getvalue() == straight.getvalue()


@pytest.mark.skipif(bool(WHY_NOT), reason=f"tracing is not permitted here: {WHY_NOT}")
@pytest.mark.parametrize("name", ["exp0", "exp1"])
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_it_replays(golden: Path, name: str, engine: str, tmp_path: Path) -> None:
    if engine == "native" and not native.is_built():
        pytest.skip("the native engine is not built")
    done = run_rex("replay", "-l", str(golden), "-e", name, "-o", str(tmp_path / "out"), "--check", cwd=tmp_path, code=None,
                   REX_CACHE=str(tmp_path / "cache"), REX_ENGINE=engine)
    assert (done.returncode, done.stderr) == (0, f"rex: {golden}:{name}: identical\n")
