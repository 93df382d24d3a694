"""The names of directories that a recorded program is not to have."""

from __future__ import annotations

import os
from pathlib import Path

from rex.tracer.hidden import hidden_names, names_of


def raw(path: Path) -> bytes:
    return os.fsencode(path)


def test_a_directory_is_named_without_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert hidden_names([raw(tmp_path / "link"), raw(tmp_path / "real"), raw(tmp_path / "none")], []) == [raw(tmp_path / "real")]


def test_what_the_program_begins_in_is_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "A" / "in").mkdir(parents=True)
    assert hidden_names([raw(tmp_path / "A")], [raw(tmp_path / "A" / "in")]) == []
    assert hidden_names([raw(tmp_path / "A")], [raw(tmp_path)]) == [raw(tmp_path / "A")]


def test_mounts_give_more_names(tmp_path: Path) -> None:
    """A mount of the directory, of one above it and of one in it; links stand in for the mounts, as they are the same files."""
    archive, here = raw(tmp_path / "w/A"), raw(tmp_path)
    (tmp_path / "w/A/packs").mkdir(parents=True)
    for name in ("whole", "inner", "other"):
        (tmp_path / name).mkdir()
    mounts = [(b"8:1", b"/", here), (b"8:1", b"/w", here + b"/w"), (b"8:2", b"/w/A", b"/else"), (b"8:1", b"/w/A", here + b"/whole"),
              (b"8:1", b"/x", here + b"/other")]
    assert names_of(archive, mounts) == [archive]      # nothing is really mounted there
    assert names_of(archive, [*mounts, (b"8:1", b"/w/A/packs", archive + b"/packs")]) == [archive, archive + b"/packs"]
    assert names_of(archive, [*mounts, (b"8:1", b"/w/A/", archive + b"/.")]) == [archive, archive + b"/."]
