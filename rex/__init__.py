"""Rex records software experiments, replays them anywhere, and shows what differs.

From Python (docs/api.md):

    experiment = rex.record(["sh", "analysis.sh", "data.csv"], archive="EXP")
    assert rex.replay(experiment, "out").is_identical
"""

from __future__ import annotations

from rex.version import __version__ as __version__

TYPE_CHECKING = False   # of typing, whose import takes longer than all of this
if TYPE_CHECKING:
    from rex.api import (Archive, Comparison, Difference, Experiment, File, Replay, Run, compare, record, replay, run)

__all__ = ["Archive", "Comparison", "Difference", "Experiment", "File", "Replay", "Run", "compare", "record", "replay", "run"]


def __getattr__(name: str) -> object:
    """What the API offers, imported when it is first used: `import rex` itself takes no time."""
    if name not in __all__:
        raise AttributeError(f"module 'rex' has no attribute {name!r}")
    from rex import api
    for each in __all__:
        globals()[each] = getattr(api, each)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
