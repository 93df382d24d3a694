"""The manual: pages are in the site's list, links lead to files, shown commands and their options exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import click
import pytest

from rex.cli.group import ALIASES, COMMANDS, cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
TYPED = re.compile(r"^(?: {4,}|)(?:\$ )?rex ([a-z]+) ?(.*)$|`rex ([a-z]+) ?([^`\n]*)`", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def text_of(page: Path) -> str:
    """A page without its fences, where brackets are code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    local = [link for link in LINK.findall(text_of(page)) if "://" not in link and not link.startswith("mailto:")]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_site_lists_every_page() -> None:
    """`make docs` finds this too, but needs MkDocs."""
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert listed == {str(page.relative_to(ROOT / "docs")) for page in PAGES if ROOT / "docs" in page.parents}


def options_of(words: list[str]) -> set[str]:
    """The options of a command, `rex` left out; of one below it where the next word names one."""
    context = click.Context(cli, info_name="rex")
    command = cli.get_command(context, words[0])
    below = getattr(command, "commands", {})
    command = below.get(words[1], command) if len(words) > 1 else command
    assert command is not None
    return {name for parameter in command.get_params(context) for name in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_shown_commands_exist(page: Path) -> None:
    wrong = []
    for match in TYPED.finditer(page.read_text(encoding="utf-8")):
        name, rest = match.group(1) or match.group(3), match.group(2) or match.group(4) or ""
        own = re.split(r" -- | [#>(]| \S+\.(?:py|ipynb|sh)\b", rest)[0]    # what follows are the program's own words
        if name not in {*COMMANDS, *ALIASES}:
            wrong.append(match.group(0))
        elif name != "help":
            known = options_of([name, *own.split()])
            wrong += [f"{match.group(0)}: {option}" for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", own) if option not in known]
    assert wrong == []


def test_known_issues_have_ids_of_their_own() -> None:
    """An id stands once in a table of symptoms; the programs of an id stand in a table of two columns."""
    rows = re.findall(r"^\| ([A-Z]\d+) \|(.*)$", (ROOT / "docs/known-issues.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    issues = [name for name, rest in rows if rest.replace("\\|", "").count("|") == 3]
    assert len(issues) == len(set(issues)) > 20
    assert {name for name, _ in rows} == set(issues)


def test_measured_programs_are_those_of_the_script() -> None:
    """Each case of bench/compatibility.py has a row in the page, or is among those that were not installed."""
    cases = tomllib.loads((ROOT / "bench/compatibility.toml").read_text(encoding="utf-8"))["case"]
    page = (ROOT / "docs/compatibility.md").read_text(encoding="utf-8")
    measured = page[page.index("<!-- made by"):page.index("<!-- end")]
    rows = [name.removesuffix(", `--serialize`") for name in re.findall(r"^\| (.+?) \|", measured, flags=re.MULTILINE)]
    missing = re.findall(r"^Not installed here: (.*)\.$", measured, flags=re.MULTILINE)
    assert {*rows, *", ".join(missing).split(", ")} - {"program", "---", ""} == {case["name"] for case in cases}
