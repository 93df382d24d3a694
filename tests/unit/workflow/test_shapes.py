"""Generated workflows have about the size asked for, and follow their seed."""

from __future__ import annotations

import pytest

from rex.errors import UsageError
from rex.workflow.shapes import FAMILIES, generate


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("count", (50, 200, 700))
def test_sizes_and_seeds(family: str, count: int) -> None:
    dag = generate(family, count, seed=3)
    assert abs(len(dag) - count) <= 0.15 * count
    assert dag == generate(family, count, seed=3) != generate(family, count, seed=4)
    assert min(dag.weights) > 0


@pytest.mark.parametrize("family, least_s, most_s", [("Montage", 8, 14), ("LIGO", 200, 260), ("CyberShake", 20, 35), ("Genome", 1000, 1500)])
def test_tasks_take_as_long_as_in_the_paper(family: str, least_s: float, most_s: float) -> None:
    dag = generate(family, 300)
    assert least_s < dag.t_inf / len(dag) < most_s


def test_unknown_families_are_refused() -> None:
    with pytest.raises(UsageError, match="choose one of Montage"):
        generate("Rnaseq", 50)
