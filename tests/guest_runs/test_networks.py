"""Programs made up from a number replay exactly: threads and processes that hand each other what the system told them.

What fails is found by its number: `NETWORK_SHOWS=1 network SEED` recorded and replayed tells the first node and question
that differ, and with a mask of questions the network still fails, or not.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from harness import COMPILER, Run, Trial
from rex.tracer import native

SOURCE = Path(__file__).parent / "networks" / "network.c"
SEEDS = range(1, 13)
MORE_SEEDS = range(13, 161)

pytestmark = pytest.mark.skipif(not native.is_built(), reason="the native engine is not built")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("networks") / "network"
    if not shutil.which(COMPILER[0]):
        pytest.skip(f"{COMPILER[0]} is not installed")
    subprocess.run([*COMPILER, "-o", str(made), str(SOURCE)], check=True)
    return made


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize("seed", [*SEEDS, *(pytest.param(seed, marks=pytest.mark.stress) for seed in MORE_SEEDS)])
def test_network_replays(seed: int, program: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    trial = Trial(SOURCE, "native", program, Run(args=(str(seed),)), tmp_path, shared)
    trial.replay(trial.record())
