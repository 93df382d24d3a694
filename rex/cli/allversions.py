"""What `rex replay --all` prints: progress while it runs, and the report."""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING, Any

import click

from rex.cli.ending import Report
from rex.errors import UsageError
from rex.text import clean
from rex.types import format_duration, format_size, parse_size

if TYPE_CHECKING:
    from rex.contents.rules import Rules
    from rex.multiversion.merge import VersionTree
    from rex.multiversion.replayall import AllReplayed, Wishes

_MAX_DRAWN = 40


def replay_versions(archive: str, outdir: str, cache: str | None, workers: int, algorithm: str, rules: "Rules | None",
                    dask: str, deadline_s: float | None, sandbox: bool, check: bool, as_json: bool, quiet: bool,
                    told: Report) -> int:
    """Run `rex replay --all`; the exit code."""
    from rex.multiversion.execute import Silence
    from rex.multiversion.replayall import Wishes, prepare, replay_all
    from rex.contents.rules import Rules
    wishes = Wishes(archive, outdir, _budget(cache), workers, algorithm, rules or Rules(), dask, deadline_s, sandbox)
    tree, plan, chosen = prepare(wishes)
    if deadline_s is not None and not quiet:
        click.echo(f"rex: {len(tree.ends)} of {chosen.of} versions fit {format_duration(deadline_s)}; "
                   f"no choice has more than {chosen.at_most} different ones", err=True)
    if sys.stderr.isatty() and not quiet:
        with Progress(tree, wishes.budget_bytes) as watch:
            done = replay_all(wishes, tree, plan, watch)
    else:
        done = replay_all(wishes, tree, plan, Silence())
    if check:
        judge(done, wishes)
    found = describe(done, wishes.budget_bytes, archive, outdir)
    if deadline_s is not None:
        found |= {"deadline": deadline_s, "of": chosen.of, "at_most": chosen.at_most}
    told.write(found)
    if as_json:
        click.echo(json.dumps(found))
    if not quiet:
        _report(done, archive, outdir, check)
    is_bad = not done.is_identical if check else any(each.failed for each in done.comparisons)
    return 1 if is_bad else 0


def judge(done: "AllReplayed", wishes: "Wishes") -> None:
    """Say of output files that differ what that means, and let those that the rules allow not count."""
    import os
    from rex.archive import Archive
    from rex.expdiff.replayed import judge_files
    archive = Archive.open(wishes.archive)
    for each in done.comparisons:
        if each.files:
            outdir = os.path.join(wishes.outdir, each.version)
            each.files, within = judge_files(archive, archive.experiment(each.version).manifest, outdir, each.files, wishes.rules)
            each.within.update(within)


def _budget(cache: str | None) -> int:
    """The size asked for; half of the memory that is free now otherwise."""
    if cache is None:
        with open("/proc/meminfo", encoding="ascii") as file:
            available = next(line.split()[1] for line in file if line.startswith("MemAvailable"))
        return int(available) * 1024 // 2
    try:
        return parse_size(cache)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"bad --cache: {error}") from error


def _report(done: "AllReplayed", archive: str, outdir: str, check: bool) -> None:
    for note in done.tally.notes:
        click.echo(f"rex: {clean(note)}", err=True)
    for each in done.comparisons:
        if check or each.failed:
            click.echo(f"rex: {archive}:{each.version}: {clean(each.describe())}", err=True)
    tally = done.tally
    click.echo(f"rex: replayed {len(done.comparisons)} versions in {format_duration(done.wall_s)}; cells took "
               f"{format_duration(tally.compute_s)}, {format_duration(done.alone_s)} one by one when recorded; "
               f"{tally.checkpoints} checkpoints, {format_size(tally.peak_bytes)} at most; outputs in {outdir}", err=True)


def describe(done: "AllReplayed", budget_bytes: int, archive: str, outdir: str) -> dict[str, Any]:
    """The replay for machines; seconds and bytes."""
    tally = done.tally
    return {"archive": archive, "outdir": outdir, "cache": budget_bytes, "planned": done.plan.cost_s,
            "lower_bound": done.plan.lower_bound_s, "one_by_one": done.alone_s, "computed": tally.compute_s, "computed_cpu": tally.cpu_s, "one_by_one_cpu": done.alone_cpu_s,
            "computed_again": tally.recomputed_s, "wall": done.wall_s, "peak": tally.peak_bytes,
            "checkpoints": tally.checkpoints, "restores": tally.restores, "notes": tally.notes,
            "identical": done.is_identical,
            "versions": {each.version: each.as_json() for each in done.comparisons}}


class Progress:
    """The tree filling in, on a terminal: waiting cells dim, running ones yellow, done ones green."""

    def __init__(self, tree: "VersionTree", budget_bytes: int) -> None:
        from rich.console import Console
        from rich.live import Live
        self._tree, self._budget_bytes = tree, budget_bytes
        self._running: set[str] = set()
        self._done: dict[str, float] = {}
        self._saved_s = self._used_bytes = 0.0
        self._ended = self._count = 0
        self._lock = threading.Lock()
        self._live = Live(console=Console(stderr=True), get_renderable=self._draw, refresh_per_second=4,
                          transient=True)

    def __enter__(self) -> "Progress":
        self._live.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        self._live.__exit__(*details)

    def begins(self, node: str) -> None:
        """A cell starts."""
        with self._lock:
            self._running.add(node)

    def ends(self, node: str, seconds: float, is_again: bool) -> None:
        """A cell has ended after some seconds; is_again: it was computed again."""
        with self._lock:
            self._running.discard(node)
            self._done[node] = seconds
            shared = len(self._tree.nodes[node].members) - 1
            self._saved_s += -seconds if is_again else seconds * shared

    def cached(self, bytes_used: int, count: int) -> None:
        """The bytes that checkpoints take, and how many there are."""
        with self._lock:
            self._used_bytes, self._count = bytes_used, count

    def finished(self, versions: list[str]) -> None:
        """These versions are complete."""
        with self._lock:
            self._ended += len(versions)

    def _draw(self) -> Any:
        from rich.console import Group
        from rich.text import Text
        with self._lock:
            line = (f"{self._ended} of {len(self._tree.ends)} versions, {len(self._done)} of {len(self._tree.nodes)} "
                    f"cells; {format_duration(max(0.0, self._saved_s))} saved so far; {self._count} checkpoints, "
                    f"{format_size(int(self._used_bytes))} of {format_size(self._budget_bytes)}")
            if len(self._tree.nodes) <= _MAX_DRAWN:
                return Group(self._picture(), Text(line))
            return Text(line)

    def _picture(self) -> Any:
        from rich.tree import Tree

        from rex.cli.tree_command import title
        drawing = Tree("", hide_root=True)
        stack = [(drawing, node) for node in reversed(self._tree.children(None))]
        while stack:
            where, node = stack.pop()
            style = "yellow" if node.id in self._running else "green" if node.id in self._done else "dim"
            took = f"  {format_duration(self._done[node.id])}" if node.id in self._done else ""
            branch = where.add(f"[{style}]{node.id}  {title(node).replace('[', chr(92) + '[')}{took}[/{style}]")
            below = self._tree.children(node.id)
            alone = len(below) <= 1 and len(self._tree.children(node.parent)) <= 1
            stack += [(where if alone else branch, each) for each in reversed(below)]
        return drawing
