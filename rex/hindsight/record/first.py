"""The first checkpoint: what it will take, as a look at the state tells, and memory for its copy, which is touched before."""

from __future__ import annotations

from rex.hindsight.capture.memory import Sizer
from rex.hindsight.policy.borders import Occasion, Policy, Price
from rex.hindsight.policy.remade import Remade
from rex.hindsight.record.writer import CheckpointWriter
from rex.values import dataclass, replace

HASH_S = 0.1e-9           # per byte
_COPY_S = 0.2e-9          # per byte
_LARGE_BYTES = 32 << 20   # that are worth preparing for
_TOUCH_SHARE = 1 / 2      # of what the first checkpoint may take: the machine may be busier when it comes, and it be too dear


@dataclass(slots=True)
class FirstCheckpoint:
    """Tells the policy its price, until it is taken.

    Attributes:
        walk_s: a look at the state, without its memory.
        size_bytes: what it is expected to store.
    """

    policy: Policy
    writer: CheckpointWriter
    remade: Remade
    walk_s: float = 0.0
    size_bytes: int = 0

    def is_affordable(self, border: Occasion, state: Sizer, walk_s: float, lost_share: float) -> bool:
        """Whether to keep the state that was looked at.

        What was earned already may pay for all of it. Else only what the script's beginning did not make is kept.

        Args:
            lost_share: seconds that the training loses per second of the writer's.
        """
        self.walk_s, self.size_bytes = walk_s, state.size_bytes
        self.foresee(lost_share)
        if self.policy.wants(replace(border, saved_s=0.0, ahead_s=0.0)):
            self.remade.clear()
            return True
        unchanged = self.remade.unchanged_bytes(state.large)
        self.walk_s += unchanged * HASH_S
        self.size_bytes -= unchanged
        self.foresee(lost_share)
        return self.policy.wants(replace(border, saved_s=0.0))

    def foresee(self, lost_share: float) -> None:
        """Tell the policy the price as it is known by now; what was paid already is no part of it."""
        writer_s = self.writer.cost_s(self.size_bytes) + (self.writer.touch_s(self.size_bytes) if self._is_large else 0.0)
        self.policy.foresee(Price(self.walk_s + self.size_bytes * _COPY_S, writer_s * lost_share))

    def prepare(self, border: Occasion, lost_share: float) -> bool:
        """Have memory for it in the background, as far as the rest of the share allows; the next border may find it ready.

        Returns:
            Whether it has to be waited for.
        """
        if self.policy.taken or not self._is_large or not self.writer.touch_s(self.size_bytes):
            return False
        if not self.writer.is_preparing:
            left_s = (self.policy.allowance_s(border) - self.policy.paid_s) / lost_share + self.writer.touched_s
            other_s = (self.walk_s + self.size_bytes * _COPY_S) / lost_share + self.writer.cost_s(self.size_bytes)
            self.writer.prepare(self.size_bytes, min(left_s - other_s, _TOUCH_SHARE * left_s))
        return True

    @property
    def _is_large(self) -> bool:
        return self.size_bytes > _LARGE_BYTES and self.policy.overhead < 1
