"""What commands that show an archive share: refs, plain columns, clean text, closed pipes."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import stat
import sys
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

import click

from rex.cli.ending import from_system
from rex.cli.refs import parse_ref   # noqa: F401 (commands find it here)
from rex.errors import UsageError
from rex.text import clean, command_text, date_text, status_text   # noqa: F401 (commands find them here)

if TYPE_CHECKING:
    from rex.archive import Archive, Experiment, FileState

_TYPE_LETTERS = {"file": stat.S_IFREG, "dir": stat.S_IFDIR, "symlink": stat.S_IFLNK,
                 "fifo": stat.S_IFIFO}
_LEAST_CHARS = 30   # of a last column, however narrow the terminal
PIPE_CLOSED = 141   # as a shell reports a program that SIGPIPE ended


def named_ref(text: str) -> tuple[str, str]:
    """Archive and experiment of a ref in which both must be named.

    Raises:
        UsageError: the experiment is missing.
    """
    ref = parse_ref(text)
    if not ref.experiment:
        raise UsageError(f"{text} names no experiment", "", f"write {text.rstrip(':')}:exp0")
    return ref.archive, ref.experiment


def open_ref(text: str) -> tuple["Archive", "Experiment"]:
    """The archive and the experiment that ARCHIVE:EXP names, or ARCHIVE's default one.

    Raises:
        NotFound, TooNew, Damaged: as `Archive.open` and `Archive.experiment`.
    """
    from rex.archive import Archive
    ref = parse_ref(text)
    archive = Archive.open(ref.archive)
    return archive, archive.experiment(ref.experiment)


def guarded(run: Callable[..., Any]) -> Callable[..., Any]:
    """Make a command's function survive closed pipes and explain errors of the system.

    A reader that went away (`| head`) ends the command silently with status 141.
    """
    @functools.wraps(run)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            result = run(*args, **kwargs)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            silence_stdout()
            return PIPE_CLOSED
        except OSError as error:
            raise from_system(error) from error
    return wrapper


def quietable(run: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option -q, so that only its exit status says what happened; errors are still printed."""
    @functools.wraps(run)
    def wrapper(*args: Any, quiet: bool, **kwargs: Any) -> Any:
        if not quiet:
            return run(*args, **kwargs)
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            return run(*args, **kwargs)
    return click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")(wrapper)


def silence_stdout() -> None:
    """Let what is still buffered for a closed pipe go nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):   # no descriptor below, as in tests
        pass


def mode_text(state: "FileState") -> str:
    """Type and permissions as `ls -l` prints them."""
    kind = _TYPE_LETTERS.get(state.type)
    text = stat.filemode((kind or stat.S_IFREG) | (state.mode & 0o7777))
    return text if kind else "?" + text[1:]


def labels_text(labels: Mapping[str, str]) -> str:
    """Labels as one types them."""
    return " ".join(clean(f"{key}={value}") for key, value in sorted(labels.items()))


def print_json(value: Any) -> None:
    """One JSON object, readable and stable."""
    click.echo(json.dumps(value, indent=1))


def print_columns(rows: Sequence[Sequence[str]], headings: Sequence[str] = (),
                  right: Iterable[int] = (), indent: str = "", is_cut: bool = False) -> None:
    """Print rows in aligned columns, cleaned; with is_cut a terminal gets the last one cut where it would wrap."""
    if not rows:
        return
    rows = [[clean(cell) for cell in row] for row in rows]
    whole = [list(headings), *rows] if headings else rows
    widths = [max(len(row[i]) for row in whole) for i in range(len(whole[0]))]
    before = len(indent) + sum(widths[:-1]) + 2 * (len(widths) - 1)
    limit = shutil.get_terminal_size().columns - before if is_cut and sys.stdout.isatty() else 0
    to_right = set(right)
    for number, row in enumerate(whole):
        last = row[-1]
        if limit and len(last) > max(limit, _LEAST_CHARS):
            last = last[:max(limit, _LEAST_CHARS) - 1] + "…"
        cells = [text.rjust(width) if i in to_right else text.ljust(width)
                 for i, (text, width) in enumerate(zip([*row[:-1], last], widths))]
        line = (indent + "  ".join(cells)).rstrip()
        click.echo(click.style(line, bold=True) if headings and number == 0 else line)
