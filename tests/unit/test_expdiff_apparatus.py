"""What programs, libraries and scripts say about themselves."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.builders import Bench
from rex.archive import FileState
from rex.expdiff.apparatus import compare_apparatus, describe, find_package, read_elf, script_diff


def build(folder: Path, name: str, body: str, *flags: str) -> bytes:
    """A shared library made of C."""
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    source, target = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(body)
    subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", *flags, "-o", str(target), str(source)], check=True)
    return target.read_bytes()


def test_sections_and_versions(tmp_path: Path) -> None:
    versions = tmp_path / "v.map"
    versions.write_text("X_1 { global: f; };")
    one = read_elf(build(tmp_path, "one", "int f(void) { return 1; }", f"-Wl,--version-script={versions}"))
    versions.write_text("X_1 { global: f; }; X_2 { global: g; } X_1;")
    two = read_elf(build(tmp_path, "two", "int f(void) { return 1; } int g(void) { return 2; }",
                         f"-Wl,--version-script={versions}"))
    notes, details = compare_apparatus(one, two)
    assert "X_1" in one["versions"] and "+X_2" in details["versions"]
    assert ".text" in details["sections"] and ".comment" not in details["sections"]
    assert any(note.startswith("sections that differ: ") for note in notes)
    assert any(note.startswith("symbol versions: ") for note in notes)
    assert compare_apparatus(one, one)[0] == []


def test_needed_versions_of_a_real_program() -> None:
    found = read_elf(Path(sys.executable).resolve().read_bytes())
    assert any(version.startswith("libc.so.6:GLIBC_") for version in found["versions"]) or not found["versions"]
    assert found["sections"]


def test_damaged_files_are_no_trouble() -> None:
    real = Path("/bin/true").read_bytes()
    for cut in (4, 64, 100, len(real) // 2):
        assert read_elf(real[:cut])["sections"] is not None
    broken = bytearray(real)
    for at in range(16, 64):
        broken[at] ^= 0xFF
        read_elf(bytes(broken))


def test_packages_of_files_that_this_machine_has() -> None:
    if not shutil.which("dpkg-query"):
        pytest.skip("there is no dpkg here")
    path = "/usr/bin/dash"
    if not Path(path).exists():
        pytest.skip("there is no dash here")
    import hashlib
    data = Path(path).read_bytes()
    assert find_package(path, hashlib.sha256(data).hexdigest(), len(data)).startswith("dash ")
    assert find_package(path, "0" * 64, len(data)) == "" and find_package("/nowhere", "0" * 64, 1) == ""
    notes, details = compare_apparatus({"package": "a 1"}, {})
    assert notes == ["package a 1 -> unknown"] and details == {"package": ["a 1", None]}


def test_scripts_and_what_is_stored(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "A")
    experiment = bench.record(inputs={"/1": b"#!/bin/sh\necho 1\n", "/2": b"#!/bin/sh\necho 2\n", "/3": b"\0", "/4": b"\xff"})
    states: list[FileState] = [experiment.manifest.files[f"/{n}"].initial for n in (1, 2, 3, 4)]   # type: ignore[misc]
    both = (bench.archive, bench.archive)
    assert script_diff(both, states[0], states[1]) == ["@@ -1,2 +1,2 @@", " #!/bin/sh", "-echo 1", "+echo 2"]
    assert script_diff(both, states[0], states[2]) == [] == script_diff(both, states[0], states[3])
    assert describe(bench.archive, "/1", states[0]) == {} == describe(bench.archive, "/9", FileState("file"))
