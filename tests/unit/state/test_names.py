"""Which names a cell could have touched."""

from __future__ import annotations

import pytest

from rex.state.names import names_in_source, reaches_everything, roots_of


def test_names_of_nested_code_count() -> None:
    names = names_in_source("def f():\n    class A:\n        def g(self): return [x for _ in y]\n")
    assert names is not None and {"f", "x", "y"} <= names


@pytest.mark.parametrize("source", ["%time x", "exec(s)", "import sys", "await x",
                                    "f = lambda: globals()", "m = '__main__'", "import threading"])
def test_what_could_reach_everything_says_so(source: str) -> None:
    assert names_in_source(source) is None


def test_roots_are_packages_of_modules_classes_and_functions() -> None:
    import json
    import pathlib
    found = roots_of({"j", "P", "n"}, {"j": json, "P": pathlib.Path, "n": 3})
    assert found == {"json", "pathlib"}
    assert not reaches_everything({"j", "P"}, {"j": json, "P": pathlib.Path})
