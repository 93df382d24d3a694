"""What the code that runs in tracees may use, however a compiler is set up."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "rex" / "native"


@pytest.mark.parametrize("flags", [("-O2",), ("-O2", "-fPIC", "-fwrapv", "-fstack-protector-all"), ("-Og", "-fstack-protector-strong")],
                         ids=" ".join)
def test_no_thread_local_memory_is_used(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """A loader has none yet when its first calls are hot: a check of the stack, as distributions have it, would crash it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    made = tmp_path / "stub.s"
    subprocess.run([compiler, "-std=c11", "-I", NATIVE, *flags, "-S", "-o", made, NATIVE / "fastpath" / "stub.c"], check=True)
    text = made.read_text()
    assert "rex_stub_query" in text and "%fs" not in text and "stack_chk" not in text
