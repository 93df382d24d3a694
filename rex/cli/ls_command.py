"""rex ls"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rex.cli.options import named_by_options
from rex.cli.refs import DEFAULT_ARCHIVE
from rex.cli.select import SORTS, Filter, filter_options, is_pattern, matching
from rex.cli.table import (clean, command_text, date_text, guarded, labels_text, mode_text, open_ref, parse_ref,
                           print_columns, print_json, status_text)
from rex.errors import Damaged, NotFound, RexError
from rex.types import format_duration, format_size

if TYPE_CHECKING:
    from rex.archive import Archive, Experiment, FileEntry, FileState
    from rex.archive.usage import Usage


def default_name(archive: "Archive") -> str:
    """Name of the default experiment, or "" where none is finished, or nobody can tell."""
    try:
        return archive.default()
    except (NotFound, Damaged):
        return ""


def usages(archive: "Archive") -> dict[str, "Usage"]:
    """Sizes by experiment; none where damage hides them."""
    from rex.archive.usage import usage
    try:
        return usage(archive)
    except RexError:
        return {}


def describe(experiment: "Experiment", usage: "Usage | None", is_default: bool) -> dict[str, Any]:
    """One experiment for machines; what an unfinished or damaged one cannot tell is None."""
    from rex.archive import COMPLETE
    from rex.archive.about import labels_of, note_of, verified_of
    from rex.archive.lineage import ancestor
    told: dict[str, Any] = {
        "name": experiment.name, "identity": None, "state": experiment.state, "is_default": is_default, "command": None,
        "start_ns": 0, "duration_s": None, "exit_status": None, "made_from": None, "labels": {}, "note": "", "verified": None,
        "logical_bytes": usage.logical if usage else None, "stored_bytes": usage.stored if usage else None,
        "unique_bytes": usage.unique if usage else None}
    try:
        if told["state"] == COMPLETE:
            manifest = experiment.manifest
            told.update(identity=experiment.identity, command=list(manifest.command), start_ns=manifest.start_ns,
                        duration_s=manifest.duration_s, exit_status=manifest.exit_status,
                        made_from=ancestor(manifest.extra) or None,
                        labels=labels_of(manifest), note=note_of(manifest),
                        verified=verified_of(manifest).get("is_identical"))
        else:
            told.update(begun_facts(experiment))
    except RexError as error:
        told.update(state="damaged", problem=str(error))
    return told


def begun_facts(experiment: "Experiment") -> dict[str, Any]:
    """Command and start of an unfinished experiment, as far as its facts make sense."""
    command, start_ns = experiment.begun.get("command"), experiment.begun.get("start_ns")
    is_command = isinstance(command, list) and all(isinstance(a, str) for a in command)
    return {"command": command if is_command else None,
            "start_ns": start_ns if isinstance(start_ns, int) else 0}


def list_experiments(path: str, pattern: str | None, wanted: "Filter") -> dict[str, Any]:
    """An archive and those of its experiments that are wanted, for machines; pattern: of their names."""
    from rex.archive import Archive
    archive = Archive.open(path)
    with archive.held():
        default, sizes = default_name(archive), usages(archive)
        names = set(matching(archive, pattern)) if pattern else None
        told = [(e, describe(e, sizes.get(e.name), e.name == default)) for e in archive.experiments() if names is None or e.name in names]
        # Another process may have removed some meanwhile.
        return {"archive": path, "experiments": wanted.apply([facts for experiment, facts in told if experiment.is_there])}


def experiment_row(told: dict[str, Any]) -> list[str]:
    """One line of the list."""
    def size(key: str) -> str:
        return "-" if told[key] is None else format_size(told[key])

    state = told["state"] + (" (default)" if told["is_default"] else "")
    if told["verified"] is not None:
        state += ", verified" if told["verified"] else ", NOT verified"
    if told["made_from"]:
        state += f", from {clean(told['made_from'])}"
    duration = "-" if told["duration_s"] is None else format_duration(told["duration_s"])
    return [told["name"], date_text(told["start_ns"]), duration, status_text(told["exit_status"]),
            size("logical_bytes"), size("stored_bytes"), size("unique_bytes"), state,
            labels_text(told["labels"]), clean(told["note"]),
            command_text(told["command"] or ())]


def print_experiments(told: dict[str, Any], is_one: bool, is_filtered: bool) -> None:
    """The experiments of an archive as a table."""
    if not is_one:
        click.echo(f"{clean(told['archive'])}:")
    headings = ("name", "date", "duration", "exit", "size", "stored", "unique", "state", "labels", "note", "command")
    rows = [experiment_row(each) for each in told["experiments"]]
    shown = [at for at, name in enumerate(headings) if name not in ("labels", "note") or any(row[at] for row in rows)]
    print_columns([[row[at] for at in shown] for row in rows], [headings[at] for at in shown], right=(2, 3, 4, 5, 6), is_cut=True)
    if not told["experiments"]:
        click.echo("no experiments" if is_filtered else "no experiments yet")
    for each in told["experiments"]:
        if "problem" in each:
            click.echo(f"rex: {each['name']}: {clean(each['problem'])}", err=True)


def file_json(path: str, entry: "FileEntry", role: str, state: "FileState") -> dict[str, Any]:
    """A file in a role, for machines."""
    from rex.expdiff.files import is_removed
    change = ("removed" if is_removed(entry) else "created" if entry.initial is None
              else "changed") if role == "output" else ""
    return {"path": path, "role": role, "type": state.type, "mode": f"{state.mode:04o}",
            "size": state.size, "mtime_ns": state.mtime_ns, "target": state.target,
            "sha256": state.content.sha256 if state.content else None, "change": change}


def files_by_role(experiment: "Experiment", with_structure: bool) -> dict[str, list[dict[str, Any]]]:
    """The files of each role; those without one (directories and links on the way) if asked for."""
    from rex.expdiff.files import ROLES, has_role, state_for
    groups: dict[str, list[dict[str, Any]]] = {role: [] for role in ROLES}
    structure = []
    for path, entry in sorted(experiment.manifest.files.items()):
        roles = [role for role in ROLES if has_role(entry, role)]
        for role in roles:
            state = state_for(entry, role) or entry.initial or entry.final
            if state:
                groups[role].append(file_json(path, entry, role, state))
        state = entry.initial or entry.final
        if not roles and state:
            structure.append(file_json(path, entry, "structure", state))
    return {**groups, "structure": structure} if with_structure else groups


def print_files(groups: dict[str, list[dict[str, Any]]]) -> None:
    """Files by role, as `ls -l` prints them."""
    from rex.archive import FileState
    for role, files in groups.items():
        total = sum(each["size"] for each in files if each["change"] != "removed")
        title = role if role in ("apparatus", "structure") else role + "s"
        click.echo(click.style(f"{title}: {len(files)}, {format_size(total)}", bold=True))
        rows = []
        for each in files:
            state = FileState(each["type"], int(each["mode"], 8))
            name = clean(each["path"]) + (f" -> {clean(each['target'])}" if each["target"] else "")
            row = [mode_text(state), str(each["size"]), date_text(each["mtime_ns"]), name]
            rows.append(row[:3] + [each["change"], name] if role == "output" else row)
        print_columns(rows, right=(1,), indent="  ")


@click.command("ls", epilog="Example: rex ls EXP --where seed=3   rex ls EXP:exp0   "
               "Exit: 0 done, 2 bad request, 10 no such archive or experiment, 12 format too new, 13 damaged.")
@click.argument("refs", metavar="[ARCHIVE[:EXP]]...", nargs=-1, default=(DEFAULT_ARCHIVE,))
@click.option("-a", "--all", "with_structure", is_flag=True,
              help="Also directories and links that lead to the files.")
@filter_options
@click.option("--sort", type=click.Choice(["name", *SORTS]), default="name", show_default=True, help="In which order.")
@click.option("-r", "--reverse", is_flag=True, help="The other way round.")
@click.option("-n", "limit", type=click.IntRange(min=0), metavar="N", help="The last N only.")
@click.option("--names", is_flag=True, help="Print only ARCHIVE:EXP, one on a line, for other commands.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per ref, in a list.")
@named_by_options("refs", is_many=True)
@guarded
def command(refs: tuple[str, ...], with_structure: bool, sort: str, reverse: bool, limit: int | None, names: bool,
            as_json: bool, where: tuple[str, ...], since_s: float | None, is_failed: bool, command_pattern: str, parent: str) -> int:
    """List the experiments of archives (__default), unfinished ones too, all
    or those that a filter leaves; EXP may be a pattern. Or list the files of
    one experiment by role: apparatus, inputs, outputs.

    Sizes: of all contents; as stored; and what removing it would give back."""
    wanted = Filter(where, since_s, is_failed, command_pattern, parent, "" if sort == "name" else sort, reverse, limit)
    told = []
    for number, text in enumerate(refs):
        ref = parse_ref(text)
        if not as_json and not names and number:
            click.echo()
        if ref.experiment is None or is_pattern(ref.experiment) or names:
            told.append(list_experiments(ref.archive, ref.experiment, wanted))
            if names and not as_json:
                for each in told[-1]["experiments"]:
                    click.echo(f"{clean(ref.archive)}:{each['name']}")
            elif not as_json:
                print_experiments(told[-1], len(refs) < 2, wanted != Filter())
            continue
        _, experiment = open_ref(text)
        groups = files_by_role(experiment, with_structure)
        told.append({"archive": ref.archive, "experiment": experiment.name, "files": groups})
        if not as_json:
            if len(refs) > 1:
                click.echo(f"{clean(text)}:")
            print_files(groups)
    if as_json:
        print_json(told)
    return 0
