"""Files by distribution package."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Content, Experiment
from rex.transfer.packages import Package, identify

Record = Callable[..., Experiment]


def store(archive: Archive, data: bytes) -> Content:
    with archive.begin() as recording:
        content = recording.add_bytes(data)
        recording.flush()
        return content


def test_pip(archive: Archive, tmp_path: Path) -> None:
    top = tmp_path / "lib/site-packages"
    (top / "Pkg-1.2.dist-info").mkdir(parents=True)
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"code").digest()).decode().rstrip("=")
    (top / "Pkg-1.2.dist-info/RECORD").write_text(
        f"pkg/a.so,sha256={digest},4\npkg/b.so,sha256={digest},4\npkg/c.so,,\nbroken\n")
    paths = {name: str(top / "pkg" / name) for name in ("a.so", "b.so", "c.so")}
    found = identify(archive, {paths["a.so"]: store(archive, b"code"), paths["b.so"]: store(archive, b"changed"),
                               paths["c.so"]: store(archive, b"code")})
    assert found == {paths["a.so"]: Package("pip", "Pkg", "1.2")}   # what differs is of no package


def test_conda(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "env/conda-meta").mkdir(parents=True)
    (tmp_path / "env/conda-meta/broken.json").write_text("{}")
    (tmp_path / "env/conda-meta/z.json").write_text(json.dumps({
        "name": "zlib", "version": "1.3", "build": "h0", "paths_data": {"paths": [
            {"_path": "lib/libz.so", "sha256": "0" * 64,
             "sha256_in_prefix": hashlib.sha256(b"z").hexdigest()}]}}))
    path = str(tmp_path / "env/lib/libz.so")
    assert identify(archive, {path: store(archive, b"z")}) == {path: Package("conda", "zlib", "1.3-h0")}


@pytest.mark.skipif(not shutil.which("dpkg-query"), reason="no dpkg here")
def test_dpkg(archive: Archive) -> None:
    path = str(Path(shutil.which("cat") or "").resolve())
    if subprocess.run(["dpkg-query", "-S", path.removeprefix("/usr")], capture_output=True, check=False).returncode \
            and subprocess.run(["dpkg-query", "-S", path], capture_output=True, check=False).returncode:
        pytest.skip("cat is of no package")
    data = Path(path).read_bytes()
    found = identify(archive, {path: store(archive, data), "/no/such": store(archive, b"x")})
    assert found[path].manager == "dpkg" and found[path].name == "coreutils" and len(found) == 1
    assert identify(archive, {path: store(archive, data + b"x")}) == {}


def test_rpm(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = hashlib.sha256(b"code").hexdigest()
    (tmp_path / "rpm").write_text(f"#!/bin/sh\nprintf 'bash\\t5.2-1\\t/x/bash\\t{digest}\\n'\n"
                                  "printf 'bash\\t5.2-1\\t/x/other\\t\\n'\n")
    (tmp_path / "rpm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert identify(archive, {"/x/bash": store(archive, b"code")}) == {"/x/bash": Package("rpm", "bash", "5.2-1")}
