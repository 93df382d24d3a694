"""Lightning: `Trainer.fit`. An epoch is a block; hooks and callbacks at its end run behind it."""

from rex.hindsight.trainers import Trainer

# Each epoch creates new iterators of its data loaders.
_FIT = ("_FitLoop.run",), ("self.advance",), ("self._combined_loader._iterator.iterators",)
TRAINERS = (
    Trainer("lightning.pytorch.loops.fit_loop", *_FIT, "lightning 2.6.6"),
    Trainer("pytorch_lightning.loops.fit_loop", *_FIT, "pytorch-lightning 2.6.6"))
