"""The words by which commands are told what outputs may differ in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from rex.contents.rules import FORMATS, make


def tolerance_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """--rtol, --atol, --ulps, --ignore, --as and --any-order for a command, which gets them as `rules`."""
    @functools.wraps(run)
    def wrapper(*args: Any, rtol: float | None, atol: float | None, ulps: int | None, ignore: tuple[str, ...], formats: tuple[str, ...],
                any_order: bool, **given: Any) -> Any:
        return run(*args, rules=make(rtol or 0.0, atol or 0.0, ulps or 0, ignore, formats, any_order), **given)
    for option in reversed((
            click.option("--rtol", type=click.FloatRange(min=0), metavar="R", help="Numbers in outputs may differ by this part of the larger one."),
            click.option("--atol", type=click.FloatRange(min=0), metavar="A", help="Numbers in outputs may differ by so much; colours of pictures are from 0 to 1."),
            click.option("--ulps", type=click.IntRange(min=0), metavar="N", help="Numbers in outputs may differ by so many steps of floating-point numbers."),
            click.option("--ignore", multiple=True, metavar="REGEX", help="What this matches in outputs does not count; values are matched as 'name: value'."),
            click.option("--as", "formats", multiple=True, metavar="FILE=FORMAT", help=f"Read outputs of this name so: {', '.join(FORMATS)}."),
            click.option("--any-order", is_flag=True, help="Rows of tables and items of lists have no order."))):
        wrapper = option(wrapper)
    return wrapper

