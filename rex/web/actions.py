"""What the page asks for while somebody types, and when they run something: JSON in, JSON out."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import tempfile
from typing import Any

from rex import elf
from rex.archive import Experiment, about
from rex.archive.rulesfile import write_rules
from rex.contents.rules import words_of
from rex.errors import RexError, UsageError
from rex.expdiff.apparatus import find_package
from rex.runnew import RunPlan
from rex.text import clean, command_text
from rex.types import format_size
from rex.web import words
from rex.web.experiment import is_replayable
from rex.web.jobs import ANSWERED, BISECTED, CHECKED, Job, start
from rex.web.site import Site
from rex.web.tolerance import Tolerance
from rex.web.wish import local_path, read_wish

_SHOWN = 40             # completions
_HASH_BYTES = 64 << 20  # of a program whose package is asked for


def _field(data: Any, key: str) -> str:
    value = data.get(key, "") if isinstance(data, dict) else None
    if not isinstance(value, str) or "\0" in value:
        raise UsageError("the request makes no sense", f"{key} is no text")
    return value


def check_command(_site: Site, data: Any) -> dict[str, Any]:
    """The words of a command line."""
    found = words.split(_field(data, "command"))
    return {"words": found, "has_shell_signs": words.has_shell_signs(found)}


def check_path(site: Site, data: Any) -> dict[str, Any]:
    """What is at a local path, as far as the user may know.

    `is_good` tells whether it can be what it is wanted for: a program, a file, or an output directory.
    """
    kind, given = _field(data, "kind"), _field(data, "path")
    path = os.path.join(site.cwd, local_path(given, "it"))
    told = {"path": clean(path), "is_good": False}
    if kind == "outdir":
        return {**told, **_describe_outdir(path)}
    if not os.path.exists(path):
        return {**told, "text": "there is no such file"}
    if not os.path.isfile(path):
        return {**told, "text": "this is a folder" if os.path.isdir(path) else "this is no plain file"}
    if not os.access(path, os.R_OK):
        return {**told, "text": "you may not read this file"}
    text = format_size(os.path.getsize(path))
    if kind != "program":
        return {**told, "is_good": True, "text": text}
    try:
        elf.read(path)
    except RexError as error:
        return {**told, "text": clean(str(error))}
    package = _package(path)
    return {**told, "is_good": True, "text": f"{package} · {text}" if package else text}


def _describe_outdir(path: str) -> dict[str, Any]:
    try:
        names = os.listdir(path)
    except FileNotFoundError:
        return {"is_good": True, "text": "will be made"}
    except NotADirectoryError:
        return {"text": "this is a file, not a folder"}
    except OSError as error:
        return {"text": error.strerror or "cannot be used"}
    return {"text": "this folder is not empty"} if names else {"is_good": True, "text": "is there, and empty"}


def _package(path: str) -> str:
    """Package and version of a program on this machine."""
    size = os.path.getsize(path)
    if size > _HASH_BYTES:
        return ""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return find_package(os.path.realpath(path), digest, size)


def complete_path(site: Site, data: Any) -> dict[str, Any]:
    """Names that go on where somebody stopped typing, folders with a slash behind."""
    given = _field(data, "path")
    head, tail = os.path.split(given)
    folder = os.path.join(site.cwd, os.path.expanduser(head))
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(tail) and entry.name.isprintable() and (
                        tail.startswith(".") or not entry.name.startswith(".")):
                    found.append(os.path.join(head, entry.name) + ("/" if entry.is_dir() else ""))
    except OSError:
        return {"names": []}
    return {"names": sorted(found)[:_SHOWN]}


def make_plan(site: Site, data: Any) -> RunPlan:
    """The plan of a wish.

    Raises:
        UsageError, Conflicts: it cannot be run.
    """
    wish = read_wish(data)
    experiment = site.catalog.experiment(wish.experiment)
    return site.services.plan(site.catalog.archive, experiment, wish.changes,
                              os.path.join(site.cwd, wish.outdir), wish.is_recorded, wish.name)


def preview(site: Site, data: Any) -> dict[str, Any]:
    """What would run, in words, for somebody to confirm."""
    plan = make_plan(site, data)
    archived = [source for source in plan.sources if source.origin == "archive"]
    inputs = sum(source.role == "input" for source in archived)
    return {"changes": [clean(line) for line in plan.describe()], "experiment": plan.experiment.name,
            "command": command_text(plan.command), "outdir": clean(plan.outdir), "inputs": inputs,
            "programs": len(archived) - inputs, "is_recorded": plan.is_recorded, "name": plan.name}


def begin(site: Site, data: Any) -> dict[str, Any]:
    """Run it; where to watch."""
    run = site.runs.begin(make_plan(site, data))
    return {"address": f"/runs/{run.key}"}


def _begin(site: Site, job: Job) -> dict[str, Any]:
    return {"address": f"/runs/{site.runs.begin(job, start).key}"}


def _sandbox(site: Site) -> tuple[str, ...]:
    return ("--sandbox",) if site.is_sandboxed else ()


def check(site: Site, data: Any) -> dict[str, Any]:
    """Replay an experiment and compare; where to watch."""
    found = site.catalog.experiment(_field(data, "experiment"))
    if not is_replayable(found):
        raise UsageError(f"{found.name} cannot be replayed", "it has no log of system calls", "open its page to see it")
    report = os.path.join(tempfile.mkdtemp(prefix="check-", dir=site.runs.folder), "report.json")
    words = ("replay", "--check", *_sandbox(site), "--report", report, "-l", site.catalog.archive.path, "-e", found.name)
    return _begin(site, Job(found, "Replay of", words, CHECKED, site.cwd, after=functools.partial(_note_check, site, found, report)))


def _note_check(site: Site, found: Experiment, report: str, code: int) -> None:
    """Note at the experiment what a checked replay found; where that is not possible, the page of the run shows it."""
    with contextlib.suppress(RexError, OSError, ValueError):
        with open(report, encoding="utf-8") as file:
            reason = json.load(file).get("verdict", "")
        if code in CHECKED:
            about.set_verified(site.catalog.archive, found.name, code == 0, reason, found.manifest.engine)


def answer(site: Site, data: Any) -> dict[str, Any]:
    """Answer the log statements that were added to a training script; where to watch."""
    if site.is_sandboxed:
        raise UsageError("answers run the script, which no sandbox can yet", "", "open the page without --sandbox for what you trust")
    found = site.catalog.experiment(_field(data, "experiment"))
    script, epochs = _field(data, "script"), _field(data, "epochs")
    folder = tempfile.mkdtemp(prefix="script-", dir=site.runs.folder)
    path = os.path.join(folder, "script.py")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(script.replace("\r\n", "\n"))
    outdir = os.path.join(folder, "files")
    words = ("hindsight", "replay", "-y", "-l", site.catalog.archive.path, "-e", found.name, *(("--epochs", epochs) if epochs.strip() else ()),
             "-o", outdir, "--", path)
    return _begin(site, Job(found, "Answers of", words, ANSWERED, site.cwd, outdir))


def _tolerance(data: Any) -> Tolerance:
    return Tolerance.of({name: _field(data, name) for name in data}) if isinstance(data, dict) else Tolerance()


def bisect(site: Site, data: Any) -> dict[str, Any]:
    """Find what makes an output of one experiment other than that of another; where to watch."""
    good, bad = (site.catalog.experiment(_field(data, side)) for side in ("good", "bad"))
    output = _field(data, "output").strip()
    words = ("bisect", *_sandbox(site), "--good", good.name, "--bad", bad.name, *_tolerance(data).own_words(), "--", site.catalog.archive.path,
             *((output,) if output else ()))
    return _begin(site, Job(bad, f"What differs between {good.name} and", words, BISECTED, site.cwd))


def set_rules(site: Site, data: Any) -> dict[str, Any]:
    """Make what was typed the rules of the archive; nothing typed removes them."""
    rules = _tolerance(data).typed()
    write_rules(site.catalog.archive, rules.as_json() if rules.is_set else None)
    return {"rules": clean(command_text(words_of(rules))) if rules.is_set else ""}
