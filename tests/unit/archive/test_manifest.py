"""Manifests as JSON: exact, small, and checked on the way in."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from rex.archive import manifest as manifests
from rex.archive.content import Content
from rex.archive.jsonform import plain
from rex.archive.manifest import ElfFacts, FileEntry, FileState, LogFacts, Manifest, Process
from rex.errors import Damaged, TooNew

HASH = "0123456789abcdef" * 4
FILE = FileState("file", 0o755, 1, 2, 3, 9, Content(HASH, 9, 1, HASH))
FULL = Manifest(
    ("cmd", "\udcff"), "/w\udc80", {"A": "1", "\udcfe": "\n"}, ("SECRET",), "me", "here", 0o77,
    {"nofile": (1024, -1)}, {"columns": 80}, {"kernel": "6"}, "native", "1.0", 5, 1.5, -9,
    (Process(0, None, 0, ("cmd",), "/bin/cmd", 0.0, 1.0, 0, 0.5),), {"events": 3}, ("careful",),
    {"/": FileEntry(FileState("dir"), FileState("dir")),
     "/bin/cmd": FileEntry(FILE, FILE, False, ("apparatus",), ElfFacts("/ld", "", ("libc",), "ab")),
     "/made\udcff": FileEntry(None, FILE, True, ("output",)),
     "/gone": FileEntry(FILE, None, True, ("input",)),
     "/never": FileEntry(),
     "/brief": FileEntry(None, None, True)},
    {"note": Content(HASH, 3)}, {"cells": {"a": [1, None]}}, LogFacts(HASH, 7, Content(HASH, 7)))


class Keeper:
    """Keeps tables in a dict, as a store would in objects."""

    def __init__(self) -> None:
        self.kept: dict[Content, bytes] = {}

    def store(self, pieces: list[bytes]) -> Content:
        data = b"".join(pieces)
        content = Content(f"{len(self.kept):064x}", len(data))
        self.kept[content] = data
        return content


def round_trip(manifest: Manifest) -> Manifest:
    keeper = Keeper()
    return manifests.decode(manifests.encode(manifest, keeper.store), keeper.kept.__getitem__)


def test_everything_comes_back() -> None:
    again = round_trip(FULL)
    assert again.table is not None
    assert again.__class__(**{**vars(again), "table": None}) == FULL
    assert round_trip(Manifest(("x",))) == Manifest(("x",))


def test_the_same_manifest_gives_the_same_bytes() -> None:
    turned = {path: FULL.files[path] for path in reversed(FULL.files)}
    other = Manifest(**{**vars(FULL), "files": turned})
    one, two = Keeper(), Keeper()
    assert manifests.encode(FULL, one.store) == manifests.encode(other, two.store)
    assert one.kept == two.kept


def test_contents_are_named_once() -> None:
    assert len(FULL.files["/bin/cmd"].contents()) == 1
    assert Content(HASH, 3) in FULL.contents()


def test_one_changed_entry_is_one_new_piece() -> None:
    def pieces(mtime_ns: int) -> set[bytes]:
        found: list[bytes] = []
        state = FileState("file", 0o644, content=Content(HASH, 5))
        files = {f"/d/f{n}": FileEntry(state, state) for n in range(1000)}
        changed = FileState("dir", 0o755, mtime_ns=mtime_ns)
        manifests.encode(Manifest(("x",), files={**files, "/d": FileEntry(changed, changed)}),
                         lambda given: (found.extend(given), Content(HASH, 5))[1])
        assert len(json.loads(b"".join(found))) == 1001
        return set(found)
    one, two = pieces(1), pieces(2)
    assert len(one) > 15 and len(one - two) == 1


@pytest.mark.parametrize("log", [{"content": Content(HASH, 8)}, {"content": Content("1" * 64, 7)},
                                 {"content": Content(HASH, 7), "base": Content("x" * 64, 5)}])
def test_logs_that_do_not_hold_together(log: dict[str, Any]) -> None:
    with pytest.raises(Damaged):
        round_trip(Manifest(("x",), log=LogFacts(HASH, 7, **log)))


@pytest.mark.parametrize("log", [{"content": Content("1" * 64, 8), "is_apart": True},
                                 {"content": Content("1" * 64, 5), "is_packed": True, "base": Content(HASH, 9)}])
def test_logs_that_are_stored_in_another_form(log: dict[str, Any]) -> None:
    manifest = Manifest(("x",), log=LogFacts(HASH, 7, **log))
    assert round_trip(manifest) == manifest


def many_changed(start_ns: int) -> Manifest:
    """Of two runs of a command a while apart that leave the same files."""
    def state(number: int, is_new: bool) -> FileState:
        return FileState("file", mtime_ns=start_ns + number * 977 if is_new else 1, content=Content(f"{number:064x}", 5))
    files = {f"/d/f{n}": FileEntry(state(n + 900, False) if n % 3 else None, state(n, True) if n % 7 else None, True)
             for n in range(300)}
    return Manifest(("x",), start_ns=start_ns, files={**files, "/d": FileEntry(FILE, FILE)})


def test_changed_files_share_all_but_their_times() -> None:
    one, two = Keeper(), Keeper()
    texts = [manifests.encode(many_changed(start), keeper.store) for start, keeper in ((10**18, one), (10**18 + 10**12, two))]
    assert list(one.kept.values()) == list(two.kept.values())
    assert len(texts[0]) < 2500
    for text, keeper, start in zip(texts, (one, two), (10**18, 10**18 + 10**12)):
        again = manifests.decode(text, keeper.kept.__getitem__)
        assert again.files == many_changed(start).files and set(keeper.kept) <= set(again.contents())
        assert manifests.encode(again, Keeper().store) == text


def test_times_that_do_not_fit() -> None:
    keeper = Keeper()
    told = json.loads(manifests.encode(many_changed(9), keeper.store))
    for times in (told["times_ns"][1:], told["times_ns"] + [1], ["1"]):
        with pytest.raises(Damaged):
            manifests.decode(json.dumps({**told, "times_ns": times}).encode(), keeper.kept.__getitem__)


def damaged(text: str) -> None:
    with pytest.raises(Damaged):
        manifests.decode(text.encode("utf-8", "surrogatepass"), lambda _: b"{}")


@pytest.mark.parametrize("path", ["relative", "/a/../b", "/a//b", "/a/", "/./a", "", "//", "/a\0",
                                  "/.."])
def test_paths_that_could_escape_are_refused(path: str) -> None:
    damaged(json.dumps({"format": 1, "command": ["x"], "files": {path: {}}}))
    with pytest.raises(Damaged):
        manifests.decode(json.dumps({"format": 1, "command": ["x"], "table": {
            "sha256": HASH, "size": 9}}).encode(), lambda _: json.dumps({path: {}}).encode())
    with pytest.raises(Damaged):
        manifests.decode(json.dumps({"format": 1, "command": ["x"], "changed": {
            "sha256": HASH, "size": 9}}).encode(), lambda _: json.dumps({path: {}}).encode())


@pytest.mark.parametrize("change", [
    {"format": 0}, {"format": "1"}, {"format": None}, {"command": "ls"}, {"command": [1]},
    {"files": []}, {"files": {"/a": {"initial": {"type": 1}}}}, {"exit_status": True},
    {"files": {"/a": {"initial": {"mode": 1}}}}, {"duration_s": "1"}, {"processes": [{}]},
    {"attachments": {"a": {"sha256": "../../x", "size": 1}}},
    {"attachments": {"a": {"sha256": HASH.upper(), "size": 1}}},
    {"attachments": {"a": {"sha256": HASH, "size": -1}}},
    {"attachments": {"a": {"sha256": HASH, "size": 1, "depth": 1}}},
    {"limits": {"a": 1}}])
def test_wrong_types_are_damage(change: dict[str, Any]) -> None:
    damaged(json.dumps({"format": 1, "command": ["x"], **change}))


def test_newer_and_unknown() -> None:
    with pytest.raises(TooNew, match="version 2"):
        manifests.decode(b'{"format": 2}', lambda _: b"")
    assert manifests.decode(b'{"format": 1, "command": ["x"], "later": 3}', lambda _: b"").command == ("x",)
    damaged("[" * 100_000)
    damaged("[]")
    damaged("")


@pytest.mark.parametrize("manifest", [FULL, many_changed(9)])
def test_mutated_manifests_never_crash(manifest: Manifest) -> None:
    keeper = Keeper()
    files = manifest.files if manifest is FULL else {p: e for p, e in manifest.files.items() if e.is_changed}
    good = manifests.encode(replace(manifest, files=files), keeper.store)
    [table] = keeper.kept.values()
    choose = random.Random(3)
    for _ in range(600):
        texts = [bytearray(good), bytearray(table)]
        for _ in range(choose.randint(1, 4)):
            text = choose.choice(texts)
            text[choose.randrange(len(text))] = choose.choice(b'{}[]",:0a\xff\\')
        try:
            manifests.decode(bytes(texts[0]), lambda _: bytes(texts[1]))
        except (Damaged, TooNew):
            pass


def test_lines_of_the_table_are_plain_json() -> None:
    choose = random.Random(1)
    for n in range(500):
        content = Content("a" * 64, n, n % 3, "b" * 64 if n % 3 else "") if n % 5 else None
        state = FileState(choose.choice(["file", "file", "file", "dir", "symlink"]), choose.choice([0, 0o644]), choose.choice([0, 7]),
                          choose.choice([0, 8]), choose.choice([0, -5, 10**18]), choose.choice([0, n]), content,
                          choose.choice(["", "", "", "to"]), choose.choice(["", "", "/a"]), choose.choice([{}, {}, {"user.a": "b"}]))
        entry = FileEntry(state, state, False, choose.choice([(), ("input",), ("apparatus", "in\"put")]),
                          ElfFacts("/ld") if n % 7 == 0 else None)
        path = f"/d/\udc80 \"{n}\u00e4"
        expected = json.dumps({path: plain(replace(entry, final=None))}, sort_keys=True, separators=(",", ":"))
        assert "{" + manifests.line(path, entry).text + "}" == expected


def test_lines_of_other_entries_do_not_count() -> None:
    def stored(lines: dict[str, manifests.Line]) -> bytes:
        pieces: list[bytes] = []

        def store(found: list[bytes]) -> Content:
            pieces.extend(found)
            return Content("a" * 64, 1)
        manifests.encode(Manifest(("x",), files={"/a": entry}), store, lines)
        return b"".join(pieces)

    entry = FileEntry(FileState("file", 1), FileState("file", 1))
    other = FileEntry(FileState("file", 2), FileState("file", 2))
    assert stored({"/a": manifests.line("/a", other)}) == stored({}) == stored({"/a": manifests.line("/a", entry)})


STATE = {"type": "file", "content": {"sha256": HASH, "size": 9}}
GOOD = {"format": 1, "command": ["x"], "files": {"/a": {"initial": STATE, "final": STATE}}, "processes": [
    {"task": 0}, {"task": 1, "parent": 0}], "extra": {"record": {"program": "/a", "stdin": {"offset": 3}, "excluded": ["/b"]}}}


@pytest.mark.parametrize("change", [
    {"command": []}, {"cwd": "../.."}, {"cwd": ""}, {"cwd": "/a/../b"}, {"command": ["a\0"]}, {"command": ["\ud800"]}, {"environment": {"A\0": ""}}, {"environment": {"A=B": ""}},
    {"environment": {"A": "\ude00"}}, {"umask": -1}, {"umask": 0o1000}, {"start_ns": -1}, {"start_ns": 1 << 63}, {"duration_s": -1},
    {"duration_s": 1e13}, {"exit_status": 256}, {"exit_status": -200}, {"limits": {"stack": [1]}}, {"counts": {"events": -1}},
    {"files": {"/a": {"initial": {"type": "socket"}}}}, {"files": {"/a": {"initial": {**STATE, "mode": 1 << 12}}}},
    {"files": {"/a": {"initial": {**STATE, "uid": -1}}}}, {"files": {"/a": {"initial": {**STATE, "size": -1}}}},
    {"files": {"/a": {"initial": {**STATE, "mtime_ns": 10**9 << 63}}}}, {"files": {"/a": {"initial": {**STATE, "target": "b"}}}},
    {"files": {"/a": {"initial": {**STATE, "link_of": "../b"}}}}, {"files": {"/a": {"initial": {"type": "symlink"}}}},
    {"files": {"/a": {"initial": {"type": "symlink", "target": "a\0b"}}}}, {"files": {"/a": {"initial": {**STATE, "xattrs": {"user.a": "?"}}}}},
    {"files": {"/a\ud800": {}}}, {"attachments": {"a": {"sha256": HASH, "size": 1 << 65}}},
    {"attachments": {"a": {"sha256": HASH, "size": 1, "depth": 7, "tree": HASH}}},
    {"processes": [{"task": 0}, {"task": 0}]}, {"processes": [{"task": 0, "parent": 0}]}, {"processes": [{"task": -1}]},
    {"processes": [{"task": 0, "parent": 1}, {"task": 1, "parent": 0}]}, {"processes": [{"task": 0, "cpu_s": -1}]},
    {"extra": {"record": 5}}, {"extra": {"other": [1]}}, {"extra": {"record": {"program": 1}}}, {"extra": {"record": {"loaders": {"/a": 1}}}},
    {"extra": {"record": {"stdin": {"offset": -1}}}}, {"extra": {"record": {"excluded": [1]}}}, {"extra": {"a": {"b": "\0"}}}],
    ids=str)
def test_values_that_no_recorder_writes(change: dict[str, Any]) -> None:
    assert manifests.decode(json.dumps(GOOD).encode(), lambda _: b"").command == ("x",)
    damaged(json.dumps({**GOOD, **change}))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "1" + "0" * 30])
def test_numbers_that_no_recorder_writes(number: str) -> None:
    for name in ("duration_s", "start_ns", "later"):
        damaged(f'{{"format": 1, "command": ["x"], "{name}": {number}}}')


def test_text_that_is_no_utf8() -> None:
    damaged('{"format": 1, "command": ["\udcff"]}')     # raw; as an escape it is the byte ff
    assert manifests.decode(b'{"format": 1, "command": ["\\udcff"]}', lambda _: b"").command == ("\udcff",)


def test_long_chains_of_processes() -> None:
    chain = [{"task": n, "parent": n - 1 if n else None} for n in range(20_000)]
    assert len(manifests.decode(json.dumps({**GOOD, "processes": chain}).encode(), lambda _: b"").processes) == 20_000
    damaged(json.dumps({**GOOD, "processes": [{**chain[0], "parent": 19_999}, *chain[1:]]}))
