"""What the pages of `rex ui` cost: python bench/ui.py [--repeat N] [--json FILE].

An archive of 1,000 experiments, one of them with a log of 100,000 events, 300 of them a sweep. Each page is opened N times in a headless
Chromium. Shown are medians: first paint as the browser reports it (PerformancePaintTiming), processor time of the page's main thread and
of the server, bytes sent, elements and rows in the page. First paint is time of the clock, so the load of the machine is shown as well.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "unit")]

from cli.builders import Bench, a_log, write   # noqa: E402
from web.browser import Page, served, why_no_browser   # noqa: E402

EXPERIMENTS, EVENTS, SWEPT = 1000, 100_000, 300
PAGES = {"archive": "/archive", "experiment": "/experiments/large", "log": "/experiments/large/log", "sweep": "/sweep?of=exp0"}
ROWS = "rows of the archive"     # which the page asks for when it is there
LOOK = """const paint = performance.getEntriesByName('first-contentful-paint')[0];
const page = performance.getEntriesByType('navigation')[0];
return paint && { paint_ms: paint.startTime, bytes: page.encodedBodySize, elements: document.querySelectorAll('*').length,
  rows: document.querySelectorAll('tbody tr:not(.space)').length };"""


def fill(top: Path) -> str:
    """The archive."""
    bench = Bench(top / "A")
    first = Path(bench.record("exp0", exit_status=0).directory)
    for number in range(1, EXPERIMENTS - SWEPT - 1):
        shutil.copytree(first, first.with_name(f"exp{number}"))
    for number in range(SWEPT):
        labels = {"sweep": "exp0", "rate": str(number % 20), "SEED": str(number // 20)}
        bench.record(f"run{number}", exit_status=0, outputs={"/w/fit.json": b'{"slope": %d, "error": %d}' % (number, number % 20)},
                     extra={"about": {"labels": labels}})
    bench.record("large", exit_status=0, events=[*a_log([])[:2], *(write(2, b"line %d\n" % number) for number in range(EVENTS - 2))])
    return bench.path


def look(page: Page, address: str) -> dict[str, Any]:
    """One visit."""
    page.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    page.driver.get(address)
    page.until(lambda: page.all("tbody tr:not(.space)"), "for rows")
    told: dict[str, Any] = page.until(lambda: page.do(LOOK), "for the first paint")
    return {**told, "page_cpu_ms": 1000 * _main_thread_s(page)}


def _main_thread_s(page: Page) -> float:
    """Since this page was begun."""
    found = page.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float({each["name"]: each["value"] for each in found}["TaskDuration"])


def server_cpu_ms(archive: str, repeat: int) -> dict[str, list[float]]:
    """Processor time of the server for each page: the first visit, and the median of the next ones."""
    from rex.runnew import plan_run, start
    from rex.web.app import make_app
    from rex.web.keys import Keys
    from rex.web.services import Services
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from starlette.testclient import TestClient
    keys = Keys()
    found = {}
    with TestClient(make_app(archive, Services(plan_run, start), keys, True), base_url="http://localhost:7490") as client:
        client.get(f"/?token={keys.new_token()}")
        for name, path in {**PAGES, ROWS: "/archive/rows"}.items():
            times = []
            for _ in range(repeat + 1):
                began = time.process_time()
                assert client.get(path).status_code == 200
                times.append(1000 * (time.process_time() - began))
            found[name] = [times[0], statistics.median(times[1:])]
    return found


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json")
    given = parser.parse_args()
    if problem := why_no_browser():
        print(f"nothing is measured: {problem}", file=sys.stderr)
        return 1
    top = Path(tempfile.mkdtemp(prefix="rex-ui-"))
    try:
        archive = fill(top)
        server = server_cpu_ms(archive, given.repeat)
        found: dict[str, dict[str, float]] = {}
        with served(top, archive, "--read-only", command="ui") as (address, _), Page() as page:
            page.open(address)
            for name, path in PAGES.items():
                visits = [look(page, address.split("/?")[0] + path) for _ in range(given.repeat + 1)][1:]
                found[name] = {key: statistics.median(visit[key] for visit in visits) for key in visits[0]}
                found[name] |= {"server_first_ms": server[name][0], "server_ms": server[name][1], "load": os.getloadavg()[0]}
    finally:
        shutil.rmtree(top)
    print("| page | first paint | its main thread | server, first visit | server, later | bytes | elements | rows | load |\n|---|---|---|---|---|---|---|---|---|")
    for name, each in found.items():
        print(f"| {name} | {each['paint_ms']:.0f} ms | {each['page_cpu_ms']:.0f} ms | {each['server_first_ms']:.0f} ms | {each['server_ms']:.0f} ms | "
              f"{each['bytes']:,.0f} | {each['elements']:.0f} | {each['rows']:.0f} | {each['load']:.1f} |")
    print(f"{ROWS}: {server[ROWS][0]:.0f} ms of the server's processor time, later {server[ROWS][1]:.0f} ms")
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
