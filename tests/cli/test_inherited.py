"""What a recorded program inherits besides its standard streams, and what a replay inherits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("tracing")


def rex(place: Path, arguments: str, redirections: str = "") -> tuple[int, bytes]:
    """Exit status and standard output of a line of bash that runs rex with these arguments."""
    line = f'"{sys.executable}" -m rex.cli.main {arguments} {redirections}'
    env = {**os.environ, "PYTHONPATH": str(ROOT), "REX_CACHE": str(place / "cache"), "REX_ENGINE": "native"}
    done = subprocess.run(["bash", "-c", line], cwd=place, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=False)
    assert b"diverged" not in done.stderr, done.stderr.decode()
    return done.returncode, done.stdout


def test_replay_has_what_came_by_process_substitution(tmp_path: Path) -> None:
    recorded = rex(tmp_path, "record -q -l A diff <(echo one; echo two) <(echo one)")
    assert recorded == (1, b"2d1\n< two\n")
    assert rex(tmp_path, "replay -q -l A -o out") == recorded


def test_replay_has_what_other_descriptors_led_to(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("from a file\n")
    recorded = rex(tmp_path, "record -q -l A sh -c 'cat <&7; cat <&8; exec 9</dev/null; ls /proc/self/fd'",
                   "7<input 8< <(echo from a pipe)")
    assert recorded[0] == 0 and recorded[1].startswith(b"from a file\nfrom a pipe\n0\n")
    (tmp_path / "input").unlink()
    assert rex(tmp_path, "replay -q -l A -o out") == recorded


def test_replay_inherits_nothing_else(tmp_path: Path) -> None:
    recorded = rex(tmp_path, "record -q -l A sh -c 'exec 3</dev/null; ls /proc/self/fd; cat < /etc/hostname; cat <&5; echo $?'")
    assert rex(tmp_path, "replay -q -l A -o out", "3</etc/passwd 5</etc/passwd 25</dev/null") == recorded



NAMED = "sh -c 'echo one; echo two >>/dev/stdout; echo three >/proc/self/fd/2; sleep 0; echo four >>/dev/stderr; echo five >/dev/stdout; echo six'"


@pytest.mark.parametrize("recorded", ["", ">to 2>err", ">>to 2>err", ">to 2>/dev/null"])
@pytest.mark.parametrize("replayed", ["", ">to 2>err", ">>to 2>err"])
def test_replay_says_what_went_to_standard_streams_by_name(tmp_path: Path, recorded: str, replayed: str) -> None:
    said = []
    for line, redirections in ((f"record -q -l A {NAMED}", recorded), ("replay -q -l A -o out", replayed)):
        told = rex(tmp_path, line, redirections)[1]
        said.append({name: (tmp_path / name).read_bytes() for name in ("to", "err") if (tmp_path / name).exists()} or told)
        for name in ("to", "err"):
            (tmp_path / name).unlink(missing_ok=True)
    if recorded == replayed:
        assert said[0] == said[1]
    elif not recorded:
        assert said[1] == {"to": said[0], "err": b"three\nfour\n"}
    elif not replayed:
        assert said[1] == b"one\ntwo\nfive\nsix\n"
    assert rex(tmp_path, "replay -q -l A -o again --check")[0] == 0
    assert not any((tmp_path / "out").rglob("to"))


@pytest.mark.parametrize("way", ["echo $i", "/bin/echo $i"])
def test_replay_goes_on_when_nobody_reads(tmp_path: Path, way: str) -> None:
    (tmp_path / "count").write_text(f"for i in $(seq {2000 if way == 'echo $i' else 20}); do {way}; done; echo all >file; exit 3\n")
    assert rex(tmp_path, "record -q -l A sh count")[0] == 3
    assert rex(tmp_path, "replay -q -l A -o out", "| { read first; echo $first; exec <&-; }; exit ${PIPESTATUS[0]}") == (3, b"1\n")
    assert [file.read_text() for file in (tmp_path / "out").rglob("file")] == ["all\n"]
