"""rex show"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

import click

from rex.cli.ls_command import begun_facts, default_name, files_by_role, print_files
from rex.cli.options import named_by_options
from rex.cli.table import (clean, command_text, date_text, guarded, labels_text, open_ref, print_columns, print_json,
                           status_text)
from rex.errors import UsageError
from rex.types import format_duration, format_size

if TYPE_CHECKING:
    from rex.archive import Archive, Experiment, Manifest, Process

_FACTS_SHOWN = 6   # warnings and withheld names before "and N more"


def role_totals(experiment: "Experiment") -> dict[str, dict[str, int]]:
    """Number and bytes of the files in each role."""
    return {role: {"files": len(files), "bytes": sum(
        each["size"] for each in files if each["change"] != "removed")}
        for role, files in files_by_role(experiment, False).items()}


def describe(archive: "Archive", experiment: "Experiment") -> dict[str, Any]:
    """Everything about an experiment, for machines; of an unfinished one what its start noted."""
    from rex.archive import COMPLETE
    from rex.archive.about import labels_of, note_of
    from rex.archive.lineage import ancestor, changes
    told: dict[str, Any] = {"archive": archive.path, "name": experiment.name, "state": experiment.state,
                            "is_default": experiment.name == default_name(archive),
                            "folder_bytes": experiment.folder_bytes()}
    if told["state"] != COMPLETE:
        return {**experiment.begun, **begun_facts(experiment), **told}
    manifest = experiment.manifest
    told["identity"] = experiment.identity
    for name in ("cwd", "user", "host", "umask", "machine", "terminal", "limits", "start_ns",
                 "duration_s", "exit_status", "engine", "rex", "counts", "extra"):
        told[name] = getattr(manifest, name)
    return {**told, "command": list(manifest.command), "made_from": ancestor(manifest.extra) or None,
            "labels": labels_of(manifest), "note": note_of(manifest),
            "changes": changes(manifest),
            "warnings": list(manifest.warnings), "withheld": list(manifest.withheld),
            "variables": len(manifest.environment), "log_bytes": manifest.log.size if manifest.log else None,
            "roles": role_totals(experiment)}


def facts_text(facts: dict[str, Any]) -> str:
    """Free facts in one line: key value, key value."""
    return clean(", ".join(f"{key} {value}" for key, value in sorted(facts.items()) if value != ""))


def limits_text(limits: dict[str, tuple[int, ...]]) -> str:
    """The soft limits that limit something."""
    return clean(", ".join(f"{name} {values[0]}" for name, values in sorted(limits.items())
                           if values and values[0] != -1)) or "none"


def list_text(names: list[str]) -> str:
    """The first few names, and how many more."""
    shown = ", ".join(clean(name) for name in names[:_FACTS_SHOWN])
    return shown + (f", and {len(names) - _FACTS_SHOWN} more (--json has all)"
                    if len(names) > _FACTS_SHOWN else "")


def finished_rows(told: dict[str, Any], manifest: "Manifest") -> list[tuple[str, str]]:
    """What a finished experiment adds to the first lines."""
    roles = [f"{each['files']} {role if role == 'apparatus' else role + 's'} ({format_size(each['bytes'])})"
             for role, each in told["roles"].items()]
    counts = [f"{count} {name}" for name, count in sorted(manifest.counts.items())]
    rows = [("exit status", status_text(manifest.exit_status)),
            ("duration", format_duration(manifest.duration_s)),
            ("user", clean(f"{manifest.user} on {manifest.host}, umask {manifest.umask:03o}")),
            ("machine", facts_text(manifest.machine)), ("terminal", facts_text(manifest.terminal)),
            ("limits", limits_text(manifest.limits)),
            ("engine", clean(f"{manifest.engine}, rex {manifest.rex}")),
            ("counts", clean(", ".join(counts)) or "-"), ("files", ", ".join(roles)),
            ("log", format_size(manifest.log.size) if manifest.log else "none"),
            ("environment", f"{len(manifest.environment)} variables")]
    if manifest.withheld:
        rows.append(("withheld", list_text(list(manifest.withheld))))
    rows += [("warning", clean(text)) for text in manifest.warnings[:_FACTS_SHOWN]]
    if len(manifest.warnings) > _FACTS_SHOWN:
        rows.append(("warning", f"and {len(manifest.warnings) - _FACTS_SHOWN} more (--json has all)"))
    return rows


def print_summary(told: dict[str, Any], experiment: "Experiment") -> None:
    """Everything about an experiment, one fact a line."""
    state = told["state"] + (" (default)" if told["is_default"] else "")
    rows = [("experiment", clean(f"{told['archive']}:{told['name']}")), ("state", state),
            ("command", command_text(told["command"] or ()) or "-"),
            ("directory", clean(str(told.get("cwd", "-")))), ("start", date_text(told["start_ns"]))]
    if "identity" in told:
        rows.insert(1, ("identity", told["identity"]))
    rows += [(name, text) for name, text in (("labels", labels_text(told.get("labels", {}))), ("note", clean(told.get("note", "")))) if text]
    if told.get("made_from"):
        rows.append(("made from", clean(told["made_from"])))
    rows += [("change", clean(change)) for change in told.get("changes", ())]
    if "roles" in told:
        rows += finished_rows(told, experiment.manifest)
    print_columns(rows)


def process_json(process: "Process") -> dict[str, Any]:
    """A process for machines."""
    return {"task": process.task, "parent": process.parent, "ordinal": process.ordinal,
            "command": list(process.command), "executable": process.executable,
            "start_s": process.start_s, "end_s": process.end_s, "cpu_s": process.cpu_s,
            "exit_status": process.exit_status}


def show_processes(experiment: "Experiment", as_json: bool) -> None:
    """The tree of processes with their times."""
    processes = experiment.manifest.processes
    if as_json:
        print_json([process_json(process) for process in processes])
        return
    from rex.archive.processtree import process_tree
    rows = []
    for branch, process in process_tree(processes):
        took = "-" if process.end_s is None else format_duration(process.end_s - process.start_s)
        rows.append([str(process.task), f"+{process.start_s:.3f} s", took, f"{process.cpu_s:.2f} s",
                     status_text(process.exit_status),
                     branch + (command_text(process.command) or clean(process.executable))])
    print_columns(rows, ("task", "start", "took", "cpu", "exit", "command"), right=(0, 1, 2, 3, 4), is_cut=True)


def show_files(experiment: "Experiment", as_json: bool) -> None:
    """Files by role."""
    groups = files_by_role(experiment, True)
    print_json(groups) if as_json else print_files(groups)


def show_environment(experiment: "Experiment", as_json: bool) -> None:
    """The variables that the command was given."""
    manifest = experiment.manifest
    if as_json:
        print_json({"environment": manifest.environment, "withheld": list(manifest.withheld)})
        return
    for name, value in sorted(manifest.environment.items()):
        click.echo(f"{clean(name)}={clean(value)}")
    for name in manifest.withheld:
        click.echo(f"rex: {clean(name)} was withheld", err=True)


def show_output(experiment: "Experiment", stream: int, as_json: bool) -> None:
    """What the experiment wrote to one of its standard streams, byte for byte."""
    from rex import codec
    from rex.expdiff.output import output_pieces
    pieces = (data for number, data in output_pieces(experiment) if number == stream)
    if as_json:
        print_json({"stream": stream - 1, "data": codec.text(b"".join(pieces))})
        return
    sys.stdout.flush()
    out = sys.stdout.buffer
    for data in pieces:
        out.write(data)
    out.flush()


def show_graph(experiment: "Experiment", form: str) -> None:
    """Its processes and files as a graph, in one of three forms."""
    from rex import picture
    from rex.expdiff.graph import read_graph
    from rex.expdiff.prov import as_prov
    graph = read_graph(experiment)
    if form == "prov":
        print_json(as_prov(graph, experiment.manifest))
    else:
        draw = picture.as_dot if form == "dot" else picture.as_svg
        click.echo(draw(graph.without_system()), nl=False)


@dataclass(frozen=True)
class Part:
    """A part of an experiment that an option asks for."""

    option: str
    show: Callable[["Experiment", bool], None]


_PARTS = {"files": Part("--files", show_files), "env": Part("--env", show_environment),
          "processes": Part("--processes", show_processes),
          "stdout": Part("--stdout", lambda e, as_json: show_output(e, 2, as_json)),
          "stderr": Part("--stderr", lambda e, as_json: show_output(e, 3, as_json))}


@click.command("show", epilog="Example: rex show EXP:exp0 --processes   "
               "Exit: 0 done, 2 bad request, 10 no such experiment, 12 format too new, 13 damaged.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", default="__default")
@click.option("--files", is_flag=True, help="Its files by role, with those that lead to them.")
@click.option("--env", is_flag=True, help="The environment variables that it was given.")
@click.option("--processes", is_flag=True, help="Its processes as a tree, with times.")
@click.option("--stdout", is_flag=True, help="What it wrote to its standard output, byte for byte.")
@click.option("--stderr", is_flag=True, help="What it wrote to its standard error, byte for byte.")
@click.option("--graph", type=click.Choice(["dot", "svg", "prov"]),
              help="Its processes and files as a graph: for Graphviz, as a picture, as W3C PROV-JSON "
              "(pictures leave out files of the system).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@named_by_options("ref")
@guarded
def command(ref: str, as_json: bool, graph: str | None, **asked: bool) -> int:
    """Show everything about one experiment: command, place, time, machine,
    processes, files. Unfinished experiments show what their start noted."""
    parts = [part for name, part in _PARTS.items() if asked[name]]
    options = [part.option for part in parts] + ["--graph"] * bool(graph)
    if len(options) > 1:
        raise UsageError(f"{' and '.join(options)} at once", "", "ask for one")
    archive, experiment = open_ref(ref)
    if graph:
        show_graph(experiment, graph)
        return 0
    if parts:
        parts[0].show(experiment, as_json)
        sys.stdout.flush()
        return 0
    told = describe(archive, experiment)
    print_json(told) if as_json else print_summary(told, experiment)
    return 0
