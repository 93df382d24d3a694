"""rex gc"""

from __future__ import annotations

import json
import os

from cli.builders import Bench
from cli.conftest import Rex
from rex.archive import Manifest
from rex.errors import Locked


def test_space_of_what_was_removed_comes_back(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={"/i": os.urandom(100_000)})
    bench.record(inputs={"/j": b"other"})
    assert rex("gc", "A").stdout.startswith("A: 0 B freed")
    rex("rm", "A:exp0")
    told = json.loads(rex("gc", "A", "--json").stdout)
    assert told["freed_bytes"] > 99_000 and told["archive"] == "A"
    assert rex("check", "A").return_value == 0


def test_what_stays_is_named(bench: Bench, rex: Rex) -> None:
    bench.record(inputs={"/needed": os.urandom(900_000), "/gone": b""})
    with bench.archive.begin("both") as recording:      # one pack of what is needed mostly
        contents = [recording.add_bytes(os.urandom(size)) for size in (900_000, 10_000)]
        recording.finish(Manifest(("x",), attachments={"data": contents[0]}))
    bench.leave_incomplete()
    open(os.path.join(bench.path, "packs", "note.txt"), "wb").close()
    name = bench.archive.experiments()[-1].name
    assert rex("gc", "A").stdout.splitlines()[1:] == [
        "left: contents that no experiment needs: 1, 10.0 kB before compression; remove with: rex gc --recompress A",
        f"left: A:{name}, which is not finished; remove with: rex rm A:{name}", "left: note.txt among the packs, which is not Rex's"]
    rex("rm", f"A:{name}")
    os.unlink(os.path.join(bench.path, "packs", "note.txt"))
    told = json.loads(rex("gc", "A", "--recompress", "--json").stdout)
    assert (told["left_objects"], told["unfinished"], told["other_files"]) == (0, [], [])
    assert len(rex("gc", "A").stdout.splitlines()) == 1


def test_not_while_somebody_records(bench: Bench, rex: Rex) -> None:
    with bench.archive.begin():
        assert isinstance(rex("gc", "A").exception, Locked)
