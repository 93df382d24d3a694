"""What an experiment used, by package."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rex.archive import APPARATUS, INPUT, OUTPUT, Archive, Experiment, FileEntry, FileState, Manifest
from rex.errors import UsageError
from rex.transfer import environment
from rex.transfer.environment import Used, pinned, text_of, used
from rex.transfer.packages import Package

FOUND = Used((Package("conda", "blas", "1.0-mkl"), Package("dpkg", "bash", "5.2-1"), Package("dpkg", "gawk", "1:5.1"),
              Package("pip", "numpy", "2.1"), Package("pip", "scipy", "1.14")), ("/w/in.csv",))


@pytest.fixture
def experiment(tmp_path: Path) -> tuple[Archive, Experiment]:
    archive = Archive.create(tmp_path / "A")
    with archive.begin("e") as recording:
        def state(data: bytes) -> FileState:
            return FileState("file", 0o644, size=len(data), content=recording.add_bytes(data))
        files = {"/usr/bin/known": FileEntry(state(b"known"), roles=(APPARATUS,)), "/w/in.csv": FileEntry(state(b"in"), roles=(INPUT,)),
                 "/w/out": FileEntry(None, state(b"out"), True, (OUTPUT,)), "/w/list": FileEntry(state(b"x"))}
        recording.finish(Manifest(("known",), files=files))
    return archive, archive.experiment("e")


def test_programs_and_inputs_count(experiment: tuple[Archive, Experiment], monkeypatch: pytest.MonkeyPatch) -> None:
    package = Package("dpkg", "known", "1")
    monkeypatch.setattr(environment, "identify", lambda archive, files: {path: package for path in files if path == "/usr/bin/known"})
    assert used(*experiment) == Used((package,), ("/w/in.csv",))


def test_versions_are_pinned_as_each_manager_takes_them() -> None:
    assert [pinned(each) for each in FOUND.packages] == ["blas=1.0=mkl", "bash=5.2-1", "gawk=1:5.1", "numpy==2.1", "scipy==1.14"]


def test_the_lists_for_managers(experiment: tuple[Archive, Experiment], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment.platform, "freedesktop_os_release", lambda: {"ID": "debian", "VERSION_ID": "12"})
    assert text_of(FOUND, "apt", experiment[1]) == "bash=5.2-1\ngawk=1:5.1\n"
    assert text_of(FOUND, "pip", experiment[1]) == "numpy==2.1\nscipy==1.14\n"
    assert text_of(FOUND, "conda", experiment[1]) == "blas=1.0=mkl\n"
    lines = text_of(FOUND, "dockerfile", experiment[1]).splitlines()
    assert lines[0] == "FROM debian:12" and lines[2:5] == ["    bash=5.2-1 \\", "    gawk=1:5.1 \\", "    && rm -rf /var/lib/apt/lists/*"]
    assert lines[-3:] == ["    numpy==2.1 \\", "    scipy==1.14", "# conda: blas=1.0=mkl"]
    assert text_of(Used((), ()), "dockerfile", experiment[1]) == "FROM debian:12\n"


def test_an_sbom_names_packages_and_files(experiment: tuple[Archive, Experiment]) -> None:
    pytest.importorskip("cyclonedx", reason="the extra sbom is not installed")
    told = json.loads(text_of(FOUND, "sbom", experiment[1]))
    assert told["bomFormat"] == "CycloneDX" and told["metadata"]["component"]["name"] == "e"
    by_name = {each["name"]: each for each in told["components"]}
    assert by_name["numpy"]["purl"] == "pkg:pypi/numpy@2.1" and by_name["bash"]["purl"].startswith("pkg:deb/")
    content = experiment[1].manifest.files["/w/in.csv"].initial
    assert content and content.content and by_name["in.csv"]["hashes"] == [{"alg": "SHA-256", "content": content.content.sha256}]


def test_without_its_library_one_line_says_so(experiment: tuple[Archive, Experiment], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cyclonedx.model", None)
    with pytest.raises(UsageError, match=r"rex-replay\[sbom\]"):
        text_of(FOUND, "sbom", experiment[1])
