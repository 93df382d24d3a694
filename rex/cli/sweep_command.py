"""rex sweep"""

from __future__ import annotations

import csv
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from rex import limits
from rex.cli.given_rules import GivenRules, rules_for
from rex.cli.refs import DEFAULT_ARCHIVE, either
from rex.cli.table import clean
from rex.cli.tolerance import tolerance_options
from rex.contents.rules import words_of
from rex.errors import UsageError
from rex.text import command_text
from rex.types import format_size

if TYPE_CHECKING:
    from rex.archive import Archive
    from rex.contents.rules import Rules
    from rex.trees.sweep import Swept

_HASH_CHARS = 8


@click.command("sweep", epilog="Example: rex sweep -l EXP -e exp0 --arg 3=3,5,7 --env SEED=1..10 -j 2   "
                               "Exit: 0 all ran and ended with 0, 1 some did not, 2 bad request, 10 no such experiment.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", required=False)
@click.option("-l", "--archive", default=DEFAULT_ARCHIVE, show_default=True, help="The archive.")
@click.option("-e", "--experiment", metavar="EXP", help="Which experiment to vary (the default one).")
@click.option("--arg", "arguments", multiple=True, metavar="N=V,V", help="Values of argument N; the first one after the program is 1.")
@click.option("--env", "variables", multiple=True, metavar="K=V,V", help="Values of a variable; 1..10 is a range of whole numbers.")
@click.option("--file", "files", multiple=True, metavar="ORIG=NEW,NEW", help="Files here to read where the experiment read ORIG.")
@click.option("--zip", "is_zipped", is_flag=True, help="The first values together, then the second ones; not all combinations.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Runs side by side.")
@click.option("--dask", metavar="ADDRESS", default="", help="Let the workers of this Dask cluster run them; they see the same paths.")
@click.option("--resume", is_flag=True, help="Do not run again what a sweep of the same parameters has finished.")
@click.option("--no-reuse", is_flag=True, help="Execute every step of every run, also those that nothing has changed for.")
@click.option("--sandbox", is_flag=True, help="Let the programs see nothing of this machine but their own files and those given here; nothing is reused.")
@click.option("-o", "--outdir", help="Keep files and output of run N in OUTDIR/N too; the archive has them in any case.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the table as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print the table, and what each parameter changes, as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No line for each run on standard error.")
@tolerance_options
def command(ref: str | None, archive: str, experiment: str | None, arguments: tuple[str, ...], variables: tuple[str, ...],
            files: tuple[str, ...], is_zipped: bool, jobs: int, dask: str, resume: bool, no_reuse: bool, sandbox: bool, outdir: str | None,
            as_csv: bool, as_json: bool, quiet: bool, rules: GivenRules) -> int:
    """Run an archived experiment with every combination of parameters; each run is an experiment with its parameters as labels.

    Find them again with: rex ls --where SEED=3. What they share: rex tree.

    A parameter changes an output if runs that differ in it alone gave something else; what --rtol, --atol and the like allow, or the rules of the archive, is not something else.

    This runs the programs of the archive with your rights: sweep only what you trust, or use --sandbox."""
    from rex.archive import Archive
    from rex.trees.sweep import ARG, ENV, FILE, Sweep, Wishes, combinations, effects, local_files, parse
    if as_csv and as_json:
        raise UsageError("--csv and --json are two forms of one table", "", "give one of them")
    where, name = either(ref, archive, experiment)
    parameters = [parse(kind, text) for kind, texts in ((ARG, arguments), (ENV, variables), (FILE, files)) for text in texts]
    rows = combinations(parameters, is_zipped)
    local_files(parameters)
    wanted = rules_for(where, rules)
    opened = Archive.open(where)
    count = [0]

    def tell(row: "Swept") -> None:
        count[0] += 1
        if not quiet:
            what = " ".join(f"{key}={value}" for key, value in row.values.items())
            shared = f", {row.reused} step{'s' * (row.reused != 1)} reused" if row.reused else ""
            end = row.failed or ("there already" if row.is_old else f"{row.experiment}, status {row.exit_status}, {row.seconds:.2f} s{shared}")
            click.echo(f"rex: {count[0]} of {len(rows)}: {clean(what)}: {clean(end)}", err=True)

    with limits.counting():
        wishes = Wishes(os.path.abspath(opened.path), opened.experiment(name).name, tuple(parameters), outdir and os.path.abspath(outdir),
                        os.getcwd(), not no_reuse and not sandbox, sandbox)
        done = Sweep(wishes).run(rows, jobs, resume, tell, dask)
    if wanted and wanted.is_set:
        add_groups(done, opened, wanted)
    changed = effects(done) if not is_zipped else {}
    if as_json:
        click.echo(json.dumps({"runs": [as_dict(row) for row in done], "changes": changed}))
    elif as_csv:
        write_csv(done)
    else:
        if wanted and wanted.is_set:
            click.echo(f"rules: {clean(command_text(words_of(wanted)))}")
        show(done, changed)
    return 1 if any(row.failed or row.exit_status for row in done) else 0


def add_groups(done: "list[Swept]", archive: "Archive", rules: "Rules") -> None:
    """Note in each run, for each output, which runs gave the same as the rules have it."""
    from rex.expdiff.many import gather, tabulate
    runs = [row for row in done if not row.failed]
    table = tabulate([gather(archive, archive.experiment(row.experiment), row.experiment) for row in runs], rules)
    for name, groups in table.results.items():
        for row, group in zip(runs, groups):
            if name in row.outputs:
                row.groups[name] = group


def as_dict(row: "Swept") -> dict[str, Any]:
    """For machines."""
    return {"parameters": row.values, "experiment": row.experiment or None, "exit_status": row.exit_status, "seconds": row.seconds,
            "was_there": row.is_old, "reused": row.reused, "saved": row.saved_s, "failed": row.failed or None,
            "outputs": {path: {"size": size, "sha256": sha256, **({"group": row.groups[path]} if path in row.groups else {})}
                        for path, (size, sha256) in sorted(row.outputs.items())}}


def write_csv(done: "list[Swept]") -> None:
    """One line for each run, sizes and hashes of each output in columns."""
    paths = sorted({path for row in done for path in row.outputs})
    labels = list(done[0].values)
    out = csv.writer(sys.stdout)
    out.writerow([*labels, "experiment", "exit_status", "seconds", *(f"{what} {path}" for path in paths for what in ("size", "sha256"))])
    for row in done:
        cells = [cell for path in paths for cell in row.outputs.get(path, ("", ""))]
        out.writerow([*row.values.values(), row.experiment, "" if row.exit_status is None else row.exit_status, f"{row.seconds:.3f}", *cells])


def cell_of(row: "Swept", path: str) -> str:
    """Size and beginning of the hash of an output, or its size and the letter of those that are the same by the rules."""
    from rex.expdiff.showing import letter
    if path not in row.outputs:
        return ""
    size, sha256 = row.outputs[path]
    return f"{format_size(size)} {letter(row.groups[path]) if path in row.groups else sha256[:_HASH_CHARS]}"


def show(done: "list[Swept]", changed: dict[str, list[str]]) -> None:
    """The table, and which outputs a parameter changes."""
    from rex.cli.table import print_columns
    paths = sorted({path for row in done for path in row.outputs})
    rows = []
    for row in done:
        cells = [cell_of(row, path) for path in paths]
        rows.append((*map(clean, row.values.values()), clean(row.failed or row.experiment),
                     "" if row.exit_status is None else str(row.exit_status), f"{row.seconds:.2f}", *cells))
    print_columns(rows, (*map(clean, done[0].values), "experiment", "status", "seconds", *map(clean, paths)))
    for label, outputs in changed.items():
        click.echo(f"{clean(label)} changes {', '.join(map(clean, outputs)) or 'no output'}")
