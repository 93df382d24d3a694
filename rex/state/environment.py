"""State outside of the namespace: random generators, environment variables, working directory, descriptors, modes."""

from __future__ import annotations

import os
import random
import sys
from typing import Any, Callable, Collection

from rex.credentials import credential_variables
from rex.state import descriptors, modes

# No variable can have such a name.
RANDOM, NUMPY, TORCH = "<random>", "<numpy.random>", "<torch.random>"
ENVIRON, CWD, DESCRIPTORS = "<environ>", "<cwd>", "<descriptors>"
NAMES = (RANDOM, NUMPY, TORCH, ENVIRON, CWD, DESCRIPTORS, *modes.NAMES)


def capture() -> dict[str, Any]:
    """What there is now, in values that compare and pickle."""
    found: dict[str, Any] = {RANDOM: random.getstate(), ENVIRON: _environ(), **modes.capture()}
    try:
        found[CWD] = os.getcwd()
    except OSError:   # it was removed
        pass
    if opened := descriptors.places():
        found[DESCRIPTORS] = opened
    if "numpy.random" in sys.modules:
        name, keys, *rest = sys.modules["numpy.random"].get_state()
        found[NUMPY] = (name, keys.tobytes(), *rest)
    torch_state = getattr(sys.modules.get("torch"), "get_rng_state", None)
    if torch_state is not None:   # it may have failed half-way through its import
        found[TORCH] = torch_state().numpy().tobytes()
    return found


def begun(before: Collection[str], now: Collection[str]) -> dict[str, Any]:
    """The first states of generators whose library was imported since; none of one that was seeded with a number."""
    found: dict[str, Any] = {}
    if NUMPY in now and NUMPY not in before:
        generator = sys.modules["numpy.random"].mtrand._rand._bit_generator
        if source := getattr(generator, "seed_seq", None):
            state = type(generator)(source).state
            found[NUMPY] = (state["bit_generator"], state["state"]["key"].tobytes(), state["state"]["pos"], 0, 0.0)
    if TORCH in now and TORCH not in before:
        torch = sys.modules["torch"]
        found[TORCH] = torch.Generator().manual_seed(torch.initial_seed()).get_state().numpy().tobytes()
    return found


def _environ() -> dict[str, str]:
    """The variables, without those that look like credentials: they stay out of archives."""
    encoded = getattr(os.environ, "_data", None)
    if _known and encoded == _known[0]:   # to decode them and to look at each name takes long
        return dict(_known[1])
    secret = credential_variables(os.environ)
    found = {name: text for name, text in os.environ.items() if name not in secret}
    if type(encoded) is dict:
        _known[:] = dict(encoded), found
    return dict(found)


_known: list[dict[Any, Any]] = []   # the variables as they were last, and what was found


def restore(name: str, value: Any) -> None:
    """Put one of them back.

    Raises:
        OSError: the working directory is gone.
        RecursionError: the program is in deeper calls than the limit on recursion allows.
    """
    if name in modes.NAMES:
        modes.restore(name, value)
    else:
        _RESTORE[name](value)


def _restore_numpy(value: Any) -> None:
    import numpy
    numpy.random.set_state((value[0], numpy.frombuffer(value[1], numpy.uint32), *value[2:]))


def _restore_torch(value: bytes) -> None:
    import torch
    torch.set_rng_state(torch.frombuffer(bytearray(value), dtype=torch.uint8))


def _restore_environ(value: dict[str, str]) -> None:
    if (now := _environ()) == value:
        return
    for name in now.keys() - value.keys():
        del os.environ[name]
    for name, text in value.items():
        if os.environ.get(name) != text:
            os.environ[name] = text


_RESTORE: dict[str, Callable[[Any], None]] = {
    RANDOM: random.setstate, NUMPY: _restore_numpy, TORCH: _restore_torch,
    ENVIRON: _restore_environ, CWD: os.chdir, DESCRIPTORS: descriptors.put_back}
