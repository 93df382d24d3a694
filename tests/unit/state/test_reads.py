"""What a cell read is known again; where it changed, its cell is not computed again."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

pytest.importorskip("cloudpickle")

from rex.archive import Archive  # noqa: E402
from rex.state import Store, load_history  # noqa: E402
from rex.state.reads import identity_of  # noqa: E402
from .sessions import Session  # noqa: E402

GENERATOR = "def numbers(p):\n    for line in open(p):\n        yield int(line)\n"


def old(path: Path, text: str) -> Path:
    """A file that was there before the cells."""
    path.write_text(text)
    os.utime(path, (1e9, 1e9))
    return path


@pytest.fixture
def session() -> Session:
    made = Session(check_loads=False)
    made.run(GENERATOR)
    return made


def failure(session: Session, node: int, name: str) -> str:
    return session.checkout(node).failed.get(name, "")


def test_a_changed_file_is_named_and_one_put_back_is_read(session: Session, tmp_path: Path) -> None:
    path = old(tmp_path / "in.txt", "1\n2\n3\n")
    node = session.run(f"g = numbers({str(path)!r}); first = next(g)").node
    session.run("g = None")
    path.write_text("9\n8\n7\n")
    assert f"{path} changed since the cell read it" in failure(session, node, "g")
    path.unlink()
    session.run("g = None")
    assert f"{path} is gone" in failure(session, node, "g")
    path.write_text("1\n2\n3\n")
    session.run("g = None")
    assert session.checkout(node).recomputed.keys() >= {"g"} and next(session["g"]) == 2


@pytest.mark.parametrize("cell", ["fd = libc.open(name.encode(), 0)", "held = libc.fopen(b{path!r}, b'r'); libc.fclose(ctypes.c_void_p(held))"])
def test_files_that_c_opens_are_known_by_what_is_open_and_by_their_path(session: Session, tmp_path: Path, cell: str) -> None:
    path = old(tmp_path / "in.bin", "1")
    session.run(f"import ctypes; libc = ctypes.CDLL(None); libc.fopen.restype = ctypes.c_void_p; name = {str(path)!r}")
    node = session.run(cell.format(path=str(path)) + "\ng = (n for n in range(3))").node
    session.run("g = None")
    path.write_text("2")
    assert "changed since" in failure(session, node, "g")


def test_what_a_cell_writes_is_no_input(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    delta = session.run(f"open({str(path)!r}, 'w').write('1')")
    assert str(path) not in delta.read.get("files", {})


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = old(tmp_path / "users_module.py", "def values():\n    yield 1\n    yield 2\n")
    yield path
    sys.modules.pop("users_module", None)


def test_a_module_that_was_loaded_anew_is_another(session: Session, module: Path) -> None:
    session.run("import users_module, importlib")
    node = session.run("g = users_module.values(); next(g)").node
    session.run("g = None")
    module.write_text("def values():\n    yield 1\n    yield 20\n")
    assert session.checkout(node).recomputed.keys() >= {"g"} and next(session["g"]) == 2     # the loaded one is the same
    session.run("g = None\nimportlib.reload(users_module)")
    assert "the module users_module changed" in failure(session, node, "g")


def test_another_version_of_a_library_is_named(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    session.run("import numpy as np")
    node = session.run("g = (x for x in np.arange(3)); next(g)").node
    session.run("g = None")
    monkeypatch.setattr(numpy, "__version__", "0.0")
    assert "numpy was" in failure(session, node, "g")


def test_credentials_are_compared_and_not_kept(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "one")
    session.run("import os")
    delta = session.run("g = (c for c in os.environ['MY_API_KEY'])\nnext(g)")
    assert delta.read["secrets"] == ["MY_API_KEY"] and "one" not in str(delta.read)
    session.run("g = None")
    assert session.checkout(delta.node).recomputed.keys() >= {"g"}
    session.run("g = None; os.environ['MY_API_KEY'] = 'two'")
    assert "$MY_API_KEY changed" in failure(session, delta.node, "g")


def test_identities_outlive_the_session(session: Session, tmp_path: Path) -> None:
    path = old(tmp_path / "in.txt", "1\n2\n")
    archive = Archive.create(tmp_path / "archive")
    with archive.begin("one") as recording:
        store = Store(archive, recording)
        for delta in session.tracker.history.deltas.values():
            store.save(delta)
        last: Any = session.run(f"g = numbers({str(path)!r}); next(g)")
        store.save(last)
        store.wait()
        store.close()
        found = load_history(archive, archive.experiment("one"))
    assert found.deltas[last.node].read == last.read and str(path) in last.read["files"]


def test_the_middle_of_a_large_file_is_not_trusted(tmp_path: Path) -> None:
    from rex.state.reads import _is_same
    path = tmp_path / "large"
    path.write_bytes(bytes(1 << 20))
    then = identity_of(str(path))
    assert then and _is_same(then, identity_of(str(path)))
    with open(path, "r+b") as file:
        file.seek(1 << 19)
        file.write(b"1")
    os.utime(path, ns=(0, time.time_ns() + 1))
    assert not _is_same(then, identity_of(str(path)))
    assert identity_of(str(tmp_path)) is None
