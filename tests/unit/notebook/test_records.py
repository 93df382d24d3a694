"""A session's log, its index and its graph agree, cut, hostile or whole; outputs and files come back."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import click
import pytest

pytest.importorskip("cloudpickle")

from rex.archive.sealed import seal
from rex.archive import Archive, Content, Experiment, Manifest  # noqa: E402
from rex.cli import notebook_command  # noqa: E402
from rex.cli.completion_command import prepare  # noqa: E402
from rex.errors import Damaged, NotFound  # noqa: E402
from rex.notebook import document  # noqa: E402
from rex.notebook.entries import graph_of  # noqa: E402
from rex.notebook.graph import Graph, Node  # noqa: E402
from rex.notebook.index import Index, read_graph  # noqa: E402
from rex.notebook.outputs import pack, unpack  # noqa: E402
from rex.state import StateTracker, Store, load_history  # noqa: E402


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive with a finished session of five cells."""
    archive = Archive.create(tmp_path / "A")
    write_session(archive)
    return archive


def write_session(archive: Archive, name: str = "nb", is_finished: bool = True) -> None:
    namespace: dict[str, Any] = {}
    tracker = StateTracker(namespace, check_loads=False)
    with archive.begin(name, {"notebook": {}}) as recording:
        store = Store(archive, recording)
        for number in range(1, 6):
            code = f"v{number} = ['x'] * {number}"
            tracker.before_cell(code)
            exec(code, namespace)
            delta = tracker.after_cell()
            facts = {"branch": "main", "views": {f"v{number}": {"kind": "list"}}, "count": number}
            store.save(delta, lambda put, facts=facts: {**facts, "out": put(b"o").to_json()})
            if number == 3:
                store.note({"kind": "tag", "name": "good", "node": 2, "after": 3})
                store.note({"kind": "branch", "name": "main", "node": 1, "after": 3})
        store.close()
        if not is_finished:
            return
        recording.finish(Manifest(("notebook",), attachments=store.attachments(),
                                  extra={"notebook": {}}))


def same(one: Graph, other: Graph) -> bool:
    return (one.branches, one.tags, one.head, list(one.nodes)) == (
        other.branches, other.tags, other.head, list(other.nodes)) and all(
        set(one.nodes[n].changed) == set(other.nodes[n].changed) for n in one.nodes)


def test_log_and_index_tell_the_same(archive: Archive) -> None:
    experiment = archive.experiment("nb")
    from_log = read_graph(experiment)
    assert from_log.tags == {"good": 2} and from_log.branches == {"main": 5}
    assert same(from_log, graph_of(load_history(archive, experiment)))
    path = os.path.join(experiment.directory, "index.sqlite")
    index = Index(path)
    with experiment.open_log() as log:
        index.catch_up(log)
    index.close()
    assert same(read_graph(experiment), from_log)
    database = sqlite3.connect(path)
    assert database.execute("SELECT count(*) FROM cell").fetchone() == (5,)
    assert database.execute("SELECT bytes FROM variable WHERE name = 'v2'").fetchone()[0] > 0
    database.execute("UPDATE entry SET json = replace(json, 'good', 'evil')")
    database.commit()
    assert same(read_graph(experiment), from_log)       # nothing vouches for it


def index_of(archive: Archive) -> tuple[Experiment, str]:
    """An unfinished session, and its index."""
    write_session(archive, "cut", is_finished=False)
    experiment = archive.experiment("cut")
    path = os.path.join(experiment.directory, "index.sqlite")
    index = Index(path)
    with experiment.open_log() as log:
        index.catch_up(log)
    index.close()
    return experiment, path


def test_an_unfinished_session_is_read_from_its_index_where_that_is_up_to_date(archive: Archive) -> None:
    experiment, path = index_of(archive)
    from_log = graph_of(load_history(archive, experiment))
    assert same(read_graph(experiment), from_log)
    database = sqlite3.connect(path)
    database.execute("UPDATE entry SET json = replace(json, 'good', 'other')")
    database.commit()
    assert read_graph(experiment).tags == {"other": 2}
    database.execute("UPDATE meta SET value = 5 WHERE key = 'offset'")
    database.commit()
    assert same(read_graph(experiment), from_log)


@pytest.mark.parametrize("name", ["index.sqlite", "index.sqlite-journal", "log.part"])
def test_a_link_or_a_pipe_beside_an_unfinished_session_is_not_opened(archive: Archive, tmp_path: Path, name: str) -> None:
    experiment, path = index_of(archive)
    whole, place = read_graph(experiment), Path(experiment.directory, name)
    outside = tmp_path / "outside"
    outside.write_bytes(place.read_bytes() if place.exists() else b"")
    for make in (lambda: place.symlink_to(outside), lambda: os.mkfifo(place)):
        place.unlink(missing_ok=True)
        make()
        if name == "log.part":
            with pytest.raises(Damaged):
                read_graph(experiment)
        else:
            assert same(read_graph(experiment), whole)


def test_shells_complete_tags_and_branches(archive: Archive) -> None:
    commands = notebook_command.command.commands
    for name in ("checkout", "diff", "resume"):
        prepare(commands[name])

    def offered(name: str, param: str, begin: str) -> list[str]:
        command = commands[name]
        context = click.Context(command)
        context.params["ref"] = f"{archive.path}:nb"
        found = next(each for each in command.params if each.name == param)
        return [item.value for item in found.shell_complete(context, begin)]

    assert offered("checkout", "where", "") == ["good", "main"] and offered("resume", "at", "g") == ["good"]
    assert offered("diff", "one", "m") == ["main"]


@pytest.mark.parametrize("harm", [
    "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM entry; END",
    "CREATE VIEW w AS SELECT 1", "DROP TABLE entry", "UPDATE meta SET value = 'x'",
    "UPDATE entry SET json = '{'", "UPDATE entry SET json = '{\"note\": 5}'",
    "UPDATE entry SET json = '[]'", "UPDATE entry SET json = '{\"node\": \"x\"}'"])
def test_hostile_indexes_are_passed_over(archive: Archive, harm: str) -> None:
    experiment, path = index_of(archive)
    whole = graph_of(load_history(archive, experiment))
    with sqlite3.connect(path) as database:
        database.execute(harm)
    assert same(read_graph(experiment), whole)
    Path(path).write_bytes(b"SQLite format 3\0" + os.urandom(5000))
    assert same(read_graph(experiment), whole)
    Index(path).close()   # a session makes it anew


def test_logs_cut_anywhere_give_whole_cells_only(archive: Archive, tmp_path: Path) -> None:
    with archive.experiment("nb").open_log() as log:
        data = log.read()
    path = Path(archive.path, "experiments", "cut")
    path.mkdir()
    (path / "begun").write_bytes(seal(b'{"notebook": {}}'))
    sizes = []
    for end in range(0, len(data) + 1, 97):
        (path / "log.part").write_bytes(data[:end])
        sizes.append(len(read_graph(archive.experiment("cut")).nodes))
    assert sizes == sorted(sizes) and sizes[0] == 0 and sizes[-1] >= 4
    lines = data.splitlines(keepends=True)
    for bad in (b"[]\n", b"{}\n", b"\xff\n", b'{"node": 1}\n', lines[0] + lines[0],
                b'{"note": {}, "dropped": 3}\n'):
        (path / "log.part").write_bytes(bad)
        with pytest.raises(Damaged):
            read_graph(archive.experiment("cut"))
    with archive.begin("other"):
        pass
    with pytest.raises(NotFound):
        read_graph(archive.experiment("other"))


def test_outputs_come_back_and_strangers_outputs_fit() -> None:
    kept: list[bytes] = []
    long = "line\n" * 2000
    outputs = [{"output_type": "stream", "name": "stdout", "text": ["a", long], "chars": len(long) + 1},
               {"output_type": "display_data", "data": {"image/png": "A" * 9000, "text/plain": "<fig>",
                                                        "application/json": {"a": (1, 2)}}, "metadata": {}}]
    packed = json.loads(json.dumps(pack(outputs, lambda data: [kept.append(data) or len(kept) - 1])))
    assert len(kept) == 2 and len(json.dumps(packed)) < 500
    found = unpack(packed, lambda ref: kept[ref[0]])
    assert found[0]["text"] == "a" + long and found[1]["data"]["image/png"] == "A" * 9000
    assert found[1]["data"]["application/json"] == {"a": [1, 2]}
    for odd in (None, 5, [1, {}], [{"output_type": "stream"}], [{"output_type": "error"}],
                [{"output_type": "execute_result", "data": 5}], [{"output_type": ["x"]}]):
        for one in unpack(odd, lambda ref: b""):
            assert one["output_type"] in ("stream", "error")


def test_notebook_files_are_built_from_hostile_pieces() -> None:
    graph = Graph()
    graph.add(Node(1, 0, "a = 1", count=1, cell_id="one", document=[1]))
    graph.add(Node(2, 1, "b = 2", count=2, cell_id="../../x"))
    graph.add(Node(3, 2, "a = 3", count=3, cell_id="one"))
    for saved in (b"", b"[]", b"{}", b'{"cells": 5}', b'{"cells": [1, {"id": []}, {"id": "one"}]}',
                  b'{"cells": [], "metadata": 7}'):
        found = document.build(graph, 3, lambda ref: saved)
        code = [cell for cell in found["cells"] if cell.get("cell_type") == "code"]
        assert [cell["source"] for cell in code][:1] == ["a = 3"] and "b = 2" in [c["source"] for c in code]
        assert isinstance(found["metadata"], dict)


def test_facts_need_a_content_that_is_there(archive: Archive) -> None:
    history = load_history(archive, archive.experiment("nb"))
    assert archive.read(Content(*history.deltas[1].facts["out"])) == b"o"
