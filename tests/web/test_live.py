"""Runs in a real browser: live output, cancelling a whole tree, two tabs, closing and reloading."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from .browser import Page, served, why_no_browser

WHY_NOT = why_no_browser()
pytestmark = [pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT), pytest.mark.usefixtures("tracing")]


def processes_with(word: str) -> list[int]:
    """Ids of all processes that have the word in their arguments."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if word.encode() in Path("/proc", name, "cmdline").read_bytes().split(b"\0"):
                found.append(int(name))
        except OSError:
            continue
    return found


def begin(page: Page, address: str, experiment: str, before: str, after: str) -> str:
    """Run an experiment with another last argument, not recorded; the address of the run."""
    page.begin(address, experiment)
    line = page.get("#line").get_attribute("value")
    assert line.endswith(before)
    page.type("#line", line.removesuffix(before).replace("\n", "\ue008\ue007\ue000") + after)
    page.type("#outdir", f"out-{after.strip('./')}")
    page.click("#record")
    page.click(".bar .primary")
    page.says("not recorded", "#confirm")
    page.click("#go")
    page.says(f"begun {after}", "#output")
    found: str = page.driver.current_url
    return found


def begin_sleepers(page: Page, address: str, seconds: str) -> str:
    """Run the tree of sleepers, for so long."""
    return begin(page, address, "sleepers", "0.01", seconds)


def test_cancel_ends_the_whole_process_tree(page: Page, address: str) -> None:
    seconds = "611.25"
    begin_sleepers(page, address, seconds)
    page.until(lambda: len(processes_with(seconds)) >= 4, "for the sleepers")
    assert page.text("#pill") == "Running"
    page.click("#cancel")
    page.says("Cancelled", "#pill")
    page.says("all its programs were ended", "#result")
    assert processes_with(seconds) == []
    assert not page.complaints()


def test_two_tabs_run_two_experiments_and_a_closed_tab_loses_nothing(page: Page, address: str, place: Path) -> None:
    first_tab = page.driver.current_window_handle
    runs = {}
    for gate in ("./one", "./two"):
        page.driver.switch_to.new_window("tab")
        runs[gate] = begin(page, address, "waiter", "./ready", gate)
    assert all(processes_with(gate) for gate in runs), "both at once"
    for handle in page.driver.window_handles:
        if handle != first_tab:
            page.driver.switch_to.window(handle)
            page.driver.close()
    page.driver.switch_to.window(first_tab)
    for gate, run in runs.items():
        page.open(run)
        page.says(f"begun {gate}", "#output")
        assert page.text("#pill") == "Running"
        (place / gate).touch()
        page.says("Finished", "#pill")
        page.driver.refresh()
        page.says(f"<b>ended</b> {gate}", "#output")
        assert not page.all("#output b"), "output is text, never HTML"
    assert not page.complaints()


def test_a_taken_port_is_passed_over_and_said(place: Path, address: str) -> None:
    taken = int(address.split(":")[2].split("/")[0])
    with served(place, "-l", "EXP", "--port", str(taken)) as (other, lines):
        assert f":{taken}/" not in other and f"port {taken} is taken" in "".join(lines)
        with urllib.request.urlopen(other) as answer:
            assert answer.status == 200
        for refused in (other[:-1], other.split("?")[0], other.split("?")[0] + "archive"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(refused)
            assert caught.value.code == 403


def test_runs_end_with_the_server(page: Page, place: Path) -> None:
    seconds = "622.5"
    with served(place, "-l", "EXP", "--port", "17600") as (address, _):
        begin_sleepers(page, address, seconds)
        page.until(lambda: processes_with(seconds))
    page.until(lambda: not processes_with(seconds))
