"""rex.elf against pyelftools, the kernel and the system's own loader."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rex import elf
from rex.errors import Damaged, Unsupported

elffile = pytest.importorskip("elftools.elf.elffile")

PROGRAMS = [p for p in ("/bin/ls", "/bin/bash", "/usr/bin/git", "/usr/bin/perl", "/usr/bin/ssh",
                        os.path.realpath(sys.executable)) if os.path.exists(p)]


def libraries_by_ldd(path: str, env: dict[str, str]) -> set[str]:
    out = subprocess.run(["ldd", path], capture_output=True, text=True, env=env).stdout
    return {os.path.realpath(m[1]) for m in re.finditer(r"=> (/\S+)", out)}


def sample_files() -> list[str]:
    files = list(PROGRAMS)
    for program in PROGRAMS:
        files += elf.resolve_needed(program, {}).found.values()
    return sorted({os.path.realpath(f) for f in files})


@pytest.mark.parametrize("path", sample_files())
def test_read_agrees_with_pyelftools(path: str) -> None:
    got = elf.read(path)
    assert got is not None
    with open(path, "rb") as file:
        other = elffile.ELFFile(file)
        tags: dict[str, list[str]] = {}
        interpreter = build_id = ""
        for segment in other.iter_segments():
            if segment["p_type"] == "PT_INTERP":
                interpreter = segment.get_interp_name()
            if segment["p_type"] == "PT_NOTE":
                for note in segment.iter_notes():
                    if note["n_type"] == "NT_GNU_BUILD_ID":
                        build_id = note["n_desc"]
            if segment["p_type"] == "PT_DYNAMIC":
                for tag in segment.iter_tags():
                    for name in ("needed", "soname", "rpath", "runpath"):
                        if hasattr(tag, name):
                            tags.setdefault(name, []).append(getattr(tag, name))
    assert got.interpreter == interpreter
    assert got.build_id == build_id
    assert list(got.needed) == tags.get("needed", [])
    for name in ("soname", "rpath", "runpath"):
        assert getattr(got, name) == tags.get(name, [""])[0]


@pytest.mark.parametrize("path", PROGRAMS)
def test_resolve_needed_agrees_with_ldd(path: str) -> None:
    env = {"PATH": "/usr/bin:/bin"}
    found = elf.resolve_needed(path, env)
    ours = {os.path.realpath(p) for p in found.found.values()}
    loader = os.path.realpath(elf.read(path).interpreter)
    assert not found.missing
    assert ours - {loader} == libraries_by_ldd(path, env) - {loader}


def compile_c(tmp_path: Path, name: str, text: str, *options: str) -> str:
    source = tmp_path / f"{name}.c"
    source.write_text(text)
    out = tmp_path / name
    try:
        subprocess.run(["cc", "-o", str(out), str(source), *options], check=True,
                       capture_output=True, cwd=tmp_path)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("no C compiler, or not with these options")
    return str(out)


@pytest.mark.parametrize("tags", ["--enable-new-dtags", "--disable-new-dtags"])
def test_resolve_needed_follows_origin_and_library_path(tmp_path: Path, tags: str) -> None:
    (tmp_path / "libs").mkdir()
    (tmp_path / "other").mkdir()
    compile_c(tmp_path, "libs/libinner.so", "int inner(void){return 3;}", "-shared", "-fPIC")
    compile_c(tmp_path, "libs/libouter.so", "int inner(void);int outer(void){return inner();}",
              "-shared", "-fPIC", "-Llibs", "-linner", "-Wl,-rpath,$ORIGIN," + tags)
    program = compile_c(tmp_path, "program", "int outer(void);int main(void){return outer();}",
                        "-Llibs", "-louter", "-Wl,-rpath,$ORIGIN/libs," + tags,
                        "-Wl,-rpath-link,libs")
    assert elf.resolve_needed(program, {}).found["libinner.so"] == str(
        tmp_path / "libs" / "libinner.so")
    (tmp_path / "libs" / "libinner.so").rename(tmp_path / "other" / "libinner.so")
    assert elf.resolve_needed(program, {}).missing == ("libinner.so",)
    env = {"LD_LIBRARY_PATH": str(tmp_path / "other"), "PATH": os.environ["PATH"]}
    found = elf.resolve_needed(program, env).found
    assert found["libinner.so"] == str(tmp_path / "other" / "libinner.so")
    assert {os.path.realpath(p) for p in found.values()} >= libraries_by_ldd(program, env)


def test_static_programs_say_so(tmp_path: Path) -> None:
    static = compile_c(tmp_path, "static", "int main(void){return 0;}", "-static")
    pie = compile_c(tmp_path, "pie", "int main(void){return 0;}", "-static-pie")
    assert elf.read(static).is_static and elf.read(pie).is_static
    assert not elf.read(PROGRAMS[0]).is_static
    library = next(iter(elf.resolve_needed(PROGRAMS[0], {}).found.values()))
    assert not elf.read(library).is_static
    with pytest.raises(Unsupported):
        elf.with_interpreter(static, b"/x", str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


def test_with_interpreter_starts_with_the_other_loader(tmp_path: Path) -> None:
    loader = tmp_path / ("long" * 30)
    loader.symlink_to(elf.read("/bin/ls").interpreter)
    copy = str(tmp_path / "ls")
    elf.with_interpreter("/bin/ls", str(loader).encode(), copy)
    assert elf.read(copy).interpreter == str(loader)
    assert elf.read(copy).needed == elf.read("/bin/ls").needed
    assert subprocess.run([copy, "-d", "/"], capture_output=True).stdout == b"/\n"
    loader.unlink()
    with pytest.raises(FileNotFoundError):
        subprocess.run([copy, "-d", "/"])
    with pytest.raises(FileExistsError):
        elf.with_interpreter("/bin/ls", b"/x", copy)


def test_what_is_no_elf_and_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"text")
    assert elf.read(path) is None and not elf.is_elf(path)
    assert elf.resolve_needed(str(path), {}).found == {}
    data = bytearray(Path("/bin/ls").read_bytes())
    data[4] = 1
    path.write_bytes(data)
    assert elf.is_elf(path)
    with pytest.raises(Unsupported):
        elf.read(path)
    path.write_bytes(Path("/bin/ls").read_bytes()[:100])
    with pytest.raises(Damaged):
        elf.read(path)


def test_read_survives_mutations(tmp_path: Path) -> None:
    import random
    good = Path("/bin/ls").read_bytes()
    header_end = 64 + 56 * 16
    path = tmp_path / "file"
    choose = random.Random(4)
    for _ in range(300):
        data = bytearray(good)
        for _ in range(choose.randint(1, 6)):
            data[choose.randrange(4, header_end)] = choose.choice([0, 1, 0x7F, 0xFF])
        path.write_bytes(data)
        try:
            elf.read(path)
        except (Damaged, Unsupported):
            pass


@pytest.mark.parametrize("head, expected", [
    (b"#!/bin/sh\necho", ("/bin/sh", None)),
    (b"#! \t/bin/awk  -f x \t\nBEGIN", ("/bin/awk", "-f x")),
    (b"#!/usr/bin/env python3", ("/usr/bin/env", "python3")),
    (b"#!\n", None),
    (b"#!   \n", None),
    (b"# /bin/sh\n", None),
    (b"", None),
    (b"#!/" + b"x" * 300, None),
    (b"#!/bin/sh " + b"y" * 300, ("/bin/sh", "y" * 245)),
    (b"#!/\xff\n", (os.fsdecode(b"/\xff"), None)),
])
def test_script_line_follows_the_kernel(tmp_path: Path, head: bytes,
                                        expected: tuple[str, str | None] | None) -> None:
    path = tmp_path / "script"
    path.write_bytes(head)
    found = elf.script_line(path)
    assert (found and (found.interpreter, found.argument)) == expected


def test_script_line_matches_what_execve_passes(tmp_path: Path) -> None:
    helper = compile_c(tmp_path, "show", "#include <stdio.h>\nint main(int n,char**a){"
                       "for(int i=1;i<n-1;i++)puts(a[i]);return n;}")
    for line in (f"#!{helper}\n", f"#! {helper} a b  \n", f"#!{helper}\tone\n", f"#!{helper}",
                 f"#!{helper} " + "z" * 400, f"#!{helper} x \t", f"#!{helper} ",
                 f"#!{helper} a\0b\n"):
        script = tmp_path / "script"
        script.write_text(line)
        script.chmod(0o755)
        shown = subprocess.run([str(script)], capture_output=True, text=True).stdout
        found = elf.script_line(script)
        assert found.interpreter == helper
        assert shown == ("" if found.argument is None else found.argument + "\n"), line


def test_the_unwinder_of_glibc_is_found_for_what_uses_glibc() -> None:
    libraries = elf.resolve_needed(PROGRAMS[0], {})
    late = elf.resolve_unwinder(libraries, {})
    assert late is None or os.path.basename(late) == "libgcc_s.so.1" and os.path.exists(late)
    assert elf.resolve_unwinder(elf.Libraries({}, ()), {}) is None
