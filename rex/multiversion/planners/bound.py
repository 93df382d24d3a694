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
from rex.multiversion.planners.menu import NO_ROOM
from rex.multiversion.planners.parts import deep_recursion
from rex.multiversion.planners.skeleton import NEVER, Facts, Skeleton

# As in menu.py, without what was written: (seconds, room) by rising cost and room.
Menu = tuple[tuple[float, int], ...]

ANY = -1
"""No option in particular is needed."""


class CoverBound:
    """Lower bound on the seconds of all sequences that fit a budget.

    Args:
        width: options per menu; more is tighter and slower. Where a menu would
            have more, two neighbours become one with the cost of the cheaper
            and the room of the larger.
        effort: child menus that may be looked at before `EffortSpent`; when a
            sixteenth is left, new menus get width 1.
    """

    def __init__(self, skeleton: Skeleton, facts: Facts, *, width: int = 2,
                 effort: int = 10**9) -> None:
        self.skeleton = skeleton
        self.facts = facts
        self.width = width
        self.cost_s, self.has_children = skeleton.cost_s, [bool(below) for below in skeleton.children]
        self.below_s = [total - own for total, own in zip(facts.total_s, skeleton.cost_s)]
        self.effort = effort
        self.reserve = effort // 16
        # Of each node the children that have children, with the room and the seconds of running all once.
        self.inner = [[(child, facts.once[child], facts.total_s[child]) for child in below if skeleton.children[child]]
                      for below in skeleton.children]
        self.least_parked = [min((facts.parked[child] for child in below), default=NEVER)
                             for below in skeleton.children]
        self.memo: list[dict[Menu | tuple[Menu, int], float]] = [{} for _ in range(len(skeleton))]

    def bound(self, budget_bytes: int) -> float:
        """Seconds that no sequence within the budget undercuts.

        Raises:
            EffortSpent: the tree is too large for this effort.
        """
        with deep_recursion(len(self.skeleton)):
            total = 0.0
            for root in self.skeleton.roots:
                total += self._solve(root, self._step(root, ((0.0, budget_bytes),), None), ANY)
            return total

    def _solve(self, u: int, menu: Menu, need: int) -> float:
        """Seconds of the parts of u at least, when each starts by an option of the menu.

        `need` is an option that at least one part starts by, or ANY.
        """
        if not self.has_children[u]:
            return menu[need if need != ANY else 0][0]
        if len(menu) == 1:
            if menu[0][1] == NO_ROOM:
                return menu[0][0] * self.facts.leaves[u] + self.facts.spread_s[u]
            need = ANY
        if menu[0][1] >= self.facts.once[u]:
            return menu[need if need != ANY else 0][0] + self.below_s[u]
        key = menu if need == ANY else (menu, need)
        known = self.memo[u].get(key)
        if known is None:
            known = self.memo[u][key] = self._solve_hard(u, menu, need)
        return known

    def _solve_hard(self, u: int, menu: Menu, need: int) -> float:
        ideal = menu[need if need != ANY else 0][0] + self.below_s[u]
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
        room = menu[0][1] if kept is None else kept
        inner = self.inner[u]
        total = self.below_s[u] + entry * len(self.skeleton.children[u])
        shares: list[float] = []
        for child, once, own in inner:
            if total >= limit:
                return total
            if room >= once:              # its cheapest start leaves nothing to be desired
                shares.append(entry + own)
                continue
            seconds = self._offer(child, menu, kept)
            shares.append(seconds)
            total += seconds - entry - own
        if need == ANY or total >= limit:
            return total
        least_loss = menu[need][0] - entry if len(self.skeleton.children[u]) > len(inner) else float("inf")
        for (child, _, _), seconds in zip(inner, shares):
            if least_loss <= 0:
                break
            least_loss = min(least_loss, self._offer_needed(child, menu, kept, need) - seconds)
        return total + max(least_loss, 0.0)

    def _step(self, child: int, menu: Menu, kept: int | None) -> Menu:
        """A menu of a child: that of its parent one step on, and a start beside the parent's checkpoint.

        Room of which no checkpoint can make use is cut off, and options that another one beats go.
        """
        facts, step = self.facts, self.cost_s[child]
        least, enough = facts.least[child], facts.enough[child]
        if least > enough:                # nothing can be checkpointed
            return ((step if kept is not None else menu[0][0] + step, NO_ROOM),)
        found: list[tuple[float, int]] = []
        top = NO_ROOM - 1
        if kept is not None:
            top = kept if kept < enough else enough
            if top < least:
                top = NO_ROOM
            found.append((step, top))
        for cost, room in menu:
            if top >= enough:
                break
            if room > enough:
                room = enough
            elif room < least:
                room = NO_ROOM
            if room > top:
                cost += step
                if found and found[-1][0] == cost:
                    found.pop()
                found.append((cost, room))
                top = room
        return tuple(found)

    def _spend(self) -> int:
        """The width of the next menu: with most of the effort spent, coarser ones keep the rest cheap."""
        self.effort -= 1
        if self.effort < 0:
            raise EffortSpent
        return self.width if self.effort > self.reserve else 1

    def _offer(self, child: int, menu: Menu, kept: int | None) -> float:
        """Seconds of an inner child's parts at least; `kept` is the room beside its parent."""
        width = self._spend()
        full = self._step(child, menu, kept)
        known = self.memo[child].get(full)
        if known is not None:
            return known
        if len(full) <= width:
            return self._solve(child, full, ANY)
        return max(self._solve(child, joined, ANY) for joined, _ in widen(full, ANY, width))

    def _offer_needed(self, child: int, menu: Menu, kept: int | None, need: int) -> float:
        """The same when at least one of the parts starts by an option of the parent's."""
        width = self._spend()
        full = self._step(child, menu, kept)
        # An option that another one beats costs what it is dearer, once.
        cost, room = self._step(child, (menu[need],), None)[0]
        place = next(place for place, option in enumerate(full) if option[1] >= room)
        extra = cost - full[place][0]
        if len(full) <= width:
            return extra + self._solve(child, full, place)
        seconds = extra + max(self._solve(child, joined, at) for joined, at in widen(full, place, width))
        if kept is not None:
            # Joined options forget the need; paying for it once is another bound.
            seconds = max(seconds, menu[need][0] + self._offer(child, menu, menu[need][1]))
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
        if limit <= menu[0][0] + self.below_s[u]:
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
