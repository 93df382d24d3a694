"""The commands of README and of how-to pages run, one after another, and end with the status that the page leads to expect.

What a page takes for granted (a program, an archive that came by mail) is made here first.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from commands import ROOT, environment, put_on_path

pytestmark = [pytest.mark.usefixtures("tracing"), pytest.mark.stress]
TYPED = re.compile(r"^ {4,}(?:\$ )?((?:rex|rm|sh) .+)$", re.MULTILINE)
FILE = re.compile(r"This is `([\w.]+)`:\n\n((?:    .*\n)+)")
ANALYSIS = ("printf 'cat $1 | awk -F, -v l=$2 \"\\$2 >= l\" > result.txt\\n' > analysis.sh; printf 'ant,3\\ncat,7\\ndog,9\\n' > data.csv; ")
PROGRAM = "mkdir -p results; printf '#!/bin/sh\\necho $1 $$ > results/table.csv\\ncat results/table.csv\\n' > program; chmod +x program; "
RECORD = "rex record -q -l EXP -- sh analysis.sh data.csv 5; "


@dataclass(frozen=True)
class Page:
    """A page, relative to the checkout.

    Attributes:
        setup: what sh runs before.
        statuses: of commands that do not end with 0, by a part of them.
        put: what stands in the page -> what is typed here.
    """

    path: str
    setup: str = ""
    statuses: dict[str, int] = field(default_factory=dict)
    put: dict[str, str] = field(default_factory=dict)


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
    Page("docs/how-to/servers.md", "printf 'python3 -m http.server 8765 &\\nserver=$!\\nsleep 1\\ncurl -s -o page.html http://127.0.0.1:8765/\\nkill $server\\n'"
         " > session.sh; "),
]


def commands_of(page: Page) -> list[str]:
    """What a reader types, comments left out."""
    found = [re.sub(r"\s{2,}#.*", "", typed) for typed in TYPED.findall((ROOT / page.path).read_text(encoding="utf-8"))]
    for shown, typed in page.put.items():
        found = [each.replace(shown, typed) for each in found]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: Path(page.path).stem)
def test_commands_of_page_run(page: Page, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    for name, text in FILE.findall((ROOT / page.path).read_text(encoding="utf-8")):
        (place / name).write_text(re.sub("^    ", "", text, flags=re.MULTILINE), encoding="utf-8")
    variables = environment(PATH=put_on_path(tmp_path / "bin"))
    subprocess.run(["sh", "-ec", page.setup], cwd=place, env=variables, check=True, timeout=300)
    typed = commands_of(page)
    assert typed
    for each in typed:
        done = subprocess.run(["sh", "-c", each], cwd=place, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        wanted = next((status for part, status in page.statuses.items() if part in each), 0)
        assert done.returncode == wanted, f"$ {each}\n{done.stdout}{done.stderr}"
