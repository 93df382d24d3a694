"""Which borders get a checkpoint: adaptive, within a share of the run's time."""

from __future__ import annotations

from rex.values import dataclass, field

OVERHEAD = 0.05
RESTORE_FACTOR = 1.38     # seconds of a restore per second of a checkpoint's pause, until measured
# Seconds that the training loses per second that the writer computes on a processor that was free: both share caches,
# memory bandwidth and Python's lock. Medians of trials were 0.05 to 0.2.
BESIDE = 1 / 4
LEAD_S = 1.0              # the most that the first checkpoint may take of what the loop is yet to earn
_LEAST_S = 0.001          # a checkpoint takes, whatever there is


@dataclass(slots=True)
class Price:
    """What a checkpoint takes from the training, in seconds: its pause, and what the writer then takes."""

    pause_s: float
    writer_s: float = 0.0

    @property
    def total_s(self) -> float:
        """All of it."""
        return self.pause_s + self.writer_s


@dataclass(slots=True)
class Occasion:
    """A border.

    Attributes:
        kind: which border of the source it is.
        saved_s: seconds of computation that having this state may save: at the end of a loop those
            of the loop, at the start of an iteration those since the last checkpoint.
        looped_s: seconds within loops so far.
        is_end: a loop ended; its state comes before states within loops.
        is_last: the longest loop of all ended: what comes behind it need not wait for it in a replay, nor after a crash.
        ahead_s: seconds that the outermost loop will still take, as far as known.
    """

    kind: str
    saved_s: float
    looped_s: float
    is_end: bool
    is_last: bool = False
    ahead_s: float = 0.0


@dataclass(slots=True)
class _Kind:
    compute_s: float = 0.0
    paused_s: float = 0.0
    paid_s: float = 0.0


@dataclass(slots=True)
class Policy:
    """Tells at each border whether the state is worth its price.

    Two limits, both on sums over the borders of one kind:

    - The joint invariant M/C < n/(k+1) * 1/(1+c): k pauses, the next one, and a restore of each, take no longer than
      the n executions. A restore takes c times the pause; both are measured of the same checkpoints.
    - What checkpoints take from the training (pause, and the writer's part) stays below the share of the n executions.

    A third limit holds for all that recording takes, borders and readings of the clock too: the share of the time in loops.
    What is imported and loaded before the first loop earns nothing.

    The first checkpoint is the dearest: it alone keeps what never changes. It counts for no kind of border. Where the
    loop knows how often it will still turn, the first checkpoint may take what the whole loop will earn, up to `LEAD_S`;
    what is left is spread evenly over the iterations.

    The price of a checkpoint is that of what changes, foreseen from the last one.

    Source: Garcia et al., Hindsight Logging for Model Training, PVLDB 14(4), 2020, section 3.2, equation 4. We differ
    in the writer's part, which the paper leaves out, and in the first checkpoint, which the paper charges as any other.
    """

    overhead: float = OVERHEAD
    restore_factor: float = RESTORE_FACTOR
    paid_s: float = 0.0
    price: Price | None = None        # of the next checkpoint, as far as known
    taken: int = 0                    # checkpoints
    refused: Price | None = None      # the last one that was too dear
    _first_s: float = 0.0             # what had been paid with the first checkpoint
    _kinds: dict[str, _Kind] = field(default_factory=dict)

    def wants(self, border: Occasion) -> bool:
        """Whether to keep the state at a border."""
        known = self._kinds.setdefault(border.kind, _Kind())
        known.compute_s += border.saved_s
        if self.overhead >= 1:   # no limit: every border
            return True
        price = self.price or Price(_LEAST_S)   # a look at the state tells more; is even that too much?
        is_wanted = self.paid_s + price.total_s <= self.allowance_s(border) and (
            border.is_last or self._is_earned(known, price))
        if not is_wanted:
            self.refused = price
        return is_wanted

    def _is_earned(self, known: _Kind, price: Price) -> bool:
        if (known.paused_s + price.pause_s) * (1 + self.restore_factor) > known.compute_s:
            return False
        return not self.taken or known.paid_s + price.total_s <= self.overhead * known.compute_s

    def allowance_s(self, border: Occasion) -> float:
        """What all of recording may have taken by now."""
        earned_s = self.overhead * border.looped_s
        if border.is_last:
            return earned_s
        if not border.is_end:
            return earned_s / 2     # ends of loops come first
        if not self.taken:
            return earned_s + min(self.overhead * border.ahead_s, LEAD_S)
        whole_s = self.overhead * (border.looped_s + border.ahead_s)
        done = border.looped_s / (border.looped_s + border.ahead_s) if border.looped_s else 0.0
        return self._first_s + max(0.0, whole_s - self._first_s) * done

    def paid(self, kind: str, price: Price) -> None:
        """Take over what a checkpoint cost.

        Args:
            price: the writer's part is what is expected of it.
        """
        known = self._kinds.setdefault(kind, _Kind())
        self.paid_s += price.total_s
        self.taken += 1
        if self.taken == 1:
            self._first_s = self.paid_s
            return
        known.paused_s += price.pause_s
        known.paid_s += price.total_s

    def foresee(self, price: Price) -> None:
        """What the next checkpoint will take, as far as what is known of changes tells."""
        last = self.price
        self.price = price if last is None or self.taken < 2 else Price(
            (last.pause_s + price.pause_s) / 2, (last.writer_s + price.writer_s) / 2)

    def correct(self, total_s: float) -> None:
        """What recording has taken up to now is known: the training thread's part and the writer's."""
        self.paid_s = total_s
