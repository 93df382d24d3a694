"""JSON, YAML and notebooks: values are compared by their path, keys have no order."""

from __future__ import annotations

import base64
import binascii
import functools
import io
import json
import math
import re
from typing import Any, Iterator

from rex.contents.formats.images import read as read_image
from rex.contents.formats.text import Lines, decode
from rex.contents.parts import Leaves, Part, Parts
from rex.contents.reading import Reading, Unreadable
from rex.extras import missing

# YAML 1.2 has more numbers than 1.1, which PyYAML reads: 1e-5, 1.5e10.
_YAML_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$")
_MAX_DEPTH = 200
_LEAF_BYTES = 200


def read_json(data: bytes, reading: Reading) -> Parts:
    """A JSON text, or one such text a line."""
    reading.take(8 * len(data))
    text = decode(data)
    try:
        return {"": flat(_parsed(text), reading)}
    except ValueError as error:
        lines = text.splitlines()
        try:
            return {"": flat([_parsed(line) for line in lines if line.strip()], reading)}
        except ValueError:
            raise Unreadable(str(error)) from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_float=_float)
    except RecursionError:
        raise Unreadable("its values lie too deep in each other") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


@functools.cache
def _yaml_loader() -> Any:
    """PyYAML's safe loader, which all of a process share, with the numbers of YAML 1.2."""
    import yaml
    loader = type("Loader", (getattr(yaml, "CSafeLoader", yaml.SafeLoader),), {})
    loader.add_implicit_resolver("tag:yaml.org,2002:float", _YAML_FLOAT, list("-+.0123456789"))     # type: ignore[attr-defined]
    return loader


def read_yaml(data: bytes, reading: Reading) -> Parts:
    """All documents of a YAML file; no objects are made of it."""
    try:
        import yaml
    except ImportError:
        raise missing("formats", "cannot read YAML") from None
    reading.take(16 * len(data))
    try:
        documents = list(yaml.load_all(io.StringIO(decode(data)), Loader=_yaml_loader()))
        return {"": flat(documents[0] if len(documents) == 1 else documents, reading)}
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise Unreadable(" ".join(str(error).split())[:200]) from None


def flat(value: Any, reading: Reading) -> Leaves:
    """Every value in a tree by its path; an alias is as good as what it stands for, so that what unpacks too far ends here."""
    found = Leaves()
    known: dict[str, str] = {}
    for path, name, leaf in _walk(_ordered(value, reading, 0)[2] if reading.any_order else value, "", "", 0):
        reading.take(_LEAF_BYTES + len(path), 1)
        found.values[path] = leaf
        if name != path:
            found.names[path] = known.setdefault(name, name)
    return found


def _walk(value: Any, path: str, name: str, depth: int) -> Iterator[tuple[str, str, Any]]:
    """Path, path without places in lists, and value, of each value."""
    if depth > _MAX_DEPTH:
        raise Unreadable("its values lie too deep in each other")
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            step = f".{_step(key)}" if path else _step(key)
            yield from _walk(inner, path + step, name + step, depth + 1)
    elif isinstance(value, (list, tuple)) and value:
        for at, inner in enumerate(value):
            yield from _walk(inner, f"{path}[{at}]", f"{name}[]", depth + 1)
    else:
        yield path, name, value if isinstance(value, (str, int, float, bool, type(None), list, dict)) else f"{type(value).__name__} {value}"


def _step(key: Any) -> str:
    """A key as a step of a path; what could be taken for another path is quoted."""
    if not isinstance(key, str):
        return f"<{key!r}>"
    return json.dumps(key) if not key or any(char in key for char in '.[]<>"') else key


def _ordered(value: Any, reading: Reading, depth: int) -> tuple[str, list[float], Any]:
    """The tree with its lists sorted, and what it is sorted by: its text without numbers, then its numbers."""
    reading.take(_LEAF_BYTES, 1)
    if depth > _MAX_DEPTH:
        raise Unreadable("its values lie too deep in each other")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value:
        return "0", [value], value
    if isinstance(value, dict):
        inner = {key: _ordered(value[key], reading, depth + 1) for key in sorted(value, key=str)}
        form = ",".join(f"{_step(key)}:{each[0]}" for key, each in inner.items())
        reading.take(len(form))
        return f"{{{form}}}", [number for each in inner.values() for number in each[1]], {key: each[2] for key, each in inner.items()}
    if isinstance(value, (list, tuple)):
        items = sorted((_ordered(each, reading, depth + 1) for each in value), key=lambda each: each[:2])
        form = ",".join(each[0] for each in items)
        reading.take(len(form))
        return f"[{form}]", [number for each in items for number in each[1]], [each[2] for each in items]
    return json.dumps(value, default=str), [], value


def read_notebook(data: bytes, reading: Reading) -> Parts:
    """The cells of a Jupyter notebook and their outputs; not how often cells were run, nor what tools note about them."""
    reading.take(8 * len(data))
    try:
        cells = _parsed(decode(data))["cells"]
        found: Parts = {}
        for number, cell in enumerate(cells, 1):
            found[f"cell {number} ({cell['cell_type']})"] = Lines(_joined(cell["source"]).splitlines())
            for place, output in enumerate(cell.get("outputs", []), 1):
                name = f"cell {number} output {place}"
                for kind, part in _output(output, reading):
                    found[f"{name}{kind}"] = part
            reading.take(1000, 1)
        return found
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreadable(f"it is no notebook of version 4 ({type(error).__name__})") from None


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def _output(output: dict[str, Any], reading: Reading) -> Iterator[tuple[str, Part]]:
    """The texts and pictures of an output."""
    if output["output_type"] == "stream":
        yield f" ({output['name']})", Lines(_joined(output["text"]).splitlines())
    elif output["output_type"] == "error":
        yield " (error)", Lines([f"{output['ename']}: {output['evalue']}"])
    else:
        for mime, value in sorted(output["data"].items()):
            reading.take(len(str(mime)), 1)
            if mime in ("image/png", "image/jpeg"):
                try:
                    for name, part in read_image(base64.b64decode(_joined(value)), reading).items():
                        yield f" ({mime}) {name}", part
                except (binascii.Error, Unreadable):
                    yield f" ({mime})", Lines(_joined(value).splitlines())
            elif isinstance(value, (str, list)) and all(isinstance(each, str) for each in value):
                yield f" ({mime})", Lines(_joined(value).splitlines())
            else:
                yield f" ({mime})", flat(value, reading)
