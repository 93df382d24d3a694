"""rex bisect"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rex.cli.given_rules import GivenRules, rules_for
from rex.cli.options import named_by_options
from rex.cli.table import clean, guarded, parse_ref, print_json, quietable
from rex.cli.tolerance import tolerance_options

if TYPE_CHECKING:
    from rex.bisect.search import Found


_SHOWN_LINES = 20


def sentence_of(found: "Found") -> str:
    """What a search has found, in words."""
    causes = [each.describe() for each in found.causes]
    if len(found.lines) == 1 and len(causes) == 1:
        return f"{found.output} differs because of {found.lines[0].describe()}"
    count = f", {len(found.lines)} lines of it" if found.lines else ""
    if found.is_complete:
        return f"{found.output} differs because of {' together with '.join(causes)}{count}"
    if found.lines:
        return f"{found.output} differs because of {' together with '.join(causes)}; {len(found.lines)} changed lines are left of it"
    return f"{len(causes)} differences are left that make {found.output} differ: {', '.join(causes[:6])}{', ...' if len(causes) > 6 else ''}"


def tell(name: str, count: int, is_bad: bool) -> None:
    """Say what came of a run."""
    click.echo(f"rex: {clean(name)} with {count} difference{'' if count == 1 else 's'}: {'bad' if is_bad else 'not bad'}", err=True)


@click.command("bisect", epilog="Example: rex bisect EXP --good exp0 --bad exp41 result.csv   "
               "Exit: 0 found, 1 ended by --runs, 2 nothing to find, 10 no such experiment.")
@click.argument("text", metavar="[ARCHIVE]", default="__default")
@click.argument("output", metavar="[OUTPUT]", required=False)
@click.option("--good", required=True, metavar="EXP", help="The experiment with the good output.")
@click.option("--bad", required=True, metavar="EXP", help="The one with the other output.")
@click.option("--runs", type=click.IntRange(min=3), default=30, show_default=True, help="At most so many new runs.")
@click.option("--no-reuse", is_flag=True, help="Execute every step of every run.")
@click.option("--sandbox", is_flag=True, help="Let the programs see nothing of this machine but their own files; nothing is reused.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@tolerance_options
@named_by_options("text", behind="output", is_archive=True, is_alone=True)
@guarded
def command(text: str, output: str | None, good: str, bad: str, runs: int, no_reuse: bool, sandbox: bool, as_json: bool, rules: GivenRules) -> int:
    """Find which argument, variable, input, program or library makes an
    output of one experiment other than that of another: the good one is run again with some of the
    differences, by halves, until those are left that give the bad output; then with some of the changed lines of an input that is a text. Each run is an experiment in the archive, with the label bisect.

    OUTPUT is a path below the working directory, an absolute path, 'standard output' or 'standard error'; the only one that differs, if not given.

    This runs the programs of the archive with your rights: bisect only what you trust, or use --sandbox."""
    from rex.archive import Archive
    from rex.bisect.search import Search
    from rex.contents.rules import Rules
    where = parse_ref(text).archive
    archive = Archive.open(where)
    search = Search(archive, archive.experiment(good), archive.experiment(bad), output or "", rules_for(where, rules) or Rules(), tell, not no_reuse, sandbox)
    found = search.run(runs)
    causes, lines = ([each.describe() for each in some] for some in (found.causes, found.lines))
    if as_json:
        print_json({"output": found.output, "differences": found.differences, "causes": causes, "lines": lines, "complete": found.is_complete, "runs": found.runs, "reused": found.reused,
                    "left_out": found.left_out})
        return 0 if found.is_complete else 1
    counts = [(found.differences, "difference"), (len(found.runs), "run"), *([(found.reused, "step")] if found.reused else [])]
    told = ", ".join(f"{count} {noun}{'s' if count != 1 else ''}" for count, noun in counts)
    click.echo(f"{clean(sentence_of(found))} ({told}{' reused' if found.reused else ''})")
    for line in lines[:_SHOWN_LINES] if len(lines) > 1 else []:
        click.echo(f"  {clean(line)}")
    if len(lines) > _SHOWN_LINES:
        click.echo(f"  and {len(lines) - _SHOWN_LINES} more (--json has all)")
    return 0 if found.is_complete else 1
