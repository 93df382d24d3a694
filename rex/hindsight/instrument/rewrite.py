"""Rewrite the user's modules: loops tell where they begin, turn and end; probes are fenced.

    for x in xs: ...        if _rex_3 is None or _rex_3.enter():
                                for x in xs if _rex_3 is None else _rex_3.loop(xs): ...
                                if _rex_3 is not None: _rex_3.done()

A site that is switched off is None, and costs a look at a global. Nothing is done within the loop. Line
numbers stay. Loops in generators, coroutines and class bodies are left alone.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import types
from typing import Any, Iterator

from rex.hindsight.trainers import Trainer
from rex.values import dataclass, field

PREFIX = "_rex_"
PROBE = PREFIX + "probe"
MARKER = PREFIX + "f"     # and a number
_LOOPS = (ast.For, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(slots=True)
class SiteFacts:
    """A loop in the source as it was recorded.

    Attributes:
        name: of the variable that switches it, unique in its module.
        identity: qualified name, hash of the normalized code, ordinal among equals.
        is_by_hand: marked with hindsight.loop or hindsight.skip_block: never left alone.
        inside: names of the sites of the same function around it.
        drops: variables and attributes that nothing reads any more once it is over: they are set to None then.
    """

    name: str
    module: str
    qualname: str
    line: int
    identity: str
    is_while: bool
    is_by_hand: bool = False
    inside: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What positions call it."""
        return f"{self.module}#{self.name.removeprefix(PREFIX)}"


@dataclass(slots=True)
class ModulePlan:
    """What of a module's tree is to be rewritten.

    Attributes:
        loops: sites by their node.
        functions: the marker's name by function node.
        probes: statements that were added since the recording.
        kept: names that those statements bind.
    """

    tree: ast.Module
    loops: dict[ast.AST, SiteFacts] = field(default_factory=dict)
    functions: dict[ast.AST, str] = field(default_factory=dict)
    qualnames: dict[str, str] = field(default_factory=dict)
    probes: set[ast.AST] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)


def plan_module(source: str | bytes, module: str, path: str = "<source>") -> ModulePlan:
    """Find the loops and functions of a module.

    Raises:
        SyntaxError: as compiling it.
    """
    plan = ModulePlan(ast.parse(source, path))
    for node, qualname, inside in _walk(plan.tree, "", ()):
        if isinstance(node, _FUNCTIONS):
            name = f"{MARKER}{len(plan.functions)}"
            plan.functions[node] = name
            plan.qualnames[name] = qualname
        else:
            _add_loop(plan, node, module, qualname, inside)
    return plan


def _add_loop(plan: ModulePlan, node: Any, module: str, qualname: str, inside: tuple[ast.AST, ...]) -> None:
    text = ast.dump(node, include_attributes=False)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    key = f"{module}:{qualname}:{digest}"
    ordinal = sum(facts.identity.startswith(f"{key}:") for facts in plan.loops.values())
    plan.loops[node] = SiteFacts(
        f"{PREFIX}{len(plan.loops)}", module, qualname or "<module>", node.lineno,
        f"{key}:{ordinal}", isinstance(node, ast.While), _is_marked(node),
        tuple(plan.loops[loop].name for loop in inside))


def plan_trainer(source: str | bytes, trainer: Trainer, path: str = "<source>") -> ModulePlan:
    """Find the loops of a library's training functions, and what they call to compute.

    Raises:
        SyntaxError: as compiling it.
    """
    plan = ModulePlan(ast.parse(source, path))
    functions: dict[str, ast.AST] = {}
    for function, qualname, _ in list(_walk(plan.tree, "", ())):
        if isinstance(function, _FUNCTIONS) and qualname in trainer.functions:
            functions[qualname] = function
            loops = [node for node in ast.walk(function) if isinstance(node, _LOOPS) and _calls(node, trainer.trains)]
            for body in [loop.body for loop in loops] or [function.body]:
                _make_block(body, trainer.trains)
    for node, qualname, inside in _walk(plan.tree, "", ()):
        if not isinstance(node, _FUNCTIONS) and qualname in trainer.functions and (
                not trainer.trains or _calls(node, trainer.trains)):
            _add_loop(plan, node, trainer.module, qualname, inside)
            if getattr(node, "is_block", False) if trainer.trains else not inside:
                plan.loops[node].drops = tuple(name for name in trainer.drops if "." in name or _is_set_in(functions[qualname], name))
    return plan


def _is_set_in(function: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in ast.walk(function))


def _make_block(body: list[Any], calls: tuple[str, ...]) -> None:
    """Put the statements of a loop's body, or a function's, that compute into one of their own, `if True:`."""
    places = [place for place, statement in enumerate(body) if _calls(statement, calls)]
    if len(places) == 1 and isinstance(only := body[places[0]], (ast.Try, ast.With)):
        _make_block(only.body, calls)
    elif places:
        first, last = places[0], places[-1] + 1
        block: Any = ast.If(ast.Constant(True), body[first:last], [])
        block.is_block = True
        body[first:last] = [ast.fix_missing_locations(ast.copy_location(block, body[first]))]


def _calls(statement: ast.AST, names: tuple[str, ...]) -> bool:
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) in names for node in ast.walk(statement))


def empty_plan() -> ModulePlan:
    """The plan of a module that is run as it is."""
    return ModulePlan(ast.Module([], []))


def _walk(node: ast.AST, qualname: str,
          inside: tuple[ast.AST, ...] | None) -> Iterator[tuple[Any, str, tuple[ast.AST, ...]]]:
    """Loops and functions in order; inside is None where loops are left alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _FUNCTIONS):
            name = f"{qualname}.{child.name}" if qualname else child.name
            yield child, name, ()
            is_plain = isinstance(child, ast.FunctionDef) and not _yields(child)
            yield from _walk(child, f"{name}.<locals>", () if is_plain else None)
        elif isinstance(child, ast.ClassDef):
            name = f"{qualname}.{child.name}" if qualname else child.name
            yield from _walk(child, name, None)
        elif (isinstance(child, _LOOPS) or isinstance(child, ast.With) and _is_marked(child)
                or getattr(child, "is_block", False)) and inside is not None:
            yield child, qualname.removesuffix(".<locals>"), inside
            yield from _walk(child, qualname, (*inside, child))
        elif not isinstance(child, ast.Lambda):
            yield from _walk(child, qualname, inside)


def _is_marked(node: Any) -> bool:
    """Whether the user marked a loop or a block: `for .. in loop(..)`, `with skip_block(..)`."""
    if isinstance(node, ast.For):
        call, wanted = node.iter, "loop"
    elif isinstance(node, ast.With) and len(node.items) == 1:
        call, wanted = node.items[0].context_expr, "skip_block"
    else:
        return False
    if not isinstance(call, ast.Call):
        return False
    name = call.func
    return (isinstance(name, ast.Name) and name.id == wanted or isinstance(name, ast.Attribute)
            and name.attr == wanted and isinstance(name.value, ast.Name)
            and name.value.id == "hindsight")


def _yields(function: ast.AST) -> bool:
    queue = list(ast.iter_child_nodes(function))
    while queue:
        node = queue.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            queue += ast.iter_child_nodes(node)
    return False


class _Rewriter(ast.NodeTransformer):
    def __init__(self, plan: ModulePlan) -> None:
        self._plan = plan

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if node in self._plan.probes:
            return node   # its loops are its own
        return super().generic_visit(node)

    def visit_For(self, node: ast.For) -> Any:
        site = self._plan.loops.get(node)
        self.generic_visit(node)
        if site is None or node in self._plan.probes:
            return node
        call = _expression(f"0 if {site.name} is None else {site.name}.loop(0)", node.iter)
        call.body, call.orelse.args = node.iter, [copy.deepcopy(node.iter)]
        node.iter = call
        node.orelse.insert(0, _ran_out(site, node))
        return _guarded(site, node)

    def visit_While(self, node: ast.While) -> Any:
        site = self._plan.loops.get(node)
        self.generic_visit(node)
        if site is None or node in self._plan.probes:
            return node
        tick = _expression(f"{site.name}w is None or {site.name}w()", node)
        if isinstance(node.test, ast.Constant) and node.test.value:
            node.test = tick
        else:
            node.test = ast.copy_location(ast.BoolOp(ast.And(), [tick, node.test]), node.test)
        node.orelse.insert(0, _ran_out(site, node))
        return _guarded(site, node)

    def visit_With(self, node: ast.With | ast.If) -> Any:
        site = self._plan.loops.get(node)
        self.generic_visit(node)
        return _guarded(site, node) if site is not None else node

    def visit_If(self, node: ast.If) -> Any:
        return self.visit_With(node)    # a block of a library's loop

    def _visit_function(self, node: Any) -> Any:
        self.generic_visit(node)
        name = self._plan.functions.get(node)
        if name is None:
            return node
        where = 1 if ast.get_docstring(node, clean=False) is not None else 0
        mark = ast.parse(f"if {name} is not None: {name}()").body[0]
        node.body.insert(where, _placed(mark, node.body[where] if where < len(node.body)
                                        else node))
        return node

    visit_FunctionDef = _visit_function
    visit_AsyncFunctionDef = _visit_function


def _placed(node: Any, like: ast.AST) -> Any:
    for each in ast.walk(node):
        ast.copy_location(each, like)
    return node


def _expression(text: str, like: ast.AST) -> Any:
    return _placed(ast.parse(text, mode="eval").body, like)


def _ran_out(site: SiteFacts, loop: ast.AST) -> ast.stmt:
    """What comes first in a loop's `else`: it ended by itself, not by break."""
    told: ast.stmt = _placed(ast.parse(f"if {site.name} is not None: {site.name}.ran_out()").body[0], loop)
    return told


def _guarded(site: SiteFacts, loop: Any) -> ast.If:
    name = site.name
    # Another version of the library may have no such attribute.
    dropped = "".join(f"try: {place} = None\n except AttributeError: pass\n " for place in site.drops)
    guard = ast.parse(f"if {name} is None or {name}.enter():\n 0\n {dropped}"
                      f"if {name} is not None: {name}.done()").body[0]
    assert isinstance(guard, ast.If)
    _placed(guard, loop)
    guard.body[0] = loop
    return guard


class _Fences(ast.NodeTransformer):
    """Put each run of added statements into `with _rex_probe:`.

    `if step % 100 == 0: ...` is fenced within, where its test looks at nothing but counters: the fence costs more than the test.
    """

    def __init__(self, probes: set[ast.AST]) -> None:
        self._probes = probes
        self._counters: set[str] = set()     # of the function at hand

    def generic_visit(self, node: ast.AST) -> ast.AST:
        around = self._counters
        if isinstance(node, (ast.Module, *_FUNCTIONS)):
            self._counters = _counters(node, self._probes)
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                setattr(node, name, self._fenced(statements))
        for child in ast.iter_child_nodes(node):
            if child not in self._probes and not getattr(child, "is_fence", False):
                self.generic_visit(child)
        self._counters = around
        return node

    def _fenced(self, statements: list[Any]) -> list[Any]:
        result: list[Any] = []
        for statement in statements:
            if statement not in self._probes or isinstance(statement, (ast.Global, ast.Nonlocal)) \
                    or _is_future(statement):
                result.append(statement)
                continue
            last = result[-1] if result else None
            test = self._counted(statement)
            if test is not None:
                self._probes.add(test)
                test.body = [_fence(statement, test.body)]
                result.append(test)
            elif isinstance(last, ast.With) and getattr(last, "is_fence", False):
                last.body.append(statement)
            else:
                result.append(_fence(statement, [statement]))
        return result

    def _counted(self, statement: ast.stmt) -> ast.If | None:
        """A statement as an `if` whose test cannot do anything but count; None if it is no such."""
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.IfExp) and isinstance(
                statement.value.orelse, ast.Constant):
            value = statement.value
            body: list[ast.stmt] = [ast.copy_location(ast.Expr(value.body), statement)]
            statement = ast.copy_location(ast.If(value.test, body, []), statement)
        is_counted = isinstance(statement, ast.If) and not statement.orelse and all(
            node.id in self._counters if isinstance(node, ast.Name) else isinstance(node, _COUNTING)
            for node in ast.walk(statement.test))
        return statement if is_counted else None   # type: ignore[return-value]


_COUNTING = (ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop,
             ast.Constant, ast.expr_context)


def _counters(function: ast.AST, probes: set[ast.AST]) -> set[str]:
    """Variables of a function that nothing but loops over `range` and `enumerate` sets: they are whole numbers."""
    counters: set[ast.AST] = set()
    names: list[ast.Name] = []
    queue = list(ast.iter_child_nodes(function))
    while queue:
        node = queue.pop()
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name):
            called, target = node.iter.func.id, node.target
            if called == "enumerate" and isinstance(target, ast.Tuple):
                counters.add(target.elts[0])
            elif called == "range":
                counters.add(target)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node)
        if node not in probes and not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            queue += ast.iter_child_nodes(node)
    return {name.id for name in names if name in counters} - {name.id for name in names if name not in counters}


def _fence(like: ast.AST, body: list[ast.stmt]) -> ast.With:
    fence: Any = ast.With([ast.withitem(ast.Name(PROBE, ast.Load()), None)], [], None)
    fence.is_fence = True
    _placed(fence, like)
    fence.body = body
    return fence   # type: ignore[no-any-return]


def _is_future(statement: ast.AST) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def rewrite(plan: ModulePlan, path: str) -> types.CodeType:
    """Compile a module with its loops instrumented and its probes fenced."""
    _Fences(plan.probes).generic_visit(plan.tree)
    tree = _Rewriter(plan).visit(plan.tree)
    code: types.CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code
