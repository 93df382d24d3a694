"""`%rex never` and `%rex leave` in a session, and messages about hooks of classes."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("IPython")
pytest.importorskip("cloudpickle")

from IPython.core.interactiveshell import InteractiveShell  # noqa: E402

from rex.errors import RexError  # noqa: E402
from rex.notebook.magic import run as magic  # noqa: E402
from rex.notebook.session import Options, Session  # noqa: E402

CLIENT = "class Client:\n    uses = 0\nclass Part:\n    pass"


class Notebook:
    """A shell with a session."""

    def __init__(self, archive: Path) -> None:
        self.shell = InteractiveShell()
        self.shell.history_manager.enabled = False
        self.warnings: list[str] = []
        self.session = Session(self.shell, Options(str(archive)), self.warnings.append)
        self.session.start()

    def run(self, code: str) -> None:
        self.shell.run_cell(code, store_history=True)

    def rex(self, line: str) -> str:
        return repr(magic(line, self.session, lambda given: None))

    def value(self, name: str) -> Any:
        return self.shell.user_ns[name]


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    made = Notebook(tmp_path / "A")
    yield made
    made.session.stop()


def test_a_class_of_the_notebook_is_never_stored_until_that_is_taken_back(notebook: Notebook) -> None:
    notebook.run(CLIENT)
    notebook.run("client = Client()")
    notebook.rex("never Client")
    notebook.run("client.uses = 1")
    notebook.run("client.uses = 2")
    assert "computed again: client (PicklingError: Client is declared as never stored)" in notebook.rex("undo")
    assert notebook.value("client").uses == 1 and "__main__.Client" in notebook.rex("never")
    notebook.rex("never -d Client")
    notebook.run("client.uses = 3")
    notebook.run("client.uses = 4")
    assert "computed again" not in notebook.rex("undo") and notebook.value("client").uses == 3
    assert "no classes yet" in notebook.rex("never")


def test_a_resumed_session_treats_classes_as_before(notebook: Notebook, tmp_path: Path) -> None:
    notebook.run(CLIENT)
    notebook.rex("leave Client")
    notebook.run("client = Client()\nmodel = [client, 1]")
    name = notebook.session.stop()
    notebook.run("del client, model")     # as the end of the kernel would
    gc.collect()
    later = Notebook(tmp_path / "A")
    done = later.session.resume(str(tmp_path / "A"), name).restored
    assert "was left as it lived, and is gone" in done.recomputed["client"] and later.value("model")[0] is later.value("client")
    assert "__main__.Client" in later.rex("leave")
    later.run("model[1] = client.uses = 2")
    later.rex("undo")
    assert later.value("model") == [later.value("client"), 1] and later.value("client").uses == 2
    later.session.stop()


def test_a_session_stands_above_the_users_file(notebook: Notebook, tmp_path: Path) -> None:
    (tmp_path / ".rex.toml").write_text('[state]\nnever = ["__main__.Client", "__main__.Part"]\n')
    later = Notebook(tmp_path / "B")
    later.run(CLIENT)
    later.rex("never -d Client")
    later.run("client, part = Client(), Part()")
    later.run("client = part = None")
    done = later.rex("undo")
    assert "computed again: part" in done and "computed again: client" not in done
    later.session.stop()


@pytest.mark.parametrize("line, why", [
    ("never Clint", "no class Clint in this kernel"), ("never client", "client is no class: it is an object of Client; for all such objects: %rex never Client"),
    ("never number.__class__", "a class of Python's own"), ("leave sqlite3.Conection", "sqlite3 has no Conection"),
    ("leave not_there.Any", "no class not_there.Any"), ("leave -d Client", "__main__.Client is not declared so"), ("never a b", "unrecognized")])
def test_what_makes_no_sense_is_one_line(notebook: Notebook, line: str, why: str) -> None:
    notebook.run(CLIENT + "\nimport sqlite3\nclient, number = Client(), 1")
    with pytest.raises(RexError) as found:
        notebook.rex(line)
    assert why in str(found.value) and "\n" not in str(found.value)


def test_a_class_may_be_imported_later(notebook: Notebook) -> None:
    notebook.rex("never wave.Wave_read")
    assert "wave.Wave_read" in notebook.rex("never")


def test_a_hook_that_fails_is_named_once(notebook: Notebook) -> None:
    notebook.run("class Bad:\n    def __rex_state__(self):\n        raise RuntimeError('no')\n    def __rex_restore__(self, state):\n        pass")
    notebook.run("bad = Bad()")
    notebook.run("bad.rows = 1")
    assert notebook.warnings == ["HookError: Bad.__rex_state__ raised RuntimeError: no; a checkout computes it again"]
    notebook.rex("undo")
    assert not hasattr(notebook.value("bad"), "rows")
