"""How the classes of data-science libraries fare: writes docs/state-classes.md.

    python bench/state_classes.py [--only LIBRARY...] [--list] [--no-write]

Each object is made in a cell, read in the next, changed in a third; then both states are checked
out in the live session and in a new one. What is expected comes from running the same cells plainly.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

Case = tuple[str, str, str, str, str]   # class, make, change, read, state

TIMEOUT_S = 120
_DONE = {"loaded": "loaded", "recomputed": "computed again", "live": "still there"}


def read_cases(text: str) -> dict[str, tuple[str, list[Case]]]:
    """Imports and cases by library; the format is described where the cases are."""
    found = {}
    for section in text.split("\n## ")[1:]:
        head, _, lines = section.partition("\n\n")
        library, _, imports = head.partition("\n")
        fields = [line.split(" | ") for line in lines.splitlines() if line.strip()]
        found[library] = imports, [tuple((one + one[3:])[:5]) for one in fields]
    return found   # type: ignore[return-value]


LIBRARIES = read_cases(Path(__file__).with_name("state_cases.txt").read_text())


def expected(imports: str, cells: list[str], state: str) -> Any:
    """The state after plain runs of the cells."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(imports, namespace)
    for code in cells:
        exec(code, namespace)
    return eval(state, namespace)


def how(restored: Any, name: str = "v") -> str:
    """What a checkout did to a variable."""
    if name in restored.failed:
        return f"failed: {restored.failed[name]}"
    return "recomputed" if name in restored.recomputed else \
        "loaded" if name in restored.loaded else "live"


def drive(imports: str, case: Case) -> dict[str, Any]:
    """One class through change, no change, checkpoint, checkout; what went how."""
    from rex.archive import Archive
    from rex.state import StateTracker, Store, checkout, load_history
    _, make, change, read, state = case
    cells = [f"v = {make}\nholder = [v]", f"r = {read}\ndel r", change]
    wanted = [expected(imports, cells[:1], state), expected(imports, cells, state)]
    found: dict[str, Any] = {"is_state_correct": True}
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive.create(os.path.join(folder, "a"))
        recording = archive.begin("nb")
        store = Store(archive, recording)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        tracker = StateTracker(namespace)
        deltas = []
        for code in [imports, *cells]:
            tracker.before_cell(code)
            exec(compile(code, "<cell>", "exec"), namespace)
            deltas.append(tracker.after_cell())
            store.save(deltas[-1])
        tracker.settle_doubts()
        found["is_change_seen"] = "v" in deltas[3].changed
        found["is_reading_free"] = "v" not in deltas[2].changed
        store.wait()
        ways = []
        for node, value in ((3, wanted[0]), (4, wanted[1])):
            restored = checkout(tracker, node, store.read)
            ways.append(how(restored))
            _compare(found, f"checkout of {node - 1}", namespace, state, value, node == 3)
        store.close()
        fresh: dict[str, Any] = {"__name__": "__main__"}
        later = StateTracker(fresh, load_history(archive, archive.experiment("nb")))
        for node, value in ((4, wanted[1]), (3, wanted[0])):
            ways.append(how(checkout(later, node, archive.read)))
            _compare(found, f"new session at {node - 1}", fresh, state, value, node == 3)
        found["ways"] = ways
        recording.abandon()
    return found


def _compare(found: dict[str, Any], where: str, namespace: dict[str, Any], state: str, value: Any,
             is_first: bool) -> None:
    from rex.state.kinds import PLAIN
    from rex.state.walk import KINDS
    try:
        is_same = eval(state, namespace) == value
        if is_first:
            one, other = namespace["holder"][0], namespace["v"]
            is_same = is_same and (one is other or type(other) in (str, bytes) or KINDS[type(other)] is PLAIN)
    except Exception as error:
        is_same = False
        where += f" ({type(error).__name__}: {error})"
    if not is_same and found["is_state_correct"]:
        found["is_state_correct"] = False
        found["problem"] = where


def run_one(library: str, number: int) -> dict[str, Any]:
    """A case in this process, quietly."""
    imports, cases = LIBRARIES[library]
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return drive("import os, io, tempfile\n" + imports, cases[number])


def in_processes(library: str) -> list[dict[str, Any]]:
    """All cases of a library, forked from one process that has imported it."""
    imports, cases = LIBRARIES[library]
    program = ("import sys, json, os, warnings; warnings.simplefilter('ignore'); sys.path[:0] = {path!r}; "
               "import state_classes as s; n = s.serve({library!r})").format(
        path=[str(Path(__file__).parent), str(Path(__file__).parents[1])], library=library)
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(cases):   # one that ends the process must not hide the others
        environment = {**os.environ, "REX_CASES_FROM": str(at), "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL, env=environment)
        assert process.stdout
        try:
            out, _ = process.communicate(timeout=TIMEOUT_S + 20 * len(cases))
        except subprocess.TimeoutExpired as late:
            process.kill()
            out = (late.stdout or b"").decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        lines = [json.loads(line[6:]) for line in out.splitlines() if line.startswith("@case ")]
        found += lines
        at += len(lines)
        if at < len(cases):
            found.append({"is_state_correct": False, "problem": "the process ended"})
            at += 1
    return found


def serve(library: str) -> None:
    """Print a line for each case from REX_CASES_FROM on."""
    out = sys.stdout
    for number in range(int(os.environ["REX_CASES_FROM"]), len(LIBRARIES[library][1])):
        try:
            done = run_one(library, number)
        except Exception as error:
            done = {"is_state_correct": False, "problem": f"{type(error).__name__}: {error}"[:300]}
        print("@case " + json.dumps(done), file=out, flush=True)


def row(name: str, done: dict[str, Any]) -> str:
    """A line of the table."""
    def mark(key: str) -> str:
        return "yes" if done.get(key) else "no" if key in done else "-"
    ways = done.get("ways", [])
    told = " / ".join(dict.fromkeys(_DONE.get(way, way) for way in ways)) or "-"
    return (f"| {name} | {mark('is_change_seen')} | {mark('is_reading_free')} | {told.replace('|', '/')[:150]} | "
            f"{'yes' if done['is_state_correct'] else 'NO: ' + done.get('problem', '').replace('|', '/')[:150]} |")


def main() -> int:
    """Drive them, print, write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--no-write", action="store_true")
    given = parser.parse_args()
    lines, right, total, versions = [], 0, 0, []
    for library, (imports, cases) in LIBRARIES.items():
        if given.only and library not in given.only:
            continue
        results = in_processes(library)
        lines += ["", f"## {library}", "", "| class | change seen | reading stores nothing | came back | state correct |",
                  "|---|---|---|---|---|"]
        for case, done in zip(cases, results):
            lines.append(row(case[0], done))
            right += bool(done["is_state_correct"])
            total += 1
            if not done["is_state_correct"] or not done.get("is_change_seen", True):
                print(library, case[0], json.dumps(done), flush=True)
        print(f"{library}: {sum(bool(r['is_state_correct']) for r in results)} of {len(results)}", flush=True)
    print(f"{right} of {total} classes correct")
    if not given.no_write and not given.only:
        head = f"""# Classes of data-science libraries

Generated by `python bench/state_classes.py`: {total} classes. A cell makes an object of the class, the next one reads it, and a third one changes it.
Then both states are checked out, in the live session and in a new one from the archive. A state is correct only if a list
that held the object still holds it. That was so for {right} of {total}.

- *change seen*: the cell that changed the object has a new version of it.
- *reading stores nothing*: the cell that only read the object has no new version. A *no* is harmless.
- *came back*: the object was loaded, or computed again from its cell because it cannot be pickled without loss."""
        Path(__file__).parents[1].joinpath("docs", "state-classes.md").write_text(
            head + "\n" + "\n".join(lines) + "\n")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
