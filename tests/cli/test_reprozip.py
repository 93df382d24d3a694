"""A ReproZip bundle, made by hand, is imported and its run is run anew."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

import pytest

import rex as api
from commands import rex, run_rex
from rex import elf

pytest.importorskip("yaml", reason="the extra reprozip is not installed")
pytestmark = pytest.mark.usefixtures("tracing")

CONFIG = """
version: "0.8"
pack_id: "5e2b"
runs:
- architecture: x86_64
  argv: [sh, -c, 'read line < in.txt; echo "$line" > out.txt; echo "$line by $0$WHO"', me]
  binary: {shell}
  distribution: [debian, '12']
  environ: {{PATH: /bin, MY_TOKEN: secret, WHO: '!'}}
  exitcode: 0
  gid: 0
  hostname: there
  id: run0
  system: [Linux, '6.1']
  uid: 0
  workingdir: {work}
inputs_outputs:
- name: in.txt
  path: {work}/in.txt
  written_by_runs: []
  read_by_runs: [0]
- name: out.txt
  path: {work}/out.txt
  written_by_runs: [0]
  read_by_runs: []
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of a shell that reads a file of this place, which is gone."""
    shell = os.path.realpath(shutil.which("sh") or "/bin/sh")
    facts = elf.read(shell)
    assert facts
    work = tmp_path / "there"
    work.mkdir()
    (work / "in.txt").write_text("data\n", encoding="ascii")
    libraries = elf.resolve_needed(shell, dict(os.environ)).found.values()
    with tarfile.open(tmp_path / "DATA.tar.gz", "w:gz") as data:
        for path in {shell, facts.interpreter, *libraries}:
            data.add(os.path.realpath(path), f"DATA{os.path.realpath(path)}")
            for link in filter(os.path.islink, (path, *map(str, Path(path).parents))):
                data.add(link, f"DATA{link}")
        data.add(work, f"DATA{work}")
    (tmp_path / "config.yml").write_text(CONFIG.format(shell=shell, work=work), encoding="utf-8")
    (tmp_path / "version").write_text("REPROZIP VERSION 2\n", encoding="ascii")
    with tarfile.open(tmp_path / "x.rpz", "w") as made:
        made.add(tmp_path / "DATA.tar.gz", "DATA.tar.gz")
        for name in ("version", "config.yml"):
            made.add(tmp_path / name, f"METADATA/{name}")
    shutil.rmtree(work)
    return tmp_path / "x.rpz"


def test_a_run_of_a_bundle_runs_and_is_not_replayed(bundle: Path, tmp_path: Path) -> None:
    assert rex("import", "x.rpz", "-l", "A", cwd=tmp_path) == (
        "added A:run0\nno log: run0 cannot be replayed; run with: rex runnew A:run0 --headless -o OUTDIR; withheld MY_TOKEN\n")
    assert rex("runnew", "A:run0", "--headless", "-o", "o1", "--record", "new", cwd=tmp_path) == "data by me!\n"
    assert (tmp_path / f"o1{tmp_path}/there/out.txt").read_text(encoding="ascii") == "data\n" and not (tmp_path / "there").exists()
    assert rex("replay", "A:new", "-o", "o2", cwd=tmp_path) == "data by me!\n"
    refused = run_rex("replay", "A:run0", "-o", "o3", cwd=tmp_path, code=125).stderr
    assert "run0 has no log" in refused and "rex runnew" in refused
    (tmp_path / "other").write_text("other\n", encoding="ascii")
    told = rex("runnew", "A:run0", "--headless", "-o", "o4", "--file", "in.txt=other", "--env", "WHO=?", cwd=tmp_path)
    assert told == "other by me?\n"


def test_the_api_imports_bundles_too(bundle: Path, tmp_path: Path) -> None:
    archive = api.Archive(tmp_path / "A", create=True)
    experiment, = archive.import_from(bundle)
    assert api.run(experiment, tmp_path / "out").stdout == b"data by me!\n"
