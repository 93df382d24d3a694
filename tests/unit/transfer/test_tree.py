"""An experiment's file system as a directory and as a tar file."""

from __future__ import annotations

import base64
import io
import os
import stat
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Experiment, FileEntry, FileState, Manifest
from rex.archive.manifest import ElfFacts
from rex.errors import Damaged
from rex.transfer.tree import initial_tree, resolve, write_directory, write_tar

Record = Callable[..., Experiment]
LINK = FileState("symlink", 0o777, target="../w/in")


def test_directory(archive: Archive, record: Record, tmp_path: Path) -> None:
    experiment = record({"/w/in": b"data", "/w/\udcff": b"odd", "/l/in": LINK, "/w/pipe": FileState("fifo", 0o600),
                         "/shut": FileState("dir", 0o555, mtime_ns=5), "/shut/x": b"", "/dev/null": b"no",
                         "/big": bytes(300_000) + b"end"})
    root = str(tmp_path / "root")
    write_directory(archive, initial_tree(experiment.manifest), root)
    assert Path(root, "w/in").read_bytes() == b"data" and os.stat(root + "/w/in").st_mtime_ns == 1_000_000_001
    assert Path(os.fsdecode(os.fsencode(root) + b"/w/\xff")).read_bytes() == b"odd"
    assert os.readlink(root + "/l/in") == "../w/in"
    assert stat.S_ISFIFO(os.stat(root + "/w/pipe").st_mode)
    assert stat.S_IMODE(os.stat(root + "/shut").st_mode) == 0o755 and os.stat(root + "/shut").st_mtime_ns == 5
    assert stat.S_IMODE(os.stat(root + "/tmp").st_mode) == 0o1777
    assert os.listdir(root + "/dev") == [] and os.path.isdir(root + "/proc")
    assert Path(root, "big").read_bytes() == bytes(300_000) + b"end"


def test_tar(archive: Archive, record: Record, tmp_path: Path) -> None:
    experiment = record({"/w/in": b"data", "/l/in": LINK, "/big": bytes(300_000) + b"end", "/w/\udcff": b"o"})
    streams = io.BytesIO(), io.BytesIO()
    for stream in streams:
        write_tar(archive, initial_tree(experiment.manifest), stream)
    assert streams[0].getvalue() == streams[1].getvalue()
    with tarfile.open(fileobj=io.BytesIO(streams[0].getvalue()), errors="surrogateescape") as tar:
        names = tar.getnames()
        assert names == sorted(names) and {"w/in", "l/in", "big", "tmp", "proc", "w/\udcff"} <= set(names)
        found = tar.extractfile("big")
        assert found and found.read() == bytes(300_000) + b"end"
        assert tar.getmember("w/in").mtime == pytest.approx(1.000000001, abs=1e-12)
        assert tar.getmember("l/in").linkname == "../w/in"


@pytest.mark.parametrize("states", [
    {"/a": FileState("symlink", target="/etc"), "/a/passwd": FileState("fifo", 0o600)},
    {"/a": FileState("fifo"), "/a/b/c": FileState("dir")},
    {"/proc": FileState("symlink", target="/etc"), "/w": FileState("symlink", target="/"), "/w/x": FileState("dir")}])
def test_nothing_is_written_through_links(states: dict[str, FileState]) -> None:
    with pytest.raises(Damaged, match="no directory"):
        initial_tree(Manifest(("x",), files={p: FileEntry(s, s) for p, s in states.items()}))


def test_what_was_made_later_is_not_there() -> None:
    tree = initial_tree(Manifest(("x",), cwd="/w", files={
        "/w/out": FileEntry(None, FileState("file", 0o644), True), "/w/lost": FileEntry(FileState("file", size=3))}))
    assert "/w/out" not in tree.states and tree.missing == ("/w/lost",) and "/w" in tree.states


def test_the_loader_is_found_by_its_name() -> None:
    loader, program = FileState("file", 0o755), FileState("file", 0o755)
    manifest = Manifest(("x",), extra={"record": {"loaders": {"/bin/p": "/usr/lib/ld.so"}}}, files={
        "/usr/lib/ld.so": FileEntry(loader, loader), "/lib": FileEntry(FileState("symlink", target="usr/lib")),
        "/bin/p": FileEntry(program, program, elf=ElfFacts("/lib64/ld-x.so.2"))})
    tree = initial_tree(manifest)
    assert tree.states["/lib64/ld-x.so.2"].target == "/usr/lib/ld.so"
    assert initial_tree(Manifest(("x",), extra={"record": {"loaders": {"/bin/p": 3}}})).states   # nonsense is harmless


def test_what_was_only_seen(archive: Archive, record: Record, tmp_path: Path) -> None:
    experiment = record({"/w/in": b"data", "/lib": FileState("symlink", target="usr/lib")})
    seen = {"/lib/m.py": FileState("file", 0o640, mtime_ns=7, size=5), "/w/in": FileState("file", size=99),
            "/w/in/below": FileState("file"), "/proc/1": FileState("dir"), "/x/l": FileState("symlink", target="/w")}
    tree = initial_tree(experiment.manifest, seen)
    assert tree.hollow == {"/usr/lib/m.py"}
    write_directory(archive, tree, str(tmp_path / "root"))
    assert (tmp_path / "root/usr/lib/m.py").read_bytes() == bytes(5)
    assert (tmp_path / "root/w/in").read_bytes() == b"data" and os.readlink(tmp_path / "root/x/l") == "/w"
    stream = io.BytesIO()
    write_tar(archive, tree, stream)
    with tarfile.open(fileobj=io.BytesIO(stream.getvalue())) as tar:
        assert tar.getmember("usr/lib/m.py").size == 5


def test_resolve() -> None:
    links = {"/a": "/b/c", "/b/c": "../d", "/loop": "loop", "/up": "../../x"}
    states = {path: FileState("symlink", target=target) for path, target in links.items()}
    assert resolve(states, "/a/e") == "/d/e" and resolve(states, "/") == "/"
    assert resolve(states, "/up") == "/x" and resolve(states, "/loop/y") == "/loop/y"


def test_names_of_one_file(archive: Archive, record: Record, tmp_path: Path) -> None:
    """Hard links are hard links again, and hostile ones are files or nothing."""
    experiment = record({"/w/a": b"data", "/w/empty": b""})
    one = experiment.manifest.files["/w/a"].initial
    assert one
    states = {"/w/b": replace(one, link_of="/w/a"), "/w/c": replace(one, link_of="/etc/passwd"),
              "/w/0": replace(one, link_of="/w/a")}   # before what it names
    manifest = replace(experiment.manifest, files={**experiment.manifest.files, **{
        path: FileEntry(state, state) for path, state in states.items()}})
    root = str(tmp_path / "root")
    write_directory(archive, initial_tree(manifest), root)
    inodes = {name: os.stat(f"{root}/w/{name}").st_ino for name in "abc0"}
    assert inodes["a"] == inodes["b"] and len(set(inodes.values())) == 3
    assert all(Path(root, "w", name).read_bytes() == b"data" for name in "abc0")
    stream = io.BytesIO()
    write_tar(archive, initial_tree(manifest), stream)
    with tarfile.open(fileobj=io.BytesIO(stream.getvalue())) as tar:
        assert [tar.getmember(f"w/{name}").islnk() for name in "abc0"] == [False, True, False, False]
        assert all(tar.extractfile(f"w/{name}").read() == b"data" for name in "abc0")  # type: ignore[union-attr]


def test_attributes_that_users_gave(archive: Archive, record: Record, tmp_path: Path) -> None:
    try:
        os.setxattr(tmp_path, "user.try", b"")
    except OSError:
        pytest.skip("no attributes on this file system")
    value = b"\0\xff microscope"
    kept = record({"/w/in": b"data"}).manifest.files["/w/in"].initial
    assert kept
    given = {"user.origin": base64.b64encode(value).decode(), "security.capability": "AQAAAg=="}
    state = replace(kept, mode=0o444, xattrs=given)
    tree = initial_tree(record({"/w/in": state}, "e").manifest)
    write_directory(archive, tree, str(tmp_path / "root"))
    made = tmp_path / "root/w/in"
    assert os.listxattr(made) == ["user.origin"] and os.getxattr(made, "user.origin") == value
    assert (stat.S_IMODE(made.stat().st_mode), made.stat().st_mtime_ns) == (0o444, state.mtime_ns)
    stream = io.BytesIO()
    write_tar(archive, tree, stream)
    with tarfile.open(fileobj=io.BytesIO(stream.getvalue())) as tar:
        headers = tar.getmember("w/in").pax_headers
    assert {n: v.encode("utf-8", "surrogateescape") for n, v in headers.items() if "xattr" in n} == {"SCHILY.xattr.user.origin": value}
