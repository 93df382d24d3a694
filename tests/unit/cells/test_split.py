"""Cutting notebooks and scripts into cells."""

from __future__ import annotations

import json

import pytest

from rex.cells.split import SplitError, code_hash, is_timed, split, split_notebook, split_script

SCRIPT = b'''"""What it does."""
from __future__ import annotations
import os
import json

RATE = 0.1
NAMES: list[str] = ["a", "b"]
# about f
def f(x):
    import math

    return x


@staticmethod
def g(): pass
class A:
    x = 1
data = f(3)
total = f(data)
for i in range(3):
    # %% no mark here
    print(i)
if __name__ == "__main__":
    f(1)
'''


def test_a_script_is_cut_at_top_level_statements() -> None:
    sources = [cell.source for cell in split_script(SCRIPT)]
    assert "".join(sources) == SCRIPT.decode()
    assert [source.split("\n")[0] for source in sources] == [
        '"""What it does."""', "RATE = 0.1", "def f(x):", "data = f(3)", "total = f(data)", "for i in range(3):",
        'if __name__ == "__main__":']


def test_the_cells_of_a_script_are_ranges_of_all_its_statements() -> None:
    cells = split_script(SCRIPT)
    assert [cell.first for cell in cells] == [0, *(cell.last for cell in cells[:-1])]


def test_marks_are_obeyed() -> None:
    cells = split_script(b"import os\nx = 1\n# %% load\ny = f(x)\nz = g(y)\n# %%\n# nothing else\n#%% end\nprint(z)\n")
    assert [(cell.first, cell.last) for cell in cells] == [(0, 2), (2, 4), (4, 5)]


def test_a_notebook_gives_its_code_cells() -> None:
    cells = [{"cell_type": "markdown", "source": "# text"}, {"cell_type": "code", "source": ["a = 1\n", "a"]},
             {"cell_type": "code", "source": "  \n"},
             {"cell_type": "code", "source": "1/0", "metadata": {"tags": ["raises-exception"]}}]
    found = split_notebook(json.dumps({"nbformat": 4, "cells": cells}).encode())
    assert [(cell.source, cell.may_raise) for cell in found] == [("a = 1\na", False), ("1/0", True)]


@pytest.mark.parametrize("metadata", [
    {}, {"kernelspec": None}, {"kernelspec": {"name": "conda-env-analysis-py"}}, {"kernelspec": {"name": "mine", "language": "Python"}},
    {"kernelspec": {"name": "x", "display_name": "Python (x)"}}, {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}])
def test_python_is_known_by_any_of_its_names(metadata: dict[str, object]) -> None:
    cell = {"cell_type": "code", "source": "1"}
    assert split_notebook(json.dumps({"nbformat": 4, "cells": [cell], "metadata": metadata}).encode())


@pytest.mark.parametrize("path, data, why", [
    ("a.ipynb", b"{", "no notebook"), ("a.ipynb", b'{"nbformat": 3, "cells": []}', "nbformat 3"),
    ("a.ipynb", b'{"nbformat": 4, "cells": []}', "no code"), ("a.ipynb", b"[]", "no notebook"),
    ("a.ipynb", b'{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"language": "R"}}}', "language is R"),
    ("a.ipynb", b'{"nbformat": 4, "cells": [], "metadata": {"language_info": {"name": "R"}}}', "language is R"),
    ("a.ipynb", b'{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"name": "ir", "display_name": "R"}}}', "language is R"),
    ("a.ipynb", b'{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"name": "julia-1.10"}}}', "language is julia"),
    ("a.ipynb", b'{"nbformat": 4, "cells": [], "metadata": {"language_info": {"name": "pyspark"}}}', "language is pyspark"),
    ("a.ipynb", b'{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"language": "python"}, "language_info": {"name": "bash"}}}',
     "language is bash"),
    ("a.py", b"def (", "no Python"), ("a.py", b"# nothing\n", "no statements"), ("a.py", b"\xff\xfe", "no Python")])
def test_what_is_no_program_is_refused_with_the_reason(path: str, data: bytes, why: str) -> None:
    with pytest.raises(SplitError, match=why):
        split(path, data)


@pytest.mark.parametrize("one, two", [
    ("x = 1\n", "# a comment\n\nx  =  1   # and another\n"), ("if a:\n    b()\n", "if a:\n\n        b()\n\n"),
    ("f(1,\n  2)", "f(1, 2)"), ("%time f()\n", "# timed\n%time f()\n\n"), ("x = 1", "x = 1\n\n\n")])
def test_comments_and_blanks_do_not_count(one: str, two: str) -> None:
    assert code_hash(one) == code_hash(two)


@pytest.mark.parametrize("one, two", [
    ("x = 1", "x = 2"), ("x = 'a  b'", "x = 'a b'"), ("a\nb", "b\na"), ("x = '# a'", "x = '# b'"),
    ("if a:\n    b()\n    c()", "if a:\n    b()\nc()"), ("%%bash\n# a", "%%bash\n# b"), ("!ls a", "!ls b")])
def test_what_changes_the_meaning_counts(one: str, two: str) -> None:
    assert code_hash(one) != code_hash(two)


def test_cells_that_print_their_time_are_known() -> None:
    assert is_timed("%%time\nf()") and is_timed("a\n%timeit f()") and not is_timed("time.time()")
