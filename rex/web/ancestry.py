"""The experiments of an archive as a drawn tree: who was made from whom."""

from __future__ import annotations

import html
from dataclasses import dataclass

from rex.archive import COMPLETE
from rex.text import clean
from rex.trees.sweep import SWEPT
from rex.web.cards import Card
from rex.web.links import Links

_WIDTH, _HEIGHT, _GAP, _ROW, _MARGIN = 216, 54, 48, 70, 2
_CHARS = 29          # of a command in a box
_MAX_LONERS = 12     # experiments without relatives that are drawn too


@dataclass(frozen=True)
class Place:
    """Where a box lies: its column by generation, its row counted in halves."""

    card: Card
    column: int
    row: float


def arrange(cards: list[Card]) -> list[Place]:
    """Every card with relatives, parents left of their children and level with the middle of them.

    A chain of ancestors that bites its own tail (an archive may come from anywhere) is cut.
    """
    by_name = {card.name: card for card in cards}
    children: dict[str, list[Card]] = {}
    roots = []
    for card in sorted(cards, key=lambda each: (each.start_ns, each.name)):
        if card.made_from in by_name and not _is_own_ancestor(card, by_name):
            children.setdefault(card.made_from, []).append(card)
        else:
            roots.append(card)
    loners = [card for card in roots if card.name not in children]
    shown = [card for card in roots if card.name in children or len(loners) <= _MAX_LONERS]
    places: list[Place] = []
    row = 0
    for root in shown:
        row = _arrange_family(root, children, places, row)
    return places


def _is_own_ancestor(card: Card, by_name: dict[str, Card]) -> bool:
    seen, at = {card.name}, by_name.get(card.made_from)
    while at:
        if at.name in seen:
            return True
        seen.add(at.name)
        at = by_name.get(at.made_from)
    return False


def _arrange_family(root: Card, children: dict[str, list[Card]], places: list[Place], row: int) -> int:
    """Place a root with all that came from it; the next free row."""
    order, waiting = [], [(root, 0)]
    while waiting:   # no recursion: a stranger's chain may be long
        card, column = waiting.pop()
        order.append((card, column))
        waiting += [(child, column + 1) for child in reversed(children.get(card.name, []))]
    rows: dict[str, float] = {}
    for card, _ in order:
        if card.name not in children:
            rows[card.name] = row
            row += 1
    for card, _ in reversed(order):
        its = children.get(card.name)
        if its:
            rows[card.name] = (rows[its[0].name] + rows[its[-1].name]) / 2
    places += [Place(card, column, rows[card.name]) for card, column in order]
    return row


def _bundled(cards: list[Card]) -> tuple[list[Card], dict[str, str]]:
    """The runs of a sweep as one card, if they stand at the end of the tree; and by name of such a card, what was swept."""
    parents = {card.made_from for card in cards}
    runs: dict[str, list[Card]] = {}
    for card in cards:
        if card.is_usable and card.name not in parents and card.made_from and card.labels.get(SWEPT) == card.made_from:
            runs.setdefault(card.made_from, []).append(card)
    bundles = {of: each for of, each in runs.items() if len(each) > 1}
    inside = {card.name for each in bundles.values() for card in each}
    made = [Card(f"sweep of {of}", COMPLETE, (f"{len(each)} runs",), min(card.start_ns for card in each),
                 exit_status=max(abs(card.exit_status or 0) for card in each), made_from=of) for of, each in bundles.items()]
    return [*(card for card in cards if card.name not in inside), *made], {f"sweep of {of}": of for of in bundles}


def _state_class(card: Card) -> str:
    if not card.is_usable:
        return "broken"
    return "good" if card.exit_status == 0 else "bad"


def _short(text: str, limit: int = _CHARS) -> str:
    return text if len(text) <= limit else text[:limit - 1] + "…"


def draw(cards: list[Card], links: Links) -> str:
    """The tree as an SVG element for the page; colours are the style sheet's. "" for nothing to show."""
    cards, sweeps = _bundled(cards)   # no experiment has a name with blanks
    places = arrange(cards)
    if not places:
        return ""
    at = {place.card.name: (_MARGIN + place.column * (_WIDTH + _GAP), _MARGIN + round(place.row * _ROW))
          for place in places}
    width = max(x for x, _ in at.values()) + _WIDTH + _MARGIN
    height = max(y for _, y in at.values()) + _HEIGHT + _MARGIN
    parts = [f'<svg class="ancestry" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             'role="group" aria-label="Experiments, each beside the one that it was made from">']
    for place in places:
        if place.column:
            (x1, y1), (x2, y2) = at[place.card.made_from], at[place.card.name]
            middle = x1 + _WIDTH + _GAP // 2
            parts.append(f'<path class="edge" d="M{x1 + _WIDTH},{y1 + _HEIGHT // 2} H{middle} '
                         f'V{y2 + _HEIGHT // 2} H{x2}"/>')
    addresses = {place.card.name: links.sweep(sweeps[place.card.name]) if place.card.name in sweeps else
                 links.experiment(place.card.name) if place.card.is_usable else "" for place in places}
    parts += [_box(place.card, addresses[place.card.name], *at[place.card.name]) for place in places]
    return "\n".join([*parts, "</svg>"])


def _box(card: Card, address: str, x: int, y: int) -> str:
    told = f"{card.name}: {card.command_text or 'its command is not known'}"
    if card.made_from:
        told += f", made from {clean(card.made_from)}"
    box = (f'<g class="box {_state_class(card)}" transform="translate({x},{y})"><title>{html.escape(told)}</title>'
           f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="8"/><circle cx="18" cy="20" r="4"/>'
           f'<text class="name" x="30" y="25">{html.escape(_short(card.name, 22))}</text>'
           f'<text class="command" x="14" y="43">{html.escape(_short(card.command_text))}</text></g>')
    return f'<a href="{html.escape(address)}">{box}</a>' if address else box
