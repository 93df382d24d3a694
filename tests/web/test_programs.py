"""The apparatus by programs: each library under every program that needs it."""

from __future__ import annotations

from rex.archive import APPARATUS, INPUT, ElfFacts, FileEntry, FileState, Manifest, Process
from rex.web.programs import LIBRARY, PROGRAM, SCRIPT, read_apparatus

LOADER = "/lib64/ld.so"


def entry(elf: ElfFacts | None, role: str = APPARATUS) -> FileEntry:
    return FileEntry(FileState("file", 0o755, size=7), roles=(role,), elf=elf)


def manifest(files: dict[str, FileEntry], *executed: str, cwd: str = "/w") -> Manifest:
    processes = tuple(Process(n, None, n, (path,), path, float(n)) for n, path in enumerate(executed))
    return Manifest(("x",), cwd, processes=processes, files=files)


FILES = {
    "/bin/one": entry(ElfFacts(LOADER, "", ("liba.so.1", "libc.so"))),
    "/bin/two": entry(ElfFacts(LOADER, "", ("libc.so", "libnot-here.so"))),
    "/w/run": entry(None), LOADER: entry(ElfFacts("", "ld.so")), "/lib/libc.so": entry(ElfFacts(LOADER, "libc.so")),
    "/lib/liba.so.1.2": entry(ElfFacts("", "liba.so.1", ("libb.so",))), "/lib/libb.so": entry(ElfFacts("", "", ("liba.so.1",))),
    "/lib/plugin.so": entry(ElfFacts("", "")), "/w/data": entry(None, INPUT)}


def test_libraries_are_under_the_programs_that_need_them() -> None:
    found = read_apparatus(manifest(FILES, "/bin/two", "/bin/one", "/bin/two"))
    assert [(each.part.path, each.part.kind, each.runs) for each in found.programs] == [
        ("/w/run", SCRIPT, 0), ("/bin/two", PROGRAM, 2), ("/bin/one", PROGRAM, 1)]
    libraries = {each.part.path: [part.path for part in each.libraries] for each in found.programs}
    assert libraries == {"/w/run": [], "/bin/two": ["/lib/libc.so", LOADER],
                         "/bin/one": ["/lib/liba.so.1.2", "/lib/libc.so", LOADER, "/lib/libb.so"]}
    assert [part.path for part in found.others] == ["/lib/plugin.so"] and found.others[0].kind == LIBRARY
    assert found.paths() == set(FILES) - {"/w/data"}


def test_a_lone_program_owns_what_it_loaded_later() -> None:
    files = {path: FILES[path] for path in ("/bin/two", "/lib/libc.so", LOADER, "/lib/plugin.so")}
    found = read_apparatus(manifest(files, "/bin/two"))
    assert [part.path for part in found.programs[0].libraries] == ["/lib/libc.so", LOADER, "/lib/plugin.so"] and not found.others


def test_of_two_libraries_with_one_name_the_nearer_one_counts() -> None:
    files = {"/opt/x/bin/p": entry(ElfFacts("", "", ("libz.so",))), "/lib/libz.so": entry(ElfFacts("", "libz.so")),
             "/opt/x/lib/libz.so": entry(ElfFacts("", "libz.so"))}
    found = read_apparatus(manifest(files, "/opt/x/bin/p"))
    assert [part.path for part in found.programs[0].libraries][:1] == ["/opt/x/lib/libz.so"]


def test_circles_of_libraries_end() -> None:
    files = {"/p": entry(ElfFacts("", "", ("a",))), "/l/a": entry(ElfFacts("", "a", ("b",))), "/l/b": entry(ElfFacts("", "b", ("a",)))}
    assert len(read_apparatus(manifest(files, "/p")).programs[0].libraries) == 2
