"""Seconds that others' load is not counted in, and what the writer takes from the training."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rex.hindsight.policy.borders import BESIDE
from rex.hindsight.policy import contention
from rex.hindsight.policy.contention import Contention
from rex.hindsight.record.recorder import Recorder

from .worlds import World


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Wall-clock, the wait for a processor and the process's processor time, each set by hand."""
    told = {"wall": 100.0, "waited": 0.0, "process": 0.0}
    monkeypatch.setattr(contention, "now_s", lambda: told["wall"])
    monkeypatch.setattr(contention, "_process_s", lambda: told["process"])
    monkeypatch.setattr(contention.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(contention.os, "pread", lambda *_: b"5 %d 1\n" % round(told["waited"] * 1e9))
    return told


def test_waits_for_a_processor_are_not_counted(clock: dict[str, float]) -> None:
    watch = Contention()
    clock.update(wall=110.0, waited=6.0)
    assert watch.worked_s() == pytest.approx(104.0)
    assert watch.worked_share == pytest.approx(0.4)


def test_a_body_is_measured_by_its_own_waits_not_by_those_before(clock: dict[str, float]) -> None:
    recorder = Recorder.__new__(Recorder)
    recorder.contention = Contention()
    clock.update(wall=200.0, waited=90.0)      # other programs had the processors
    entry: Any = SimpleNamespace(iteration=0, bodies=[], turned_worked_s=0.0)
    for wall_s, waited_s in ((0.1, 0.0), (1.0, 0.9)):
        recorder.begin_body(entry)
        entry.iteration += 1
        clock.update(wall=clock["wall"] + wall_s, waited=clock["waited"] + waited_s)
        recorder.end_body(entry)
    assert entry.bodies == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize("used,lost", [(0.5, BESIDE), (1.0, BESIDE), (1.6, 0.6), (2.0, 1.0), (3.0, 1.0)])
def test_the_writer_takes_more_where_no_processor_is_free(clock: dict[str, float], used: float, lost: float) -> None:
    watch = Contention()
    clock.update(wall=110.0, process=used * 10 + 1.0)
    assert watch.lost_share(1.0) == pytest.approx(lost)


@pytest.mark.parametrize("waited_s,lost", [(0.0, BESIDE), (0.1, BESIDE), (1.0, 0.5), (4.0, 0.8)])
def test_so_it_does_where_it_waits_for_a_processor(clock: dict[str, float], waited_s: float, lost: float) -> None:
    """Other programs have the processors."""
    watch = Contention()
    clock.update(wall=110.0, process=6.0)
    assert watch.lost_share(1.0, waited_s) == pytest.approx(lost)


def test_the_writers_waits_are_those_of_its_own_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def pread(*_: Any) -> bytes:
        threads.append(threading.current_thread().name)
        return b"5 %d 1\n" % (len(threads) * 250_000_000)

    world = World(tmp_path)
    monkeypatch.setattr(contention.os, "pread", pread)
    world.save(array=np.zeros(10))
    world.writer.close()
    assert threads == ["rex-hindsight"] * 2
    assert world.writer.waited_s == 0.25


def test_without_the_kernels_figures_the_wall_clock_counts(clock: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Contention()

    def closed(*_: Any) -> bytes:
        raise OSError("bad descriptor")

    monkeypatch.setattr(contention.os, "pread", closed)
    clock.update(wall=110.0, waited=6.0)
    assert watch.worked_s() == 110.0 and watch.worked_s() == 110.0


def test_waits_for_what_the_training_computes_beside_are_no_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk may wait for arrays that a library's threads still compute; copies from a device are waited for because of us."""
    watch = Contention()
    for is_device, least_s, most_s in ((False, 0.0, 0.05), (True, 0.05, 60.0)):
        monkeypatch.setattr(contention, "is_in_use", lambda found=is_device: found)
        clock = watch.clock()
        begun_s = clock()
        time.sleep(0.1)
        assert least_s <= clock() - begun_s < most_s


def test_its_descriptor_leaves_the_scripts_numbers_alone() -> None:
    lowest = os.open("/dev/null", os.O_RDONLY)
    os.close(lowest)
    watch = Contention()
    again = os.open("/dev/null", os.O_RDONLY)
    os.close(again)
    assert again == lowest
    assert watch.worked_s() > 0
