"""Which iterations of the main loop, and steps within them, a replay is asked for."""

from __future__ import annotations

import ast
import random
from typing import Any

from rex.errors import UsageError
from rex.hindsight.trace.records import Run
from rex.values import dataclass

_SHAPES = (ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult,
           ast.Div, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Name, ast.Load, ast.Constant)
EPOCH = "epoch"     # in a condition: the number of the iteration


@dataclass(slots=True)
class Query:
    """What the user asked for, as it was written; empty: all.

    Attributes:
        epochs: iterations of the main loop: `5,8,20:40:5,last`.
        sample: how many of them, chosen at random: `10%` or `3`.
        where: a condition on what was logged in each: `loss > 3`.
        steps: iterations of the loop within the main loop, as `epochs`.
    """

    epochs: str = ""
    sample: str = ""
    where: str = ""
    steps: str = ""

    def choose(self, run: Run, main: str, name: str) -> list[int] | None:
        """The iterations of the main loop that are asked for, in order; None for all.

        Args:
            main: position of the main loop. name: of the run, for messages.
        Raises:
            UsageError: the run has no such iteration, or the words cannot be read.
        """
        if not (self.epochs or self.sample or self.where):
            return None
        if not main:
            raise UsageError("there are no iterations to choose from", "no loop of this run was seen", "replay without --epochs")
        chosen = numbers_of(self.epochs, count_of(run, main), f"{name} has no epoch") if self.epochs else list(range(count_of(run, main)))
        if self.where:
            chosen = _holding(run, self.where, chosen)
        if self.sample:
            chosen = sorted(random.sample(chosen, _size_of(self.sample, len(chosen))))
        if not chosen:
            raise UsageError("no epoch is left to replay", f"none has {self.where}" if self.where else "", "ask for others")
        return chosen

    def chosen_steps(self) -> list[int] | None:
        """The steps that are asked for; None for all."""
        return numbers_of(self.steps, None, "there is no step") if self.steps else None


def count_of(run: Run, main: str) -> int:
    """How many iterations of the main loop were recorded."""
    if main in run.loops:
        return int(run.loops[main]["iterations"])
    heads = (border.position.split("/")[0] for border in run.borders)
    return max((int(head.rpartition(":")[2]) for head in heads if head.startswith(f"{main}:")), default=-1) + 1


def numbers_of(text: str, count: int | None, refusal: str) -> list[int]:
    """What `5,8,20:40:5,last` names, in order, each once. The end of a range may lie behind the last.

    Args:
        count: how many there are; None if that is not known.
    Raises:
        UsageError: it names one that is not there, or cannot be read.
    """
    found: set[int] = set()
    for part in text.split(","):
        words = ["-1" if word.strip() == "last" else word.strip() for word in part.split(":")]
        try:
            numbers = [int(word) if word else None for word in words]
        except ValueError:
            numbers = []
        if not 1 <= len(numbers) <= 3 or numbers == [None] or numbers[2:] == [0]:
            raise UsageError(f"not a choice of iterations: {part}", "", "write 5,8,20:40:5,last")
        if count is None and (numbers[-1] is None or len(numbers) == 2 and numbers[1] is None or any((n or 0) < 0 for n in numbers)):
            raise UsageError(f"not a choice of steps: {part}", "how many there are is not known", "write 0:100:10")
        all_numbers = range(count if count is not None else max(n or 0 for n in numbers) + 1)
        if len(numbers) > 1:
            chosen = list(all_numbers[slice(*numbers)])
        else:
            number = numbers[0] or 0
            chosen = [all_numbers[number]] if -len(all_numbers) <= number < len(all_numbers) else []
        if not chosen:
            raise UsageError(f"{refusal} {part!r}", f"there are {count}, from 0" if count else "there is none", "choose others")
        found.update(chosen)
    return sorted(found)


def _size_of(text: str, count: int) -> int:
    try:
        size = round(float(text[:-1]) / 100 * count) if text.endswith("%") else int(text)
    except ValueError:
        size = 0
    if size <= 0 and not (text.endswith("%") and text[:-1].strip("0.")):
        raise UsageError(f"not a sample: {text}", "", "write 10% or 3")
    return min(max(size, 1), count)


def _holding(run: Run, condition: str, chosen: list[int]) -> list[int]:
    """Those iterations in which a condition holds on the values that were logged last."""
    try:
        tree = ast.parse(condition, mode="eval")
    except SyntaxError:
        raise UsageError(f"not a condition: {condition}", "", "write --where 'loss > 3'") from None
    if other := next((node for node in ast.walk(tree) if not isinstance(node, _SHAPES)), None):
        raise UsageError(f"not a condition: {condition}", f"{type(other).__name__} is not allowed", "compare numbers and names")
    values: dict[int, dict[str, Any]] = {}
    for each in run.values:
        values.setdefault(each["iteration"], {})[each["name"]] = each["value"]
    known = {name for each in values.values() for name in each}
    wanted = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {EPOCH}
    if missing := sorted(wanted - known):
        raise UsageError(f"no value {missing[0]} was logged", f"there are {', '.join(sorted(known)) or 'none'}",
                         "values are what hindsight.log was given")
    code = compile(tree, "--where", "eval")
    found = []
    for number in chosen:
        space = {**values.get(number, {}), EPOCH: number}
        if wanted <= space.keys():
            try:
                if eval(code, {"__builtins__": {}}, space):
                    found.append(number)
            except (TypeError, ZeroDivisionError, ValueError) as error:
                raise UsageError(f"{condition} cannot be decided for epoch {number}", str(error), "compare numbers") from None
    return found
