"""A graph of processes and files as W3C PROV-JSON."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from rex.picture import PROCESS, STARTED, STREAM, WRITES, Graph, Node

if TYPE_CHECKING:
    from rex.archive import FileState, Manifest


def as_prov(graph: Graph, manifest: "Manifest") -> dict[str, Any]:
    """The graph as W3C PROV-JSON: processes are activities, files and streams entities.

    Source: https://www.w3.org/submissions/prov-json/
    """
    told: dict[str, Any] = {"prefix": {"rex": "urn:rex:"}, "agent": {"rex:user": {"prov:label": manifest.user}},
                            "activity": {}, "entity": {}, "used": {}, "wasGeneratedBy": {}, "wasStartedBy": {},
                            "wasAssociatedWith": {}}
    processes = {process.task: process for process in manifest.processes}
    for node in graph.nodes.values():
        facts: dict[str, Any] = {"prov:label": node.label}
        if node.kind == PROCESS:
            process = processes.get(node.task)
            if process:
                facts["prov:startTime"] = _time(manifest.start_ns, process.start_s)
                if process.end_s is not None:
                    facts["prov:endTime"] = _time(manifest.start_ns, process.end_s)
            told["activity"][f"rex:{node.key}"] = {**facts, "rex:task": node.task}
        else:
            told["entity"][f"rex:{node.key}"] = {**facts, **_entity(node, manifest)}
    for number, edge in enumerate(graph.edges):
        name, begin, end = f"_:{number}", f"rex:{edge.begin}", f"rex:{edge.end}"
        if edge.kind == STARTED:
            told["wasStartedBy"][name] = {"prov:activity": end, "prov:starter": begin}
        elif edge.kind == WRITES:
            told["wasGeneratedBy"][name] = {"prov:entity": end, "prov:activity": begin}
        else:
            told["used"][name] = {"prov:activity": end, "prov:entity": begin}
    roots = set(told["activity"]) - {each["prov:activity"] for each in told["wasStartedBy"].values()}
    for root in sorted(roots):
        told["wasAssociatedWith"][f"_:{root[4:]}"] = {"prov:activity": root, "prov:agent": "rex:user"}
    return told


def _entity(node: Node, manifest: "Manifest") -> dict[str, Any]:
    if node.kind == STREAM:
        return {"prov:type": "rex:stream"}
    entry = manifest.files.get(node.path)
    state: "FileState | None" = None
    if entry:
        state = entry.final if node.is_final and entry.is_changed else entry.initial
    facts: dict[str, Any] = {"prov:type": "rex:file", "rex:path": node.path}
    if state and state.content:
        facts["rex:sha256"] = state.content.sha256
        facts["rex:size"] = state.content.size
    return {**facts, **({"rex:roles": list(entry.roles)} if entry and entry.roles else {})}


def _time(start_ns: int, seconds: float) -> str:
    """A moment as xsd:dateTime."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=start_ns // 1000 + seconds * 1e6)
    return moment.isoformat()
