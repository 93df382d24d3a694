"""The first ten minutes of a new user: an environment with nothing but a base installation, with and without the engine."""

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


def install(environment: Path) -> None:
    """What pip would install there, without a network: packages of ours, and Rex as its wheel has it, without an engine."""
    packages = next(environment.glob("lib/python*/site-packages"))
    for name in base_packages():
        for file in importlib.metadata.files(name) or []:
            target = packages / file
            if ".." not in file.parts and file.suffix != ".pyc":
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), target)
    shutil.copytree(ROOT / "rex", packages / "rex", ignore=shutil.ignore_patterns("*.[ch]", "rex-engine", "__pycache__"))
    (environment / "bin" / "rex").write_text(f"#!{environment}/bin/python\nfrom rex.cli.main import main\nmain()\n", encoding="utf-8")
    (environment / "bin" / "rex").chmod(0o755)
    subprocess.run([environment / "bin" / "python", "-m", "compileall", "-q", packages], check=True)


def is_for_all(program: str) -> bool:
    """Whether every user may come to a program."""
    return os.path.exists(program) and all(above.stat().st_mode & 0o001 for above in Path(program).parents)


def base_python() -> str:
    """A Python of our version, one that every user may run where there is one."""
    own = os.path.realpath(sys.executable)
    system = f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
    return system if is_for_all(system) and not is_for_all(own) else own


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A directory that every user may read, with the environment `env`."""
    with tempfile.TemporaryDirectory(prefix="rex-first-") as folder:
        os.chmod(folder, 0o755)
        subprocess.run([base_python(), "-m", "venv", "--without-pip", f"{folder}/env"], check=True)
        install(Path(folder) / "env")
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
