"""Experiments that come from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

from rex.archive import Archive, Content, Experiment, Manifest
from rex.archive.landing import fingerprint, fingerprints, land, verify_references, without_log
from rex.archive.manifest import LogFacts, encode
from rex.errors import Damaged


def text_of(**facts: object) -> bytes:
    return encode(Manifest(("x",), **facts), lambda _: Content("0" * 64, 1))  # type: ignore[arg-type]


def test_a_new_one(archive: Archive) -> None:
    known = fingerprints(archive)
    landed = land(archive, known, "name", text_of(), None)
    assert (landed.name, landed.is_new) == ("name", True)
    assert archive.experiment("name").manifest.command == ("x",)
    assert known == fingerprints(archive) == {fingerprint(text_of()): "name"}


def test_the_same_one_is_known_by_any_name(archive: Archive) -> None:
    known: dict[str, str] = {}
    land(archive, known, "one", text_of(), None)
    assert land(archive, known, "two", text_of(), None).name == "one"


@pytest.mark.parametrize("manifest", [b"", b"[]", text_of(attachments={"a": Content("1" * 64, 5)}),
                                      text_of(log=LogFacts("0" * 64, 3))])
def test_what_does_not_hold_together_leaves_nothing(archive: Archive, manifest: bytes) -> None:
    with pytest.raises(Damaged):
        land(archive, {}, "x", manifest, None)
    assert archive.experiments() == []


def test_a_log_that_is_larger_than_it_says(archive: Archive, record: Callable[..., Experiment]) -> None:
    log = Path(record({}).log_path).read_bytes()
    with pytest.raises(Damaged, match="log"):
        land(archive, {}, "x", text_of(log=LogFacts("0" * 64, 3)), iter([log]))
    assert [e.name for e in archive.experiments()] == ["exp0"]


def test_references_know_sizes(archive: Archive, record: Callable[..., Experiment]) -> None:
    experiment = record({"/a": b"abc"})
    verify_references(archive.store, experiment.manifest)
    state = experiment.manifest.files["/a"].initial
    assert state and state.content
    wrong = Manifest(("x",), attachments={"a": Content(state.content.sha256, 4)})
    with pytest.raises(Damaged):
        verify_references(archive.store, wrong)


def test_without_log(record: Callable[..., Experiment]) -> None:
    told = without_log(record({"/a": b"abc"}).manifest_json())
    assert b'"log"' not in told and b'"table"' in told
