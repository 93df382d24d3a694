"""Two experiments compared, component by component."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.builders import Bench, a_log, call, write
from rex.archive import Archive, ElfFacts, FileEntry, FileState
from rex.archive.exporting import export, import_from
from rex.errors import NotFound
from rex.expdiff.compare import Side, compare
from rex.expdiff.difference import Comparison
from rex.log.records import IN, OUT, RESOLVED


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A new archive."""
    return Bench(tmp_path / "A")


def run(bench: Bench, one: dict[str, Any], two: dict[str, Any], depth: int = 1) -> Comparison:
    """Compare two experiments made of these; the other way round must find the mirror image."""
    left, right = (Side(bench.archive, bench.record(**facts)) for facts in (one, two))
    found, mirrored = compare(left, right, depth), compare(right, left, depth)
    swap = {"only_left": "only_right", "only_right": "only_left", "differs": "differs"}
    for name, differences in found.components.items():
        assert [(d.kind, d.left, d.right) for d in differences] == [
            (swap[d.kind], d.right, d.left) for d in mirrored.components[name]], name
    return found


def told(found: Comparison) -> dict[str, list[tuple[str, str]]]:
    """Components that differ: items and kinds."""
    return {name: [(d.item, d.kind) for d in differences]
            for name, differences in found.components.items() if differences}


def test_the_same_though_times_and_pids_differ(bench: Bench) -> None:
    files = {"inputs": {"/i": b"1"}, "outputs": {"/o": b"2"}, "stdout": b"x", "stdin": b"in"}
    environment = {"A": "1", "PWD": "/w", "_": "/bin/x", "SHLVL": "1"}
    found = run(bench, {**files, "environment": environment},
                {**files, "environment": {**environment, "_": "/bin/y", "SHLVL": "2", "OLDPWD": "/"},
                 "mtime_ns": 9, "start_ns": 77, "duration_s": 9.0, "engine": "reference"})
    assert found.is_same and not told(found)
    assert {each.item for each in found.by_nature} == {
        "_", "SHLVL", "OLDPWD", "modification times of 1 file (input)", "modification times of 1 file (output)",
        "start", "duration", "engine"}


def test_environment(bench: Bench) -> None:
    found = run(bench, {"environment": {"A": "1", "B": "2", "PWD": "/else"}, "withheld": ("T",)},
                {"environment": {"A": "2", "C": "3", "PWD": "/w"}, "withheld": ("U",)})
    assert told(found) == {"environment": [("A", "differs"), ("B", "only_left"), ("C", "only_right"),
                                           ("PWD", "differs"), ("T", "only_left"), ("U", "only_right")]}


def test_command_lines_as_vectors(bench: Bench) -> None:
    found = run(bench, {"command": ("a", "b", "c d", "e")}, {"command": ("a", "new", "b", "c", "d", "e")})
    first, second = found.components["command"]
    assert (first.item, first.kind, first.right) == ("argument 1", "only_right", ["new"])
    assert (second.item, second.left, second.right) == ("argument 2", ["c d"], ["c", "d"])


def test_machine_and_status(bench: Bench) -> None:
    found = run(bench, {}, {"machine": {"kernel": "6.2", "cpus": 2}, "user": "bob", "exit_status": -9,
                            "limits": {"nofile": (9, 9), "cpu": (-1, -1)}, "umask": 0o77,
                            "terminal": {"stdin": "pipe"}})
    assert told(found) == {"machine": [(n, "differs") for n in (
        "kernel", "limit nofile", "terminal stdin", "umask", "user")], "exit status": [("exit status", "differs")]}


def test_files(bench: Bench) -> None:
    found = run(bench, {"inputs": {"/same": b"s", "/i": b"one", "/gone": b""}, "outputs": {"/o": b"1"}},
                {"inputs": {"/same": b"s", "/i": b"three", "/new": b""}, "outputs": {"/o": b"1", "/p": b""},
                 "removed": ("/r",)})
    assert told(found) == {"inputs": [("/gone", "only_left"), ("/i", "differs"), ("/new", "only_right"),
                                      ("/r", "only_right")],
                           "outputs": [("/p", "only_right"), ("/r", "only_right")]}
    assert found.components["inputs"][1].notes == ("content differs: 3 -> 5 bytes", "lines of text: 1 of 1 differ at line 1")
    assert found.components["outputs"][1].notes == ("removed by the experiment",)


def test_modes_types_and_links(bench: Bench) -> None:
    def made(**state: Any) -> dict[str, Any]:
        return {"entries": {"/o": FileEntry(None, FileState(**state), True, ("output",))}}

    for one, two, note in ((made(type="dir", mode=0o755), made(type="dir", mode=0o700), "mode 0755 -> 0700"),
                           (made(type="dir"), made(type="fifo"), "type dir -> fifo"),
                           (made(type="symlink", target="a"), made(type="symlink", target="b"), "link to a -> b")):
        difference, = run(bench, one, two).components["outputs"]
        assert difference.notes == (note,)


def test_removed_by_one_and_changed_by_the_other(bench: Bench) -> None:
    state = FileState("file", size=3)
    changed = FileEntry(state, FileState("file", size=4), True, ("output",))
    found = run(bench, {"entries": {"/o": FileEntry(state, None, True)}}, {"entries": {"/o": changed}})
    assert found.components["outputs"][0].notes == ("removed by the first",)


def test_a_working_directory_that_moved(bench: Bench) -> None:
    one = {"cwd": "/a/w", "inputs": {"/a/w/in": b"1", "/etc/x": b"x"}, "environment": {"PWD": "/a/w"},
           "outputs": {"/a/w/d/out": b"1"}}
    two = {"cwd": "/b", "inputs": {"/b/in": b"1", "/etc/x": b"x"}, "environment": {"PWD": "/b"},
           "outputs": {"/b/d/out": b"2"}}
    found = run(bench, one, two)
    assert told(found) == {"command": [("working directory", "differs")], "outputs": [("d/out", "differs")]}
    assert found.components["outputs"][0].notes[-1] == "/a/w/d/out -> /b/d/out"
    assert [each.item for each in found.by_nature] == ["PWD"]


def test_apparatus_with_what_elf_files_say(bench: Bench) -> None:
    def library(version: str, data: bytes, is_loaded: bool = True, **elf: Any) -> dict[str, Any]:
        facts = ElfFacts(**{"soname": "libx.so.1", "needed": ("libc.so.6",), "build_id": version, **elf})
        path = f"/lib/libx.so.1.{version}".encode()
        opens = call("openat", 3, (1, IN, path), (1, RESOLVED, path), args=(2**64 - 100, 1, 0, 0, 0, 0))
        return {"apparatus": {path.decode(): (data, facts)}, "events": a_log([opens] if is_loaded else [])}

    difference, = run(bench, library("1", b"one"), library("2", b"two", needed=("libm.so.6", "libc.so.6"))
                      ).components["apparatus"]
    assert difference.notes == ("content differs: 3 -> 3 bytes", "build id 1 -> 2", "needed libraries: +libm.so.6",
                                "/lib/libx.so.1.1 -> /lib/libx.so.1.2")
    assert run(bench, library("1", b"one"), library("1", b"one")).is_same
    assert run(bench, library("1", b"one", False), library("2", b"two", False)).is_same   # kept for runs to come
    assert run(bench, library("1", b"one", False), {"events": a_log([])}).is_same
    assert not run(bench, library("1", b"one"), {"events": a_log([])}).is_same


def test_standard_streams(bench: Bench) -> None:
    found = run(bench, {"stdout": b"a\nb\n", "stdin": b"1"}, {"stdout": b"a\nc\n", "stderr": b"oh"}, depth=2)
    assert told(found) == {"inputs": [("standard input", "only_left")],
                           "standard output": [("standard output", "differs")],
                           "standard error": [("standard error", "differs")]}
    details = found.components["standard output"][0].details
    assert details["ranges"] == [[2, 3]] and details["diff"] == ["@@ -1,2 +1,2 @@", " a", "-b", "+c"]


def test_what_only_a_log_tells_does_not_differ_where_one_is_missing(bench: Bench, tmp_path: Path) -> None:
    events = a_log([write(2, b"out"), call("read", 3, (1, OUT, b"net"), stream=5, args=(3, 1, 3, 0, 0, 0))])
    logged = bench.record("logged", events=events, outputs={"/o": b"1"})
    bench.record("bare", outputs={"/o": b"1"}, limits={}, terminal={})
    with open(tmp_path / "x.rex", "w+b") as stream:
        export(bench.archive, stream, ["bare"], has_log=False)
        stream.seek(0)
        import_from(stream, other := Archive.create(tmp_path / "B"))
    sides = Side(bench.archive, logged), Side(other, other.experiment("bare"))
    for found in (compare(*sides, 2), compare(*reversed(sides), 2)):
        assert found.is_same and not told(found) and "output of an experiment without a log" in {each.item for each in found.by_nature}
    other_output = Side(bench.archive, bench.record(outputs={"/o": b"2"}))
    assert told(compare(other_output, sides[1])) == {"outputs": [("/o", "differs")]}


def test_bytes_with_depth_2_only(bench: Bench) -> None:
    one, two = {"outputs": {"/o": b"x\nabc\n"}}, {"outputs": {"/o": b"x\nabd\n"}}
    assert run(bench, one, two).components["outputs"][0].details.keys() == {"verdict"}
    details = run(bench, one, two, 2).components["outputs"][0].details
    assert {name: value for name, value in details.items() if name != "verdict"} == {
        "differing_bytes": 1, "ranges_count": 1, "ranges": [[4, 5]],
        "diff": ["@@ -1,2 +1,2 @@", " x", "-abc", "+abd"]}


def test_unfinished_ones_cannot_be_compared(bench: Bench) -> None:
    left, right = Side(bench.archive, bench.record()), Side(bench.archive, bench.leave_incomplete())
    with pytest.raises(NotFound):
        compare(left, right)
