"""Lightning: `Trainer.fit`. An epoch is a block; hooks and callbacks at its end run behind it."""

from rex.hindsight.trainers import Trainer

_FIT = ("_FitLoop.run",), ("self.advance",)
TRAINERS = (
    Trainer("lightning.pytorch.loops.fit_loop", *_FIT, tested="lightning 2.6.6"),
    Trainer("pytorch_lightning.loops.fit_loop", *_FIT, tested="pytorch-lightning 2.6.6"))
