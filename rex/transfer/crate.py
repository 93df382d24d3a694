"""An experiment as a Workflow Run RO-Crate: its files, and what they are, as linked data.

Source: https://w3id.org/ro/wfrun/process and https://w3id.org/ro/wfrun/workflow, version 0.5,
on RO-Crate 1.1.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from datetime import datetime, timezone
from typing import Any, Iterator

from rex.archive import APPARATUS, INPUT, OUTPUT, Archive, Content, Experiment, FileState
from rex.archive.exporting import export
from rex.transfer.image import build_directory, program_of
from rex.transfer.packages import Package, identify
from rex.transfer.tree import Tree

METADATA = "ro-crate-metadata.json"
EXPORT = "experiment.rex"
WORKFLOW = "workflow.sh"
CONTEXT = ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"]
PROFILES = {"https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
            "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
            "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate"}

Node = dict[str, Any]


def export_crate(archive: Archive, experiment: Experiment, path: str) -> Tree:
    """Write a crate: inputs, outputs, the command, the export file, and the metadata.

    Raises:
        UsageError: something is at path.
        Damaged: the experiment cannot be read.
    """
    def build(work: str) -> Tree:
        return _Crate(archive, experiment, work).write()
    return build_directory(path, build)


class _Crate:
    """A crate in the making."""

    def __init__(self, archive: Archive, experiment: Experiment, work: str) -> None:
        self._archive = archive
        self._experiment = experiment
        self._manifest = experiment.manifest
        self._work = work
        self._missing: list[str] = []

    def write(self) -> Tree:
        """Write all of it; the files whose bytes are missing."""
        self._write_files()
        inputs = list(self._data_files(INPUT))
        outputs = list(self._data_files(OUTPUT))
        programs = list(self._programs())
        nodes = [*self._profiles(), *self._root(inputs + outputs), *inputs, *outputs, *programs,
                 *self._run(inputs, outputs)]
        text = json.dumps({"@context": CONTEXT, "@graph": nodes}, indent=1, ensure_ascii=False)
        with open(os.path.join(self._work, METADATA), "x", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")
        return Tree({}, tuple(sorted(self._missing)))

    def _write_files(self) -> None:
        with open(os.path.join(self._work, EXPORT), "xb") as stream:
            export(self._archive, stream, [self._experiment.name])
        command = shlex.join(self._manifest.command)
        lines = ["#!/bin/sh", f"cd {shlex.quote(self._manifest.cwd)} &&", f"exec {command}", ""]
        with open(os.path.join(self._work, WORKFLOW), "x", encoding="utf-8",
                  errors="surrogateescape") as file:
            file.write("\n".join(lines))

    def _data_files(self, role: str) -> Iterator[Node]:
        """Copy the files of a role; their entities."""
        number = 0
        for path, entry in sorted(self._manifest.files.items()):
            state = entry.initial if role == INPUT else entry.final
            if role not in entry.roles or state is None or state.type != "file":
                continue
            if state.content is None:
                self._missing.append(path)
                continue
            number += 1
            # Numbered, because names come from strangers and may be the same.
            name = re.sub(r"[^A-Za-z0-9._-]", "_", os.path.basename(path)).lstrip(".")[:80] or "file"
            where = f"{role}s/{number:05d}-{name}"
            os.makedirs(os.path.join(self._work, role + "s"), exist_ok=True)
            self._archive.extract(state.content, os.path.join(self._work, where))
            yield _file(where, path, state, state.content)

    def _programs(self) -> Iterator[Node]:
        """The programs and libraries of the experiment, by package where one is known."""
        contents: dict[str, Content] = {}
        for path, entry in self._manifest.files.items():
            if APPARATUS in entry.roles and entry.initial and entry.initial.content:
                contents[path] = entry.initial.content
        packages = identify(self._archive, contents)
        self._software = []
        for path in sorted(contents):
            node: Node = {"@id": f"#program-{len(self._software)}", "@type": "SoftwareApplication",
                          "name": path, "sha256": contents[path].sha256}
            if package := packages.get(path):
                node.update(softwareVersion=package.version, isPartOf={"@id": _package_id(package)})
            self._software.append(node)
        yield from self._software
        for package in sorted(set(packages.values())):
            yield {"@id": _package_id(package), "@type": "SoftwareApplication", "name": package.name,
                   "softwareVersion": package.version, "identifier": f"{package.manager}:{package.name}"}

    def _profiles(self) -> Iterator[Node]:
        yield {"@id": METADATA, "@type": "CreativeWork", "about": {"@id": "./"},
               "conformsTo": [{"@id": "https://w3id.org/ro/crate/1.1"},
                              {"@id": "https://w3id.org/workflowhub/workflow-ro-crate/1.0"}]}
        for name, title in PROFILES.items():
            yield {"@id": name, "@type": "CreativeWork", "name": title, "version": name.rpartition("/")[2]}

    def _root(self, data: list[Node]) -> Iterator[Node]:
        manifest = self._manifest
        parts = [WORKFLOW, EXPORT, *[node["@id"] for node in data]]
        yield {"@id": "./", "@type": "Dataset", "name": shlex.join(manifest.command)[:200],
               "description": "A recorded run of a program, with all that it used; "
                              f"{EXPORT} replays with Rex",
               "datePublished": _time(manifest.start_ns), "license": "not stated",
               "conformsTo": [{"@id": name} for name in PROFILES], "mainEntity": {"@id": WORKFLOW},
               "hasPart": [{"@id": part} for part in parts], "mentions": {"@id": "#run"}}
        yield {"@id": WORKFLOW, "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
               "name": shlex.join(manifest.command)[:200], "encodingFormat": "text/x-shellscript",
               "programmingLanguage": {"@id": "#sh"},
               "hasPart": [{"@id": node["@id"]} for node in self._software]}
        yield {"@id": "#sh", "@type": "ComputerLanguage", "name": "POSIX shell"}
        yield {"@id": EXPORT, "@type": "File", "name": "the experiment, for rex import",
               "encodingFormat": "application/octet-stream",
               "contentSize": str(os.path.getsize(os.path.join(self._work, EXPORT)))}

    def _run(self, inputs: list[Node], outputs: list[Node]) -> Iterator[Node]:
        manifest = self._manifest
        variables = [{"@id": f"#env-{number}", "@type": "PropertyValue", "name": name, "value": value}
                     for number, (name, value) in enumerate(sorted(manifest.environment.items()))]
        has_failed = bool(manifest.exit_status)
        run: Node = {
            "@id": "#run", "@type": "CreateAction", "name": f"{self._experiment.name} on {manifest.host}",
            "instrument": {"@id": WORKFLOW}, "agent": {"@id": "#user"},
            "description": f"{program_of(manifest)} in {manifest.cwd}, exit status {manifest.exit_status}",
            "startTime": _time(manifest.start_ns),
            "endTime": _time(manifest.start_ns + int(manifest.duration_s * 1e9)),
            "actionStatus": {"@id": "http://schema.org/" + ("FailedActionStatus" if has_failed
                                                            else "CompletedActionStatus")},
            "object": [{"@id": node["@id"]} for node in inputs],
            "result": [{"@id": node["@id"]} for node in outputs],
            "environment": [{"@id": each["@id"]} for each in variables]}
        if has_failed:
            run["error"] = f"exit status {manifest.exit_status}"
        yield run
        yield {"@id": "#user", "@type": "Person", "name": manifest.user or "unknown"}
        yield from variables


def _file(where: str, path: str, state: FileState, content: Content) -> Node:
    return {"@id": where, "@type": "File", "name": os.path.basename(path), "alternateName": path,
            "contentSize": str(content.size), "sha256": content.sha256,
            "dateModified": _time(state.mtime_ns)}


def _package_id(package: Package) -> str:
    return f"#package-{package.manager}-" + re.sub(r"[^A-Za-z0-9.+-]", "_",
                                                   f"{package.name}-{package.version}")


def _time(ns: int) -> str:
    try:
        return datetime.fromtimestamp(ns / 1e9, timezone.utc).isoformat()
    except (OverflowError, ValueError, OSError):
        return "1970-01-01T00:00:00+00:00"
