"""The commands of README, how-to and reference pages run, one after another, and end with the status that the page leads to expect.

What a page takes for granted (a program, an archive that came by mail) is made here first.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from commands import ROOT, environment, put_on_path

pytestmark = [pytest.mark.usefixtures("tracing"), pytest.mark.stress]
TYPED = re.compile(r"^ {4,}(?:\$ )?((?:rex|rm|sh|python -m) .+)$", re.MULTILINE)
SYNOPSIS = re.compile(r" \[-")
FILE = re.compile(r"This is `([\w.]+)`:\n\n((?:    .*\n)+)")
ANALYSIS = ("printf 'cat $1 | awk -F, -v l=$2 \"\\$2 >= l\" > result.txt\\n' > analysis.sh; printf 'ant,3\\ncat,7\\ndog,9\\n' > data.csv; ")
PROGRAM = "mkdir -p results; printf '#!/bin/sh\\necho $1 $$ > results/table.csv\\ncat results/table.csv\\n' > program; chmod +x program; "
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": "print(1)"}],
                       "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
TRAINING = """printf 'import time
from rex import hindsight
for epoch in range(60):
    time.sleep(0.06)
    for step in range(5):
        hindsight.log("loss", 10.0 - epoch / 10)
' > train.py; """
MAKEFILE = """printf 'report.txt: in.txt
\tsort in.txt > sorted.txt
\tuniq sorted.txt > report.txt
in.txt:
\techo hi > in.txt
' > Makefile; """
PIPELINE = """printf '#!/bin/sh
sort -k2 in.csv > sorted.csv
grep -c $1 sorted.csv > count.txt
echo $1 $SEED
' > run.sh; chmod +x run.sh; printf 'a 0.1\nb 0.2\n' | tee in.csv a.csv > b.csv; printf 'all:\n\t./run.sh 0.1\n' > Makefile; """
SORTING = "printf '#!/bin/sh\\nsort $1 > result.txt\\n' > analysis.sh; chmod +x analysis.sh; printf 'b\\na\\n' > in.dat; "
RECORD = "rex record -q -l EXP -- sh analysis.sh data.csv 5; "


@dataclass(frozen=True)
class Page:
    """A page, relative to the checkout.

    Attributes:
        setup: what sh runs before.
        statuses: of commands that do not end with 0, by a part of them.
        put: what stands in the page -> what is typed here.
        skipped: parts of commands (`$` is the end) that need what a test has not: another machine, a browser, a notebook.
    """

    path: str
    setup: str = ""
    statuses: dict[str, int] = field(default_factory=dict)
    put: dict[str, str] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()


PAGES = [
    Page("README.md", statuses={"rex expdiff": 1}),
    Page("docs/how-to/find-runs.md", PROGRAM),
    Page("docs/how-to/review.md", ANALYSIS + RECORD + "rex export -q EXP -o exp.rex; rm -r EXP; ", {"rex expdiff": 1, "rex compare": 1}),
    Page("docs/how-to/large-inputs.md", "mkdir data; echo acgt > data/genome.fa; cp data/genome.fa .; printf '#!/bin/sh\\nwc -c < $1\\n' > program; "
         "chmod +x program; rex record -q -l EXP -e try-1 -- true; ", put={"/data/": "data/"}),
    Page("docs/how-to/threads.md", PROGRAM),
    Page("docs/how-to/secrets.md", ANALYSIS + RECORD),
    Page("docs/how-to/cite.md", ANALYSIS + RECORD + "ssh-keygen -q -t ed25519 -N '' -f key; ", put={"@b17407d8c4f6": "exp0", "~/.ssh/id_ed25519": "key"}),
    Page("docs/how-to/docker.md", ANALYSIS + RECORD),
    Page("docs/how-to/servers.md",
         "printf 'python3 -m http.server 8765 &\\nserver=$!\\nsleep 1\\ncurl -s -o page.html http://127.0.0.1:8765/\\nkill $server\\n'"
         " > session.sh; "),
    Page("docs/how-to/browse.md", ANALYSIS + RECORD, skipped=("--read-only",), put={"rex ui EXP": "rex ui EXP --export site-of-all"}),
    Page("docs/how-to/compare-results.md", ANALYSIS + RECORD + "sed -i s/cat,7/cat,4/ data.csv; " + RECORD, {"rex expdiff": 1, "rex compare": 1},
         {"exp41": "exp1"}),
    Page("docs/how-to/continuous-integration.md", "printf 'def test_fails():\n    assert 0\n' > test_it.py; ", {"python -m": 1, "rex replay": 1}),
    Page("docs/how-to/nfs-and-s3.md", ANALYSIS + RECORD + "mkdir shared; rex push EXP shared/exp; ",
         put={" /shared/": " shared/", "s3://bucket/": "bucket/"}),
    Page("docs/how-to/slurm.md", PROGRAM + "for n in 2 3; do rex record -q -l EXP -e run-$n --label seed=$n -- ./program 1; done; "),
    Page("docs/sharing.md", ANALYSIS + RECORD * 2 + "ssh-keygen -q -t ed25519 -N '' -f key; (printf 'ann '; cat key.pub) > allowed_signers; ",
         put={"s3://bucket/": "bucket/", "~/.ssh/id_ed25519": "key", "ann.pub": "key.pub"},
         skipped=("ssh host", ".rpz", "EXP:run0", "@1f2e3d4c5b6a")),
    Page("docs/trees.md", PIPELINE, put={"-e exp0 --arg 3=": "-e exp0 --arg 2=", "--where arg3=": "--where arg2=", "--all -o out": "--all -o all"}),
    Page("docs/hindsight.md", TRAINING, put={"'run*'": "exp0"}),
    Page("docs/workflow.md", MAKEFILE, put={"s3://bucket/": "bucket/", "-o out --resume": "-o out2 --resume"}),
    Page("docs/diverged.md", ANALYSIS + RECORD),
    Page("docs/expdiff.md", SORTING + "rex record -q -l A -- ./analysis.sh in.dat; sed -i s/b/d/ in.dat; rex record -q -l A -- ./analysis.sh in.dat; ",
         {"rex expdiff": 1, "rex compare": 1}, {"A:first": "A:exp0", "A:database": "A:exp1", "exp41": "exp1", "dot|svg|prov EXP:": "dot A:"}),
    Page("docs/runnew.md", "printf '#!/bin/sh\nsort $1 $2 > hits.txt\necho $3\n' > blast; chmod +x blast; echo b > in.seq; echo a > in.db; "
         "mkdir new; cp \"$(command -v sort)\" new; ", {"rex expdiff": 1}, {"/opt/new/": "new/"}, ("rex runnew -l EXP$",)),
    Page("docs/versions.md", "printf 'import sys\n# %%%%\nprint(1)\n# %%%%\nprint(sys.argv)\n' > train.py; "
         f"echo '{NOTEBOOK}' > analysis.ipynb; "),
]


def commands_of(page: Page) -> list[str]:
    """What a reader types, comments left out."""
    found = [re.sub(r"\s{2,}#.*", "", typed) for typed in TYPED.findall((ROOT / page.path).read_text(encoding="utf-8"))]
    for shown, typed in page.put.items():
        found = [each.replace(shown, typed) for each in found]
    return [each for each in found if not SYNOPSIS.search(each) and not any(part in f"{each}$" for part in page.skipped)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: Path(page.path).stem)
def test_commands_of_page_run(page: Page, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    for name, text in FILE.findall((ROOT / page.path).read_text(encoding="utf-8")):
        (place / name).write_text(re.sub("^    ", "", text, flags=re.MULTILINE), encoding="utf-8")
    variables = environment(PATH=put_on_path(tmp_path / "bin"), EXAMPLES=str(ROOT / "examples"))
    subprocess.run(["sh", "-ec", page.setup], cwd=place, env=variables, check=True, timeout=300)
    typed = commands_of(page)
    assert typed
    for each in typed:
        done = subprocess.run(["sh", "-c", each], cwd=place, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        wanted = next((status for part, status in page.statuses.items() if part in each), 0)
        assert done.returncode == wanted, f"$ {each}\n{done.stdout}{done.stderr}"
