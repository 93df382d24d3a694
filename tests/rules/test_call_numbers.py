"""Facts about calls stand in the table: the engine names few calls by number."""

from __future__ import annotations

import re
from pathlib import Path

from rex.syscalls.table import BY_NAME

NATIVE = Path(__file__).parents[2] / "rex" / "native"
MOST_CALLS = 89     # this number only shrinks


def test_the_engine_names_few_calls() -> None:
    named = set()
    for path in NATIVE.rglob("*.[ch]"):
        if path.name != "generated.h":
            named |= set(re.findall(r"\bREX_NR_(\w+)", path.read_text(encoding="utf-8")))
    assert named <= set(BY_NAME)
    assert len(named) <= MOST_CALLS, "say what the call does in rex/syscalls/table.py: as op, mark or argument word"
