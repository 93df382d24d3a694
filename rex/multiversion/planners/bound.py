"""What every replay sequence costs at least: the proof of a plan's gap.

The argument. Cut any sequence into parts as `cover` does: a part of node u is
one computation of u with all computations that stem from its result, through
the live state or through checkpoints. Each part needs only its own
checkpoints, so it is legal by itself. Look at one part of u and at the parts of
children within it:

- if u is never checkpointed there is one, going on from the live state;
- otherwise some take all their checkpoints beside that of u, so they do with
  its size less room; the others, *closing* parts, take one after u was evicted.
  u does not come back within the part, so when u was evicted all closing parts
  but one had a checkpoint in the cache, beside that of u. They are *parked*.

Of the closing parts of one u, call the one that takes its last checkpoint after
all others the last. While the others take theirs, it holds one in the cache
itself: so they have the room less the smallest checkpoint that can be parked,
and none at all if that does not fit beside u. Each last part is paid by one
computation of u; so is each closing part, divided by how many fit beside u.

The program below takes the minimum over all such ways; where it does not know,
it lets a part choose the cheaper cost and the larger room at once. Then no
sequence can cost less.
"""

from __future__ import annotations

from rex.multiversion.planners.cover import EffortSpent
from rex.multiversion.planners.menu import NO_ROOM, Menu, Rooms
from rex.multiversion.planners.parts import deep_recursion
from rex.multiversion.planners.skeleton import NEVER, Facts, Skeleton

ANY = -1
"""No option in particular is needed."""


class CoverBound:
    """Lower bound on the seconds of all sequences that fit a budget.

    Args:
        width: options per menu; more is tighter and slower. Where a menu would
            have more, two neighbours become one with the cost of the cheaper
            and the room of the larger.
        effort: child menus that may be looked at before `EffortSpent`; when an
            eighth is left, new menus get width 1.
    """

    def __init__(self, skeleton: Skeleton, facts: Facts, *, width: int = 2,
                 effort: int = 10**9) -> None:
        self.skeleton = skeleton
        self.facts = facts
        self.width = width
        self.rooms = Rooms(facts)
        self.effort = effort
        self.reserve = effort // 8
        self.inner = [[child for child in below if skeleton.children[child]] for below in skeleton.children]
        self.least_parked = [min((facts.parked[child] for child in below), default=NEVER)
                             for below in skeleton.children]
        self.memo: list[dict[tuple[Menu, int], float]] = [{} for _ in range(len(skeleton))]

    def bound(self, budget_bytes: int) -> float:
        """Seconds that no sequence within the budget undercuts.

        Raises:
            EffortSpent: the tree is too large for this effort.
        """
        with deep_recursion(len(self.skeleton)):
            total = 0.0
            for root in self.skeleton.roots:
                menu = self.rooms.build(root, [(self.skeleton.cost_s[root], budget_bytes)])
                total += self._solve(root, menu, ANY)
            return total

    def _solve(self, u: int, menu: Menu, need: int) -> float:
        """Seconds of the parts of u at least, when each starts by an option of the menu.

        `need` is an option that at least one part starts by, or ANY.
        """
        if not self.skeleton.children[u]:
            return menu[need if need != ANY else 0][0]
        if len(menu) == 1:
            if menu[0][1] == NO_ROOM:
                return menu[0][0] * self.facts.leaves[u] + self.facts.spread_s[u]
            need = ANY
        known = self.memo[u].get((menu, need))
        if known is None:
            known = self._solve_hard(u, menu, need)
            self.memo[u][menu, need] = known
        return known

    def _solve_hard(self, u: int, menu: Menu, need: int) -> float:
        rest = self.facts.total_s[u] - self.skeleton.cost_s[u]
        ideal = menu[need if need != ANY else 0][0] + rest
        if menu[0][1] >= self.facts.once[u]:
            return ideal
        best = float("inf")
        for cached in range(len(menu)):
            if best > ideal and self.skeleton.size[u] <= menu[cached][1]:
                best = min(best, self._solve_cached(u, menu, cached, need, best))
        if best > ideal:
            best = min(best, self._offer_all(u, menu, None, need, best))
        return max(best, ideal)

    def _offer_all(self, u: int, menu: Menu, kept: int | None, need: int, limit: float) -> float:
        """Sum over the children, each offered the menu one step on, and a start beside u.

        With `need` some child uses that option: the one that loses least by it.
        From `limit` on the sum is of no interest, and any value above will do.
        """
        entry = menu[0][0] if kept is None else 0.0
        ends = len(self.skeleton.children[u]) - len(self.inner[u])
        total = self.facts.total_s[u] - self.skeleton.cost_s[u] + entry * len(self.skeleton.children[u])
        shares: list[float] = []
        for child in self.inner[u]:
            if total >= limit:
                return total
            shares.append(self._offer(child, menu, kept, ANY))
            total += shares[-1] - entry - self.facts.total_s[child]
        if need == ANY or total >= limit:
            return total
        least_loss = menu[need][0] - entry if ends else float("inf")
        for child, seconds in zip(self.inner[u], shares):
            if least_loss <= 0:
                break
            least_loss = min(least_loss, self._offer(child, menu, kept, need) - seconds)
        return total + max(least_loss, 0.0)

    def _offer(self, child: int, menu: Menu, kept: int | None, need: int) -> float:
        """Seconds of an inner child's parts at least; `kept` is the room beside its parent."""
        self.effort -= 1
        if self.effort < 0:
            raise EffortSpent
        step = self.skeleton.cost_s[child]
        options = [] if kept is None else [(step, kept)]
        options += [(cost + step, room) for cost, room in menu]
        full = self.rooms.build(child, options)
        wanted, extra = need, 0.0
        if need != ANY:
            # An option that another one beats costs what it is dearer, once.
            cost, room = menu[need][0] + step, self.rooms.fit(child, menu[need][1])
            need = next(place for place, option in enumerate(full) if option[1] >= room)
            extra = cost - full[need][0]
        # With most of the effort spent, coarser menus keep the rest cheap.
        width = self.width if self.effort > self.reserve else 1
        if len(full) <= width:
            return extra + self._solve(child, full, need)
        seconds = extra + max(self._solve(child, joined, place)
                              for joined, place in widen(full, need, width))
        if wanted != ANY and kept is not None:
            # Joined options forget the need; paying for it once is another bound.
            seconds = max(seconds, menu[wanted][0] + self._offer(child, menu, menu[wanted][1], ANY))
        return seconds

    def _solve_cached(self, u: int, menu: Menu, cached: int, need: int, limit: float) -> float:
        """Seconds when `cached` is the last option by which a part caches u."""
        if need == cached:
            need = ANY
        price, room = menu[cached]
        beside = room - self.skeleton.size[u]
        sooner = beside
        for option in menu[:cached]:
            sooner = max(sooner, self._room_parked(u, option[1]))
        others = menu[:cached] + menu[cached + 1:]
        without = price + self._offer_all(u, others, sooner, need - 1 if need > cached else need,
                                          limit - price)
        limit = min(limit, without)
        if limit <= menu[0][0] + self.facts.total_s[u] - self.skeleton.cost_s[u]:
            return limit
        kept = self._room_parked(u, room)
        closing = self._offer_all(u, menu, kept, cached, limit)
        if need != ANY and closing < limit:
            closing = max(closing, self._offer_all(u, menu, kept, need, limit))
        count = self._count_parked(u, room)
        if count and closing < limit:
            shared = tuple((cost / (1 + count) if place <= cached else cost, space)
                           for place, (cost, space) in enumerate(menu))
            closing = max(closing, self._offer_all(u, shared, beside, ANY, limit))
        return min(without, closing)

    def _room_parked(self, u: int, room: int) -> int:
        """Room of the parts of children that need not pay a computation of u."""
        beside = room - self.skeleton.size[u]
        least = self.least_parked[u]
        return max(beside, room - least) if least <= beside else beside

    def _count_parked(self, u: int, room: int) -> int:
        """How many parked checkpoints fit beside that of u, at most."""
        beside = room - self.skeleton.size[u]
        least = self.least_parked[u]
        if beside < least:
            return 0
        return beside // least if least else len(self.skeleton)


def widen(menu: Menu, need: int, width: int) -> list[tuple[Menu, int]]:
    """Menus of at most `width` options that offer no less, and where `need` is in each."""
    if len(menu) <= width:
        return [(menu, need)]
    larger: list[tuple[Menu, int]] = []
    for place in range(len(menu) - 1):
        joined = (menu[place][0], menu[place + 1][1])
        shorter = menu[:place] + (joined,) + menu[place + 2:]
        for found in widen(shorter, need - 1 if need > place else need, width):
            if found not in larger:
                larger.append(found)
    return larger
