"""Images of experiments, built from their recipes and run: what comes out is what was recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from commands import REX, ROOT
from rex.cli.doctor_command import trace_child, why_not

WHY_NOT = why_not(trace_child)
pytestmark = [pytest.mark.skipif(bool(WHY_NOT), reason=f"tracing is not permitted here: {WHY_NOT}"),
              pytest.mark.skipif(os.getuid() != 0, reason="chroot and buildah's chroot isolation need root")]
SCRIPT = """#!/bin/sh
sort -rn 'num bers' | head -2 > sorted; cat sorted; pwd; echo "$SPECIAL"; exit 3
"""


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(args, cwd=cwd, capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a recorded script printed is in `said`, its images' recipes in docker/ and apptainer/; its inputs are gone."""
    top = tmp_path_factory.mktemp("images")
    work = top / "w"
    work.mkdir()
    (work / "num bers").write_text("".join(f"{n}\n" for n in range(50)))
    (work / "go.sh").write_text(SCRIPT)
    (work / "go.sh").chmod(0o755)
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH": str(ROOT), "SPECIAL": 'a "b" $c \\ \'d\''}
    done = subprocess.run([*REX, "record", "-q", "-l", "../A", "./go.sh"], cwd=work, env=environment, capture_output=True,
                          text=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (3, "")
    (top / "said").write_text(done.stdout)
    for kind in ("docker", "apptainer"):
        subprocess.run([*REX, "export", "A", "-o", kind, "--format", kind], cwd=top, env=environment, check=True, capture_output=True)
    shutil.rmtree(work)
    return top


@pytest.mark.skipif(not shutil.which("buildah"), reason="no buildah here")
def test_a_dockerfile_builds(place: Path) -> None:
    tool = ["buildah", "--storage-driver", "vfs", "--root", str(place / "store"), "--runroot", str(place / "state")]
    built = run(*tool, "bud", "--isolation", "chroot", "-q", "-t", "made", ".", cwd=place / "docker")
    if built.returncode and not built.stdout:
        pytest.skip(f"buildah does not work here: {built.stderr.strip().splitlines()[-1:]}")
    made = run(*tool, "from", "made", cwd=place).stdout.strip()
    command = run(*tool, "inspect", "--format", "{{index .OCIv1.Config.Cmd 0}}", made, cwd=place).stdout.strip()
    try:
        done = run(*tool, "run", "--isolation", "chroot", made, "--", command, cwd=place)
    finally:
        run(*tool, "rm", made, cwd=place)
    assert (done.stdout, done.returncode) == ((place / "said").read_text(), 3), done.stderr


def sections(text: str) -> dict[str, str]:
    """A definition file's sections by name."""
    found: dict[str, str] = {"": ""}
    name = ""
    for line in text.splitlines(keepends=True):
        if line.startswith("%"):
            name = line.split()[0]
            found[name] = ""
        else:
            found[name] += line
    return found


def test_a_definition_file_does_what_apptainer_would(place: Path, tmp_path: Path) -> None:
    """Sections run as its manual says: %setup here, what follows with the image's own shell."""
    text = next((place / "apptainer").glob("*.def")).read_text()
    parts = sections(text)
    assert [line for line in parts[""].splitlines() if line and not line.startswith("#")] == ["Bootstrap: scratch"]
    assert list(parts) == ["", "%setup", "%environment", "%runscript"]
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(["sh", "-ec", parts["%setup"]], cwd=place / "apptainer", env={**os.environ, "APPTAINER_ROOTFS": str(root)}, check=True)
    done = subprocess.run(["chroot", root, "/bin/sh", "-c", parts["%environment"] + parts["%runscript"]], capture_output=True,
                          text=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.stdout, done.returncode) == ((place / "said").read_text(), 3), done.stderr
