"""Which guests need which rows of a replay's rules: each guest is replayed with one row left out after another.

    PYTHONPATH=. python tests/guest_runs/rule_needs.py NEEDS.json [ROOM...]

Only rows that act in the guest's replay are left out (`--explain` counts them). A guest needs a row if it replays with all of them
and fails twice without this one. Rows that ENOUGH guests need are not tried further, nor are those that MOST have been tried of.
docs/ruletables.py reads NEEDS.json.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))

from guests import Guest, all_guests  # noqa: E402
from harness import COMPILER, Trial, split_report  # noqa: E402

ENOUGH, MOST = 3, 16          # guests that need a row; that are tried
REPLAY_S = 30
ESSENTIAL = {"logged-event", "next-in-queue", "unlogged-call", "without-event", "kind", "futex", "order", 
             "pool-child-executes"}    # nothing replays without


class Needs:
    """By row: the guests that need it, and those that replay without it though it acts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.needed: dict[str, set[str]] = defaultdict(set)
        self.free: dict[str, set[str]] = defaultdict(set)
        if path.exists():
            for row, found in json.loads(path.read_text()).items():
                self.needed[row], self.free[row] = set(found["needed"]), set(found["free"])

    def save(self) -> None:
        rows = sorted(row for row in {*self.needed, *self.free} if self.needed[row] or self.free[row])
        text = json.dumps({row: {"needed": sorted(self.needed[row]), "free": sorted(self.free[row])} for row in rows}, indent=1)
        self.path.write_text(text + "\n")

    def is_open(self, row: str, guest: str) -> bool:
        tried = self.needed[row] | self.free[row]
        return row not in ESSENTIAL and len(self.needed[row]) < ENOUGH and len(tried) < MOST and guest not in tried


def built(guest: Guest, place: Path) -> Path:
    """What runs for the guest."""
    if guest.path.suffix != ".c":
        return guest.path
    made = place / guest.path.stem
    subprocess.run([*COMPILER, *guest.run.flags, "-o", str(made), str(guest.path)], check=True)
    return made


def replays(trial: Trial, recorded: object, label: str, env: dict[str, str]) -> dict[str, int] | None:
    """The rows that acted in a replay that is as recorded; None: it is not."""
    elsewhere = trial.place / f"elsewhere-{label}"
    elsewhere.mkdir()
    try:
        again = trial.rex(env, elsewhere, "replay", "-q", "-l", str(trial.archive), "-e", trial.name, "-o", label, "--json",
                          "--explain", stdin=subprocess.DEVNULL)
        trial.compare(recorded, again, elsewhere / label)      # type: ignore[arg-type]
        rows: dict[str, int] = split_report(again.stdout)[1]["explanation"]["rows"]
        return rows
    except (AssertionError, KeyError, ValueError):
        return None


def try_guest(name: str, needs: Needs) -> str:
    """Leave out each row that acts in it; a line about what was found."""
    guest = all_guests()[name]
    with tempfile.TemporaryDirectory(prefix="needs") as folder:
        place = Path(folder)
        (place / "shared").mkdir()
        try:
            trial = Trial(guest.path, "native", built(guest, place), guest.run, place / "trial", place / "shared", REPLAY_S)
            recorded = trial.record()
        except (AssertionError, OSError, subprocess.CalledProcessError) as error:
            return f"{name}: not recorded: {str(error)[:80]!r}"
        rows = replays(trial, recorded, "all", {})
        found = []
        for row in rows or {}:
            if not needs.is_open(row, name):
                continue
            env = {"REX_RULES": f"-{row}"}
            fails = not any(replays(trial, recorded, f"{row}{turn}", env) is not None for turn in range(2))
            if fails and replays(trial, recorded, f"{row}-all", {}) is None:
                continue                       # it is the machine
            (needs.needed if fails else needs.free)[row].add(name)
            found.append(row.upper() if fails else row)
    return f"{name}: {', '.join(found)}" if rows else f"{name}: not replayed with all rows"


def main() -> None:
    needs = Needs(Path(sys.argv[1]))
    rooms = sys.argv[2:]
    names = [name for name, guest in all_guests().items() if not guest.run.is_long and (not rooms or name.split("/")[0] in rooms)]
    random.Random(1).shuffle(names)            # so that an early end has seen of all rooms
    with ThreadPoolExecutor(2) as pool:
        for line in pool.map(lambda name: try_guest(name, needs), names):
            print(line, flush=True)
            needs.save()


if __name__ == "__main__":
    main()
