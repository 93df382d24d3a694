"""rex replay"""

from __future__ import annotations

from typing import Any

import click

from rex.cli.options import DURATION
from rex.cli.replay_run import run
from rex.cli.tolerance import tolerance_words


@click.command(epilog="Example: rex replay -l EXP -o out   "
                      "Exit: the program's, 20 the log was not followed, 125 Rex failed; "
                      "with --check 0 identical, 1 output differs, 20 the log was not followed.")
@click.argument("ref", metavar="[ARCHIVE[:EXP]]", required=False)
@click.option("-l", "--archive", default="__default", show_default=True, help="The archive to read.")
@click.option("-e", "--experiment", metavar="EXP", help="Which experiment (the default one).")
@click.option("-o", "--outdir", help="Where outputs go, each at its absolute path below; __out_default if not given, "
              "with --check a directory that goes in the end.")
@click.option("--check", is_flag=True, help="Compare with the recording; the program's output is not shown.")
@click.option("--explain", is_flag=True, help="Say which rules found the events, and what events waited for.")
@click.option("--lenient", is_flag=True, help="End with the program's status though the log was not followed.")
@click.option("--sandbox", is_flag=True,
              help="Let the programs see nothing of this machine but their own files and OUTDIR; with --all no step is put back.")
@click.option("--all", "all_versions", is_flag=True,
              help="Replay all runs, or with -e 'GLOB' some, what they share once; outputs in OUTDIR/<experiment>.")
@click.option("--cache", metavar="SIZE", help="With --all: what is kept for later runs may take together: outputs of steps on disk (all), "
              "states of cells in memory (half of the free memory).")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, show_default=True,
              help="With --all: processes side by side; 1 follows the plan of rex plan.")
@click.option("--deadline", "deadline_s", type=DURATION, metavar="DURATION",
              help="With --all: replay as many runs as the plan says can be done in this time.")
@click.option("--dask", metavar="ADDRESS", default="",
              help="With --all: let the workers of this Dask cluster replay; they see the same paths.")
@click.option("--checkpoint", type=click.Choice(["fork", "criu"]), default="fork", show_default=True,
              help="With --all: how states are kept; only by fork, as CRIU cannot save a traced process.")
@click.option("--algorithm", type=click.Choice(["best", "pc", "prp-v1", "prp-v2", "lfu", "online", "none"]), default="best",
              show_default=True, help="With --all: the planner.")
@click.option("--persist", "plan_path", metavar="PLAN", type=click.Path(),
              help="Run step by step as this answer of rex schedule --json has it, and persist what it says.")
@click.option("--store", "store_url", metavar="URL", help="Where to persist: a folder, or any fsspec URL.")
@click.option("--resume", is_flag=True, help="Go on from what the store has, after a failure.")
@click.option("--complete", is_flag=True, help="In the end have the files between the steps too, not only the results.")
@click.option("--report", metavar="FILE", help="Write a report as JSON to FILE, apart from the program's own streams.")
@click.option("--json", "json_wanted", is_flag=True, help="Print a report as JSON (last on standard output).")
@click.option("-q", "--quiet", is_flag=True, help="No summary line.")
@tolerance_words
def command(**words: Any) -> int:
    """Run an experiment again from the archive alone: same output, in OUTDIR.

    With --check the words of rex expdiff say what outputs may differ in: --rtol, --atol, --ulps, --ignore, --as, --any-order.

    This runs the programs of the archive with your rights, with --all and --persist too: replay only what you would run,
    or use --sandbox, which --persist lacks."""
    return run(**words)
