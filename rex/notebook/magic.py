"""The `%rex` line magic: words in, something to show out."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import Any, Callable, NoReturn

from rex.errors import NotFound, UsageError
from rex.notebook import display
from rex.notebook.classes import name_of_class
from rex.notebook.keeper import open_notebook
from rex.notebook.session import Session

HELP = """%rex log [-n N]            the graph of cells, newest first
%rex checkout ID|-N|TAG|BRANCH   variables as they were after that cell; running on makes a branch
%rex checkout ID --cells [FILE]  ... and write the notebook's cells of that state to FILE
%rex undo                  back to before the last cell
%rex diff [A [B]]          variables that differ (A: the cell before, B: here)
%rex show ID[:VARIABLE]    one cell; one variable as it was then (x = %rex show 13:df keeps it)
%rex tag [NAME [ID]]       name a state; without NAME list; -d NAME removes
%rex branch [NAME [ID]]    begin a branch; without NAME list; -d NAME removes
%rex never [CLASS]         never store objects of a class, compute them again; without CLASS list; -d CLASS stores them
%rex leave [CLASS]         leave objects of a class as they are; without CLASS list; -d CLASS stores them
%rex resume [ARCHIVE[:EXP]|NB.ipynb] [--at ID]    go on with an earlier session in this fresh kernel
%rex on [-l ARCHIVE] [-e NAME] [--max-size SIZE]   where to keep the session; off ends it"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%{self.prog}: {message}", "", "see: %rex help")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise UsageError(message or "see: %rex help")


Argument = tuple[tuple[str, ...], dict[str, Any]]    # names, and what argparse takes beside them

_FORCE: Argument = (("--force",), {"action": "store_true"})
_DELETE: Argument = (("-d", "--delete"), {"action": "store_true"})
_MAYBE: dict[str, Any] = {"nargs": "?"}
_ARGUMENTS: dict[str, tuple[Argument, ...]] = {
    "help": ((("what",), _MAYBE),),
    "log": ((("-n",), {"type": int, "default": 40}),),
    "checkout": ((("where",), {}), (("--cells",), {"nargs": "?", "const": ""}), _FORCE),
    "undo": (),
    "diff": ((("one",), _MAYBE), (("other",), _MAYBE)),
    "show": ((("what",), {}),),
    "tag": ((("name",), _MAYBE), (("where",), _MAYBE), _DELETE),
    "branch": ((("name",), _MAYBE), (("where",), _MAYBE), _DELETE),
    "resume": ((("where",), _MAYBE), (("--at",), {})),
    "on": ((("-l", "--archive"), {}), (("-e", "--name"), {}), (("--max-size",), {})),
    "never": ((("name",), _MAYBE), _DELETE),
    "leave": ((("name",), _MAYBE), _DELETE),
    "off": (),
}
_TREATED = {"never": "computed again", "leave": "left as they live"}
# By command its options, which a key completes.
OPTIONS = {command: [name for names, _ in arguments for name in names if name.startswith("-")] for command, arguments in _ARGUMENTS.items()}


def _parser() -> _Parser:
    parser = _Parser(prog="rex", add_help=False)
    commands = parser.add_subparsers(dest="command", parser_class=_Parser)
    for command, arguments in _ARGUMENTS.items():
        one = commands.add_parser(command, add_help=False, prog=f"rex {command}")
        for names, options in arguments:
            one.add_argument(*names, **options)
    return parser


def _negative_numbers(words: list[str]) -> list[str]:
    # argparse takes -1 for an option where other options look like numbers could.
    return [f" {word}" if word[:1] == "-" and word[1:].isdigit() else word for word in words]


def run(line: str, session: Session | None, switch: Callable[[Any], Any]) -> Any:
    """Perform one command.

    Args:
        switch: performs `on` and `off`, which outlive a session.
    Returns:
        Something to show; of `show ID:VARIABLE` the value itself; or None.
    Raises:
        RexError: it makes no sense, or failed.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"%rex {line}", str(error)) from error
    if not words or words[0] in ("help", "-h", "--help"):
        return _help(words[1] if len(words) > 1 else "")
    at = words.index("-n") if "-n" in words else -1
    if at < 0:
        words = _negative_numbers(words)
    given = _parser().parse_args(words)
    if given.command in ("on", "off"):
        return switch(given)
    if session is None:
        raise UsageError("Rex is off", "", "switch it on with: %rex on")
    return _COMMANDS[given.command](session, given)


def _help(command: str) -> display.Shown:
    """All commands, or the lines of one."""
    lines = [text for text in HELP.splitlines() if not command or text.split()[1] == command]
    if not lines:
        raise UsageError(f"%rex has no command {command}", "", "see: %rex help")
    return display.Shown("", lines=[(text, "") for text in lines])


def _log(session: Session, given: Any) -> Any:
    keeper = session.keeper
    title = f"{session.options.archive}:{keeper.name}" if keeper else ""
    if keeper and keeper.store.pending_bytes:
        title += f" (writing {display.format_size(keeper.store.pending_bytes)})"
    return display.show_log(session.graph, title, given.n)


def _checkout(session: Session, given: Any) -> Any:
    file = given.cells
    if file == "":
        node = session.graph.resolve(given.where)
        path = session._file.path
        stem = path.removesuffix(".ipynb") if path else "notebook"
        file = path if given.force and path else f"{stem}-{node}.ipynb"
    return display.show_checkout(session.checkout(given.where.strip(), file, given.force))


def _undo(session: Session, given: Any) -> Any:
    return display.show_checkout(session.undo())


def _diff(session: Session, given: Any) -> Any:
    graph = session.graph
    one = graph.resolve(given.one or "-1")
    other = graph.resolve(given.other or "head")
    return display.show_diff(graph, one, other, graph.difference(one, other))


def _show(session: Session, given: Any) -> Any:
    where, _, name = given.what.partition(":")
    if name:
        return session.value(where, name)
    node = session.graph.nodes[session.graph.resolve(where)]
    return display.show_node(session.graph, node, session.outputs(node))


def _tag(session: Session, given: Any) -> Any:
    return _name(session, given, "tag", session.set_tag)


def _branch(session: Session, given: Any) -> Any:
    return _name(session, given, "branch", session.set_branch)


def _name(session: Session, given: Any, kind: str, give: Callable[..., int]) -> Any:
    if given.name is None:
        return display.show_names(session.graph, kind)
    if given.delete:
        session.remove_name(kind, given.name)
        return display.Shown(f"removed {kind} {given.name}")
    node = give(given.name, given.where)
    return display.Shown(f"{kind} {given.name} at {node}")


def _classes(session: Session, given: Any) -> Any:
    held, how, name = session.classes.held, given.command, given.name
    if name is None:
        names = sorted(each for each in held if held[each] == how)
        return display.Shown("", lines=[(each, "") for each in names] or [("no classes yet", "dim")])
    if name not in held:
        name = name_of_class(name, session.namespace, how)
    if given.delete and held.get(name) != how:
        raise NotFound(f"{name} is not declared so", "", f"see: %rex {how}")
    session.treat(name, "" if given.delete else how)
    return display.Shown(f"objects of {name} are {'stored' if given.delete else _TREATED[how]}, from the next cell on")


def _resume(session: Session, given: Any) -> Any:
    at = given.at and given.at.strip()
    if given.where and given.where.endswith(".ipynb") and not os.path.isdir(given.where):
        archive, experiment = open_notebook(given.where)
        return display.show_checkout(session.resume(archive.path, experiment.name, at))
    path, _, name = (given.where or session.options.archive).rpartition(":")
    if not path or "/" in name:
        path, name = given.where or session.options.archive, ""
    return display.show_checkout(session.resume(path, name or None, at))


_COMMANDS: dict[str, Callable[[Session, Any], Any]] = {
    "log": _log, "checkout": _checkout, "undo": _undo, "diff": _diff, "show": _show, "tag": _tag,
    "branch": _branch, "never": _classes, "leave": _classes, "resume": _resume}
