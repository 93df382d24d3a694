"""What was added to a module since it was recorded; anything else than an insertion is a change."""

from __future__ import annotations

import ast
import difflib
import functools
from typing import Any, Iterator

from rex.errors import UsageError
from rex.hindsight.instrument.rewrite import ModulePlan, SiteFacts, plan_module
from rex.values import dataclass, field

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)


@dataclass(slots=True)
class Probe:
    """A statement that was added.

    Attributes:
        sites: names of the loops of its function around it.
        function: marker of the function that it stands in; "" at the top of the module.
        names: that it mentions.
        changes: a variable of the program that it assigns to, an attribute or an item; "" if none.
        touched: of the names, those whose objects it may change, as far as can be seen.
    """

    line: int
    text: str
    sites: tuple[str, ...]
    function: str
    names: frozenset[str]
    changes: str = ""
    touched: frozenset[str] = frozenset()


@dataclass(slots=True)
class Changes:
    """A module of now, seen from its recording."""

    plan: ModulePlan
    probes: list[Probe] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


class _Aligner:
    """Matches statements of the recorded tree with those of the new one, in order."""

    def __init__(self) -> None:
        self.pairs: dict[ast.AST, ast.AST] = {}     # new to old
        self.added: list[ast.AST] = []
        self.removed: list[ast.AST] = []

    def lists(self, old: list[Any], new: list[Any]) -> None:
        """Match two lists of statements: equal ones first, then those that hold additions."""
        matcher = difflib.SequenceMatcher(None, [_text(n) for n in old], [_text(n) for n in new],
                                          autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag == "equal":
                for one, other in zip(old[i1:i2], new[j1:j2]):
                    self._equal(one, other)
            else:
                self._embed(old[i1:i2], new[j1:j2])

    def _embed(self, old: list[Any], new: list[Any]) -> None:
        at = 0
        for one in old:
            place = next((p for p in range(at, len(new)) if _is_kin(one, new[p])), None)
            if place is None:   # something was removed inside, perhaps
                place = next((p for p in range(at, len(new)) if _has_same_head(one, new[p])), None)
            if place is None:
                self.removed.append(one)
                continue
            self.added += new[at:place]
            self._inside(one, new[place])
            at = place + 1
        self.added += new[at:]

    def _inside(self, one: Any, other: Any) -> None:
        self.pairs[other] = one
        for name in _BODIES:
            if hasattr(one, name):
                self.lists(getattr(one, name), getattr(other, name))

    def _equal(self, one: ast.AST, other: ast.AST) -> None:
        self.pairs.update(zip(ast.walk(other), ast.walk(one)))


@functools.lru_cache(maxsize=None)
def _text(node: ast.AST) -> str:
    return ast.dump(node, include_attributes=False)


@functools.lru_cache(maxsize=None)
def _head(node: ast.AST) -> str:
    """A statement without its bodies."""
    return type(node).__name__ + "".join(
        ast.dump(item) if isinstance(item, ast.AST) else
        "".join(ast.dump(each) if isinstance(each, ast.AST) else repr(each) for each in item)
        if isinstance(item, list) else repr(item)
        for name, item in ast.iter_fields(node) if name not in _BODIES)


def _is_kin(one: ast.AST, other: ast.AST) -> bool:
    """Whether the other may be the first with statements added inside."""
    if not _has_same_head(one, other):
        return False
    aligner = _Aligner()
    aligner._inside(one, other)
    return not aligner.removed


def _has_same_head(one: ast.AST, other: ast.AST) -> bool:
    return (type(one) is type(other) and any(hasattr(one, name) for name in _BODIES)
            and _head(one) == _head(other))


def compare(recorded: str, now: str, module: str, path: str) -> Changes:
    """Align a module with its recording; loops keep the names that they had.

    Raises:
        UsageError: the module cannot be parsed, or an addition changes the flow of control.
    """
    old = plan_module(recorded, module, path)
    try:
        tree = ast.parse(now, path)
    except SyntaxError as error:
        raise UsageError(f"{path} line {error.lineno} cannot be parsed", error.msg) from None
    aligner = _Aligner()
    aligner.lists(old.tree.body, tree.body)
    plan = ModulePlan(tree)
    for new, one in aligner.pairs.items():
        if one in old.loops:
            plan.loops[new] = old.loops[one]
        if one in old.functions:
            plan.functions[new] = old.functions[one]
    plan.qualnames = old.qualnames
    plan.probes = set(aligner.added)
    found = Changes(plan, removed=[ast.unparse(node) for node in aligner.removed])
    _find_probes(tree, (), "", plan, found, path)
    bound = {name for probe in aligner.added for name in _bound(probe)}
    own = _bound(old.tree)
    plan.kept = bound - own
    for probe, node in zip(found.probes, _in_order(tree, plan.probes)):
        probe.changes = _changed(node, own)
    return found


def _find_probes(node: ast.AST, sites: tuple[SiteFacts, ...], function: str, plan: ModulePlan,
                 found: Changes, path: str) -> None:
    for child in ast.iter_child_nodes(node):
        if child in plan.probes:
            _refuse_leaving(child, path)
            found.probes.append(Probe(child.lineno, ast.unparse(child),   # type: ignore[attr-defined]
                                      tuple(site.key for site in sites), function, _names(child), touched=frozenset(_touched(child))))
        elif child in plan.functions:
            _find_probes(child, (), plan.functions[child], plan, found, path)
        else:
            inner = (*sites, plan.loops[child]) if child in plan.loops else sites
            _find_probes(child, inner, function, plan, found, path)


def _refuse_leaving(probe: ast.AST, path: str) -> None:
    """Additions must leave the flow of control alone.

    Raises:
        UsageError: this one would not.
    """
    queue = [(probe, False)]
    while queue:
        node, is_in_loop = queue.pop()
        if isinstance(node, _LEAVING) and not (is_in_loop and isinstance(node, (ast.Break, ast.Continue))):
            raise UsageError(f"{path} line {getattr(node, 'lineno', 0)}: {ast.unparse(node)[:60]}",
                             "an added statement must not leave the code around it",
                             "add statements that only look")
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            is_in_loop = is_in_loop or isinstance(node, (ast.For, ast.While))
            queue += [(child, is_in_loop) for child in ast.iter_child_nodes(node)]


def _in_order(node: ast.AST, probes: set[ast.AST]) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if child in probes:
            yield child
        else:
            yield from _in_order(child, probes)


def _changed(probe: ast.AST, own: set[str]) -> str:
    for node in _walk_own(probe):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)) or isinstance(
                node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)) and node.id in own:
            return ast.unparse(node)
    return ""


def _bound(node: ast.AST) -> set[str]:
    return {name for each in _walk_own(node) for name in _bound_here(each)}


def _walk_own(node: ast.AST) -> Iterator[ast.AST]:
    """A tree without the variables of comprehensions, which are their own."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.comprehension) and child is node.target):
            yield from _walk_own(child)


def _bound_here(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        return {node.id}
    if isinstance(node, ast.alias):
        return {(node.asname or node.name).partition(".")[0]}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    return set()


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


_LOOKING = frozenset("print len repr str format type isinstance id float int bool abs round hash callable".split())
_PURE = (ast.Expr, ast.If, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Tuple, ast.List, ast.JoinedStr,
         ast.FormattedValue, ast.keyword)


def _touched(node: ast.AST) -> Iterator[str]:
    """Names whose objects a statement may change: not those that it only prints or compares."""
    is_looking = isinstance(node, _PURE) or isinstance(node, ast.Call) and isinstance(
        node.func, ast.Name) and node.func.id in _LOOKING or isinstance(node, ast.Compare) and not any(
        isinstance(each, (ast.In, ast.NotIn)) for each in node.ops)
    if not is_looking:
        yield from _names(node)
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Name):
            yield from _touched(child)


def unified(recorded: str, now: str, path: str) -> str:
    """The difference as text."""
    return "".join(difflib.unified_diff(recorded.splitlines(True), now.splitlines(True),
                                        f"{path} (recorded)", f"{path} (now)", n=1))


def describe_refusal(path: str, removed: list[str], diff: str) -> UsageError:
    """The refusal of a module whose code changed otherwise than by additions."""
    first: Any = removed[0].splitlines()[0]
    error = UsageError(f"{path} was changed, not only added to", f"no longer there: {first}",
                       "restore it, or replay with --allow-changes")
    error.add_note(diff)
    return error
