"""Archives that no recorder would write, made for the campaigns."""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
from pathlib import Path
from typing import Any

from rex import codec
from rex.archive import APPARATUS, INPUT, OUTPUT, Archive, Content, ElfFacts, FileEntry, FileState, Manifest, Process, Recording
from rex.archive.jsonform import plain
from rex.log import Event, LogWriter
from rex.log.records import ARGV, EXIT, IN, RESOLVED, TASK
from rex.syscalls import BY_NAME

# What texts and numbers of strangers may be like.
ODD = ["", "\0", "\ud800", "\udc80", "\udfff", "\x1b]0;title\x07\x1b[31m", "a\nb\r", "\u202e", "/" * 3, "/a/../b", "..", "x" * 70_000, "%s{0}",
       -1, 0, 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -2**63, 10**30, 1e308, 1e-320, float("nan"), float("inf"), -0.5, True, None,
       [], {}, [[]], {"": {}}, "0" * 64, "/tmp/x", "exp0"]


def fill(path: Path) -> None:
    """Two ordinary experiments, with files in all roles, two processes and a log."""
    archive = Archive.create(path)
    for number in range(2):
        with archive.begin(None, {"command": ["sh", "run.sh"], "start_ns": 10**18 + number}) as recording:
            def state(data: bytes, mode: int = 0o644) -> FileState:
                return FileState("file", mode, mtime_ns=10**18, size=len(data), content=recording.add_bytes(data))
            files = {"/bin": FileEntry(FileState("dir", 0o755), FileState("dir", 0o755)),
                     "/bin/sh": FileEntry(state(b"\x7fELF", 0o755), state(b"\x7fELF", 0o755), roles=(APPARATUS,), elf=ElfFacts("/lib/ld.so")),
                     "/lib/ld.so": FileEntry(state(b"loader", 0o755), state(b"loader", 0o755), roles=(APPARATUS,)),
                     "/w/in": FileEntry(state(b"1\n"), state(b"1\n"), roles=(INPUT,)),
                     "/w/link": FileEntry(FileState("symlink", 0o777, target="in"), FileState("symlink", 0o777, target="in")),
                     "/w/out": FileEntry(None, state(b"%d\n" % number), True, (OUTPUT,))}
            write_log(recording)
            recording.finish(Manifest(
                ("sh", "run.sh"), "/w", {"LANG": "C", "PATH": "/bin"}, ("TOKEN",), "ann", "host", 0o22, {"stack": (8 << 20, -1)},
                {"stdin": "file"}, {"cpus": 2}, "native", "0.1", 10**18 + number, 1.5, 0,
                (Process(0, None, 0, ("sh", "run.sh"), "/bin/sh", 0.0, 1.5, 0), Process(1, 0, 0, ("cat", "in"), "/bin/cat", 0.1, 0.2, 0)),
                {"events": 6, "files": 4, "processes": 2}, ("careful",), files, {"stdin": recording.add_bytes(b"input")},
                {"record": {"program": "/bin/sh", "loaders": {"/bin/sh": "/lib/ld.so"}, "stdin": {"offset": 2}, "excluded": ["/w/no"]},
                 "runnew": {"from": "exp0", "changes": ["one"]}}))


def write_log(recording: Recording) -> None:
    """The log of a shell and one child."""
    with LogWriter(recording.log_path, start_ns=10**18) as log:
        for event in (Event(TASK, args=(2**32 - 1, 0, 0, 500, 500, 0)),
                      Event(BY_NAME["execve"].nr, fields=((0, IN, b"/bin/sh"), (0, RESOLVED, b"/bin/sh"), (1, ARGV, b"sh\0run.sh\0"))),
                      Event(TASK, task=1, args=(0, 0, 17, 501, 501, 1), time_ns=1000),
                      Event(BY_NAME["write"].nr, task=1, stream=2, result=2, fields=((1, IN, b"1\n"),), args=(1, 1, 2, 0, 0, 0)),
                      Event(EXIT, task=1, time_ns=2000), Event(EXIT, time_ns=3000)):
            log.append(event)


def add(archive: Archive, facts: Any) -> None:
    """An experiment whose manifest is this JSON value, or this text."""
    text = facts if isinstance(facts, bytes) else json.dumps(facts, sort_keys=True).encode()
    with archive.begin(None, {"start_ns": 10**18 + 9}) as recording:
        recording.finish_as(recording.add_bytes(text))


def facts_of(archive: Archive, name: str = "exp0") -> dict[str, Any]:
    """The manifest of an experiment, with the entries of unchanged files in it."""
    experiment = archive.experiment(name)
    facts: dict[str, Any] = json.loads(experiment.manifest_json())
    table = facts.pop("table", None)
    for path, entry in json.loads(archive.read(Content(**table))).items() if table else ():
        facts.setdefault("files", {})[path] = {**entry, "final": entry["initial"]} if "initial" in entry else entry
    return facts


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where in a JSON value each part of it is."""
    found = [way] if way else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*way, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            found += places(item, (*way, number))
    return found


def spoil(facts: dict[str, Any], choose: random.Random) -> str:
    """Replace, remove, rename or repeat a part of a manifest; what was done."""
    *way, last = choose.choice(places(facts))
    holder: Any = facts
    for key in way:
        holder = holder[key]
    kind = choose.random()
    if kind < 0.65:
        holder[last] = choose.choice(ODD)
    elif kind < 0.75:
        del holder[last]
    elif isinstance(holder, dict):
        holder[choose.choice([odd for odd in ODD if isinstance(odd, str)])] = holder.pop(last) if kind < 0.9 else holder[last]
    else:
        holder.append(holder[last])
    return f"{[*way, last]}: {kind:.2f}"


def strange_files(base: Path) -> list[Path]:
    """Archives in which a link, a pipe or a device has the place of a file or directory; `secret` lies outside of them."""
    fill(base / "good")
    (base / "secret").write_bytes(b"CANARY" * 50)
    (base / "elsewhere").mkdir()
    pack = next((base / "good" / "packs").iterdir()).name
    spots = ["lock", "default", "rex-archive.json", "packs", "experiments", "experiments/exp0", "packs/" + pack, "packs/" + "a" * 64 + ".pack",
             "packs/.tmp-1-a", *[f"experiments/exp0/{name}" for name in ("begun", "identity", "lock", "kept.part", "log.part", ".tmp-1-b")]]
    made = []
    for spot in spots:
        for kind in ("link", "dangling", "pipe", "zero"):
            path = base / f"{kind}-{spot.replace('/', '-')[:40]}"
            shutil.copytree(base / "good", path)
            place = path / spot
            shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
            if kind == "pipe":
                os.mkfifo(place)
            elif kind == "zero":
                place.symlink_to("/dev/zero")
            else:
                place.symlink_to(base / ("made_outside" if kind == "dangling" else "elsewhere" if spot in ("packs", "experiments") else "secret"))
            made.append(path)
    return made


def _put(archive: Archive, data: bytes) -> Content:
    """Bytes that no experiment needs."""
    with archive.begin("objects") as recording:
        content = recording.add_bytes(data)
        recording.flush()
    archive.remove("objects")
    return content


def _blanks(archive: Archive, facts: dict[str, Any]) -> bytes:
    return b" " * (200 << 20) + json.dumps(facts).encode()


def _lists(archive: Archive, facts: dict[str, Any]) -> bytes:
    return b'{"format":1,"command":["x"],"extra":{"a":[' + b"[]," * (40 << 20) + b"[]]}}"


def _nested(archive: Archive, facts: dict[str, Any]) -> bytes:
    return b'{"format":1,"command":["x"],"extra":{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}}"


def _hole(archive: Archive, facts: dict[str, Any]) -> Any:
    tree = _put(archive, struct.pack("<32sQ", bytes(32), 2**62))
    return {**facts, "attachments": {"x": {"sha256": "1" * 64, "size": 2**62, "depth": 1, "tree": tree.sha256}}}


def _multiplied(archive: Archive, facts: dict[str, Any]) -> Any:
    tree, size = _put(archive, b"A"), 1
    for _ in range(6):
        tree = _put(archive, struct.pack("<32sQ", bytes.fromhex(tree.sha256), size) * 200)
        size *= 200
    return {**facts, "attachments": {"x": {"sha256": "1" * 64, "size": size, "depth": 6, "tree": tree.sha256}}}


def _log(archive: Archive, facts: dict[str, Any]) -> Any:
    stream = _put(archive, codec.compress(bytes(512 << 20), 1))
    return {**facts, "log": {"sha256": "1" * 64, "size": 100, "content": plain(stream), "is_packed": True}}


def _chain(archive: Archive, facts: dict[str, Any]) -> Any:
    return {**facts, "processes": [{"task": n, "parent": n - 1 if n else None, "command": ["x"]} for n in range(20_000)]}


BOMBS = {make.__name__[1:]: make for make in (_blanks, _lists, _nested, _hole, _multiplied, _log, _chain)}


def bomb(path: Path, kind: str) -> None:
    """A small archive that stands for very much."""
    fill(path)
    archive = Archive.open(path)
    add(archive, BOMBS[kind](archive, facts_of(archive)))
