"""The first ten minutes of a new user: an environment with nothing but a base installation, with and without the engine.

Under this Python, and under each other one that Rex supports and this machine has.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest

from commands import ROOT
from rex.extras import DISTRIBUTION

pytestmark = pytest.mark.usefixtures("tracing")
NOBODY = 65534
ENGINE = ROOT / "rex" / "native" / "rex-engine"


def base_packages() -> set[str]:
    """Distributions that a base installation brings, Rex apart."""
    found: set[str] = set()
    left = [DISTRIBUTION]
    while left:
        for need in importlib.metadata.requires(left.pop()) or []:
            name, _, condition = need.partition(";")
            project = re.split(r"[^\w.-]", name.strip())[0]
            if "extra" in condition or project in found or not is_installed(project):   # some are for other systems or versions
                continue
            found.add(project)
            left.append(project)
    return found


def is_installed(project: str) -> bool:
    try:
        return bool(importlib.metadata.distribution(project))
    except importlib.metadata.PackageNotFoundError:
        return False


def copy_base_packages(packages: Path) -> None:
    """What pip would install there, without a network."""
    for name in base_packages():
        for file in importlib.metadata.files(name) or []:
            target = packages / file
            if ".." not in file.parts and file.suffix != ".pyc":
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), target)


def fetch_base_packages(python: Path) -> None:
    """Packages of ours may not fit another Python."""
    needs = [need for need in importlib.metadata.requires(DISTRIBUTION) or [] if "extra" not in need]
    done = subprocess.run([python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *needs], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        pytest.skip(f"pip gets no packages for this Python: {done.stderr.strip()[-200:]}")


def install(environment: Path, is_ours: bool) -> None:
    """Make a base installation there: Rex as its wheel has it, without an engine."""
    packages = next(environment.glob("lib/python*/site-packages"))
    if is_ours:
        copy_base_packages(packages)
    else:
        fetch_base_packages(environment / "bin" / "python")
    shutil.copytree(ROOT / "rex", packages / "rex", ignore=shutil.ignore_patterns("*.[ch]", "rex-engine", "__pycache__"))
    (environment / "bin" / "rex").write_text(f"#!{environment}/bin/python\nfrom rex.cli.main import main\nmain()\n", encoding="utf-8")
    (environment / "bin" / "rex").chmod(0o755)
    subprocess.run([environment / "bin" / "python", "-m", "compileall", "-q", packages], check=True)


def is_for_all(program: str) -> bool:
    """Whether every user may come to a program."""
    return os.path.exists(program) and all(above.stat().st_mode & 0o001 for above in Path(program).parents)


OURS = f"{sys.version_info[0]}.{sys.version_info[1]}"


def find_python(version: str) -> str:
    """A Python of a version, one that every user may run where there is one; "" if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [f"/usr/bin/python{version}", *([os.path.realpath(sys.executable)] if version == OURS else []),
              *map(str, sorted(pyenv.glob(f"{version}.*/bin/python{version}")))]
    found = [place for place in places if os.path.exists(place)]
    return next(filter(is_for_all, found), found[0] if found else "")


PYTHONS = {version: find_python(version) for version in dict.fromkeys((OURS, "3.11", "3.12", "3.13"))}


@pytest.fixture(scope="module", params=PYTHONS)
def place(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A directory that every user may read, with the environment `env`."""
    python, is_ours = PYTHONS[request.param], request.param == OURS
    if not python:
        pytest.skip(f"there is no Python {request.param} here")
    with tempfile.TemporaryDirectory(prefix="rex-first-") as folder:
        os.chmod(folder, 0o755)
        subprocess.run([python, "-m", "venv", *(["--without-pip"] if is_ours else []), f"{folder}/env"], check=True)
        install(Path(folder) / "env", is_ours)
        shutil.copy(ROOT / ".ci" / "first-minutes", folder)
        yield Path(folder)


@pytest.mark.parametrize("engine, user", [("reference", os.getuid()), ("native", NOBODY if os.getuid() == 0 else os.getuid())])
def test_the_first_ten_minutes(place: Path, engine: str, user: int) -> None:
    """It takes ten seconds: half a hundred commands, each a process of its own as users start it."""
    if user != os.getuid() and not is_for_all(os.path.realpath(place / "env" / "bin" / "python")):
        pytest.skip("other users may not run this Python")
    if engine == "native":
        if not ENGINE.exists():
            pytest.skip("no engine was built")
        shutil.copy(ENGINE, next(place.glob("env/lib/python*/site-packages/rex/native")))
    work = place / engine
    work.mkdir()
    os.chown(work, user, -1)
    switch: dict[str, Any] = {} if user == os.getuid() else {"user": user, "group": user, "extra_groups": []}
    command = ["sh", str(place / "first-minutes"), str(place / "env" / "bin" / "rex"), engine]
    done = subprocess.run(command, env={"PATH": "/usr/bin:/bin", "HOME": str(work), "TMPDIR": str(work)}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, **switch)
    assert done.returncode == 0 and "all as it should be" in done.stdout, done.stdout + done.stderr
