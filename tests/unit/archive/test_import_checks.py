"""Experiments that come from elsewhere."""

from __future__ import annotations

from typing import Callable

import pytest

from rex import codec
from rex.archive import Archive, Content, Experiment, Manifest
from rex.archive.import_checks import identities, land, verify_references, without_log
from rex.archive.manifest import LogFacts, encode
from rex.errors import Damaged


def text_of(**facts: object) -> bytes:
    return encode(Manifest(("x",), **facts), lambda _: Content("0" * 64, 1))  # type: ignore[arg-type]


def stored(archive: Archive, data: bytes) -> Content:
    with archive.begin() as recording:
        content = recording.add_bytes(data)
        recording.flush()
    archive.remove(recording.name)
    return content


def test_a_new_one(archive: Archive) -> None:
    known = identities(archive)
    root = stored(archive, text_of())
    landed = land(archive, known, "name", root)
    assert (landed.name, landed.is_new) == ("name", True)
    assert archive.experiment("name").manifest.command == ("x",)
    assert known == identities(archive) == {archive.experiment("name").identity: "name"} == {root.sha256: "name"}


def test_the_same_one_is_known_by_any_name(archive: Archive) -> None:
    known: dict[str, str] = {}
    root = stored(archive, text_of())
    land(archive, known, "one", root)
    assert land(archive, known, "two", root).name == "one"


@pytest.mark.parametrize("manifest", [b"", b"[]", text_of(attachments={"a": Content("1" * 64, 5)}),
                                      text_of(log=LogFacts("0" * 64, 3, Content("0" * 64, 3)))])
def test_what_does_not_hold_together_leaves_nothing(archive: Archive, manifest: bytes) -> None:
    root = stored(archive, manifest)
    with pytest.raises(Damaged):
        land(archive, {}, "x", root)
    assert archive.experiments() == []


@pytest.mark.parametrize("facts", [{"size": 3}, {"size": 12}, {"sha256": "1" * 64}])
@pytest.mark.parametrize("is_packed", [False, True])
def test_a_log_that_is_another_one(archive: Archive, facts: dict[str, object], is_packed: bool) -> None:
    log = codec.compress(b"eight...", 3) if is_packed else b"eight..."
    told = {"sha256": codec.sha256(b"eight...").hex(), "size": 8, "content": stored(archive, log), "is_packed": is_packed}
    land(archive, {}, "good", stored(archive, text_of(log=LogFacts(**told))))  # type: ignore[arg-type]
    root = stored(archive, text_of(log=LogFacts(**{**told, **facts})))  # type: ignore[arg-type]
    with pytest.raises(Damaged, match="log"):
        land(archive, {}, "bad", root)
    assert [e.name for e in archive.experiments()] == ["good"]


def test_references_know_sizes(archive: Archive, record: Callable[..., Experiment]) -> None:
    experiment = record({"/a": b"abc"})
    verify_references(archive.store, experiment.manifest.contents())
    state = experiment.manifest.files["/a"].initial
    assert state and state.content
    with pytest.raises(Damaged):
        verify_references(archive.store, [Content(state.content.sha256, 4)])


def test_without_log(record: Callable[..., Experiment]) -> None:
    told = without_log(record({"/a": b"abc"}).manifest_json())
    assert b'"log"' not in told and b'"table"' in told
