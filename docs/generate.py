"""Writes docs/errors.md, docs/commands.md, docs/rules.md and the tables of two other pages from the code; --check only compares."""

from __future__ import annotations

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [ROOT, HERE, os.path.join(ROOT, "tests", "guest_runs")]

import click  # noqa: E402
import ruletables  # noqa: E402

from guests import SOURCES, all_guests  # noqa: E402
from rex import errors  # noqa: E402
from rex.cli.group import COMMANDS, cli  # noqa: E402
from rex.tracer.reference.limits import NOT_FOLLOWED, REFUSED  # noqa: E402

WIDTH = 100
BEGIN, END = "<!-- made by docs/generate.py -->\n", "<!-- end -->\n"


def errors_page() -> str:
    """The table of exit codes."""
    lines = ["# Errors and exit codes", "",
             "Generated from rex/errors.py. An error is one line: what, why, what to do.", "",
             "`record`, `runnew` and plain `replay` hand on the program's exit status; a failure of Rex",
             "itself is 125 there (126: not executable, 127: not found). Plain `replay` is 20 where the log was not",
             "followed (`--lenient`: the program's). `replay --check` is 0 for identical,",
             "1 where output differs, 20 where the log was not followed. With `--json` the error is an object",
             "with the specific code below. 130: interrupted.", "",
             "| code | error | when |", "|---|---|---|"]
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.RexError)]
    for each in sorted(classes, key=lambda c: (c.code, c.__name__)):
        first = (each.__doc__ or "").strip().split("\n")[0]
        lines.append(f"| {each.code} | {each.__name__} | {first} |")
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """The help of every command."""
    parts = ["# Commands\n\nGenerated from the commands' own help.\n"]
    context = click.Context(cli, info_name="rex")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=f"rex {name}", max_content_width=WIDTH,
                              terminal_width=WIDTH)
        parts.append(f"## rex {name}\n\n```\n{command.get_help(inner)}\n```\n")
        for below, each in getattr(command, "commands", {}).items():
            inner = click.Context(each, info_name=f"rex {name} {below}", max_content_width=WIDTH,
                                  terminal_width=WIDTH)
            parts.append(f"### rex {name} {below}\n\n```\n{each.get_help(inner)}\n```\n")
    return "\n".join(parts)


def guests_table() -> str:
    """Which guests print each source of nondeterminism, in their folders."""
    lines = ["| source | folder | guests |", "|---|---|---|"]
    for source in SOURCES:
        names: dict[str, list[str]] = {}
        for name, guest in all_guests().items():
            if source in guest.sources:
                folder, _, file = name.partition("/")
                names.setdefault(folder, []).append(f"`{os.path.splitext(file)[0]}`")
        lines += [f"| {source} | {folder} | {', '.join(each)} |" for folder, each in names.items()]
    return "\n".join(lines) + "\n"


def limits_table() -> str:
    """What the reference engine leaves to the native one."""
    lines = ["| reference engine | what | how |", "|---|---|---|"]
    for column, limits in (("refuses", REFUSED), ("does not follow", NOT_FOLLOWED)):
        lines += [f"| {column} | {name} | {why} |" for name, why in limits.items()]
    return "\n".join(lines) + "\n"


def with_table(name: str, table: str) -> str:
    """A page that is written by hand, with its table replaced."""
    before, _, rest = read(name).partition(BEGIN)
    return before + BEGIN + table + END + rest.partition(END)[2]


def read(name: str) -> str:
    """A page as it is; empty where there is none."""
    try:
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def main() -> int:
    """Write the pages, or say which are stale."""
    stale = []
    for name, page in (("errors.md", errors_page()), ("commands.md", commands_page()), ("rules.md", ruletables.page()),
                       ("nondeterminism.md", with_table("nondeterminism.md", guests_table())),
                       ("design.md", with_table("design.md", limits_table()))):
        path = os.path.join(HERE, name)
        old = read(name)
        if old != page and "--check" in sys.argv:
            stale.append(name)
        elif old != page:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
    if stale:
        print("stale, run make docs:", *stale)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
