"""The extras of the distribution: what each is for, what it brings, and how to install it."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Collection

from rex.errors import UsageError
from rex.values import dataclass

DISTRIBUTION = "rex-replay"


@dataclass(frozen=True)
class Extra:
    """One extra of the distribution.

    Attributes:
        use: the tools that need it.
        modules: what they import of it.
    """

    use: str
    modules: tuple[str, ...]


EXTRAS = {
    "notebook": Extra("notebook time travel: %load_ext rex.notebook, rex notebook",
                      ("cloudpickle", "xxhash", "dill", "IPython", "ipykernel", "jupyter_client")),
    "hindsight": Extra("training scripts: rex hindsight", ("cloudpickle", "numpy", "xxhash")),
    "versions": Extra("cell by cell: rex record --cells, rex replay --all", ("IPython", "nbformat", "matplotlib_inline")),
    "workflow": Extra("rex schedule", ("numpy",)),
    "web": Extra("the pages of rex runnew", ("starlette", "uvicorn", "jinja2")),
    "remote": Extra("rex push, rex pull, rex replay --store", ("fsspec", "paramiko", "s3fs")),
    "formats": Extra("expdiff and checks by meaning: arrays, pictures, YAML, HDF5, Parquet, PDF",
                     ("numpy", "PIL", "yaml", "h5py", "pyarrow", "pypdf")),
    "pictures": Extra("PDF pages and SVG as pixels: rex compare --pictures, checks by meaning", ("pypdfium2", "resvg_py")),
    "sbom": Extra("rex environment --format sbom", ("cyclonedx",)),
    "reprozip": Extra("rex import FILE.rpz", ("yaml",)),
    "dask": Extra("--dask of rex replay, rex sweep and rex hindsight replay", ("distributed",)),
}


def is_there(module: str) -> bool:
    """Whether a module can be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


def lacking(extra: str) -> list[str]:
    """The modules of an extra that are not installed."""
    return [module for module in EXTRAS[extra].modules if not is_there(module)]


def extra_with(module: str, preferred: Collection[str] = ()) -> str:
    """The extra that brings a module, of several rather a preferred one; "" if none does."""
    found = [name for name, extra in EXTRAS.items() if module in extra.modules]
    return next((name for name in found if name in preferred), found[0] if found else "")


def install_line(*extras: str) -> str:
    """What to type to add extras to this installation, by the tool that made it."""
    wanted = f"'{DISTRIBUTION}[{','.join(extras)}]'"
    if os.path.exists(os.path.join(sys.prefix, "pipx_metadata.json")):
        return f"pipx install --force {wanted}"
    if os.path.exists(os.path.join(sys.prefix, "uv-receipt.toml")):
        return f"uv tool install --force {wanted}"
    beside = os.path.dirname(sys.executable)
    is_first = os.environ.get("PATH", "").split(os.pathsep)[0] == beside   # of an environment that is active
    return f"pip install {wanted}" if is_first else f"{sys.executable} -m pip install {wanted}"


def missing(extra: str, what: str) -> UsageError:
    """The error of a tool that lacks its extra.

    Args:
        what: cannot be done without it.
    """
    names = lacking(extra)
    return UsageError(what, f"not installed: {', '.join(names)}" if names else f"the extra {extra} cannot be imported",
                      f"install with: {install_line(extra)}")


def need(extra: str, what: str, *modules: str) -> None:
    """Make sure that modules of an extra are there (all of them, where none is named).

    Raises:
        UsageError: one is missing.
    """
    if not all(is_there(module) for module in modules or EXTRAS[extra].modules):
        raise missing(extra, what)
