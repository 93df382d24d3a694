"""What two versions of a program, library or script say about themselves."""

from __future__ import annotations

import functools
import hashlib
import io
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from rex.archive import FileState
from rex.expdiff.bytesdiff import unified_diff

if TYPE_CHECKING:
    from rex.archive import Archive

_MAX_BYTES = 128 << 20    # of a file that is taken apart
_SCRIPT_BYTES = 1 << 20
_MAX_SECTIONS = 4096
_SHOWN = 6
_VERSION_SECTIONS = ("GNUVerNeedSection", "GNUVerDefSection")


def describe(archive: "Archive", path: str, state: FileState) -> dict[str, Any]:
    """Sections and symbol versions of an ELF file, and the package that it is of; {} where unknown.

    Raises:
        Damaged: its bytes are not what the archive says.
    """
    content = state.content
    if content is None or content.size > _MAX_BYTES:
        return {}
    told: dict[str, Any] = {}
    data = archive.read(content, _MAX_BYTES)
    if data.startswith(b"\x7fELF"):
        told.update(read_elf(data))
    package = find_package(path, content.sha256, content.size)
    if package:
        told["package"] = package
    return told


def read_elf(data: bytes) -> dict[str, Any]:
    """Build id, names, section hashes and symbol versions of an ELF file; less if it is damaged."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    told: dict[str, Any] = {"sections": {}, "versions": []}
    try:
        elf = ELFFile(io.BytesIO(data))
        for number, section in enumerate(elf.iter_sections()):
            if number >= _MAX_SECTIONS:
                break
            if section.name and section["sh_type"] != "SHT_NOBITS":
                body = data[section["sh_offset"]:section["sh_offset"] + section["sh_size"]]
                told["sections"][section.name] = hashlib.sha256(body).hexdigest()
            if type(section).__name__ in _VERSION_SECTIONS:
                told["versions"] += _versions(section)
    except (ELFError, ValueError, KeyError, TypeError, AttributeError, IndexError,
            OverflowError, RecursionError, MemoryError):   # a stranger's file: pyelftools trusts its headers
        told["is_damaged"] = True
    told["versions"] = sorted(set(told["versions"]))
    return told


def _versions(section: Any) -> list[str]:
    """Symbol versions that a library defines, or that a file needs of another one."""
    found = []
    for number, (version, auxiliaries) in enumerate(section.iter_versions()):
        if number >= _MAX_SECTIONS:
            break
        file = getattr(version, "name", None)
        names = [each.name for each in auxiliaries]
        found += [f"{file}:{name}" for name in names] if file else names[:1]
    return found


@functools.lru_cache(maxsize=256)
def find_package(path: str, sha256: str, size: int) -> str:
    """Debian package and version of a file, if this machine has that very file; else ""."""
    if not shutil.which("dpkg-query"):
        return ""
    try:
        if os.path.getsize(path) != size or _hash_file(path) != sha256:
            return ""
        for name in (path, path.removeprefix("/usr")):
            owner = _run("dpkg-query", "-S", name).partition(":")[0].strip()
            if owner and not owner.startswith("diversion"):
                return f"{owner} {_run('dpkg-query', '-W', '-f', '${Version}', owner)}".strip()
    except (OSError, subprocess.SubprocessError, ValueError):
        pass
    return ""


def _hash_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=10, check=False,
                          stdin=subprocess.DEVNULL).stdout


def compare_apparatus(left: dict[str, Any], right: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """Notes about what differs between two descriptions, and the same as details for machines."""
    notes: list[str] = []
    details: dict[str, Any] = {}
    one, two = left.get("package", ""), right.get("package", "")
    if one or two:
        details["package"] = [one or None, two or None]
        notes.append(f"package {one or 'unknown'} -> {two or 'unknown'}")
    if "sections" not in left or "sections" not in right:
        return notes, details
    sections = [name for name in [*left["sections"], *(n for n in right["sections"] if n not in left["sections"])]
                if left["sections"].get(name) != right["sections"].get(name)]
    details["sections"] = sections
    if sections:
        notes.append(f"sections that differ: {_listed(sections)}")
    versions = [sign + name for sign, ours, theirs in (("-", left["versions"], right["versions"]),
                                                       ("+", right["versions"], left["versions"]))
                for name in ours if name not in set(theirs)]
    details["versions"] = versions
    if versions:
        notes.append(f"symbol versions: {_listed(versions)}")
    return notes, details


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def script_diff(archives: tuple["Archive", "Archive"], left: FileState, right: FileState) -> list[str]:
    """A unified diff of two scripts, or other programs that are text; [] for anything else."""
    texts = []
    for archive, state in zip(archives, (left, right)):
        if state.content is None or state.content.size > _SCRIPT_BYTES:
            return []
        data = archive.read(state.content, _SCRIPT_BYTES)
        try:
            texts.append(data.decode())
        except UnicodeDecodeError:
            return []
        if "\0" in texts[-1]:
            return []
    return unified_diff(texts[0], texts[1])
