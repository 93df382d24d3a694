"""Rex from Python (docs/api.md): what `import rex` offers, by lazy attributes of the package."""

from rex.api.archives import Archive, Experiment, File
from rex.api.running import Replay, Run, compare, record, replay, run
from rex.expdiff.difference import Comparison, Difference

__all__ = ["Archive", "Comparison", "Difference", "Experiment", "File", "Replay", "Run", "compare", "record", "replay", "run"]
