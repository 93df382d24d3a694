"""The usual words of `rex record`, `rex replay` and `rex hindsight replay`, read without click: its import is a quarter of what a
short command costs.

What is not understood here, rare options and all that is wrong, is left to click, whose commands have the same words.
"""

from __future__ import annotations

import os

from rex import config
from rex.hints import Any
from rex.values import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """What a command accepts: options by what is written, with the parameter that each sets.

    Attributes:
        valued: options that a value follows.
        flags: those that stand alone.
        rest: the parameter that gets the words behind them, if there may and must be any.
        single: one that a word among them sets.
    """

    valued: dict[str, str]
    flags: dict[str, str]
    rest: str = ""
    single: str = ""


_BOTH = {"-l": "archive", "--archive": "archive", "-e": "experiment", "--experiment": "experiment"}
_REPORT = {"--report": "report"}
_QUIET = {"-q": "quiet", "--quiet": "quiet"}
COMMANDS = {
    "record": Words({**_BOTH, **_REPORT}, {**_QUIET, "--json": "as_json", "--serialize": "serialize", "--redact": "redact",
                                           "--verify": "verify"}, "command"),
    "replay": Words({**_BOTH, **_REPORT, "-o": "outdir", "--outdir": "outdir"},
                    {**_QUIET, "--json": "json_wanted", "--check": "check", "--sandbox": "sandbox",
                     "--lenient": "lenient"}, single="ref"),
    "hindsight replay": Words({**_BOTH, "--epochs": "epochs"}, {"-y": "yes", "--yes": "yes", "--no-skip": "no_skip"}, single="script")}


def read(known: Words, words: list[str]) -> dict[str, Any] | None:
    """The parameters that these words give; None where click has to look."""
    found: dict[str, Any] = {}
    left = iter(words)
    rest: list[str] = []
    for word in left:
        name, is_joined, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if known.single and known.single not in found and not word.startswith("-"):
            found[known.single] = word
        elif word == "--" or not word.startswith("-"):
            rest = [word, *left] if word != "--" else list(left)
        elif name in known.valued:
            value = value if is_joined else next(left, "-")
            if value.startswith("-"):
                return None
            found[known.valued[name]] = value
        elif name in known.flags and not is_joined:
            found[known.flags[name]] = True
        else:
            return None
    if bool(rest) != bool(known.rest):
        return None
    return {**found, known.rest: tuple(rest)} if rest else found


def run(argv: list[str]) -> int | None:
    """Run a command line that is understood here; its exit status."""
    count = 2 if argv[:1] == ["hindsight"] else 1
    command = " ".join(argv[:count])
    known = COMMANDS.get(command)
    words = read(known, argv[count:]) if known and "_REX_COMPLETE" not in os.environ else None
    if words is None or config.files():      # whose defaults click knows
        return None
    if archive := os.environ.get(config.VARIABLE):
        words.setdefault("archive", archive)
    if command == "record":
        from rex.cli.record_run import run as record
        return record(**words)
    if command == "replay":
        from rex.cli.replay_run import run as replay
        return replay(**words)
    from rex.cli.hindsight_replay_run import run as answer
    return answer(**words)
