"""Looking names up over the archive, with local files in place."""

from __future__ import annotations

from pathlib import Path

from rex.archive import APPARATUS, FileEntry, FileState
from rex.runnew.names import Names

DIR = FileEntry(FileState("dir", 0o755))


def program(mode: int = 0o755) -> FileEntry:
    return FileEntry(FileState("file", mode), FileState("file", mode), False, (APPARATUS,))


def link(target: str) -> FileEntry:
    return FileEntry(FileState("symlink", 0o777, target=target))


FILES = {"/no-such": DIR, "/no-such/bin": DIR, "/no-such/bin/tool": program(), "/no-such/bin/data": program(0o644),
         "/no-such/alias": link("bin"), "/no-such/bin/python": link("python3"), "/no-such/bin/python3": program(),
         "/no-such/loop": link("loop"), "/no-such/made": FileEntry(None, FileState("file"), True)}


def test_links_are_followed() -> None:
    names = Names(FILES)
    assert names.resolve("/no-such/alias/../alias/python") == "/no-such/bin/python3"
    assert names.resolve("/no-such/loop") == "/no-such/loop"
    assert names.resolve("/no-such/alias/nothing/here") == "/no-such/bin/nothing/here"


def test_kinds() -> None:
    names = Names(FILES, {"/no-such/new/deep": __file__})
    kinds = {path: names.kind(f"/no-such/{path}") for path in ("bin", "bin/tool", "alias", "made", "new", "new/deep", "other")}
    assert kinds == {"bin": "dir", "bin/tool": "file", "alias": "symlink", "made": "", "new": "dir", "new/deep": "file", "other": ""}


def test_programs_are_found_as_a_shell_finds_them(tmp_path: Path) -> None:
    names = Names(FILES, {"/no-such/bin/local": str(tmp_path / "local")})
    (tmp_path / "local").write_text("")
    (tmp_path / "local").chmod(0o755)
    search = "/no-such/none:/no-such/alias"
    assert names.program("tool", "/", search) == "/no-such/alias/tool"
    assert names.program("./tool", "/no-such/bin", search) == "/no-such/bin/tool"
    assert names.program("data", "/", search) is None and names.program("none", "/", search) is None
    assert names.program("local", "/", search) == "/no-such/alias/local"


def test_what_a_user_means() -> None:
    names = Names(FILES)
    assert names.find("tool", "/no-such", True) == "/no-such/bin/tool"
    assert names.find("tool", "/no-such", False) is None
    assert names.find("bin/tool", "/no-such", False) == "/no-such/bin/tool"
    assert names.find("none", "/no-such", True) is None
