"""Classes that users declare, and classes that tell their own state."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any, Iterator

import pytest

pytest.importorskip("cloudpickle")

from rex.errors import UsageError  # noqa: E402
from rex.state.declared import LEAVE, NEVER, declare, from_config, treatment  # noqa: E402
from .sessions import Session  # noqa: E402

INDEX = """
import ctypes
class Index:
    def __init__(self, path):
        self.path, self.rows = path, []
        self.file, self.memory = open(path, "rb"), ctypes.create_string_buffer(8)
    def add(self, number):
        self.rows.append(number)
        self.file.seek(number)
        self.memory[0] = bytes([number])
    def seen(self):
        return self.rows, self.file.tell(), self.memory.raw[0]
    def __rex_state__(self):
        return {"path": self.path, "rows": self.rows, "at": self.file.tell(), "memory": self.memory.raw}
    def __rex_restore__(self, state):
        self.path, self.rows = state["path"], state["rows"]
        self.file, self.memory = open(self.path, "rb"), ctypes.create_string_buffer(state["memory"], 8)
        self.file.seek(state["at"])
"""
CLIENT = "class Client:\n    made = []\n    def __init__(self):\n        self.uses = 0\nclass Other(Client):\n    pass\n"


@pytest.fixture
def session() -> Iterator[Session]:
    yield Session()
    declare({})


@pytest.fixture
def index(session: Session, tmp_path: Path) -> Session:
    """A session with an index over a file."""
    (tmp_path / "data").write_bytes(bytes(64))
    session.run(INDEX)
    session.run(f"index = Index({str(tmp_path / 'data')!r})\nheld = [index, index.rows]\nindex.add(3)")
    return session


def test_a_class_tells_what_is_stored_and_takes_it_back(index: Session) -> None:
    index.run("index.add(7)")
    assert index.changed("print(index.rows, index.file.tell())") == set()
    restored = index.checkout(2)
    assert restored.loaded >= {"index", "held"} and not restored.recomputed
    assert index["index"].seen() == ([3], 3, 3)
    assert index["held"][0] is index["index"] and index["held"][1] is index["index"].rows
    index.checkout(3)
    assert index["index"].seen() == ([3, 7], 7, 7)


@pytest.mark.parametrize("old, new, why", [
    ("return {", "raise RuntimeError('no'); return {", "Index.__rex_state__ raised RuntimeError: no"),
    ("return {", "return [self.file]; return {", "Index.__rex_state__ returned what cannot be stored: PicklingError: an open file"),
    ("self.path, self.rows = state", "raise RuntimeError('no'); self.path, self.rows = state", "Index.__rex_restore__ raised RuntimeError: no"),
    ("__rex_restore__", "other", "Index has __rex_state__, but no __rex_restore__"),
    ('state["rows"]', "[]", "it loads, but differs at value[1].__rex_state__()['rows']")])
def test_a_wrong_hook_is_named_and_the_cell_runs_again(session: Session, tmp_path: Path, old: str, new: str, why: str) -> None:
    (tmp_path / "data").write_bytes(bytes(64))
    assert INDEX.count(old) == 1
    session.run(INDEX.replace(old, new))
    session.run(f"index = Index({str(tmp_path / 'data')!r})\nindex.add(3)")
    session.run("index.add(7)")
    restored = session.checkout(2)
    assert why in restored.recomputed["index"] and not restored.failed
    assert session["index"].seen() == ([3], 3, 3)


def test_a_hook_within_a_hook_is_the_one_that_is_named(session: Session) -> None:
    session.run("class Inner:\n    def __rex_state__(self):\n        return (n for n in ())\n    def __rex_restore__(self, state):\n        pass\n"
                "class Outer(Inner):\n    def __rex_state__(self):\n        return [1, Inner()]")
    delta = session.run("value = Outer()")
    assert delta.changed["value"].why_not.startswith("Inner.__rex_state__ returned what cannot be stored")


def test_objects_of_a_class_are_never_stored(session: Session) -> None:
    declare({"__main__.Client": NEVER})
    session.run(CLIENT)
    delta = session.run("client, other, plain = Client(), [Other()], [1]")
    assert delta.changed["client"].why_not and delta.changed["other"].why_not and not delta.changed["plain"].why_not
    session.run("client.uses = other[0].uses = 5\nplain.append(2)")
    restored = session.checkout(2)
    assert "is declared as never stored" in restored.recomputed["client"] and "plain" in restored.loaded     # both share their class
    assert (session["client"].uses, session["other"][0].uses, session["plain"]) == (0, 0, [1])


def test_what_was_declared_can_be_taken_back(session: Session) -> None:
    declare({"__main__.Client": NEVER})
    session.run(CLIENT)
    assert session.run("client = Client()").changed["client"].why_not
    declare({})
    assert not session.run("client.uses = 1").changed["client"].why_not


def test_objects_that_are_left_stay_as_they_live_and_join_nothing(session: Session) -> None:
    declare({"__main__.Client": LEAVE})
    session.run(CLIENT)
    session.run("client = Client()\none = {'client': client, 'rows': []}\nother = {'client': client}")
    client = session["client"]
    assert session.changed("client.uses = 4\none['rows'].append(1)") == {"one"}
    session.checkout(2)
    assert session["one"] == {"client": client, "rows": []} and session["one"]["client"] is client and client.uses == 4


def test_an_object_that_was_left_and_is_gone_is_computed_again(session: Session) -> None:
    declare({"__main__.Client": LEAVE})
    session.run(CLIENT)
    session.run("client = Client()")
    session.run("client.uses = 3\nclient = None")
    gc.collect()
    restored = session.checkout(2)
    assert "a Client was left as it lived, and is gone" in restored.recomputed["client"] and session["client"].uses == 0


def test_objects_without_weak_references_can_be_left(session: Session) -> None:
    declare({"sqlite3.Connection": LEAVE})
    session.run("import sqlite3")
    session.run("base = sqlite3.connect(':memory:')\nrows = [base, 1]")
    base = session["base"]
    session.run("rows = base = None")
    restored = session.checkout(2)
    assert session["base"] is session["rows"][0] is base and not restored.recomputed


def test_classes_go_by_the_name_that_they_are_imported_by() -> None:
    import json
    try:
        declare({"json.JSONDecoder": NEVER, "not_there.Any": LEAVE})
        assert json.JSONDecoder.__module__ != "json"
        assert [treatment(kind) for kind in (json.JSONDecoder, json.JSONEncoder)] == [NEVER, ""]
    finally:
        declare({})


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes the project's file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return (tmp_path / ".rex.toml").write_text


def test_the_users_files_name_classes(told: Any) -> None:
    told('[state]\nnever = ["a.A"]\nleave = ["b.B", "c.C"]\n')
    assert from_config() == {"a.A": NEVER, "b.B": LEAVE, "c.C": LEAVE}


@pytest.mark.parametrize("text, why", [("always = []", "never and leave only"), ("never = 'a.A'", "no list of names"), ("leave = [1]", "no list of names")])
def test_a_table_that_makes_no_sense(told: Any, text: str, why: str) -> None:
    told(f"[state]\n{text}\n")
    with pytest.raises(UsageError, match=why) as found:
        from_config()
    assert ".rex.toml" in str(found.value) and found.value.advice
