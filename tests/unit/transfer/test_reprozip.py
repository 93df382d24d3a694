"""ReproZip bundles, made by hand: what they become, and what is refused."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from rex import extras, limits
from rex.archive import Archive
from rex.archive.check import check
from rex.archive.exporting import export
from rex.errors import Damaged, NotFound, TooLarge, TooNew, UsageError
from rex.transfer.reprozip import import_file, is_bundle, resolve

yaml = pytest.importorskip("yaml", reason="the extra reprozip is not installed")

RUN = {"id": "first", "argv": ["./go", "1"], "binary": "/w/./go", "workingdir": "/w", "environ": {"A": "b", "API_TOKEN": "x"},
       "exitcode": 3, "uid": 7, "hostname": "there", "architecture": "x86_64", "distribution": ["debian", "12"], "system": ["Linux", "6.1"]}
CONFIG = {"version": "0.8", "pack_id": "p", "runs": [RUN], "inputs_outputs": [
    {"name": "in.csv", "path": "/w/in.csv", "read_by_runs": [0], "written_by_runs": []},
    {"name": "out", "path": "/w/out", "read_by_runs": [], "written_by_runs": [0]}]}
FILES = {"w/go": b"#!/bin/sh\n", "w/in.csv": b"1,2\n", "bin": "usr/bin", "bin/sh": "dash", "usr/bin/dash": b"dash"}


def member(name: str, data: bytes | str, **facts: Any) -> tuple[tarfile.TarInfo, io.BytesIO | None]:
    """A file of these bytes, or a symbolic link to this path."""
    info = tarfile.TarInfo(name)
    info.mode, info.mtime = 0o755, 1_600_000_000
    if isinstance(data, str):
        info.type, info.linkname = tarfile.SYMTYPE, data
    else:
        info.size = len(data)
    for key, value in facts.items():
        setattr(info, key, value)
    return info, None if isinstance(data, str) else io.BytesIO(data)


def tar(members: list[tuple[tarfile.TarInfo, io.BytesIO | None]], mode: str) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as made:      # type: ignore[call-overload]
        for info, data in members:
            made.addfile(info, data)
    return file.getvalue()


def bundle(path: Path, files: dict[str, bytes | str] = FILES, config: Any = CONFIG, version: bytes = b"2",
           more: list[tuple[tarfile.TarInfo, io.BytesIO | None]] | None = None) -> Path:
    """A bundle of these files, by their names below DATA."""
    data = [member(f"DATA/{name}", content) for name, content in files.items()] + (more or [])
    about = [member("METADATA/version", b"REPROZIP VERSION " + version + b"\n"),
             member("METADATA/trace.sqlite3", b"not read"), member("METADATA/config.yml", yaml.safe_dump(config).encode())]
    path.write_bytes(tar(about + data, "w:gz") if version == b"1" else tar([member("DATA.tar.gz", tar(data, "w:gz")), *about], "w"))
    return path


def land(path: Path, archive: Archive, *names: str) -> list[tuple[str, str, bool]]:
    with open(path, "rb") as stream:
        return [(each.source, each.name, each.is_new) for each in import_file(stream, archive, names)]


@pytest.mark.parametrize("version", [b"1", b"2"])
def test_a_run_becomes_an_experiment(archive: Archive, tmp_path: Path, version: bytes) -> None:
    assert land(bundle(tmp_path / "x.rpz", version=version), archive) == [("first", "first", True)]
    found = archive.experiment("first").manifest
    assert (found.command, found.cwd, found.environment, found.withheld) == (("./go", "1"), "/w", {"A": "b"}, ("API_TOKEN",))
    assert (found.exit_status, found.user, found.host, found.log) == (3, "7", "there", None)
    assert found.machine == {"arch": "x86_64", "distribution": "debian 12", "system": "Linux", "kernel": "6.1"}
    assert found.start_ns == 1_600_000_000 * 10**9 and found.extra["record"]["program"] == "/w/go"
    assert found.extra["reprozip"]["names"] == {"in.csv": "/w/in.csv", "out": "/w/out"}
    there = {path: entry.initial for path, entry in found.files.items()}
    assert {path for path, state in there.items() if state and state.type == "dir"} == {"/", "/w", "/usr", "/usr/bin"}
    assert there["/bin"] and there["/bin"].target == "usr/bin" and there["/usr/bin/sh"] and there["/usr/bin/sh"].target == "dash"
    assert there["/w/out"] is None and "/bin/sh" not in there        # links are followed; an output was not there before
    assert found.files["/w/go"].roles == ("apparatus",) and found.files["/w/in.csv"].roles == ("input",)
    data = there["/w/in.csv"]
    assert data and data.content and archive.read(data.content) == b"1,2\n"
    assert check(archive) == []
    assert land(tmp_path / "x.rpz", archive) == [("first", "first", False)]


def test_runs_are_chosen_and_named(archive: Archive, tmp_path: Path) -> None:
    signalled = {key: value for key, value in RUN.items() if key != "id"} | {"exitcode": 0x100 | 9}
    path = bundle(tmp_path / "x.rpz", config={**CONFIG, "runs": [RUN, signalled, {**RUN, "id": "no name/"}]})
    assert land(path, archive, "run1") == [("run1", "run1", True)]
    assert archive.experiment("run1").manifest.exit_status == -9
    assert [name for _, name, _ in land(path, archive)] == ["first", "run1", "run2"]
    with pytest.raises(NotFound, match="first, run1"):
        land(path, archive, "none")


def test_files_of_two_names_and_what_is_no_file(archive: Archive, tmp_path: Path) -> None:
    more = [member("DATA/w/again", b"", type=tarfile.LNKTYPE, linkname="DATA/w/in.csv"), member("DATA/dev/null", b"", type=tarfile.CHRTYPE),
            member("DATA/w/sub", b"", type=tarfile.DIRTYPE, mode=0o700), member("elsewhere", b"?")]
    land(bundle(tmp_path / "x.rpz", more=more), archive)
    files = archive.experiment("first").manifest.files
    assert files["/w/again"].initial == files["/w/in.csv"].initial and files["/w/sub"].initial
    assert files["/w/sub"].initial.mode == 0o700 and not [path for path in files if "dev" in path or "elsewhere" in path]


@pytest.mark.parametrize("files, config", [
    ({"../../etc/passwd": b"x"}, CONFIG), ({"w//x": b"x"}, CONFIG), (FILES, []), (FILES, {"runs": 3}), (FILES, {**CONFIG, "runs": [{}]}),
    (FILES, {**CONFIG, "runs": [{**RUN, "argv": []}]}), (FILES, {**CONFIG, "runs": [{**RUN, "environ": {"A=B": "c"}}]}),
    (FILES, {**CONFIG, "inputs_outputs": [{"name": "o", "path": "../x", "written_by_runs": [0]}]})])
def test_what_makes_no_sense_is_refused(archive: Archive, tmp_path: Path, files: dict[str, bytes | str], config: Any) -> None:
    with pytest.raises(Damaged, match="the ReproZip bundle is damaged"):
        land(bundle(tmp_path / "x.rpz", files, config), archive)
    assert archive.experiments() == []


def test_yaml_that_makes_objects_is_refused(archive: Archive, tmp_path: Path) -> None:
    about = [member("METADATA/version", b"REPROZIP VERSION 2\n"), member("METADATA/config.yml", b"!!python/object/apply:os.getcwd []"),
             member("DATA.tar.gz", tar([], "w:gz"))]
    (tmp_path / "x.rpz").write_bytes(tar(about, "w"))
    with pytest.raises(Damaged):
        land(tmp_path / "x.rpz", archive)


def test_a_bundle_that_is_cut_short_or_too_new(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(TooNew, match="version 3"):
        land(bundle(tmp_path / "x.rpz", version=b"3"), archive)
    whole = tar([member("DATA/w/in.csv", os.urandom(100_000))], "w:gz")
    for data in (whole[:len(whole) // 2], b"no tar"):
        about = [member("METADATA/version", b"REPROZIP VERSION 2\n"), member("METADATA/config.yml", yaml.safe_dump(CONFIG).encode())]
        (tmp_path / "x.rpz").write_bytes(tar([*about, member("DATA.tar.gz", data)], "w"))
        with pytest.raises(Damaged):
            land(tmp_path / "x.rpz", archive)
    assert archive.experiments() == []


def test_what_stands_for_too_much_is_refused(archive: Archive, tmp_path: Path) -> None:
    members = [member("METADATA/version", b"REPROZIP VERSION 1\n"), member("METADATA/config.yml", yaml.safe_dump(CONFIG).encode()),
               member("DATA/zeros", bytes(32 << 20))]
    (tmp_path / "x.rpz").write_bytes(tar(members, "w:xz"))
    with limits.reading(1 << 20), pytest.raises(TooLarge):
        land(tmp_path / "x.rpz", archive)


def test_export_files_are_still_read(archive: Archive, tmp_path: Path) -> None:
    land(bundle(tmp_path / "x.rpz"), archive)
    with open(tmp_path / "x.rex", "w+b") as stream:
        export(archive, stream)
        assert not is_bundle(stream)
    assert land(tmp_path / "x.rex", Archive.create(tmp_path / "B")) == [("first", "first", True)]


def test_without_the_extra_the_line_to_install_it_is_named(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bundle(tmp_path / "x.rpz")
    monkeypatch.setattr(extras, "is_there", lambda module: module != "yaml")
    with pytest.raises(UsageError, match="rex-replay.reprozip"):
        land(path, archive)


def test_links_are_followed_within_the_bundle() -> None:
    links = {"/bin": "usr/bin", "/usr/bin/sh": "../lib/../bin/dash", "/loop": "loop", "/up": "/../../x"}
    assert resolve("/bin/sh", links) == "/usr/bin/dash" and resolve("/bin/sh", links, is_followed=False) == "/usr/bin/sh"
    assert resolve("/loop/x", links) == "/loop/x" and resolve("/up", links) == "/x"
