"""The drawn tree: children beside their parents, no two boxes in one place, and no circle without end."""

from __future__ import annotations

import random
from dataclasses import replace
import xml.etree.ElementTree as xml

from rex.web.ancestry import arrange, draw
from rex.web.cards import Card
from rex.web.links import Links


def card(name: str, parent: str = "", start: int = 0) -> Card:
    return Card(name, "complete", ("sh", name), start, 1.0, 0, parent)


def test_children_stand_right_of_their_parents() -> None:
    places = {place.card.name: place for place in arrange(
        [card("d", "b", 4), card("a", start=1), card("b", "a", 2), card("c", "a", 3), card("alone", start=9)])}
    assert [places[name].column for name in ("a", "b", "c", "d", "alone")] == [0, 1, 1, 2, 0]
    assert places["b"].row == places["d"].row == 0 and places["c"].row == 1 and places["a"].row == 0.5
    assert places["alone"].row == 2


def test_no_two_boxes_in_one_place_and_every_edge_drawn() -> None:
    draw_number = random.Random(5)
    for _ in range(30):
        count = draw_number.randint(1, 40)
        cards = [card(f"e{n}", f"e{draw_number.randrange(n)}" if n and draw_number.random() < .7 else "", n) for n in range(count)]
        places = arrange(cards)
        assert len({(place.column, place.row) for place in places}) == len(places)
        named = {each.made_from for each in cards} | {each.name for each in cards if each.made_from}
        assert named - {""} <= {place.card.name for place in places}
        picture = draw(cards, Links())
        if picture:
            assert picture.count('class="edge"') == sum(bool(each.made_from) for each in cards)


def test_parents_that_are_gone_or_go_in_circles() -> None:
    cards = [card("a", "b", 1), card("b", "a", 2), card("c", "gone", 3), card("d", "d", 4), card("e", "a", 5)]
    assert {place.card.name for place in arrange(cards)} == {"a", "b", "c", "d", "e"}
    long = [card(f"e{n}", f"e{n - 1}" if n else "", n) for n in range(3000)]
    assert max(place.column for place in arrange(long)) == 2999


def test_many_loners_are_left_to_the_table() -> None:
    cards = [card(f"e{n}", start=n) for n in range(40)]
    assert draw(cards, Links()) == ""
    assert {place.card.name for place in arrange([*cards, card("child", "e3", 99)])} == {"e3", "child"}


def test_the_picture_is_sound_whatever_the_names() -> None:
    evil = Card("exp0", "complete", ('"><script>', "\x1b", "\ud800"), 1, 1.0, 0, '"><b>')
    picture = draw([evil, Card("exp1", "incomplete", (), 2, made_from="exp0")], Links())
    root = xml.fromstring(picture.encode("utf-8", "replace"))
    assert "script" not in {element.tag for element in root.iter()} and picture.count("<a ") == 1


def test_the_runs_of_a_sweep_are_one_box() -> None:
    runs = [replace(card(f"run{n}", "base", n), labels={"sweep": "base"}, exit_status=n == 3) for n in range(2, 9)]
    others = [card("base", start=1), card("child", "run8", 20), replace(card("only", "child", 21), labels={"sweep": "child"})]
    drawn = draw([*runs, *others], Links())
    assert drawn.count("<rect") == 5, "base, six runs as one, the run that has a child, the child, and a sweep of one run"
    assert 'href="/sweep?of=base"' in drawn and "6 runs" in drawn and 'href="/experiments/run8"' in drawn and "/sweep?of=child" not in drawn
    assert 'class="box bad"' in drawn, "one of the six failed"
