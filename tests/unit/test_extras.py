"""Extras: what they are for, and how to install them."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import ROOT, environment
from rex import extras
from rex.errors import UsageError

_PROJECTS = {"yaml": "pyyaml", "PIL": "pillow", "matplotlib_inline": "matplotlib-inline", "IPython": "ipython", "cyclonedx": "cyclonedx-python-lib"}   # of modules that are called otherwise


def declared() -> dict[str, list[str]]:
    project = configparser.ConfigParser()
    project.read(ROOT / "setup.cfg", encoding="utf-8")
    return {name: [each.partition(">")[0] for each in needs.split()] for name, needs in project["options.extras_require"].items()}


def test_the_table_is_that_of_the_distribution() -> None:
    packages = declared()
    for name, extra in extras.EXTRAS.items():
        assert {_PROJECTS.get(module, module) for module in extra.modules} == set(packages[name])
    assert packages["all"] == [f"{extras.DISTRIBUTION}[{','.join(extras.EXTRAS)}]"]


def test_the_install_line_is_that_of_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", f"{tmp_path}/bin/python")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin")
    assert extras.install_line("web") == "pip install 'rex-replay[web]'"
    monkeypatch.setenv("PATH", f"/usr/bin:{tmp_path}/bin")   # another pip would be found first
    assert extras.install_line("web", "dask") == f"{tmp_path}/bin/python -m pip install 'rex-replay[web,dask]'"
    (tmp_path / "uv-receipt.toml").touch()
    assert extras.install_line("web") == "uv tool install --force 'rex-replay[web]'"
    (tmp_path / "pipx_metadata.json").touch()
    assert extras.install_line("web") == "pipx install --force 'rex-replay[web]'"


def test_what_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_there", lambda module: module != "jinja2")
    assert extras.lacking("web") == ["jinja2"]
    extras.need("web", "no page", "uvicorn")
    with pytest.raises(UsageError, match=r"no page: not installed: jinja2; install with: .*rex-replay\[web\]"):
        extras.need("web", "no page")


@pytest.mark.parametrize("line, module, extra", [
    ("notebook log A", "xxhash", "notebook"), ("hindsight show A", "cloudpickle", "hindsight"),
    ("hindsight record x.py", "xxhash", "hindsight"), ("push A file:///nowhere", "fsspec", "remote"),
    ("runnew -l A --no-browser", "uvicorn", "web"), ("record --cells -l A x.py", "IPython", "versions")])
def test_a_command_without_its_extra_says_so_in_one_line(tmp_path: Path, line: str, module: str, extra: str) -> None:
    (tmp_path / "x.py").write_text("print(1)\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "rex.cli.main", "record", "-q", "-l", "A", "--", "/bin/true"], cwd=tmp_path,
                   env=environment(), check=True)
    code = ("import importlib.util, sys\nfind = importlib.util.find_spec\n"
            f"importlib.util.find_spec = lambda name, *more: None if name == '{module}' else find(name, *more)\n"
            f"sys.modules['{module}'] = None\nfrom rex.cli.main import main\nmain()\n")
    done = subprocess.run([sys.executable, "-c", code, *line.split()], cwd=tmp_path, env=environment(), capture_output=True,
                          text=True, check=False)
    assert done.returncode in (2, 125), done.stderr
    assert done.stderr.count("\n") == 1 and f"'rex-replay[{extra}]'" in done.stderr and module in done.stderr


def test_a_recording_says_that_the_engine_is_the_slow_one(tmp_path: Path) -> None:
    code = "from rex.tracer import native\nnative.PATH = '/nowhere'\nfrom rex.cli.main import main\nmain()\n"

    def said(*words: str, **changes: str) -> int:
        done = subprocess.run([sys.executable, "-c", code, "record", *words, "-l", "A", "--", "/bin/true"], cwd=tmp_path,
                              env=environment(**changes), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr.count("slow reference engine")

    assert said() == 1
    assert said("-q") == 0
    assert said(REX_ENGINE="reference") == 0
    assert os.path.isdir(tmp_path / "A")
