"""Which iterations a replay is asked for."""

from __future__ import annotations

import pytest

from rex.errors import UsageError
from rex.hindsight.replay.query import Query, count_of, numbers_of
from rex.hindsight.trace.records import Border, Run

MAIN = "__main__#0.0"


def run_of(count: int, is_over: bool = True) -> Run:
    run = Run()
    run.borders = [Border(f"{MAIN}:{number}", 0.0, 0.0, 0, 0, 0) for number in range(count)]
    if is_over:
        run.loops[MAIN] = {"iterations": count}
    for number in range(count):
        run.values += [{"name": "loss", "value": 9.0, "iteration": number}, {"name": "loss", "value": count - number, "iteration": number}]
    run.values.append({"name": "late", "value": 1, "iteration": count - 1})
    return run


def choose(**words: str) -> list[int] | None:
    return Query(**words).choose(run_of(10), MAIN, "exp0")


@pytest.mark.parametrize("text,chosen", [
    ("5", [5]), ("5,8,5", [5, 8]), ("2:8:3,last", [2, 5, 9]), ("last", [9]), ("-2", [8]), (":3", [0, 1, 2]), ("8:", [8, 9]),
    ("8:100", [8, 9]), ("::4", [0, 4, 8]), ("last,0", [0, 9]), (" 1 , 3 ", [1, 3]), ("7:last", [7, 8]), ("5:2:-1", [3, 4, 5])])
def test_lists_and_ranges(text: str, chosen: list[int]) -> None:
    assert choose(epochs=text) == chosen


@pytest.mark.parametrize("text", ["10", "20:30", "3,12", "-11", "8:8"])
def test_what_the_run_lacks_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="exp0 has no epoch"):
        choose(epochs=text)


@pytest.mark.parametrize("text", ["a", "1:2:3:4", "1:2:0", ",", "1,,2", "1.5"])
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a choice"):
        choose(epochs=text)


@pytest.mark.parametrize("condition,chosen", [
    ("loss > 8", [0, 1]), ("loss == 1", [9]), ("loss < 3 or epoch == 0", [0, 8, 9]), ("not loss > 1", [9]), ("loss % 5 == 0", [0, 5]),
    ("late == 1", [9]), ("2 < loss < 5", [6, 7])])
def test_conditions_on_the_values_that_were_logged_last(condition: str, chosen: list[int]) -> None:
    assert choose(where=condition) == chosen


@pytest.mark.parametrize("condition", ["__import__('os')", "loss.real", "loss > ", "[loss]", "accuracy > 1", "loss > 'a'", "1 / (loss - loss)"])
def test_other_conditions_are_refused(condition: str) -> None:
    with pytest.raises(UsageError):
        choose(where=condition)


def test_conditions_choose_among_epochs_and_samples_among_both() -> None:
    assert choose(epochs="0:4", where="loss > 7") == [0, 1, 2]
    sampled = choose(epochs="0:8", where="loss > 4", sample="50%")
    assert sampled is not None and len(sampled) == 3 and set(sampled) <= set(range(6)) and sampled == sorted(sampled)
    assert len(choose(sample="1%") or []) == 1 and len(choose(sample="99") or []) == 10
    with pytest.raises(UsageError, match="no epoch is left"):
        choose(where="loss > 99")
    for sample in ("0", "-1", "x", "%", "0%"):
        with pytest.raises(UsageError, match="not a sample"):
            choose(sample=sample)


def test_nothing_asked_is_all() -> None:
    assert choose() is None and Query().chosen_steps() is None


def test_steps_have_no_known_number() -> None:
    assert Query(steps="3,10:20:5").chosen_steps() == [3, 10, 15]
    for steps in ("last", "5:", "-3", ":"):
        with pytest.raises(UsageError):
            Query(steps=steps).chosen_steps()
    assert numbers_of(":3", None, "no") == [0, 1, 2]


def test_of_a_run_that_broke_off_the_borders_tell() -> None:
    assert count_of(run_of(7, is_over=False), MAIN) == 7
    with pytest.raises(UsageError, match="no iterations"):
        Query("3").choose(Run(), "", "exp0")
