"""Walk live objects as the C pickler sees them: sharing, parts, names in functions, a pickle."""

from __future__ import annotations

import enum
import gc
import io
import pickle
import sys
import types
import warnings
from typing import Any, Callable

from cloudpickle import cloudpickle

from rex.state import arrays, build, declared, pandas_refs, system, tensors
from rex.state.importable import forget_importable, is_importable
from rex.state.kinds import PLAIN, SHARED, Kinds, foreign_root, is_machinery, is_open_file
from rex.state.names import names_of
from rex.state.parts import LivePart, PartScanner, flatten
from rex.state.widgets import callbacks, is_widget, reduce_widget

# Smaller leaves stay in the pickle.
PART_ITEMS, PART_BYTES = 1024, 64 << 10
_MAX_REACHED = 2_000_000

Join = Callable[[str, str], None]
_code_bytes: dict[int, tuple[types.CodeType, bytes]] = {}


class Scene:
    """What the walks after one cell have in common.

    Attributes:
        owners: the first variable that reached an object, by the object's id. The walkers
            keep alive what they saw, temporaries included, so that no id comes back.
        known: parts as of the last look, by the id of their object.
    """

    def __init__(self, namespace: dict[str, Any], scanner: PartScanner,
                 known: dict[int, LivePart]) -> None:
        self.namespace = namespace
        self.scanner = scanner
        self.known = known
        self.owners: dict[Any, str] = {}
        self.leaders: dict[str, str] = {}
        self.kept: list[Any] = []
        # Addresses of arrays and of tensors over foreign memory: begin, end, owner.
        self.memory: list[tuple[int, int, str]] = []

    def leader(self, name: str) -> str:
        """One name that stands for all that overlap with this one."""
        leaders = self.leaders
        while (above := leaders.setdefault(name, name)) != name:
            leaders[name] = leaders.setdefault(above, above)
            name = above
        return name

    def join(self, one: str, other: str) -> None:
        """Learn that two variables share an object."""
        self.leaders[self.leader(one)] = self.leader(other)

    def join_overlaps(self) -> None:
        """Join variables whose memory overlaps though no object of theirs is the same."""
        last_end, last_owner = 0, ""
        for begin, end, owner in sorted(self.memory):
            if begin < last_end and owner != last_owner:
                self.join(owner, last_owner)
            if end > last_end:
                last_end, last_owner = end, owner
        self.memory = []

    def anew(self) -> "Scene":
        """A scene that knows the same parts, and of no sharing yet."""
        below = Scene(self.namespace, self.scanner, self.known)
        self.kept.append(below)
        return below

    def release(self) -> None:
        """Let go of the user's objects at once; the walkers are in cycles with their hooks."""
        for kept in self.kept:
            if isinstance(kept, Scene):
                kept.release()
            else:
                kept.clear_memo()
                kept.part_objects, kept.own_states = [], []
        self.kept.clear()


class _Walking:
    """The hooks; a pickler comes beside it."""

    def begin(self, scene: Scene, file: io.BytesIO) -> None:
        self.scene, self.file, self.owner = scene, file, ""
        self.parts: list[LivePart] = []
        self.part_ids: dict[int, tuple[object, ...]] = {}
        self.part_objects: list[object] = []          # kept alive, and given to the loader
        self.out_of_band: list[tuple[int, bool]] = []
        self.codes: set[str] = set()
        self.types: dict[type, bool] = {}     # whether they tell their own state
        self.own_states: list[tuple[type, object]] = []     # that classes returned
        self._cells: set[int] = set()
        self.persistent_id = _make_hook(self)   # picklers take it when they are made

    def share(self, value: object) -> None:
        owner = self.scene.owners.setdefault(id(value), self.owner)
        if owner != self.owner:
            self.scene.join(owner, self.owner)

    def part(self, value: object, scan: Callable[[LivePart | None], LivePart | None],
             *facts: object) -> object:
        """The persistent id of a part; None if it turns out to be none."""
        known = self.part_ids.get(id(value))
        if known is None:
            live = scan(self.scene.known.get(id(value)))
            if live is None:
                return None
            self.scene.known[id(value)] = live   # a second walk must not ask the kernel again
            known = self.part_ids[id(value)] = (facts[0], len(self.parts), *facts[1:])
            self.parts.append(live)
            self.part_objects.append(value)
        return known

    def buffer(self, buffer: pickle.PickleBuffer) -> bool:
        """Take a protocol-5 buffer of some library out of the pickle."""
        try:
            raw = buffer.raw()
        except BufferError:
            return True
        if raw.nbytes < arrays.ARRAY_BYTES:
            return True
        self.out_of_band.append((len(self.parts), raw.readonly))
        self.parts.append(self.scene.scanner.bytes_like(raw))
        self.part_objects.append(buffer)
        return False

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        has_hook = self.types.get(kind)
        if has_hook is None:
            has_hook = self.types[kind] = declared.has_hook(kind)
        if kind is types.FunctionType:
            if is_importable(value):
                return NotImplemented
            return self._reduce_function(value)
        if kind is types.CellType:
            if id(value) in self._cells:
                return build.make_cell, ()
            return build.make_cell, (), build.cell_state(value), None, None, build.set_cell
        if has_hook:
            state = declared.own_state(value)
            self.own_states.append((kind, state))
            return build.make_own, (kind,), (state,), None, None, build.set_own
        if (reduce := _REDUCERS.get((kind.__module__, kind.__name__))) is not None:
            return reduce(value)
        if is_open_file(value) or kind.__name__ == "memmap":
            if is_widget(kind):
                _reach_below(self, callbacks(value), {id(value)})
                return reduce_widget(value)
            raise pickle.PicklingError(f"an open file ({kind.__name__})")
        if isinstance(value, enum.EnumMeta) and not is_importable(value) and _has_noted_members(value):
            raise pickle.PicklingError("attributes of an enum's members")
        reduced = super().reducer_override(value) if isinstance(
            self, cloudpickle.Pickler) else NotImplemented   # type: ignore[misc]
        if isinstance(reduced, tuple) and len(reduced) == 6 and issubclass(kind, type):
            return (*reduced[:5], build.set_class)
        return reduced

    def _reduce_function(self, function: types.FunctionType) -> Any:
        code = function.__code__
        if function.__globals__ is self.scene.namespace:
            self.codes |= names_of(code)
            namespace: Any = function.__globals__
        else:
            namespace = _Globals(function)
        known = _code_bytes.get(id(code))
        if known is None:
            known = _code_bytes[id(code)] = (code, cloudpickle.dumps(code, protocol=5))
        self._cells.update(map(id, function.__closure__ or ()))
        return (build.make_function, (known[1], namespace, function.__name__,
                                      function.__closure__),
                build.function_state(function), None, None, build.set_function)


def _has_noted_members(kind: Any) -> bool:
    """Whether members of an enum have attributes of their own, which pickles leave out."""
    return any(not (name.startswith("_") and name.endswith("_"))
               for member in kind for name in getattr(member, "__dict__", ()))


def _make_hook(walker: _Walking) -> Callable[[Any], object]:
    """The function that picklers call for every object: what costs here costs always."""
    scene, kinds = walker.scene, KINDS
    claim = scene.owners.setdefault

    def persistent_id(value: Any) -> object:
        kind = type(value)
        if kind is str:
            return None if len(value) < PART_BYTES else _walk_text(walker, value)
        treatment = kinds[kind]
        if treatment is PLAIN:
            return None
        if treatment is SHARED or kind is tuple and value:
            owner = walker.owner
            if claim(id(value), owner) != owner:
                scene.join(scene.owners[id(value)], owner)
            return None
        return treatment(walker, value)

    return persistent_id


class _Globals:
    """Stands for the globals of a function that some module made."""

    def __init__(self, function: types.FunctionType) -> None:
        self.name = function.__globals__.get("__name__")
        module = sys.modules.get(self.name) if isinstance(self.name, str) else None
        if module is None or vars(module) is not function.__globals__:
            raise pickle.PicklingError(f"function {function.__qualname__} has globals of its own")

    def __reduce__(self) -> Any:
        return build.module_globals, (self.name,)


class CloudWalker(_Walking, cloudpickle.Pickler):
    """Walks and pickles with the C pickler."""

    engine = "cloudpickle"

    def __init__(self, scene: Scene) -> None:
        self.begin(scene, io.BytesIO())
        super().__init__(self.file, protocol=5, buffer_callback=self.buffer)


def _make_dill_walker(scene: Scene) -> "_Walking":
    """Walks and pickles with dill, in Python: slow, for what cloudpickle cannot."""
    import dill

    class DillWalker(_Walking, dill.Pickler):   # type: ignore[misc]
        engine = "dill"

        def __init__(self) -> None:
            self.begin(scene, io.BytesIO())
            super().__init__(self.file, protocol=5, buffer_callback=self.buffer, recurse=True)

    return DillWalker()


def walk(scene: Scene, names: tuple[str, ...]) -> tuple[Any, str]:
    """Walk variables in order with one memo: the walker, and why it failed ("" if not)."""
    first = ""
    for make in (CloudWalker, _make_dill_walker):
        if make is _make_dill_walker and not _may_dill_help(first):
            break
        walker = None
        try:
            walker = make(scene)
            scene.kept.append(walker)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")   # dill warns of what it then raises
                for name in names:
                    walker.owner = name
                    walker.dump(scene.namespace[name])
            return walker, ""
        except Exception as error:   # objects raise what they like
            first = first or _blamed(scene, walker) or f"{type(error).__name__}: {error}"
            forget_importable()
    return walker, first


def _blamed(scene: Scene, walker: Any) -> str:
    """Which class returned a state that cannot be stored, and why; "" if none did."""
    for kind, state in reversed(walker.own_states if walker is not None else []):
        again = CloudWalker(scene.anew())
        scene.kept.append(again)
        try:
            again.dump(state)
        except Exception as error:   # objects raise what they like
            return f"{kind.__qualname__}.{declared.SAVE} returned what cannot be stored: {type(error).__name__}: {error}"
    return ""


def _may_dill_help(failure: str) -> bool:
    # Nothing loads these, and dill would reopen (and truncate) files or take minutes.
    return not any(word in failure for word in ("an open file", "generator", "share memory", "RecursionError",
                                                "recursion", "globals of its own", declared.SAVE, declared.WHY_NEVER))


def reach(scene: Scene, name: str) -> set[str]:
    """Find by the garbage collector's view what a variable shares that cannot be pickled.

    Returns:
        The names in the functions that it reaches.
    """
    walker = _Walking()
    walker.begin(scene, io.BytesIO())
    walker.owner = name
    _reach_below(walker, [scene.namespace[name]], set())
    return walker.codes


def _reach_below(walker: _Walking, queue: list[Any], seen: set[int]) -> None:
    """Share what is reached by the garbage collector's view, but for what was seen, and note the names in its functions."""
    scene = walker.scene
    while queue and len(seen) < _MAX_REACHED:
        value = queue.pop()
        kind = type(value)
        treatment = PLAIN if kind in (str, bytes) else KINDS[kind]
        if id(value) in seen or treatment in (PLAIN, _walk_left) or value is scene.namespace or is_machinery(kind):
            continue
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)) \
                and is_importable(value) or kind is types.ModuleType and is_known_module(value):
            continue
        seen.add(id(value))
        if kind is types.FrameType and value.f_globals is scene.namespace:
            walker.codes |= names_of(value.f_code)
        if kind in (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType):
            walker.codes |= names_of(getattr(value, "gi_code", None)
                                     or getattr(value, "cr_code", None) or value.ag_code)
        if kind is types.FunctionType:
            walker.share(value)
            walker.codes |= names_of(value.__code__)
            # Not its globals: they are the namespace, or a whole module.
            queue += [value.__closure__, value.__defaults__, value.__kwdefaults__,
                      value.__dict__]
            continue
        if kind is not tuple or value:
            walker.share(value)
        queue += gc.get_referents(value)


def _walk_list(walker: _Walking, value: list[Any]) -> object:
    walker.share(value)
    if len(value) < PART_ITEMS:
        return None
    scanner = walker.scene.scanner
    found = walker.part(value, lambda old: scanner.items(old, value), "list")
    if found is None and (rows := flatten(value)) is not None:
        found = walker.part(value, lambda old: scanner.rows(old, rows), rows.layout, rows.kind, rows.width, len(value))
    return found


def _walk_dict(walker: _Walking, value: dict[Any, Any]) -> object:
    if value is walker.scene.namespace:
        return ("namespace",)
    walker.share(value)
    if len(value) < PART_ITEMS:
        return None
    return walker.part(value, lambda old: walker.scene.scanner.items(
        old, [*value, *value.values()]), "dict")


def _walk_set(walker: _Walking, value: set[Any]) -> object:
    walker.share(value)
    if len(value) < PART_ITEMS:
        return None
    return walker.part(value, lambda old: walker.scene.scanner.items(old, [*value]), "set")


def _walk_tuple(walker: _Walking, value: tuple[Any, ...]) -> object:
    if value:   # the empty one is everybody's
        walker.share(value)
    return None


def _walk_text(walker: _Walking, value: str | bytes) -> object:
    if len(value) < PART_BYTES:
        return None
    return walker.part(value, lambda old: walker.scene.scanner.constant(old, value), "constant")


def _walk_bytearray(walker: _Walking, value: bytearray) -> object:
    walker.share(value)
    if len(value) < PART_BYTES:
        return None
    import ctypes
    address = ctypes.addressof(ctypes.c_char.from_buffer(value))
    return walker.part(value, lambda old: walker.scene.scanner.memory(old, address, len(value)),
                       "bytearray")


def _walk_class(walker: _Walking, value: type) -> object:
    if not is_importable(value):
        walker.share(value)
    return None


def _walk_builtin(walker: _Walking, value: types.BuiltinFunctionType) -> object:
    if not isinstance(value.__self__, (types.ModuleType, type(None))):
        walker.share(value)
    return None


def _walk_module(walker: _Walking, value: types.ModuleType) -> object:
    if not is_known_module(value):
        walker.share(value)
    return None


def _walk_never(walker: _Walking, value: object) -> object:
    raise pickle.PicklingError(f"{type(value).__qualname__} {declared.WHY_NEVER}")


def _walk_left(walker: _Walking, value: object) -> object:
    return "left", declared.key_of_left(value), type(value).__qualname__


def is_known_module(value: types.ModuleType) -> bool:
    """Whether a module can be imported; others are plain containers."""
    return sys.modules.get(value.__name__) is value


_REDUCERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    **system.REDUCERS, **arrays.REDUCERS, **pandas_refs.REDUCERS, **tensors.REDUCERS}

KINDS = Kinds({list: _walk_list, dict: _walk_dict, set: _walk_set, tuple: _walk_tuple,
               frozenset: _walk_tuple, str: _walk_text, bytes: _walk_text,
               bytearray: _walk_bytearray, types.FunctionType: _walk_class,
               types.BuiltinFunctionType: _walk_builtin,
               types.ModuleType: _walk_module},
              {**arrays.HANDLERS, **tensors.HANDLERS}, _walk_class,
              {declared.NEVER: _walk_never, declared.LEAVE: _walk_left})


def foreign_roots(walker: Any) -> frozenset[str]:
    """Packages whose objects a walk met."""
    return frozenset(root for kind in walker.types if (root := foreign_root(kind)))
