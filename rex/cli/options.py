"""Kinds of options that several commands take."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import click
from click.core import ParameterSource

from rex.config import default_archive
from rex.errors import UsageError
from rex.types import parse_duration, parse_size


GROUPINGS = ("depth", "command", "none")    # rex.workflow.steps, which need not be imported for --help


class Parsed(click.ParamType):
    """An option that one of the parsers in rex.types reads."""

    def __init__(self, name: str, parser: Callable[[str], float]) -> None:
        self.name = name
        self._parser = parser

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse a text; a value that is no text is returned as it is."""
        if not isinstance(value, str):
            return value
        try:
            return self._parser(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


DURATION = Parsed("duration", parse_duration)
SIZE = Parsed("size", parse_size)


def parse_labels(texts: Iterable[str]) -> dict[str, str]:
    """K=V texts as a dictionary.

    Raises:
        UsageError: one has no =, or nothing before it.
    """
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{text!r} is no label", "it has no =" if not equals else "nothing stands before =", "write K=V")
        found[key.strip()] = value
    return found


def storage_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--bandwidth and --latency of where outputs are persisted."""
    latency = click.option("--latency", type=DURATION, default=0.5, help="Of the storage; 0.5s if not given.")
    bandwidth = click.option("--bandwidth", type=SIZE, default="100M", show_default=True,
                             help="Of the storage, per second.")
    return bandwidth(latency(command))


def named_by_options(*places: str, behind: str = "", is_many: bool = False, is_archive: bool = False,
                     is_alone: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """-l ARCHIVE -e EXP for a command that takes ARCHIVE:EXP; the decorator nearest to its function.

    Args:
        places: the parameters that take it, in the order in which -e fills them.
        behind: the parameter, or the many, that follow the only one of them: what was written first is meant for it then.
        is_alone: nothing need follow.
        is_many: there is one, and it takes any number.
        is_archive: they take an archive only: there is no -e.
    """
    def decorate(run: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(run)
        def wrapper(*args: Any, named_archive: str | None, named: tuple[str, ...] = (), **given: Any) -> Any:
            if named_archive is not None or named:
                if behind and given[behind] is None:
                    given[behind], given[places[0]] = given[places[0]], None
                elif behind and isinstance(given[behind], tuple) and given[places[0]] is not None:
                    given[behind], given[places[0]] = (given[places[0]], *given[behind]), None
                _fill(given, places, is_many, [f"{named_archive or default_archive()}:{each}" for each in named]
                      or [named_archive or default_archive()])
            if missing := [place for place in (*places, *([behind] if behind and not is_alone else [])) if given[place] in (None, ())]:
                raise _is_missing(missing[0], missing[0] == behind)
            return run(*args, **given)

        if not is_archive:
            wrapper = click.option("-e", "--experiment", "named", multiple=True, metavar="EXP", help="Which experiment.")(wrapper)
        return click.option("-l", "--archive", "named_archive", metavar="ARCHIVE", help="Its archive, another way to name it.")(wrapper)
    return decorate


def _is_missing(place: str, is_behind: bool) -> UsageError:
    """The error for a parameter that was not given."""
    context = click.get_current_context()
    name = next(each.metavar or place.upper() for each in context.command.params if each.name == place)
    return UsageError(f"{name.strip('[].')} is missing", "", f"see: {context.command_path} --help" if is_behind else
                      "name it as ARCHIVE:EXP, or with -l ARCHIVE -e EXP")


def _fill(given: dict[str, Any], places: tuple[str, ...], is_many: bool, refs: list[str]) -> None:
    """Put what options name where the command looks for it.

    Raises:
        UsageError: it is named as an argument too, or too often.
    """
    context = click.get_current_context()
    said = [place for place in places if context.get_parameter_source(place) is ParameterSource.COMMANDLINE and given[place]]
    if is_many:
        if said:
            raise UsageError(f"{given[places[0]][0]} and -l or -e at once", "", "give one of them")
        given[places[0]] = tuple(refs)
        return
    if said or len(refs) > len(places):
        raise UsageError(f"{given[said[0]]} and -l or -e at once" if said else "-e is given too often", "", "give one of them")
    given.update(zip(places, refs))
