"""How fast contents are compared by meaning: `python bench/contents.py [ROWS]`."""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile

import numpy

from rex.contents.client import Comparer
from rex.contents.rules import make


def write(folder: str, rows: int, change: float) -> dict[str, str]:
    """Files of so many rows with four numbers each; one number in a thousand is changed by a part."""
    chance = random.Random(1)
    values = numpy.array([[chance.random() for _ in range(4)] for _ in range(rows)])
    values[::250, 1] *= 1 + change
    names = {name: os.path.join(folder, name) for name in ("table.csv", "log.txt", "values.npy", "values.json")}
    with open(names["table.csv"], "w", encoding="ascii") as file:
        file.write("a,b,c,d\n" + "".join(",".join(map(repr, map(float, row))) + "\n" for row in values))
    with open(names["log.txt"], "w", encoding="ascii") as file:
        file.writelines(f"step {at} loss {row[0]!r} rate {row[1]!r} {row[2]!r} {row[3]!r}\n" for at, row in enumerate(values.tolist()))
    numpy.save(names["values.npy"], values)
    with open(names["values.json"], "w", encoding="ascii") as file:
        file.write("[" + ",".join(str(row) for row in values.tolist()) + "]")
    return names


def main() -> None:
    """Print a table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory() as top:
        for name in ("one", "two"):
            os.mkdir(os.path.join(top, name))
        one, two = write(os.path.join(top, "one"), rows, 0.0), write(os.path.join(top, "two"), rows, 1e-10)
        before = 0.0
        print("| file | MB | CPU s | verdict |\n|---|---|---|---|")
        for name in one:
            with Comparer(make(1e-9, 0, 0, (), (), False)) as comparer:
                verdict = comparer.compare(name, one[name], two[name])
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = now.ru_utime + now.ru_stime
            print(f"| {name} | {os.path.getsize(one[name]) / 1e6:.1f} | {seconds - before:.2f} | {verdict.sentence} |")
            before = seconds
    print(f"most memory of a process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10} MB")


if __name__ == "__main__":
    main()
