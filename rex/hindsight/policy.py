"""Which borders get a checkpoint: adaptive, within a share of the run's time."""

from __future__ import annotations

from rex.values import dataclass, field

OVERHEAD = 0.0667
RESTORE_FACTOR = 1.38     # seconds of a restore per second of a checkpoint, until seen
# What recording costs beside the measured seconds, as their part: caches are cold afterwards, memory
# and processors are shared with the writer.
UNSEEN = 0.5
# Of the share: what all borders together may take. The end of an inner loop and the start of the next iteration
# save nearly the same computation.
TOGETHER = 1 / 2
LEAD_S = 0.5              # that checkpoints may take before they were earned
_LEAST_S = 0.001          # a checkpoint takes, whatever there is


@dataclass(slots=True)
class _Kind:
    compute_s: float = 0.0
    paid_s: float = 0.0


@dataclass(slots=True)
class Policy:
    """Tells at each border whether the state is worth its price.

    The joint invariant M/C < n/(k+1) * min(1/(1+c), eps) per border of the source, with sums instead
    of averages: (k materializations) + (the next) <= min(1/(1+c), eps) * (n executions); tested after the
    computation and before the checkpoint. M is the pause and what the writer had of
    a processor: on a machine without a free one the training waits for that too. What borders and readings of the clock cost counts
    as paid for checkpoints. C begins with the first loop: what is imported and loaded before is none of it.

    The first checkpoints are the dearest, as caches are cold, memory is new and nothing is known yet of what
    changes. Where it is known how often a loop will still turn, ends of loops within it may spend a little of what
    that will earn: else a replay would have to run the first epochs again.

    Source: Garcia et al., Hindsight Logging for Model Training, PVLDB 14(4), 2020, section 5.3.
    """

    overhead: float = OVERHEAD
    restore_factor: float = RESTORE_FACTOR
    paid_s: float = 0.0
    price_s: float | None = None      # of the next checkpoint, as far as known
    _kinds: dict[str, _Kind] = field(default_factory=dict)
    _noted_s: float = 0.0             # what all kinds paid, as it was expected
    _scale: float = 1.0               # what they paid in truth, as a multiple of that

    def wants(self, kind: str, saved_s: float, looped_s: float, is_end: bool, is_last: bool = False,
              ahead_s: float = 0.0) -> bool:
        """Whether to keep the state at a border.

        Args:
            kind: which border of the source it is.
            saved_s: seconds of computation that having this state may save: at the end of a loop those
                of the loop, at the start of an iteration those since the last checkpoint.
            looped_s: seconds within loops so far.
            is_end: a loop ended; its state comes before states within loops.
            is_last: the longest loop of all ended: its state is kept if what was measured stays within the share, so that
                what comes behind it need not wait for it in a replay, nor after a crash.
            ahead_s: seconds that the outermost loop will still take, as far as known.
        """
        known = self._kinds.setdefault(kind, _Kind())
        known.compute_s += saved_s
        share = min(1 / (1 + self.restore_factor), self.overhead)
        price = self.price_s
        if price is None:   # a look at the state tells more; is even that too much?
            price = _LEAST_S
        if self.overhead >= 1:   # no limit: every border
            return True
        if is_last:
            return self.paid_s + price <= (1 + UNSEEN) * self.overhead * looped_s
        whole = TOGETHER * share * looped_s * (1.0 if is_end else 0.5)
        lead = min(TOGETHER * share * ahead_s, LEAD_S) if is_end else 0.0
        return (known.paid_s * self._scale + price <= share * known.compute_s + lead
                and self.paid_s + price <= whole + lead)

    def paid(self, kind: str, pause_s: float, writer_s: float) -> None:
        """Take over what a checkpoint cost.

        Args:
            writer_s: seconds of a processor that the writer takes, as far as known.
        """
        price = (pause_s + writer_s) * (1 + UNSEEN)
        known = self._kinds.setdefault(kind, _Kind())
        known.paid_s += price
        self.paid_s += price
        self._noted_s += price
        self.price_s = price if self.price_s is None else (self.price_s + price) / 2

    def expect(self, price_s: float) -> None:
        """What the first checkpoint will take, pause and writer, was estimated."""
        self.price_s = price_s * (1 + UNSEEN)

    def correct(self, total_s: float) -> None:
        """What recording has cost up to now is known: the training thread's part and the writer's."""
        self.paid_s = total_s * (1 + UNSEEN)
        if self._noted_s:
            self._scale = self.paid_s / self._noted_s
