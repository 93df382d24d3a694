"""Signatures by ssh-keygen."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rex.errors import Damaged, NotFound, RexError, UsageError
from rex.transfer.signing import sign, verify

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen here")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    return tmp_path / "key"


@pytest.fixture
def signed(tmp_path: Path, key: Path) -> str:
    (tmp_path / "e.rex").write_bytes(b"data")
    assert sign(str(tmp_path / "e.rex"), str(key)) == str(tmp_path / "e.rex.sig")
    return str(tmp_path / "e.rex")


def test_by_a_public_key(signed: str, key: Path) -> None:
    assert verify(signed, f"{key}.pub") == "key.pub"


def test_by_a_file_of_signers(signed: str, key: Path, tmp_path: Path) -> None:
    public = Path(f"{key}.pub").read_text()
    (tmp_path / "allowed").write_text(f'# us\nann@example.org namespaces="rex" {public}')
    assert verify(signed, str(tmp_path / "allowed")) == "ann@example.org"


def test_without_rex(signed: str, key: Path, tmp_path: Path) -> None:
    (tmp_path / "allowed").write_text("ann " + Path(f"{key}.pub").read_text())
    with open(signed, "rb") as data:
        subprocess.run(["ssh-keygen", "-Y", "verify", "-n", "rex", "-f", tmp_path / "allowed", "-I", "ann",
                        "-s", signed + ".sig"], stdin=data, check=True, stdout=subprocess.DEVNULL)


def test_other_bytes_and_other_keys(signed: str, key: Path, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other"], check=True)
    with pytest.raises(Damaged, match="not signed by"):
        verify(signed, str(tmp_path / "other.pub"))
    Path(signed).write_bytes(b"Data")
    with pytest.raises(Damaged, match="not what was signed"):
        verify(signed, f"{key}.pub")


def test_what_is_not_there(signed: str, key: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no key"):
        verify(signed, str(tmp_path / "nokey"))
    with pytest.raises(NotFound, match="no signature"):
        verify(str(tmp_path / "other.rex"), f"{key}.pub")
    with pytest.raises(NotFound):
        verify("-", f"{key}.pub")
    with pytest.raises(UsageError, match="not signed"):
        sign(signed, str(tmp_path / "nokey"))


def test_no_ssh_keygen(signed: str, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RexError, match="need ssh-keygen"):
        verify(signed, f"{key}.pub")
