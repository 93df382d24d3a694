"""The options that say what outputs may differ in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from rex.cli.given_rules import GivenRules
from rex.contents.rules import FORMATS


def tolerance_words(run: Callable[..., Any], is_setting: bool = False) -> Callable[..., Any]:
    """--rtol, --atol, --ulps, --ignore, --as, --any-order and --no-rules for a command, each as a parameter of its own.

    Args:
        is_setting: the command sets the rules of an archive.
    """
    for option in reversed((
            click.option("--rtol", type=click.FloatRange(min=0), metavar="R", help="Numbers in outputs may differ by this part of the larger one."),
            click.option("--atol", type=click.FloatRange(min=0), metavar="A", help="Numbers in outputs may differ by so much; colours of pictures are from 0 to 1."),
            click.option("--ulps", type=click.IntRange(min=0), metavar="N", help="Numbers in outputs may differ by so many steps of floating-point numbers."),
            click.option("--ignore", multiple=True, metavar="REGEX", help="What this matches in outputs does not count; values are matched as 'name: value'."),
            click.option("--as", "formats", multiple=True, metavar="FILE=FORMAT", help=f"Read outputs of this name so: {', '.join(FORMATS)}."),
            click.option("--any-order", is_flag=True, help="Rows of tables and items of lists have no order."),
            *([click.option("--no-rules", is_flag=True, help="Leave out the rules of the archive (rex rules).")] if not is_setting else []))):
        run = option(run)
    return run


def tolerance_options(run: Callable[..., Any], is_setting: bool = False) -> Callable[..., Any]:
    """The same for a command that gets them together, as `rules`."""
    @functools.wraps(run)
    def wrapper(*args: Any, rtol: float | None, atol: float | None, ulps: int | None, ignore: tuple[str, ...], formats: tuple[str, ...],
                any_order: bool, no_rules: bool = False, **given: Any) -> Any:
        return run(*args, rules=GivenRules(rtol, atol, ulps, ignore, formats, any_order, no_rules), **given)
    return tolerance_words(wrapper, is_setting)
