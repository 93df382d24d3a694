"""Kinds of options that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rex.types import parse_duration, parse_size


GROUPINGS = ("depth", "command", "none")    # rex.workflow.steps, which need not be imported for --help


class Parsed(click.ParamType):
    """An option that one of the parsers in rex.types reads."""

    def __init__(self, name: str, parser: Callable[[str], float]) -> None:
        self.name = name
        self._parser = parser

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if not isinstance(value, str):
            return value
        try:
            return self._parser(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


DURATION = Parsed("duration", parse_duration)
SIZE = Parsed("size", parse_size)


def storage_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--bandwidth and --latency of where outputs are persisted."""
    latency = click.option("--latency", type=DURATION, default=0.5, help="Of the storage; 0.5s if not given.")
    bandwidth = click.option("--bandwidth", type=SIZE, default="100M", show_default=True,
                             help="Of the storage, per second.")
    return bandwidth(latency(command))
