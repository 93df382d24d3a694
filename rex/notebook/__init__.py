"""Notebook time travel: `%load_ext rex.notebook`, then `%rex help` (docs/notebook.md)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rex.errors import RexError
from rex.extras import install_line

if TYPE_CHECKING:
    from rex.notebook.extension import Extension

_extensions: dict[int, "Extension"] = {}


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext rex.notebook` calls."""
    try:
        import cloudpickle  # noqa: F401
        import xxhash  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{error}; install with: {install_line('notebook')}") from None
    from rex.notebook.extension import Extension, options_from
    extension = _extensions.get(id(shell)) or _extensions.setdefault(id(shell), Extension(shell))
    if extension.session is None:
        try:
            extension.begin(options_from(os.environ))
        except RexError as error:
            from IPython.core.error import UsageError as ShownError
            raise ShownError(f"rex: {error}") from None
        print(f"rex: on; cells are kept in {extension.archive} (%rex help)")


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext rex.notebook` calls."""
    if extension := _extensions.pop(id(shell), None):
        extension.remove()
