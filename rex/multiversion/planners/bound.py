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

The program below takes the
minimum over all such ways; where it does not know, it lets a part choose the
cheaper cost and the larger room at once. Then no sequence can cost less.
"""

from __future__ import annotations

from rex.multiversion.planners.cover import EffortSpent
from rex.multiversion.planners.menu import ROUND_UP, Menu, Option, Rooms
from rex.multiversion.planners.parts import deep_recursion
from rex.multiversion.planners.skeleton import Facts, Skeleton


class CoverBound:
    """Lower bound on the seconds of all sequences that fit a budget.

    Args:
        width: options per menu; more is tighter and slower. Where a menu would
            have more, two neighbours become one with the cost of the cheaper
            and the room of the larger.
        quantum: bytes to which rooms are rounded up; 1 is exact.
        effort: child menus that may be looked at before `EffortSpent`.
    """

    def __init__(self, skeleton: Skeleton, facts: Facts, *, width: int = 2,
                 quantum: int = 1, effort: int = 10**9) -> None:
        self.skeleton = skeleton
        self.facts = facts
        self.width = width
        self.rooms = Rooms(facts, quantum, ROUND_UP)
        self.effort = effort
        self.memo: list[dict[Menu, float]] = [{} for _ in range(len(skeleton))]

    def bound(self, budget_bytes: int) -> float:
        """Seconds that no sequence within the budget undercuts.

        Raises:
            EffortSpent: the tree is too large for this width and quantum.
        """
        with deep_recursion(len(self.skeleton)):
            total = 0.0
            for root in self.skeleton.roots:
                menu = self.rooms.build(root, [(self.skeleton.cost_s[root], budget_bytes)])
                total += self._solve(root, menu)
            return total

    def _solve(self, u: int, menu: Menu) -> float:
        """Seconds of the parts of u at least, when each starts by an option of the menu."""
        if not self.skeleton.children[u]:
            return menu[0][0]
        known = self.memo[u].get(menu)
        if known is not None:
            return known
        if len(menu) == 1 and menu[0][1] == 0:
            return menu[0][0] * self.facts.leaves[u] + self.facts.spread_s[u]
        ideal = self._least(u, menu)
        best = ideal
        if menu[0][1] < self.facts.once[u]:
            best = float("inf")
            for cached in range(len(menu)):
                if best > ideal and self.skeleton.size[u] <= menu[cached][1]:
                    best = min(best, self._solve_cached(u, menu, cached))
            if ideal + menu[0][0] * (len(self.skeleton.children[u]) - 1) < best:
                best = min(best, self._offer_all(u, menu))
            best = max(best, ideal)
        self.memo[u][menu] = best
        return best

    def _offer_all(self, u: int, menu: Menu, kept: Option | None = None) -> float:
        """Sum over the children, each offered the menu one step on, and `kept`."""
        return sum(self._offer(child, menu, kept) for child in self.skeleton.children[u])

    def _offer(self, child: int, menu: Menu, kept: Option | None = None) -> float:
        """Seconds of the child's parts at least; options cost what the menu says, plus a step."""
        self.effort -= 1
        if self.effort < 0:
            raise EffortSpent
        step = self.skeleton.cost_s[child]
        if not self.skeleton.children[child]:
            return step + (kept[0] if kept is not None else menu[0][0])
        options = [] if kept is None else [(kept[0] + step, kept[1])]
        options += [(cost + step, room) for cost, room in menu]
        full = self.rooms.build(child, options)
        if len(full) <= self.width:
            return self._solve(child, full)
        return max(self._solve(child, merged) for merged in widen(full, self.width))

    def _solve_cached(self, u: int, menu: Menu, cached: int) -> float:
        """Seconds when `cached` is the last option by which a part caches u."""
        price, room = menu[cached]
        beside = room - self.skeleton.size[u]
        sooner = max([beside] + [self._room_parked(u, option[1]) for option in menu[:cached]])
        others = menu[:cached] + menu[cached + 1:]
        without = price + self._offer_all(u, others, (0.0, sooner))
        if without <= self._least(u, menu):
            return without
        closing = self._solve_closing(u, menu, cached)
        count = self._count_parked(u, room)
        if count and closing < without:
            shared = tuple((cost / (1 + count) if place <= cached else cost, space)
                           for place, (cost, space) in enumerate(menu))
            closing = max(closing, self._offer_all(u, shared, (0.0, beside)))
        return min(without, closing)

    def _solve_closing(self, u: int, menu: Menu, cached: int) -> float:
        """Seconds when some part closes u last, by option `cached`, and so pays for it."""
        price, room = menu[cached]
        kept = (0.0, self._room_parked(u, room))
        total = 0.0
        least_loss = float("inf")
        for child in self.skeleton.children[u]:
            seconds = self._offer(child, menu, kept)
            closing = max(seconds, price + self._offer(child, menu, (0.0, room)))
            total += seconds
            least_loss = min(least_loss, closing - seconds)
        return total + least_loss

    def _room_parked(self, u: int, room: int) -> int:
        """Room of the parts of children that need not pay a computation of u."""
        beside = room - self.skeleton.size[u]
        least = self._least_parked(u)
        return max(beside, room - least) if least <= beside else beside

    def _least_parked(self, u: int) -> int:
        return min(self.facts.parked[child] for child in self.skeleton.children[u])

    def _count_parked(self, u: int, room: int) -> int:
        """How many parked checkpoints fit beside that of u, at most."""
        beside = room - self.skeleton.size[u]
        least = self._least_parked(u)
        if beside < least:
            return 0
        return beside // least if least else len(self.skeleton)

    def _least(self, u: int, menu: Menu) -> float:
        """Seconds when nothing below u runs twice."""
        return menu[0][0] + self.facts.total_s[u] - self.skeleton.cost_s[u]


def widen(menu: Menu, width: int) -> list[Menu]:
    """Menus of at most `width` options that offer no less than this one."""
    if len(menu) <= width:
        return [menu]
    larger: list[Menu] = []
    for place in range(len(menu) - 1):
        joined = (menu[place][0], menu[place + 1][1])
        for found in widen(menu[:place] + (joined,) + menu[place + 2:], width):
            if found not in larger:
                larger.append(found)
    return larger
