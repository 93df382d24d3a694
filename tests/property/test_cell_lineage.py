"""Cell lineages depend on the partial order of events: not on how processes interleave, nor on their ids."""

from __future__ import annotations

import io
import random
from dataclasses import replace

import pytest

from pace import first
from rex.archive import Content, FileEntry, FileState, Manifest
from rex.log.records import (EXIT, FINISHED, HEADER, IN, MAGIC, NO_TASK, OUT, RESOLVED, STAT, TASK, VERSION, Event,
                             encode)
from rex.multiversion.celllineage import read_events
from rex.syscalls.numbers import NUMBERS

CLONE_THREAD = 0x00010000
FILES = {f"/data/{name}": f"{ord(name):064x}" for name in "abcdef"}
MANIFEST = Manifest(("p",), cwd="/work", files={
    path: FileEntry(FileState("file", content=Content(sha, 4)), FileState("file", content=Content(sha, 4)))
    for path, sha in FILES.items()})


def open_file(task: int, path: str) -> Event:
    stat = bytearray(144)
    stat[24:28] = (0o100644).to_bytes(4, "little")
    name = path.encode()
    return Event(NUMBERS["openat"], task, 5, (0, 0, 0, 0, 0, 0),
                 ((1, IN, name), (1, RESOLVED, name), (1, STAT, bytes(stat))))


def ask(task: int, data: bytes) -> Event:
    return Event(NUMBERS["uname"], task, 0, fields=((0, OUT, data),))


def draw(task: int, data: bytes) -> Event:
    return Event(NUMBERS["getrandom"], task, len(data), fields=((0, OUT, data),))


def look(task: int, name: str) -> Event:
    return Event(NUMBERS["access"], task, -2, fields=((0, IN, name.encode()),))


def born(task: int, parent: int, flags: int, pid: int) -> Event:
    return Event(TASK, task, 0, (parent, 0, flags, pid, pid, task))


class Story:
    """What the tasks of a cell do, before anything says how they interleave."""

    def __init__(self, chance: random.Random) -> None:
        self.lines: dict[int, list[Event]] = {0: []}
        self.threads: list[int] = []
        for task in range(1, 5):
            is_thread = task == 4
            self.lines[0].append(born(task, 0, CLONE_THREAD if is_thread else 0, 0))
            self.lines[task] = [self.one(chance, task) for _ in range(chance.randrange(1, 6))]
            if is_thread:
                self.threads.append(task)
            else:
                self.lines[task].append(Event(EXIT, task, chance.choice([0, 256])))
            self.lines[0] += [self.one(chance, 0) for _ in range(chance.randrange(3))]

    @staticmethod
    def one(chance: random.Random, task: int) -> Event:
        kind = chance.randrange(3)
        if kind == 0:
            return open_file(task, chance.choice(sorted(FILES)))
        return ask(task, chance.randbytes(4)) if kind == 1 else look(task, f"/no/{chance.randrange(99)}-{{pid}}")

    def log(self, chance: random.Random, base_pid: int) -> io.BytesIO:
        """One interleaving of it, with process ids of its own."""
        events = [born(0, NO_TASK, 0, base_pid), look(0, "/.rex-cell/begin/0")]
        left = {task: list(lines) for task, lines in self.lines.items()}
        for thread in self.threads:
            chance.shuffle(left[thread])             # threads of a process do not agree on an order
        alive = {0}
        while any(left[task] for task in alive):
            task = chance.choice([task for task in alive if left[task]])
            event = left[task].pop(0)
            if event.call == TASK:
                alive.add(event.task)
                event = replace(event, args=(*event.args[:3], base_pid + event.task, base_pid + event.task, event.args[5]))
            pid = b"%d" % (base_pid + event.task)     # programs put their ids into names
            fields = tuple((arg, kind, data.replace(b"{pid}", pid)) for arg, kind, data in event.fields)
            events.append(replace(event, fields=fields))
        events.append(look(0, "/.rex-cell/end/0"))
        data = HEADER.pack(MAGIC, VERSION, FINISHED, 0, len(events))
        return io.BytesIO(data + b"".join(map(encode, events)))


def digest(story: Story, chance: random.Random, base_pid: int = 1000) -> str:
    return read_events(story.log(chance, base_pid), MANIFEST, "/home/ann/p.py", 0)[1].digest


@pytest.mark.parametrize("seed", first(20, range(60)))
def test_every_interleaving_of_a_partial_order_is_equal(seed: int) -> None:
    chance = random.Random(seed)
    story = Story(chance)
    assert len({digest(story, chance, chance.randrange(1000, 30000)) for _ in range(6)}) == 1


@pytest.mark.parametrize("seed", first(20, range(60)))
def test_any_other_event_is_another_lineage(seed: int) -> None:
    chance = random.Random(seed)
    story = Story(chance)
    before = digest(story, chance)
    task = chance.choice([task for task, lines in story.lines.items() if any(e.call not in (TASK, EXIT) for e in lines)])
    places = [i for i, event in enumerate(story.lines[task]) if event.call not in (TASK, EXIT)]
    change = chance.randrange(3)
    if change == 0:
        story.lines[task].insert(chance.choice(places), ask(task, b"another"))
    elif change == 1:
        story.lines[task][chance.choice(places)] = open_file(task, "/data/unheard of")
    else:
        del story.lines[task][chance.choice(places)]
    assert digest(story, chance) != before


def test_order_within_a_process_counts() -> None:
    story = Story(random.Random(1))
    story.lines[1] = [ask(1, b"one"), ask(1, b"two"), Event(EXIT, 1, 0)]
    before = digest(story, random.Random(2))
    story.lines[1] = [ask(1, b"two"), ask(1, b"one"), Event(EXIT, 1, 0)]
    assert digest(story, random.Random(2)) != before


def test_one_byte_of_a_file_counts_and_files_written_before_do_not() -> None:
    story = Story(random.Random(1))
    story.lines[0].append(open_file(0, "/data/a"))
    one = read_events(story.log(random.Random(2), 500), MANIFEST, "/home/ann/p.py", 0)[1]
    other = {**MANIFEST.files, "/data/a": FileEntry(FileState("file", content=Content("f" * 64, 4)))}
    two = read_events(story.log(random.Random(2), 500), replace(MANIFEST, files=other), "/home/ann/p.py", 0)[1]
    assert one.digest != two.digest and one.files["/data/a"] != two.files["/data/a"]


def test_of_randomness_only_the_seed_counts() -> None:
    """A process of a pool may be ended before it draws or after; the numbers follow from the seed."""
    story = Story(random.Random(1))
    nothing = digest(story, random.Random(2))
    story.lines[0].append(draw(0, b"numbers"))
    once, other = (read_events(story.log(random.Random(2), 500), MANIFEST, "/home/ann/p.py", seed)[1].digest for seed in (0, 1))
    story.lines[1].insert(0, draw(1, b"more"))
    assert len({nothing, once, other}) == 3 and digest(story, random.Random(2)) == once
