"""Processes and files as a graph."""

from __future__ import annotations

from rex.expdiff.graph import build_graph
from rex.picture import FILE, STREAM, Graph, short
from rex.expdiff.trace import Exec, Task, Trace


def pipeline() -> Trace:
    """A shell that runs a child, which appends to /log, reads /in and writes standard output."""
    trace = Trace()
    trace.tasks[0] = Task(0, None, execs=[Exec(1, "/bin/sh", ("sh", "a b"))])
    trace.tasks[1] = Task(1, 0, 0, 1, start=2, inherited="sh")
    trace.tasks[2] = Task(2, 1, 0, 1, start=3)
    trace.use(0, "/bin/sh", 1, False)
    trace.use(1, "/in", 4, False)
    for is_write in (False, True):
        trace.use(1, "/log", 5, is_write)
    trace.use(0, "/log", 9, False)
    trace.move(1, "write", "standard output", b"x", 6)
    return trace


def told(graph: Graph) -> list[tuple[str, str, str]]:
    return [(edge.kind, graph.nodes[edge.begin].label, graph.nodes[edge.end].label) for edge in graph.edges]


def test_nodes_and_edges_in_the_order_of_time() -> None:
    graph = build_graph(pipeline())
    assert told(graph) == [
        ("read", "/bin/sh", "sh 'a b'"), ("started", "sh 'a b'", "sh"), ("read", "/in", "sh"),
        ("read", "/log", "sh"), ("wrote", "sh", "/log"), ("wrote", "sh", "standard output"),
        ("read", "/log", "sh 'a b'")]
    assert [(node.is_final, node.path) for node in graph.nodes.values() if node.label == "/log"] == [
        (False, "/log"), (True, "/log")]
    assert {node.kind for node in graph.nodes.values()} == {"process", FILE, STREAM}


def test_pictures_leave_out_the_system() -> None:
    graph = build_graph(pipeline()).without_system()
    assert "/bin/sh" not in [node.label for node in graph.nodes.values()]
    assert all(edge.begin in graph.nodes and edge.end in graph.nodes for edge in graph.edges)


def test_short_labels() -> None:
    assert short("/a") == "/a" and len(short("/" + "a" * 99)) == 60 == len(short("a" * 99))
    assert short("/" + "a" * 99 + "b").endswith("b") and short("b" + "a" * 99).startswith("b")
