"""Data classes as the standard library has them, made in a tenth of the time: a short command pays for the dozen that it needs.

What `dataclasses` itself asks of such a class is made when it is asked. Left out is what none of them uses: order,
inherited fields, work after the init. That a class is frozen is between its readers and the type checker; here it has a hash.
"""

from __future__ import annotations

from operator import attrgetter

from rex.hints import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace

__all__ = ["dataclass", "defaults", "field", "is_value", "replace"]

_NONE = object()   # no default; an argument that was not given


class _Field:
    """A field that more is said of than its default."""

    def __init__(self, default_factory: Callable[[], Any], hash: bool = True) -> None:
        self.factory = default_factory
        self.is_hashed = hash


class _StandardFields:
    """What `dataclasses` keeps in a class to know it again."""

    def __get__(self, value: Any, kind: type) -> dict[str, Any]:
        import dataclasses   # it takes a while, and short commands do without
        given = [(name, kind.__annotations__[name], *_standard(dataclasses.field, default))
                 for name, default in _defaults_of(kind).items()]
        found: dict[str, Any] = getattr(dataclasses.make_dataclass(kind.__name__, given), "__dataclass_fields__")
        setattr(kind, "__dataclass_fields__", found)
        return found


def _standard(field_of: Callable[..., Any], default: Any) -> list[Any]:
    if isinstance(default, _Field):
        return [field_of(default_factory=default.factory, hash=default.is_hashed)]
    return [] if default is _NONE else [field_of(default=default)]


def _defaults_of(kind: type) -> dict[str, Any]:
    found: dict[str, Any] = kind.__dict__["__values__"]
    return found


def defaults(kind: type) -> dict[str, Any]:
    """The fields of a data class, in order, each with its default; what a field without one has is equal to nothing."""
    return {name: default.factory() if isinstance(default, _Field) else default
            for name, default in _defaults_of(kind).items()}


def is_value(kind: Any) -> bool:
    """Whether this is a data class made here."""
    return hasattr(kind, "__values__")


def _equal(one: Any, other: object) -> bool:
    if one.__class__ is not other.__class__:
        return NotImplemented
    values = one.__class__._values
    return bool(values(one) == values(other))


def _repr(value: Any) -> str:
    told = ", ".join([f"{name}={getattr(value, name)!r}" for name in _defaults_of(type(value))])
    return f"{type(value).__qualname__}({told})"


def _make_init(found: dict[str, Any]) -> Callable[..., None]:
    def make_now(value: Any, *given: Any, **named: Any) -> None:
        """Compiled with the first value: many classes have none."""
        init = type(value).__init__ = _compile_init(found)
        init(value, *given, **named)

    return make_now


def _compile_init(found: dict[str, Any]) -> Callable[..., None]:
    makers = {f"make_{name}": default.factory for name, default in found.items() if isinstance(default, _Field)}
    lines = [f"self.{name} = {f'make_{name}() if {name} is NONE else {name}' if f'make_{name}' in makers else name}"
             for name in found]
    made: dict[str, Any] = {}
    exec(f"def __init__(self, {', '.join(found)}):\n " + "\n ".join(lines), {"NONE": _NONE, **makers}, made)
    init: Any = made["__init__"]
    init.__defaults__ = tuple([_NONE if isinstance(default, _Field) else default
                               for default in found.values() if default is not _NONE])
    return init


def _make(kind: type, frozen: bool, slots: bool, eq: bool) -> type:
    found = {name: kind.__dict__.get(name, _NONE) for name in kind.__dict__.get("__annotations__", {})}
    hashed = [name for name, default in found.items() if not isinstance(default, _Field) or default.is_hashed]
    key = attrgetter(*hashed)
    added = {"__values__": found, "__init__": _make_init(found), "__dataclass_fields__": _StandardFields(),
             **({} if "__repr__" in kind.__dict__ else {"__repr__": _repr})}
    if eq:   # else each is equal to itself alone
        added |= {"__eq__": _equal, "_values": staticmethod(attrgetter(*found)), "__hash__": (lambda value: hash(key(value))) if frozen else None}
    if slots:   # which a class has from its making on, and then no values beside them
        body = {name: value for name, value in kind.__dict__.items() if name not in (*found, "__dict__", "__weakref__")}
        return type(kind)(kind.__name__, kind.__bases__, {
            **body, **added, "__slots__": tuple(found), "__qualname__": kind.__qualname__})
    for name, value in added.items():
        setattr(kind, name, value)
    for name, default in found.items():
        if isinstance(default, _Field):
            delattr(kind, name)
    return kind


if not TYPE_CHECKING:
    field = _Field

    def dataclass(kind: Any = None, *, frozen: bool = False, slots: bool = False, eq: bool = True) -> Any:
        """Make a class a data class."""
        if kind is None:
            return lambda decorated: _make(decorated, frozen, slots, eq)
        return _make(kind, frozen, slots, eq)

    def replace(value: Any, **changes: Any) -> Any:
        """The same value with some fields changed."""
        for name in _defaults_of(type(value)):
            if name not in changes:
                changes[name] = getattr(value, name)
        return type(value)(**changes)
