"""The dynamic program over (node, menu): plans, published PC among them.

A plan is cut into *parts*: a part of node u is one computation of u with all
that is made of its result. Parts of a subtree do not depend on each other, so
any set of parts that covers all leaves can run one after the other. How a part
may start is an option of the subtree's menu, which parts from above offer:

- u is not cached: one part of a child goes on from it;
- u is cached: any number of parts of children start from it beside its
  checkpoint, with its size less room; one last part starts from it, evicts
  it and has all the room.

So each child of a cached u has a menu of its own: start beside u's checkpoint,
or, for the price of one more computation of u, start last.

Where it is known what cells write, a checkpoint takes no more than what was
written since the one that its part starts at: that is still there.
"""

from __future__ import annotations

from dataclasses import dataclass

from rex.multiversion.planners.menu import NO_ROOM, Menu, Option, Rooms
from rex.multiversion.planners.parts import Part, deep_recursion
from rex.multiversion.planners.skeleton import NEVER, Facts, Skeleton

KEPT = -1

# A child's menu, and per option the parent's option it comes from, or KEPT.
_Offered = tuple[Menu, tuple[int, ...]]


class EffortSpent(Exception):
    """The program looked at more child menus than it was allowed to."""


@dataclass(frozen=True)
class _Choice:
    """The best way found for one (node, menu).

    `cached` is the option whose parts cache the node, or None; `menus` are the
    children's menus; `used` are the options that the parts of this node start
    by.
    """

    cost_s: float
    used: frozenset[int]
    cached: int | None = None
    menus: tuple[_Offered, ...] = ()


class CoverPlanner:
    """Cheapest plan in which each menu has at most `width` options.

    Width 1 is PC with the payment of the paper's second footnote: a child
    starts all its parts beside u's checkpoint or none. With more width parts of
    one child differ, which saves what PC loses. Without a limit only parking
    is missing: two parts that both outlive the checkpoint they start from.

    Args:
        quantum: bytes to which rooms are rounded down; 1 is exact.
        effort: child menus that may be looked at before `EffortSpent`.
    Source: Manne et al., CHEX, PVLDB 15(6), 2022, Algorithm 2. We differ in the
    state, (node, nearest cached ancestor, room) instead of (node, cached set),
    which is not exponential in the height.
    """

    def __init__(self, skeleton: Skeleton, facts: Facts, *, width: int = 1,
                 quantum: int = 1, effort: int = 10**9) -> None:
        self.skeleton = skeleton
        self.facts = facts
        self.width = width
        self.rooms = Rooms(facts, quantum)
        self.effort = effort
        self.memo: list[dict[Menu, _Choice]] = [{} for _ in range(len(skeleton))]

    def plan(self, budget_bytes: int) -> list[Part]:
        """Parts of the roots that cover all leaves within the budget.

        Raises:
            EffortSpent: the tree is too large for this effort.
        """
        parts: list[Part] = []
        with deep_recursion(len(self.skeleton)):
            for root in self.skeleton.roots:
                menu = self.rooms.build(root, [(self.skeleton.cost_s[root], budget_bytes, NEVER)])
                self._solve(root, menu)
                parts.extend(part for _, part in self._build(root, menu))
        return parts

    def _solve(self, u: int, menu: Menu) -> _Choice:
        known = self.memo[u].get(menu)
        if known is None:
            known = self._solve_easy(u, menu) or self._solve_hard(u, menu)
            self.memo[u][menu] = known
        return known

    def _solve_easy(self, u: int, menu: Menu) -> _Choice | None:
        """Leaves, and subtrees where nothing fits, in closed form."""
        if len(menu) == 1 and menu[0][1] == NO_ROOM or not self.skeleton.children[u]:
            facts = self.facts
            return _Choice(menu[0][0] * facts.leaves[u] + facts.spread_s[u], frozenset((0,)))
        return None

    def _solve_hard(self, u: int, menu: Menu) -> _Choice:
        best: _Choice | None = None
        ideal = menu[0][0] + self.facts.total_s[u] - self.skeleton.cost_s[u]
        for cached in range(len(menu)):
            if self._space(u, menu[cached]) > menu[cached][1] or best and best.cost_s <= ideal:
                continue
            found = self._solve_cached(u, menu, cached)
            if best is None or found.cost_s < best.cost_s:
                best = found
        # Without the cache each child pays at least once for the way to u.
        if best is None or ideal + menu[0][0] * (len(self.skeleton.children[u]) - 1) < best.cost_s:
            found = self._solve_uncached(u, menu)
            if best is None or found.cost_s < best.cost_s:
                best = found
        return best

    def _space(self, u: int, option: Option) -> int:
        """Bytes of a checkpoint of u in a part that starts by an option."""
        return min(self.skeleton.size[u], option[2])

    def _spend(self, children: int) -> None:
        self.effort -= children
        if self.effort < 0:
            raise EffortSpent

    def _solve_uncached(self, u: int, menu: Menu) -> _Choice:
        """Each part of a child has a computation of u for itself."""
        total, menus = self._solve_children(u, menu, None)
        return _Choice(total, self._find_used(u, menus), None, tuple(menus))

    def _solve_cached(self, u: int, menu: Menu, cached: int) -> _Choice:
        """One part by option `cached` caches u; further parts only pass through it."""
        total, menus = self._solve_children(u, menu, menu[cached][1] - self._space(u, menu[cached]))
        if cached not in self._find_used(u, menus):
            total += self._pay_for_cached(u, menu, cached, menus)
        return _Choice(total, self._find_used(u, menus) | {cached}, cached, tuple(menus))

    def _solve_children(self, u: int, menu: Menu, kept_room: int | None) -> tuple[float, list[_Offered]]:
        """The children's costs, each offered the menu one step on, and a start beside u."""
        total = 0.0
        menus: list[_Offered] = []
        self._spend(len(self.skeleton.children[u]))
        for child in self.skeleton.children[u]:
            step, own = self.skeleton.cost_s[child], self.skeleton.written[child]
            offers = [] if kept_room is None else [((step, kept_room, own), KEPT)]
            offers += [((cost + step, room, min(NEVER, written + own)), label)
                       for label, (cost, room, written) in enumerate(menu)]
            cost, offered = self._solve_child(child, offers)
            total += cost
            menus.append(offered)
        return total, menus

    def _find_used(self, u: int, menus: list[_Offered]) -> frozenset[int]:
        """The options of u that its children's parts come from."""
        used = {labels[place] for child, (built, labels) in zip(self.skeleton.children[u], menus)
                for place in self.memo[child][built].used}
        return frozenset(used - {KEPT})

    def _pay_for_cached(self, u: int, menu: Menu, cached: int,
                        menus: list[_Offered]) -> float:
        """Seconds to add when no child's part starts last by option `cached`.

        Either the cached computation is paid by itself, or the child that loses
        least by it starts all its parts by this option.
        """
        extra, lead = menu[cached][0], -1
        for place, child in enumerate(self.skeleton.children[u]):
            forced = self._solve(child, self._build_forced(child, menu[cached]))
            loss = forced.cost_s - self.memo[child][menus[place][0]].cost_s
            if loss < extra:
                extra, lead = loss, place
        if lead >= 0:
            child = self.skeleton.children[u][lead]
            menus[lead] = (self._build_forced(child, menu[cached]), (cached,))
        return extra

    def _build_forced(self, child: int, option: Option) -> Menu:
        """The child's menu that has nothing but this option of its parent."""
        cost, room, written = option
        return self.rooms.build(child, [(cost + self.skeleton.cost_s[child], room,
                                         min(NEVER, written + self.skeleton.written[child]))])

    def _solve_child(self, child: int, offers: list[tuple[Option, int]]) -> tuple[float, _Offered]:
        """The child's best menu of at most `width` of the offers, with their labels."""
        full = self.rooms.build(child, [option for option, _ in offers])
        best_cost, best = float("inf"), full
        for built in narrow(full, self.width):
            cost = self._solve(child, built).cost_s
            if cost < best_cost:
                best_cost, best = cost, built
        origin = {(cost, self.rooms.fit(child, room)): label for (cost, room, _), label in reversed(offers)}
        return best_cost, (best, tuple(origin[option[:2]] for option in best))

    def _build(self, u: int, menu: Menu) -> list[tuple[int, Part]]:
        """The parts of the best choice, each with the option that it starts by."""
        choice = self.memo[u][menu]
        if not choice.menus:
            return [(0, part) for part in self._build_spread(u)]
        parts: list[tuple[int, Part]] = []
        main = Part(u, True)
        for child, (built, labels) in zip(self.skeleton.children[u], choice.menus):
            for place, part in self._build(child, built):
                label = labels[place]
                if label == KEPT:
                    main.kept.append(part)
                elif label == choice.cached and main.last is None:
                    main.last = part
                else:
                    parts.append((label, Part(u, last=part)))
        if choice.cached is not None:
            parts.insert(0, (choice.cached, main))
        return parts

    def _build_spread(self, u: int) -> list[Part]:
        """A part for each leaf, nothing cached."""
        below = self.skeleton.children[u]
        return [Part(u, last=part) for child in below for part in self._build_spread(child)] or [Part(u)]


def narrow(menu: Menu, width: int) -> list[Menu]:
    """The menus of at most `width` options that hold some of this one."""
    if len(menu) <= width:
        return [menu]
    smaller: list[Menu] = []
    for place in range(len(menu)):
        for found in narrow(menu[:place] + menu[place + 1:], width):
            if found not in smaller:
                smaller.append(found)
    return smaller
