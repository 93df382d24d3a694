"""Memory of a device: as that of the host, copied beside the walk, waited for at its end."""

from __future__ import annotations

import contextlib
import sys
import types
from typing import Any, Callable, Iterator

import pytest

from rex.state.device import DeviceCopies, is_capturing, settle as settle_devices
from rex.hindsight.capture.graph import walk_roots
from rex.hindsight.capture.kinds import Shapes
from rex.hindsight.capture.memory import CHUNK_BYTES, Copier, Habits, Hasher, Pool, settle
from rex.hindsight.instrument.usercode import UserCode
from rex.state.parts import memory_at

np = pytest.importorskip("numpy", reason="numpy is not installed")


class Host:
    """A tensor of bytes of the host, as far as copies need it."""

    def __init__(self, torch: "Torch", size: int, pinned: bool) -> None:
        self.torch, self.pinned, self.data = torch, pinned, np.full(size, 255, np.uint8)

    def numel(self) -> int:
        return self.data.size

    def data_ptr(self) -> int:
        return self.data.__array_interface__["data"][0]

    def copy_(self, flat: "Flat", non_blocking: bool = False) -> None:
        assert non_blocking and self.torch.current is not None, "not on a stream of its own"
        self.torch.current.waiting.append(lambda: np.copyto(self.data, flat.data))

    def cpu(self) -> "Host":
        return self


class Flat:
    """A tensor of bytes on a device."""

    is_cuda = True

    def __init__(self, torch: "Torch", data: Any, device: str = "cuda:0") -> None:
        self.torch, self.data, self.device = torch, data, device

    def numel(self) -> int:
        return self.data.size

    def data_ptr(self) -> int:
        return 1 << 40

    def cpu(self) -> Host:
        host = Host(self.torch, self.data.size, False)
        host.data[:] = self.data
        return host


class Stream:
    """Runs nothing before somebody waits."""

    def __init__(self, device: str) -> None:
        self.waiting: list[Callable[[], None]] = []

    def synchronize(self) -> None:
        for act in self.waiting:
            act()
        self.waiting.clear()


class Torch:
    """A torch whose device does everything as late as it may."""

    uint8 = "uint8"

    def __init__(self) -> None:
        self.current: Stream | None = None
        self.synchronized: list[str] = []
        self.made: list[Host] = []
        self.cuda = types.SimpleNamespace(is_available=lambda: True, Stream=Stream, stream=self._stream,
                                          synchronize=self.synchronized.append)

    @contextlib.contextmanager
    def _stream(self, stream: Stream) -> Iterator[None]:
        self.current = stream
        yield
        self.current = None

    def empty(self, size: int, dtype: str, pin_memory: bool) -> Host:
        self.made.append(Host(self, size, pin_memory))
        return self.made[-1]


@pytest.mark.parametrize("size", [1, 1000, CHUNK_BYTES, 3 * CHUNK_BYTES + 5, 20 * CHUNK_BYTES])
def test_what_is_kept_is_what_was_there(size: int) -> None:
    torch, pool, habits = Torch(), Pool(), Habits()
    device, known, stored = DeviceCopies(torch), set(), {}
    rng = np.random.default_rng(size)
    data = rng.integers(0, 256, size, np.uint8)
    for turn in range(4):
        if turn != 2:
            data[rng.integers(0, size)] ^= 1
        wanted, truth = Hasher().take_device(Flat(torch, data), 4), data.copy()
        copier = Copier(pool, habits, known.__contains__, device)
        deferred = copier.take_device(Flat(torch, data), 4)
        taken = copier.finish()
        data[:] = 7          # the program goes on
        settle(taken, pool, habits, known.__contains__, device)
        assert deferred.digest == wanted
        stored |= {each.digest: bytes(memory_at(each.slot, each.size_bytes)) for each in taken.fresh}
        for each in taken.fresh:
            pool.free(each.slot)
        known |= stored.keys()
        assert b"".join(stored[digest] for digest in taken.buffers[wanted][1]) == truth.tobytes()
        assert turn != 2 or not taken.fresh
        data[:] = truth
    assert len(torch.made) == 1 and torch.made[0].pinned      # used again and again
    assert len(torch.synchronized) == 4                        # once per checkpoint, before the first copy
    assert pool.free_bytes == pool.slots * CHUNK_BYTES


def test_devices_have_streams_of_their_own() -> None:
    torch = Torch()
    device, copies = DeviceCopies(torch), []
    for name in ("cuda:0", "cuda:1", "cuda:0"):
        flat = Flat(torch, np.arange(9, dtype=np.uint8), name)
        copies.append((device.start(flat), flat))
    assert torch.synchronized == ["cuda:0", "cuda:1"]
    device.wait()
    assert all((host.data == flat.data).all() for host, flat in copies)


def test_without_a_device_torch_itself_copies() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    flat = torch.arange(200, dtype=torch.uint8)
    device = DeviceCopies()
    host = device.start(flat)
    device.wait()
    assert torch.equal(host, flat) and host.data_ptr() != flat.data_ptr()
    device.give_back(host)
    assert device.start(flat) is host


def test_devices_in_use_are_waited_for_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    late, waited = bytearray(8), []

    def synchronize(number: int) -> None:
        waited.append(number)
        late[:] = b"finished"      # the device writes memory of the host

    cuda = types.SimpleNamespace(is_initialized=lambda: True, device_count=lambda: 3, memory_reserved=lambda number: number != 1,
                                 synchronize=synchronize, is_current_stream_capturing=lambda: True)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    walk_roots(Shapes(UserCode()), Hasher(), [("late", late)])
    assert waited == [0, 2] and is_capturing()
    saved = walk_roots(Shapes(UserCode()), Hasher(), [("late", late)]).roots[0].nodes[0]
    assert saved == ("bytes", "a", b"finished")
    cuda.is_initialized = lambda: False
    settle_devices()
    assert waited == [0, 2, 0, 2] and not is_capturing()


def test_no_state_is_taken_while_jax_notes_operations() -> None:
    """A loop in a function that jax.jit traces runs once, with objects that stand for numbers."""
    jax = pytest.importorskip("jax", reason="jax is not installed")
    seen = []
    jax.jit(lambda x: seen.append(is_capturing()) or x + 1)(1.0)
    assert seen == [True] and not is_capturing()
