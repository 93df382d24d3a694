"""Hugging Face: `Trainer.train`. The loop over an epoch's steps is skipped; callbacks at the epoch's end run behind it."""

from rex.hindsight.trainers import Trainer

TRAINERS = (Trainer("transformers.trainer", ("Trainer._inner_training_loop", "Trainer._run_epoch"), drops=("epoch_iterator",),
                    tested="transformers 5.24.0"),)
