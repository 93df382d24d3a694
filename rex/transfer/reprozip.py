"""Import a ReproZip bundle (`.rpz`): each of its runs becomes an experiment without a log.

A bundle is a tar file. `METADATA/version` names its format, `METADATA/config.yml` describes the runs and the files. The files lie below
`DATA/`: in the bundle itself (format 1), or in its member `DATA.tar.gz` (format 2).
"""

from __future__ import annotations

import os
import posixpath
import tarfile
import tempfile
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, Iterable, Mapping

from rex import elf, limits
from rex.archive import APPARATUS, INPUT, Archive, FileEntry, FileState, Manifest
from rex.archive import manifest as manifests
from rex.archive.capture import add_file
from rex.archive.exporting import import_from
from rex.archive.import_checks import Landed, identities, land
from rex.archive.locks import FileLock
from rex.archive.manifest_checks import check_manifest, is_plain_path
from rex.archive.packer import LEVEL, Packer
from rex.archive.topfiles import is_name
from rex.credentials import credential_variables
from rex.errors import Damaged, NotFound, RexError, TooNew
from rex.extras import need

FACTS = "reprozip"   # the key in a manifest's extra
VERSION, CONFIG, DATA = "METADATA/version", "METADATA/config.yml", "DATA.tar.gz"
_MAGIC = b"REPROZIP VERSION "
_NEWEST = 2
_YAML_COST = 100     # bytes of memory that a byte of YAML may take
_BLOCK_BYTES = 1 << 20
_MAX_LINKS = 40
_SIGNALLED = 0x100   # in an exit code: the rest is the number of a signal


@dataclass(frozen=True)
class _Packed:
    """One file of a bundle.

    Attributes:
        facts: of an ELF file.
        is_script: whether the kernel would run it by an interpreter.
    """

    state: FileState
    facts: manifests.ElfFacts | None = None
    is_script: bool = False


def import_file(stream: BinaryIO, archive: Archive, names: Iterable[str] = ()) -> list[Landed]:
    """Add the experiments of an export file, or the runs of a ReproZip bundle, or those of these names, to an archive.

    Raises:
        Damaged, TooNew: it cannot be read.
        NotFound: it has no experiment of a name.
        UsageError: it is a bundle, and the extra is missing.
    """
    return import_bundle(stream, archive, names) if is_bundle(stream) else import_from(stream, archive, names)


def is_bundle(stream: BinaryIO) -> bool:
    """Whether a stream is a ReproZip bundle; one that cannot be read twice is none."""
    if not stream.seekable():
        return False
    begin = stream.tell()
    try:
        with tarfile.open(fileobj=stream) as bundle:
            for member in bundle:
                limits.spend(member.size)
                if member.name == VERSION:
                    return True
            return False
    except (tarfile.TarError, EOFError, OSError):
        return False
    finally:
        stream.seek(begin)


def import_bundle(stream: BinaryIO, archive: Archive, names: Iterable[str] = ()) -> list[Landed]:
    """Add the runs of a ReproZip bundle to an archive: all of them, or those of these names.

    Variables that look like credentials are withheld, as in a recording. A run that is already there is left alone; one whose name
    another experiment has gets the next free name.

    Raises:
        Damaged, TooNew: it cannot be read; no experiment is added.
        NotFound: it has no run of a name.
        UsageError: the extra is missing.
    """
    need("reprozip", "a ReproZip bundle cannot be read")
    limits.grant(os.fstat(stream.fileno()).st_size)
    lock = FileLock(archive.lock_path)   # keeps gc away from objects that nobody needs yet
    packer = Packer(archive.store, LEVEL)
    try:
        with tarfile.open(fileobj=stream) as bundle:
            version = _version(bundle)
            config, time_ns = _config(bundle)
            wanted = _wanted(config, set(names))
            if version == 1:
                files = _read_files(bundle, packer)
            else:
                with tarfile.open(fileobj=_member(bundle, DATA), mode="r|*") as data:
                    files = _read_files(data, packer)
        texts = [(name, manifests.encode(_manifest(config, number, files, time_ns), packer.add_pieces)) for number, name in wanted]
        roots = [(name, packer.add_bytes(text)) for name, text in texts]
        packer.flush()
        known = identities(archive)
        return [land(archive, known, name, root) for name, root in roots]
    except RexError:
        raise
    except (tarfile.TarError, EOFError, ValueError, TypeError, KeyError, AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise        # of this machine, not of the bundle
        raise Damaged("the ReproZip bundle is damaged", f"{type(error).__name__}: {error}", "pack it again with ReproZip") from error
    finally:
        packer.abandon()
        lock.release()


def _member(bundle: tarfile.TarFile, name: str) -> IO[bytes]:
    """A plain file in the bundle; raises KeyError."""
    found = bundle.extractfile(name)
    if found is None:
        raise KeyError(name)
    return found


def _version(bundle: tarfile.TarFile) -> int:
    text = _member(bundle, VERSION).read(100)
    if not text.startswith(_MAGIC):
        raise ValueError(f"{VERSION} is {text[:40]!r}")
    version = int(text[len(_MAGIC):])
    if version > _NEWEST:
        raise TooNew(f"the ReproZip bundle has format version {version}", f"this Rex reads up to {_NEWEST}", "use a newer Rex")
    return version


def _config(bundle: tarfile.TarFile) -> tuple[dict[str, Any], int]:
    """What config.yml says, and when it was written, ns since 1970."""
    import yaml
    member = bundle.getmember(CONFIG)
    limits.check_memory(member.size * _YAML_COST, CONFIG)
    try:
        found = yaml.load(_member(bundle, CONFIG).read(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(str(error).replace("\n", " ")) from error
    if not isinstance(found, dict):
        raise ValueError(f"{CONFIG} is no mapping")
    return found, int(member.mtime) * 10**9


def _name(config: Mapping[str, Any], number: int) -> str:
    """The name of a run."""
    return str(config["runs"][number].get("id", f"run{number}"))


def _wanted(config: Mapping[str, Any], names: set[str]) -> list[tuple[int, str]]:
    """Number and name of the runs to import: those of these names, or all."""
    found = [(number, _name(config, number)) for number in range(len(config["runs"]))]
    if missing := names - {name for _, name in found}:
        raise NotFound(f"no run {sorted(missing)[0]} in the ReproZip bundle", "it holds " + ", ".join(name for _, name in found[:20]))
    return [(number, name if is_name(name) else f"run{number}") for number, name in found if name in names or not names]


# -- files

def _read_files(data: tarfile.TarFile, packer: Packer) -> dict[str, _Packed]:
    """The files below DATA/ by their paths without links, with the directories on the way."""
    read: dict[str, _Packed] = {}
    for member in data:
        limits.spend(member.size)
        path = _path(member.name)
        if path is None:
            continue
        if member.islnk():
            if found := read.get(_path(member.linkname) or ""):
                read[path] = found
        elif packed := _read_member(data, member, packer):
            read[path] = packed
    links = {path: packed.state.target for path, packed in read.items() if packed.state.target}
    files: dict[str, _Packed] = {}
    for path, packed in read.items():
        files.setdefault(resolve(path, links, is_followed=False), packed)
    for path in list(files):
        _add_directories(files, path)
    return files


def _add_directories(files: dict[str, _Packed], path: str) -> None:
    """Add the directories that lead to a path."""
    while path != "/":
        path = posixpath.dirname(path)
        files.setdefault(path, _Packed(FileState(manifests.DIR, 0o755)))


def _path(name: str) -> str | None:
    """The experiment's path of a member; None for members outside of DATA; raises ValueError."""
    top, _, rest = name.removeprefix("./").partition("/")
    if top != "DATA":
        return None
    path = f"/{rest}".rstrip("/") or "/"
    if not is_plain_path(path):
        raise ValueError(f"not a plain path: {name!r:.200}")
    return path


def resolve(path: str, links: Mapping[str, str], is_followed: bool = True) -> str:
    """A path without symbolic links; the last one stays where is_followed is False."""
    done, left, count = "/", [part for part in path.split("/") if part not in ("", ".")], 0
    while left:
        part = left.pop(0)
        if part == "..":
            done = posixpath.dirname(done)
            continue
        here = posixpath.join(done, part)
        target = links.get(here) if left or is_followed else None
        if not target or count == _MAX_LINKS:
            done = here
            continue
        count += 1
        done = "/" if target.startswith("/") else done
        left = [part for part in target.split("/") if part not in ("", ".")] + left
    return done


def _read_member(data: tarfile.TarFile, member: tarfile.TarInfo, packer: Packer) -> _Packed | None:
    """What a member holds; None for what is neither file, directory nor symbolic link."""
    facts = {"mode": member.mode & 0o7777, "uid": member.uid, "gid": member.gid, "mtime_ns": int(member.mtime) * 10**9}
    if member.isdir():
        return _Packed(FileState(manifests.DIR, **facts))
    if member.issym():
        return _Packed(FileState(manifests.SYMLINK, **{**facts, "mode": 0o777}, target=member.linkname))
    source = data.extractfile(member) if member.isreg() else None
    if not source:
        return None
    with tempfile.TemporaryFile(prefix="rex-import-") as file:
        while block := source.read(_BLOCK_BYTES):
            file.write(block)
        file.flush()
        content = add_file(packer, file.fileno())
        name = f"/proc/self/fd/{file.fileno()}"
        found = elf.read(name) if elf.is_elf(name) else None
        is_script = bool(member.mode & 0o111 and elf.script_line(name))
    return _Packed(FileState(manifests.FILE, **facts, size=content.size, content=content),
                   manifests.ElfFacts(found.interpreter, found.soname, found.needed, found.build_id) if found else None, is_script)


# -- manifests

def _manifest(config: Mapping[str, Any], number: int, files: dict[str, _Packed], time_ns: int) -> Manifest:
    """The manifest of one run; raises ValueError, TypeError, KeyError."""
    run = config["runs"][number]
    environment = {str(name): str(value) for name, value in run["environ"].items()}
    withheld = sorted(credential_variables(environment))
    cwd = posixpath.normpath(run["workingdir"])
    program = posixpath.normpath(posixpath.join(cwd, run["binary"]))
    files = dict(files)
    files.setdefault(cwd, _Packed(FileState(manifests.DIR, 0o755)))
    _add_directories(files, cwd)
    named = config.get("inputs_outputs") or ()
    entries = {path: _entry(packed, path == program) for path, packed in files.items()}
    absent = FileEntry()     # what a run writes and does not read first is in no bundle
    entries = {**{each["path"]: absent for each in named if each.get("written_by_runs")}, **entries}
    found = Manifest(
        tuple(str(word) for word in run["argv"]), cwd, {name: value for name, value in environment.items() if name not in withheld},
        tuple(withheld), user=str(run.get("uid", "")), host=str(run.get("hostname", "")), machine=_machine(run), engine="ReproZip",
        start_ns=time_ns, exit_status=_exit_status(run.get("exitcode")),
        counts={"files": sum(packed.state.type == manifests.FILE for packed in files.values())}, files=entries,
        extra={"record": {"program": program, "loaders": _loaders(files)},
               FACTS: {"run": _name(config, number), "pack": str(config.get("pack_id", "")), "version": str(config.get("version", "")),
                       "names": {str(each["name"]): str(each["path"]) for each in named}}})
    check_manifest(found)
    return found


def _entry(packed: _Packed, is_program: bool) -> FileEntry:
    is_apparatus = packed.facts or packed.is_script or is_program
    roles = (APPARATUS,) if is_apparatus else (INPUT,) if packed.state.type == manifests.FILE else ()
    return FileEntry(packed.state, packed.state, False, roles, packed.facts)


def _machine(run: Mapping[str, Any]) -> dict[str, str]:
    system = [str(word) for word in run.get("system") or ()]
    found = {"arch": str(run.get("architecture", "")), "distribution": " ".join(map(str, run.get("distribution") or ())),
             "system": system[0] if system else "", "kernel": system[1] if system[1:] else ""}
    return {name: text for name, text in found.items() if text}


def _exit_status(code: object) -> int | None:
    if not isinstance(code, int):
        return None
    return -(code & 0x7F) if code & _SIGNALLED else code & 0xFF


def _loaders(files: Mapping[str, _Packed]) -> dict[str, str]:
    """The loader of each program, by the program's path; links followed."""
    links = {path: packed.state.target for path, packed in files.items() if packed.state.target}
    loaders = {path: resolve(packed.facts.interpreter, links) for path, packed in files.items() if packed.facts and packed.facts.interpreter}
    return {path: loader for path, loader in loaders.items() if loader in files}
