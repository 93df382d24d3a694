"""Where large data is cut into objects: at places that its content decides.

An insertion then moves the cuts with the data, and only the objects that it
touches are new. Readers never cut, so that any rule may be used here.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types

from rex.hints import Any

MIN_BYTES, AVERAGE_BYTES, MAX_BYTES = 16 << 10, 64 << 10, 256 << 10
WHOLE_BYTES = 128 << 10   # data up to this size is one object


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@functools.cache
def _fastcdc() -> Any:
    """The cutter's module, imported when something large is cut: it takes a while.

    None on a platform without its wheel: in-place edits still share the rest.
    """
    # For two names of annotations its own module of them imports typing_extensions,
    # ast and inspect: half as much again as all of a recording does.
    annotations = types.ModuleType("pyfastcdc.common")
    annotations.__dict__.update(BinaryStreamReader=Any, NormalizedChunking=Any)
    if sys.modules.setdefault(annotations.__name__, annotations) is annotations:
        cutter = _imported("pyfastcdc")
        if cutter is not None:
            return cutter
        del sys.modules[annotations.__name__]   # a version that wants more of it
    return _imported("pyfastcdc")


def cut(data: bytes | memoryview, is_last: bool) -> list[int]:
    """The lengths of the pieces at the front of data.

    Args:
        data: what is to be cut.
        is_last: nothing follows; otherwise the rest that the lengths do not
            cover must come again in front of what follows.
    """
    if len(data) <= MIN_BYTES:   # one piece; and the cutter need not be imported
        lengths = [len(data)] if data else []
    elif (cutters := _fastcdc()) is None:
        whole, rest = divmod(len(data), AVERAGE_BYTES)
        lengths = [AVERAGE_BYTES] * whole + ([rest] if rest else [])
    else:
        cutter = cutters.FastCDC(avg_size=AVERAGE_BYTES, min_size=MIN_BYTES,
                                  max_size=MAX_BYTES)
        lengths = [piece.length for piece in cutter.cut_buf(memoryview(data))]   # of bytes it would copy each piece
    # The last piece ends where the data ends, not where its content says so.
    return lengths if is_last else lengths[:-1]
