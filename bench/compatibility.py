"""Which programs replay: records each case, takes its folder away, and replays it. Writes the table of docs/compatibility.md.

    python bench/compatibility.py [--replays 2] [--install] [--write] [NAME...]

bench/compatibility.toml has the cases. A case whose version cannot be printed is not installed here; `--install` installs
such programs first, by apt-get or pip. `--write` puts the table, with today's date, into the page. With NAMEs the page keeps
the rows of all other programs. A run of all cases takes some minutes.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass

from run import REX, ROOT, machine, timed

PAGE = os.path.join(ROOT, "docs", "compatibility.md")
BEGIN, END = "<!-- made by bench/compatibility.py -->\n", "<!-- end -->\n"
RESULTS = {0: "exact", 1: "output differs", 20: "diverged"}
LIMIT_S = 180


@dataclass(frozen=True)
class Case:
    """One program.

    Attributes:
        kind: the table that it belongs to.
        name: what the table calls it.
        version: a shell command that prints its version, and fails where it is not installed.
        install: `apt PACKAGE...` or `pip PACKAGE...`.
        command: what sh runs in an empty folder.
        setup: what sh runs there before, unrecorded.
        serialize: it is recorded one thread at a time.
    """

    kind: str
    name: str
    version: str
    install: str
    command: str
    setup: str = ""
    serialize: bool = False


def cases() -> list[Case]:
    """All cases, in the order of the file."""
    with open(os.path.join(ROOT, "bench", "compatibility.toml"), "rb") as file:
        return [Case(**each) for each in tomllib.load(file)["case"]]


def version_of(case: Case) -> str | None:
    """The first number with a point that the program prints about itself; None where it is not installed."""
    done = subprocess.run(["sh", "-c", case.version], capture_output=True, text=True, timeout=LIMIT_S)
    number = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return None if done.returncode else number[0] if number else "-"


def install(missing: list[Case]) -> None:
    """Install programs, as far as packages have them; what fails stays away."""
    for case in missing:
        tool, *packages = shlex.split(case.install)
        command = ["apt-get", "install", "-y"] if tool == "apt" else [sys.executable, "-m", "pip", "install"]
        subprocess.run([*command, *packages])


def row_of(case: Case, version: str, replays: int, top: str) -> str:
    """A line of the table: what came of it, and seconds of the plain run, the recording and the first replay."""
    work, archive, out = (os.path.join(top, name) for name in ("work", "archive", "out"))
    options = ["--serialize"] if case.serialize else []
    seconds, statuses = [], []
    try:
        for recorded in ([], [*REX, "record", "-q", *options, "-l", archive, "--"]):
            shutil.rmtree(work, ignore_errors=True)
            os.mkdir(work)
            subprocess.run(["sh", "-ec", case.setup], cwd=work, check=True, stdout=subprocess.DEVNULL)
            seconds.append(timed([*recorded, "sh", "-c", case.command], work).wall_s)
        os.rename(work, work + "-gone")
        for _ in range(replays):
            statuses.append(replayed(archive, out, seconds))
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as err:
        return f"| {case.name} | {version} | failed: {type(err).__name__} | | | |"
    exact = statuses.count(0)
    result = RESULTS[0] if exact == replays else f"{RESULTS.get(max(statuses), 'failed')}, {exact} of {replays} exact"
    return "| " + " | ".join([case.name + (", `--serialize`" if case.serialize else ""), version, result,
                              *(f"{each:.2f}" for each in seconds[:3])]) + " |"


def replayed(archive: str, out: str, seconds: list[float]) -> int:
    """The status of one replay; its seconds are added."""
    begin = os.times().elapsed
    done = subprocess.run([*REX, "replay", "-q", "--check", "-l", archive, "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env={**os.environ, "PYTHONPATH": ROOT}, timeout=LIMIT_S)
    seconds.append(os.times().elapsed - begin)
    shutil.rmtree(out, ignore_errors=True)
    return done.returncode


def written() -> tuple[str, dict[str, str]]:
    """What the page has: the lines that say when and where its rows were measured, and each row by the name of its program."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read().partition(BEGIN)[2].partition(END)[0]
    return text[:text.index("###")], dict(re.findall(r"^(?=\| (.+?)(?:, `--serialize`)? \|)(\|.*)$", text, flags=re.MULTILINE))


def table(chosen: list[Case], replays: int, head: str, rows: dict[str, str]) -> str:
    """The tables of all kinds, and what is not installed here.

    Args:
        head: what stands above them already; empty: nothing.
        rows: rows that are kept, by program, of those that are not chosen.
    """
    names = {case.name for case in chosen}
    lines = [f"{head}{datetime.date.today()}, Linux {machine().partition(', load')[0]}; {replays} replays of each"
             + (f": {'; '.join(case.name for case in chosen)}." if head else "."), ""]
    missing = []
    for kind in dict.fromkeys(case.kind for case in cases()):
        found = []
        for case in [each for each in cases() if each.kind == kind and (each.name in names or head)]:
            version = version_of(case) if case.name in names else "" if case.name in rows else None
            if version is None:
                missing.append(case.name)
                continue
            with tempfile.TemporaryDirectory(prefix="rex-bench-") as top:
                found.append(row_of(case, version, replays, top) if version else rows[case.name])
            print(found[-1], flush=True)
        if found:
            lines += [f"### {kind}", "", "| program | version | result | plain s | recorded s | replayed s |", "|---|---|---|---|---|---|", *found, ""]
    return "\n".join(lines + (["Not installed here: " + ", ".join(missing) + ".", ""] if missing else []))


def main() -> None:
    """Run the cases and print, or write, the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these cases")
    parser.add_argument("--replays", type=int, default=2)
    parser.add_argument("--install", action="store_true", help="install what is missing")
    parser.add_argument("--write", action="store_true", help="write the page")
    args = parser.parse_args()
    os.environ["PYTHON"] = sys.executable
    chosen = [case for case in cases() if not args.names or case.name in args.names]
    if args.install:
        install([case for case in chosen if version_of(case) is None])
    text = table(chosen, args.replays, *written() if args.names else ("", {}))
    if args.write:
        with open(PAGE, encoding="utf-8") as file:
            before, _, rest = file.read().partition(BEGIN)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + text + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
