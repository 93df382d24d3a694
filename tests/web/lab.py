"""A real JupyterLab with the panel, and a notebook that is open in it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from commands import ROOT

from .browser import Page, why_no_browser


def why_no_lab() -> str:
    """Why the panel cannot be tried here; "" if it can."""
    return why_no_browser() or ("" if importlib.util.find_spec("jupyterlab") else "jupyterlab is not installed")


def notebook(*cells: str) -> str:
    """A notebook file's text."""
    return json.dumps({"nbformat": 4, "nbformat_minor": 5,
                       "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
                       "cells": [{"cell_type": "code", "id": f"cell{at}", "metadata": {}, "outputs": [], "execution_count": None,
                                  "source": text} for at, text in enumerate(cells)]})


@contextlib.contextmanager
def lab_in(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves a folder and has the panel."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "IPYTHONDIR": str(folder / ".ipython"),
                   "JUPYTER_CONFIG_DIR": str(folder / ".config"), "JUPYTER_DATA_DIR": str(folder / ".data")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}", "--ServerApp.port_retries=0", "--allow-root",
               "--IdentityProvider.token=", f"--LabApp.extra_labextensions_path={ROOT / 'rex' / 'notebook' / 'lab'}",
               "--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with open(folder / "log", "wb") as log, subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log) as server:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def open_notebook(page: Page, address: str, path: Path, *cells: str) -> None:
    """Write a notebook, open it in the Lab that serves its folder, and show the panel."""
    from selenium.common.exceptions import WebDriverException
    name = path.name
    path.write_text(notebook(*cells))

    def load() -> bool:
        try:
            page.driver.get(f"{address}/lab/workspaces/{name.removesuffix('.ipynb')}/tree/{name}")
        except WebDriverException:     # the server starts still
            return False
        return True
    page.until(load)
    page.until(lambda: page.do("return !!document.querySelector('.jp-Notebook .jp-CodeCell')"), "for the notebook")
    page.says("| Idle", "#jp-main-statusbar")
    page.click("[data-id='rex-panel']")


def run_all(page: Page) -> None:
    """Run > Run All Cells."""
    page.press(lambda: [each for each in page.all(".lm-MenuBar-item") if each.text == "Run"], "Run")
    page.click(".lm-Menu-item[data-command='runmenu:run-all']")
