"""Steps and edges from what a recording tells; recordings here are written by hand."""

from __future__ import annotations

import random

import pytest

from rex.archive import FileEntry, FileState, Manifest, Process
from rex.log.uses import MOVED, READ, REMOVE, WRITE
from rex.workflow.graph import Workflow, build_workflow
from rex.workflow.recorded import BORN, Recorded, Use
from rex.workflow.spans import Spans
from rex.workflow.wfcommons import Storage


def recorded(spans: dict[int, tuple[int | None, float, float]], uses: list[tuple[float, int, str, str]],
             ties: list[tuple[int, int]] | None = None, final: tuple[str, ...] = ()) -> Recorded:
    """Processes by task: parent, begin, end; births are added to the uses; final files hold ten bytes."""
    processes = {task: Process(task, parent, 0, (f"prog{task}",), f"/bin/prog{task}", begin, end, 0, end - begin)
                 for task, (parent, begin, end) in spans.items()}
    births = [(begin, task, BORN, "") for task, (_, begin, _) in spans.items()]
    files = {path: FileEntry(None, FileState("file", size=10), True) for path in final}
    manifest = Manifest(("prog0",), processes=tuple(processes.values()), files=files,
                        duration_s=max(end for _, _, end in spans.values()))
    told = [Use(*use, target="/e" if use[2] == MOVED else "") for use in sorted(births + uses, key=lambda use: use[0])]
    return Recorded(manifest, processes, told, ties or [])


def needs(workflow: Workflow) -> dict[str, set[str]]:
    """Ids of the tasks that each step needs, the frame left out."""
    tasks = workflow.tasks
    return {task.id: {tasks[pred].id for pred in task.preds if not tasks[pred].is_frame}
            for task in tasks if not task.is_frame}


CHAIN = {0: (None, 0.0, 9.0), 1: (0, 1.0, 3.0), 2: (0, 3.0, 6.0), 3: (0, 6.0, 8.0)}


def test_files_make_edges_and_wrappers_do_not_carry_their_childrens_time() -> None:
    found = build_workflow(recorded(CHAIN, [(2, 1, WRITE, "/a"), (4, 2, READ, "/a"), (5, 2, WRITE, "/b"),
                                            (7, 3, READ, "/b"), (7.5, 3, WRITE, "/c")], final=("/b", "/c")), "depth")
    assert needs(found) == {"1-prog1": set(), "2-prog2": {"1-prog1"}, "3-prog3": {"2-prog2"}}
    seconds = {task.id: task.seconds for task in found.tasks}
    assert seconds == pytest.approx({"0-prog0": 2.0, "1-prog1": 2.0, "2-prog2": 3.0, "3-prog3": 2.0})
    by_id = {task.id: task for task in found.tasks}
    assert by_id["2-prog2"].outputs == {"/b": 10} and by_id["2-prog2"].results == {}
    assert by_id["3-prog3"].results == {"/c": 10} and by_id["0-prog0"].is_frame


def test_costs_follow_the_storage_and_nothing_of_the_frame_can_be_kept() -> None:
    dag = build_workflow(recorded(CHAIN, [(2, 1, WRITE, "/a"), (4, 2, READ, "/a"), (7, 3, WRITE, "/c")],
                                  final=("/a", "/c")), "depth").dag(Storage(5.0, 1.0))
    assert dag.ids == ("0-prog0", "1-prog1", "2-prog2", "3-prog3") and dag.unpersistable == {0}
    assert dag.checkpoint_costs == (0.0, 3.0, 1.0, 1.0)
    assert dag.weights == pytest.approx((2.0, 2.0, 3.0, 5.0))       # its result is saved in any case


def test_a_file_rewritten_in_place_has_versions() -> None:
    found = build_workflow(recorded(CHAIN, [(2, 1, WRITE, "/a"), (4, 2, WRITE, "/a"), (7, 3, READ, "/a")]), "depth")
    assert needs(found) == {"1-prog1": set(), "2-prog2": set(), "3-prog3": {"2-prog2"}}
    found = build_workflow(recorded(CHAIN, [(2, 1, WRITE, "/a"), (4, 2, READ, "/a"), (4, 2, WRITE, "/a"),
                                            (7, 3, READ, "/a")]), "depth")
    assert needs(found)["2-prog2"] == {"1-prog1"} and needs(found)["3-prog3"] == {"2-prog2"}


def test_moved_directories_and_removed_files() -> None:
    found = build_workflow(recorded(CHAIN, [(2, 1, WRITE, "/d/x"), (4, 2, READ, "/d"), (4, 2, MOVED, "/d"),
                                            (4, 2, WRITE, "/e"), (7, 3, READ, "/d/x"), (7.5, 3, READ, "/e/x")]), "depth")
    assert needs(found)["2-prog2"] == {"1-prog1"} and needs(found)["3-prog3"] == {"2-prog2"}
    assert found.tasks[2].outputs == {"/d/x": 0, "/e/x": 0}
    found = build_workflow(recorded(CHAIN, [(2, 1, WRITE, "/a"), (4, 2, REMOVE, "/a"), (7.5, 3, READ, "/b")]), "depth")
    assert found.tasks[2].removed == ("/a",) and needs(found)["2-prog2"] == set()


def test_steps_tied_by_a_pipe_are_one() -> None:
    found = build_workflow(recorded(CHAIN, [], ties=[(1, 2)]), "depth")
    assert [task.roots for task in found.tasks if not task.is_frame] == [(1, 2), (3,)]
    assert found.tasks[1].seconds == pytest.approx(5.0)


def test_cycles_are_merged() -> None:
    side_by_side = {0: (None, 0.0, 9.0), 1: (0, 1.0, 8.0), 2: (0, 1.5, 8.0), 3: (0, 8.0, 9.0)}
    found = build_workflow(recorded(side_by_side, [(2, 1, WRITE, "/a"), (3, 2, READ, "/a"), (4, 2, WRITE, "/b"),
                                                   (5, 1, READ, "/b"), (8.5, 3, READ, "/b")]), "depth")
    assert [task.roots for task in found.tasks if not task.is_frame] == [(1, 2), (3,)]
    assert needs(found)["3-prog3"] == {"1-prog1"}


def test_what_the_frame_reads_all_later_steps_need() -> None:
    found = build_workflow(recorded(CHAIN, [(2, 1, WRITE, "/a"), (5.5, 0, READ, "/a")]), "depth")
    assert [task.id for task in found.tasks] == ["0-prog0", "1-prog1", "2-prog2", "0.2-prog0", "3-prog3"]
    stretch = found.tasks[3]
    assert stretch.is_frame and set(stretch.preds) == {0, 1} and 3 in found.tasks[4].preds
    assert found.tasks[0].seconds + stretch.seconds == pytest.approx(2.0)


def test_a_child_whose_pipe_the_frame_reads_belongs_to_the_frame() -> None:
    found = build_workflow(recorded(CHAIN, [(2, 1, WRITE, "/a"), (4, 2, READ, "/a")], ties=[(0, 2)]), "depth")
    assert found.frame == (0, 2) and [task.roots for task in found.tasks if task.roots] == [(1,), (3,)]


def test_a_frame_that_takes_no_time_is_left_out() -> None:
    spans = {0: (None, 0.0, 8.001), 1: (0, 0.0, 3.0), 2: (0, 3.0, 6.0), 3: (0, 6.0, 8.0)}
    found = build_workflow(recorded(spans, [(2, 1, WRITE, "/a"), (5.5, 0, READ, "/a")]), "depth")
    assert needs(found) == {"1-prog1": set(), "2-prog2": set(), "3-prog3": {"1-prog1"}}
    assert not any(task.is_frame for task in found.tasks)


def test_a_process_is_taken_apart_only_where_that_is_worth_it() -> None:
    spans = {0: (None, 0.0, 10.0), 1: (0, 0.0, 5.0), 2: (1, 0.0, 4.9), 3: (1, 4.9, 4.95), 4: (0, 5.0, 10.0),
             5: (4, 5.0, 7.0), 6: (4, 7.0, 10.0)}
    roots = [task.roots for task in build_workflow(recorded(spans, []), "depth").tasks if task.roots]
    assert roots == [(1,), (5,), (6,)]
    roots = [task.roots for task in build_workflow(recorded(spans, []), "none").tasks if task.roots]
    assert roots == [(2,), (3,), (5,), (6,)]


@pytest.mark.parametrize("grouping", ["depth", "command"])
def test_tiny_neighbours_are_joined(grouping: str) -> None:
    spans: dict[int, tuple[int | None, float, float]] = {0: (None, 0.0, 100.0), 1: (0, 0.0, 99.0)}
    spans |= {2 + i: (0, 99.0 + i / 1000, 99.0 + (i + 1) / 1000) for i in range(100)}
    found = recorded(spans, [(99.0 + i / 1000 + 1e-4, 2 + i, WRITE, f"/{i}") for i in range(100)])
    for task in range(2, 102):
        found.processes[task] = Process(task, 0, 0, ("sed",), "/bin/sed", *spans[task][1:])
    sizes = [len(task.roots) for task in build_workflow(found, grouping).tasks if task.roots]
    assert sizes == [1, 100]


def test_random_recordings_give_graphs_in_order() -> None:
    draw = random.Random(5)
    for _ in range(60):
        count = draw.randint(2, 20)
        spans: dict[int, tuple[int | None, float, float]] = {0: (None, 0.0, float(count + 1))}
        for task in range(1, count):
            spans[task] = (draw.randrange(task) if draw.random() < 0.3 else 0, task, task + draw.uniform(0, 3))
        uses = [(draw.uniform(spans[task][1], spans[task][2]), task, draw.choice((READ, WRITE, REMOVE)),
                 f"/{draw.randrange(6)}") for task in draw.choices(range(count), k=30)]
        ties = [(draw.randrange(count), draw.randrange(count)) for _ in range(draw.randrange(3))]
        for grouping in ("depth", "command", "none"):
            found = build_workflow(recorded(spans, uses, ties), grouping)
            found.dag(Storage())                       # refuses cycles and names that come twice
            assert all(pred < place for place, task in enumerate(found.tasks) for pred in task.preds)
            roots = [root for task in found.tasks for root in task.roots]
            assert len(roots) == len(set(roots)) and not set(roots) & set(found.frame)
            lasting = Spans([span[1:] for span in spans.values()]).length
            assert sum(task.seconds for task in found.tasks) >= lasting - found.frame_s - 1e-6


def test_spans() -> None:
    spans = Spans([(5, 6), (0, 2), (1, 3)])
    assert spans.parts == [(0, 3), (5, 6)] and spans.length == 4
    assert spans.without(Spans([(1, 2), (2.5, 5.5)])).parts == [(0, 1), (2, 2.5), (5.5, 6)]
    assert spans.between(2, 5.5, 2).parts == [(2, 3), (5, 5.5)]
