"""Classes that users declare, and classes that tell their own state, in recorded runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_harness import Case, rex

SOURCE = """
    import ctypes
    class Index:
        def __init__(self, path):
            self.path, self.rows = path, []
            self.file, self.memory = open(path, "rb"), ctypes.create_string_buffer(8)
        def add(self, number):
            self.rows.append(number)
            self.file.seek(number)
            self.memory[0] = bytes([number])
        def __rex_state__(self):
            return {"path": self.path, "rows": self.rows, "at": self.file.tell(), "memory": self.memory.raw}
        def __rex_restore__(self, state):
            self.file.close()
            self.path, self.rows = state["path"], state["rows"]
            self.file, self.memory = open(self.path, "rb"), ctypes.create_string_buffer(state["memory"], 8)
            self.file.seek(state["at"])
    class Source:
        def __init__(self):
            self.numbers = (number for number in range(100))
    with open("data", "wb") as file:
        file.write(bytes(range(64)))
    index, source, last = Index("data"), Source(), 0
    for epoch in range(5):
        for step in range(3):
            index.add(epoch + step)
            last = next(source.numbers) if WITH_SOURCE else step
        print("epoch", epoch, index.rows)
    """


def recorded(folder: Path, with_source: bool, old: str = "", new: str = "") -> Case:
    case = Case(folder, train=SOURCE.replace("WITH_SOURCE", str(with_source)))
    if old:
        case.edit("train", old, new)
    case.record()
    case.add_after("train", 'print("epoch"', "print('probe', index.file.tell(), index.memory[0], last)")
    return case


def test_a_class_tells_what_is_stored_and_takes_it_back(tmp_path: Path) -> None:
    case = recorded(tmp_path, False)
    assert case.replay() == case.truth() and "5 loops skipped" in case.told
    assert case.replay("-j", "2") == case.truth()


@pytest.mark.parametrize("old, new, why", [
    ("return {", "raise RuntimeError('no'); return {", "not skipped: index: __main__.Index: Index.__rex_state__ raised RuntimeError: no"),
    ("self.file.close()", "raise RuntimeError('no')", "nothing skipped: an object does not take its content: HookError('Index.__rex_restore__ raised"),
    ("__rex_restore__", "other", "Index has __rex_state__, but no __rex_restore__")])
def test_a_wrong_hook_is_named_and_the_loops_run(tmp_path: Path, old: str, new: str, why: str) -> None:
    case = recorded(tmp_path, False, old, new)
    assert case.replay() == case.truth()
    assert why in case.told and " 0 loops skipped" in case.told


def test_a_statement_that_changes_what_no_hook_gives_back_is_refused(tmp_path: Path) -> None:
    case = recorded(tmp_path, False, "self.file.close()", "raise RuntimeError('no')")
    case.edit("train", "index.file.tell(), index.memory", "index.file.read(1), index.memory")
    case.replay(status=2)
    assert "cannot be put back" in case.told and "Index.__rex_restore__ raised RuntimeError: no" in case.told


def test_a_hook_that_loses_something_is_a_difference(tmp_path: Path) -> None:
    case = recorded(tmp_path, False, 'state["rows"]', "[]")
    case.replay(status=20)
    assert "index['rows'] differs from the recording" in case.told


def test_classes_of_the_users_file_are_computed_again_or_left(tmp_path: Path) -> None:
    (tmp_path / ".rex.toml").write_text('[state]\nnever = ["__main__.Source"]\n')
    case = recorded(tmp_path, False)
    (tmp_path / ".rex.toml").unlink()     # the run keeps what it was recorded with
    assert case.replay() == case.truth()
    assert "not skipped: source: __main__.Source: is declared as never stored" in case.told


def test_a_class_that_is_left_keeps_no_loop_from_being_skipped(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    case = recorded(tmp_path / "plain", True)
    assert case.replay() == case.truth() and " 0 loops skipped" in case.told
    (tmp_path / "left").mkdir()
    (tmp_path / "left" / ".rex.toml").write_text('[state]\nleave = ["__main__.Source"]\n')
    case = recorded(tmp_path / "left", True)
    assert case.replay() == case.truth() and "5 loops skipped" in case.told
    assert "objects of __main__.Source are left as they live" in case.told


def test_a_table_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    Case(tmp_path, train="print(1)")
    (tmp_path / ".rex.toml").write_text('[state]\nalways = []\n')
    done = rex(tmp_path, "record", "-l", "EXP", "train.py")
    assert done.returncode == 125 and "it has never and leave only" in done.stderr and done.stderr.count("\n") == 1
