"""rex rules"""

from __future__ import annotations

import functools

import click

from rex.cli.given_rules import GivenRules, rules_for
from rex.contents.rules import words_of
from rex.cli.options import named_by_options
from rex.cli.table import clean, command_text, guarded, parse_ref, print_json, quietable
from rex.cli.tolerance import tolerance_options
from rex.errors import UsageError


@click.command("rules", epilog="Example: rex rules EXP --rtol 1e-9 --ignore 'date: .*'   Exit: 0 done, 2 wrong rules, 10 no such archive.")
@click.argument("text", metavar="[ARCHIVE]", default="__default")
@click.option("--clear", is_flag=True, help="Remove the rules.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quietable
@functools.partial(tolerance_options, is_setting=True)
@named_by_options("text", is_archive=True)
@guarded
def command(text: str, clear: bool, as_json: bool, rules: GivenRules) -> int:
    """Show what rex expdiff and rex replay --check allow outputs of an
    archive's experiments to differ in, or set it: the rules given replace those that it has.
    They are a file of the archive, and copied with it. --no-rules of these commands leaves them out."""
    from rex.archive import Archive
    from rex.archive.rulesfile import write_rules
    where = parse_ref(text).archive
    archive = Archive.open(where)
    if clear and rules.is_given:
        raise UsageError("--clear and new rules at once", "", "give one of them")
    if clear:
        write_rules(archive, None)
    elif rules.is_given:
        wanted = rules_for(where, GivenRules(rules.rtol, rules.atol, rules.ulps, rules.ignore, rules.formats, rules.any_order, is_alone=True))
        write_rules(archive, wanted.as_json() if wanted else None)
    found = rules_for(where, None)
    if as_json:
        print_json({"archive": where, "rules": found.as_json() if found else {}})
    else:
        click.echo(clean(command_text(words_of(found))) if found and found.is_set else "no rules: outputs must have the same bytes")
    return 0
