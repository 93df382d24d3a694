"""Takes the pictures of README.md, docs/runnew.md, docs/notebook.md and docs/how-to/browse.md in a headless Chromium: `make screenshots`."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from commands import ROOT, rex   # noqa: E402
from web.browser import Page, lay_out, part, served, why_no_browser   # noqa: E402
from web.lab import lab_in, open_notebook, run_all, why_no_lab   # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1180, 900
FIT = """awk -v rate="$1" -v rounds="$2" -v seed="$SEED" 'BEGIN {
  srand(seed)
  for (i = 0; i < rounds; i++) { x = rand(); y = 3 * x + rand() / 5; slope += rate * x * (y - slope * x) }
  printf "{\\"slope\\": %.4f, \\"error\\": %.4f}\\n", slope, (slope - 3) ^ 2 > "fit.json"
  print "seed", seed > "seed.txt"
}'
"""
VERSIONS = {"plain": ("120", "sum(kept) / len(kept)"), "strict": ("110", "sum(kept) / len(kept)"), "median": ("120", "sorted(kept)[len(kept) // 2]")}
ANALYSIS = """import random
random.seed(3)
points = [random.gauss(100, 15) for _ in range(50_000)]
limit = {}
kept = [point for point in points if point < limit]
middle = {}
print(len(kept), "kept, middle", round(middle, 2))
"""
TRAINING = """import random
from rex import hindsight
random.seed(1)
slope = 0.0
for epoch in range(40):
    for _ in range(2000):
        x = random.random()
        slope += 0.0003 * x * (random.gauss(3, 1) * x - slope * x)
    hindsight.log("loss", (3 - slope) ** 2)
    hindsight.log("slope", slope)
"""
PANEL_HEIGHT = 560
COLOURS = 200


def record(top: Path) -> None:
    """An archive with a small history."""
    home = top / "ann"
    os.makedirs(home)
    lay_out(home / "search")
    plain = {"HOME": str(home), "LANG": "C.UTF-8", "USER": "ann", "TERM": "xterm"}
    keep = {name: "" for name in os.environ if name not in ("PATH", "PYTHONPATH")}
    drop = [word for name in sorted(keep) if name not in plain for word in ("--drop-env", name)]
    for score in ("20", "40"):
        rex("record", "-q", "-l", str(top / "EXP"), "--label", f"score={score}", *drop, "--", "./blast", "in.seq", "in.db", score,
                cwd=home / "search", **plain)
        (home / "search" / "hits.txt").unlink()
        (home / "search" / "in.index").unlink()
    (home / "search" / "newer").rename(home / "blast-2.1")


def record_study(top: Path) -> None:
    """An archive with a sweep, three versions of an analysis, and a training run."""
    home = top / "ann" / "study"
    home.mkdir()
    (home / "fit.sh").write_text(FIT)
    rex("record", "-q", "-l", "../../STUDY", "-e", "fit", "--", "sh", "fit.sh", "0.1", "100", cwd=home, SEED="1")
    rex("sweep", "-q", "-l", "../../STUDY", "-e", "fit", "--arg", "2=0.05,0.1,0.2,0.4", "--arg", "3=30,100,300", "--env", "SEED=1..3", "-j", "2", cwd=home)
    for name, words in VERSIONS.items():
        (home / "analysis.py").write_text(ANALYSIS.format(*words))
        rex("record", "-q", "--cells", "-l", "../../STUDY", "-e", name, "analysis.py", cwd=home)
    (home / "train.py").write_text(TRAINING)
    rex("hindsight", "record", "--overhead", "0.5", "-l", "../../STUDY", "-e", "training", "train.py", cwd=home)


def show_study(page: Page, base: str) -> None:
    """A picture of each of its pages."""
    page.open(f"{base}/sweep?of=fit")
    page.says("0.05", "#runs")
    both(page, "ui-sweep", page.do("return document.querySelectorAll('.plots')[1].getBoundingClientRect().bottom + 16 | 0"))
    page.open(f"{base}/versions")
    page.says("Where they part")
    both(page, "ui-versions", page.do("return document.querySelector('#h-cells').getBoundingClientRect().top - 16 | 0"))
    page.open(f"{base}/experiments/training/training")
    page.says("Checkpoints")
    both(page, "ui-training", page.do("return document.querySelector('[aria-labelledby=h-script]').getBoundingClientRect().top | 0"))


@contextlib.contextmanager
def place() -> Iterator[Path]:
    """A new folder whose name is pleasant to read in a picture, if nobody has it."""
    top = Path(tempfile.gettempdir(), "lab")
    try:
        top.mkdir()
    except FileExistsError:
        top = Path(tempfile.mkdtemp(prefix="lab-"))
    try:
        yield top
    finally:
        shutil.rmtree(top)


def both(page: Page, name: str, height: int) -> None:
    """A picture by day and one by night."""
    for is_dark in (False, True):
        page.dark(is_dark)
        path = IMAGES / f"{name}{'-dark' if is_dark else ''}.png"
        page.do("document.activeElement?.blur()")
        time.sleep(0.5)   # colours change softly
        page.picture(path, height)
        shrink(path)
    page.dark(False)


def shrink(path: Path) -> None:
    """Fewer colours, for a smaller file, where Pillow is there."""
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def tell_story(page: Page, address: str, top: Path) -> None:
    """The story, with a picture at each of its places."""
    page.begin(address, "exp0")
    page.type("#line", "./blast in.seq in.db 30")
    page.click(part("blastn") + ' [data-from="local"]')
    page.type(part("blastn") + " .pathfield", str(top / "ann" / "blast-2.1" / "blastn"))
    page.until(lambda: page.get(part("blastn") + " .pathfield").get_attribute("aria-invalid") == "false")
    page.says("coreutils", "#apparatus")
    page.do("document.querySelector('.bar').style.position = 'static'; scrollTo(0, 0)")
    both(page, "runnew", page.do("return document.querySelector('#environment').getBoundingClientRect().top - 10 | 0"))
    page.do("document.querySelector('.bar').style.position = ''")
    page.type("#outdir", str(top / "ann" / "results"))
    page.click(".bar .primary")
    page.get("#confirm")
    page.do("scrollTo(0, 0)")
    both(page, "runnew-confirm", 0)
    page.click("#go")
    page.says("What came of it", "#comparison")
    page.do("scrollTo(0, 0)")
    both(page, "runnew-run", page.do("return document.documentElement.scrollHeight"))
    page.open(address.split("?")[0] + "archive")
    page.until(lambda: "…" not in page.text("tbody"))
    page.says("exp2", "tbody")
    both(page, "ui-archive", page.do("return document.querySelector('main').getBoundingClientRect().bottom | 0"))
    page.open(address.split("?")[0] + "experiments/exp0")
    page.says("files", "#found")
    both(page, "ui-experiment", page.do("return document.querySelector('[aria-labelledby=h-environment]').getBoundingClientRect().top | 0"))
    page.open(address.split("?")[0] + "history")
    page.says("distinct steps", "#steps")
    both(page, "ui-history", page.do("return document.querySelector('.steps').getBoundingClientRect().top | 0"))
    page.open(address.split("?")[0] + "experiments/exp0/workflow")
    page.says("What to persist")
    both(page, "ui-workflow", page.do("return document.querySelector('main').getBoundingClientRect().bottom | 0"))


def panel_in_lab(top: Path) -> None:
    """A small session with a branch, in JupyterLab."""
    cells = ["%load_ext rex.notebook", "import random\nrandom.seed(4)", "prices = [random.gauss(100, 9) for _ in range(500)]",
             "mean = sum(prices) / len(prices)", "prices.sort()"]
    (top / "notebooks").mkdir()
    with lab_in(top / "notebooks") as address, Page(WIDTH, HEIGHT) as page:
        open_notebook(page, address, top / "notebooks" / "prices.ipynb", *cells)
        run_all(page)
        page.says("prices.sort()", ".rex-head")
        page.click(".rex-cells li[data-number='3'] .rex-go")
        page.says("at 3", ".rex-status")
        page.click(".rex-cells li[data-number='4'] .rex-more")
        page.click(".rex-variable button")
        page.says("took mean", ".rex-status")
        page.hover(".rex-cells li[data-number='5'] .rex-go")
        page.get(".rex-tip")
        page.picture(IMAGES / "notebook-panel.png", PANEL_HEIGHT)
    shrink(IMAGES / "notebook-panel.png")


def main() -> int:
    """Make them all."""
    if problem := why_no_browser():
        print(f"no pictures: {problem}", file=sys.stderr)
        return 1
    os.makedirs(IMAGES, exist_ok=True)
    with place() as top:
        record(top)
        with served(top, "-l", "EXP") as (address, _), Page(WIDTH, HEIGHT) as page:
            tell_story(page, address, top)
        record_study(top)
        with served(top, "STUDY", command="ui") as (address, _), Page(WIDTH, HEIGHT) as page:
            page.open(address)
            show_study(page, address.split("/?")[0])
        if problem := why_no_lab():
            print(f"no picture of the panel: {problem}", file=sys.stderr)
        else:
            panel_in_lab(top)
    return 0


if __name__ == "__main__":
    sys.exit(main())
