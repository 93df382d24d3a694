"""Words of commands as one pastes them into a shell."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from rex import codec
from rex.text import quoted, quoted_ref

WORDS = ["", "plain/name-1.x", " a b ", "~", "$HOME", "it's", "a'b\"c\\d", "*?[x]", "-l", "a;b|c&d", "#", "!x", "é", "new\nline", "tab\t'q'\\", "\x1b[31m", "\u200b\x85\U000e0001",
         codec.text(b"\xff\xfe raw")]


@pytest.mark.parametrize("word", WORDS, ids=repr)
def test_a_shell_reads_the_word_back(word: str) -> None:
    shell = shutil.which("bash") if not word.isprintable() else "/bin/sh"
    if not shell:
        pytest.skip("bash is not installed")
    text = quoted(word)
    assert text.isprintable()
    done = subprocess.run([shell, "-c", f"printf %s {text}"], capture_output=True, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert done.stdout == codec.raw(word)


def test_a_ref_is_one_word() -> None:
    assert quoted_ref("EXP", "exp0") == "EXP:exp0" and quoted_ref("my EXP", "exp0") == "'my EXP:exp0'"
