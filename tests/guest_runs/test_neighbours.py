"""Files beside those that an experiment uses are none of its business."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import REX, ROOT
from rex.archive import Archive
from rex.tracer import native

CHANGES = {"made again": "mkdir -p top/sub", "mode": "chmod 711 top", "times": "touch top", "linked over": "ln -s x top || true",
           "made inside": "mkdir top/new && rmdir top/new"}


def recorded(command: str, place: Path, engine: str) -> set[str]:
    """Names of the files in the archive, below the directory of the run."""
    (place / "top" / "sub").mkdir(parents=True)
    (place / "top" / "private").write_text("none of its business")
    (place / "top" / "sub" / "private").write_text("nor this")
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "REX_ENGINE": engine, "REX_CACHE": str(place / "cache")}
    subprocess.run([*REX, "record", "-q", "-l", str(place / "archive"), "-e", "one", "--",
                    "sh", "-c", command], cwd=place, env=env, check=True, timeout=60)
    manifest = Archive.open(place / "archive").experiment("one").manifest
    return {os.path.relpath(path, place) for path in manifest.files if path.startswith(f"{place}/")}


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("change", CHANGES)
def test_neighbours_stay_out(change: str, engine: str, tmp_path: Path) -> None:
    if engine == "native" and not native.is_built():
        pytest.skip("the native engine is not built")
    assert not {name for name in recorded(CHANGES[change], tmp_path, engine) if "private" in name}


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_all_below_a_moved_directory_is_kept(engine: str, tmp_path: Path) -> None:
    if engine == "native" and not native.is_built():
        pytest.skip("the native engine is not built")
    names = recorded("chmod 711 top && mv top there && cat there/private", tmp_path, engine)
    assert {"top/private", "top/sub/private"} <= names
