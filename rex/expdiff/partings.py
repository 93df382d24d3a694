"""Where two experiments parted: of each process the first thing that it was given otherwise than its counterpart."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

from rex.expdiff.cause import FILE, VARIABLE, Step, Story, Suspect
from rex.expdiff.difference import CHANCE, LOOK, OUTPUTS, Comparison, Parting
from rex.expdiff.trace import END, Exec, Task

_SHOWN_CHARS = 100
_Met = tuple[int, Suspect]      # an event, and what differs there


def find_partings(stories: tuple[Story, Story], matches: dict[int, int], found: Comparison) -> list[Parting]:
    """The first difference of each process of two experiments, by event. Clocks and random numbers are left out: they always differ.

    Args:
        matches: numbers of tasks of the second experiment by those of the first.
    """
    made = {each.left_path: each.item for each in found.components[OUTPUTS] if each.left_path}, {
        each.right_path: each.item for each in found.components[OUTPUTS] if each.right_path}
    partings = []
    for left, right in matches.items():
        tasks = stories[0].trace.tasks[left], stories[1].trace.tasks[right]
        if not tasks[0].is_thread and not tasks[1].is_thread:
            met = [list(_met(*each)) for each in zip(stories, tasks, made, reversed(tasks))]
            if any(met):
                partings.append(_first(stories[1].trace.name(right), met[0], met[1]))
    for side, story in enumerate(stories):
        partings += _alone(story, side, matches.values() if side else matches.keys())
    # Times of files differ in most runs: they count where nothing else differs.
    sure = [each for each in partings if each.is_sure]
    return sorted(sure or partings, key=lambda each: max(event or 0 for event in each.events))


def _alone(story: Story, side: int, known: Any) -> Iterator[Parting]:
    """Processes that one experiment has alone, and whose parent both have."""
    for number, task in story.trace.tasks.items():
        if number not in known and not task.is_thread and task.parent in known:
            what = f"only the {('first', 'second')[side]} started it"
            yield Parting(story.trace.name(number), what, "", "", (None, task.start) if side else (task.start, None))


def _met(story: Story, task: Task, made: dict[str, str], other: Task) -> Iterator[_Met]:
    """All that a process was given otherwise, with the events."""
    for event, suspect in story.met(Step(task.number, END, "", None)):
        if suspect.rank < CHANCE:
            yield event, suspect
    for (process, path), event in story.trace.reads.items():
        if process == task.number and path in made:
            written, writer = max(((at, who) for who, at in story.writers(path) if who != task.number and at <= event), default=(0, None))
            if writer is not None:
                yield event, Suspect(f"{made[path]} differs, which {story.trace.name(writer)} wrote (event {written})", OUTPUTS, made[path])
    if task.parent is not None:
        for one, two in zip(task.execs, other.execs):
            if one.label != two.label:
                yield one.event, Suspect(f"it was started as {_command(one)}, its counterpart as {_command(two)}", "command", "command")
                return


def _command(run: Exec) -> str:
    text = " ".join(run.command)
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…")


def _first(process: str, left: Sequence[_Met], right: Sequence[_Met]) -> Parting:
    """The first file, argument or command; where there is none, the first of all."""
    event, suspect = min(right or left, key=lambda each: (each[1].rank != FILE, each[1].rank != VARIABLE, each[0]))
    events = tuple(next((at for at, each in met if each.item == suspect.item), None) for met in (left, right))
    earlier = dict.fromkeys(each.what for at, each in right or left if at <= event and each.item != suspect.item and each.rank > suspect.rank)
    return Parting(process, suspect.what, suspect.component, suspect.item, (events[0], events[1]), tuple(earlier), suspect.rank < LOOK)

