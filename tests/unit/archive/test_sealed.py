"""Sealed lines."""

from __future__ import annotations

import pytest

from rex.archive.content import Content
from rex.archive.sealed import seal, seal_content, unseal, unseal_content
from rex.errors import Damaged

HASH = "0123456789abcdef" * 4


@pytest.mark.parametrize("content", [Content(HASH, 0), Content(HASH, 2**62), Content(HASH, 7, 3, HASH[::-1])])
def test_contents_come_back(content: Content) -> None:
    assert unseal_content(seal_content(content), "here") == content


@pytest.mark.parametrize("line", [b"", b"\n", seal(b"a")[:-1], seal(b"a") + b"\n", seal(b"a") + seal(b"a"), seal(b"a").upper()])
def test_what_is_no_sealed_line(line: bytes) -> None:
    with pytest.raises(Damaged, match="here is damaged"):
        unseal(line, "here")


@pytest.mark.parametrize("text", [b"", b"x", HASH.encode(), f"{HASH} 1".encode(), f"{HASH} -1 0".encode(), f"{HASH} 1 1".encode(),
                                  f"{HASH} 1 7 {HASH}".encode(), f"{HASH} 1 0 {HASH}".encode(), f"{HASH.upper()} 1 0".encode(),
                                  f"{HASH} 1 0 {HASH} 1".encode(), f"{HASH} {'9' * 30} 0".encode(), f"{HASH} ² 0".encode()])
def test_what_names_no_content(text: bytes) -> None:
    with pytest.raises(Damaged, match="here is damaged"):
        unseal_content(seal(text), "here")
