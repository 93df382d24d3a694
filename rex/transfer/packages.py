"""Which distribution package an archived file is of, as far as this machine knows.

A package counts only if what it installed here is, by its own checksum, what
the archive holds.
"""

from __future__ import annotations

import base64
import csv
import glob
import hashlib
import json
import os
import re
import subprocess
from dataclasses import dataclass
from typing import Iterable, Iterator

from rex import codec
from rex.archive import Archive, Content

_DPKG = "/var/lib/dpkg/info"
_BATCH = 200
_TIMEOUT_S = 60


@dataclass(frozen=True, order=True, slots=True)
class Package:
    """A package of a distribution: manager is dpkg, rpm, pip or conda."""

    manager: str
    name: str
    version: str


def identify(archive: Archive, files: dict[str, Content]) -> dict[str, Package]:
    """The packages of files, by path; files that nobody knows are left out."""
    found: dict[str, Package] = {}
    for ask in (_conda, _pip, _dpkg, _rpm):
        rest = [path for path in files if path not in found]
        for path, algorithm, digest, package in ask(rest):
            if path not in found and _has_digest(archive, files[path], algorithm, digest):
                found[path] = package
    return found


Claim = tuple[str, str, str, Package]   # path, algorithm, digest in hexadecimal, package


def _has_digest(archive: Archive, content: Content, algorithm: str, digest: str) -> bool:
    if algorithm == "sha256":
        return content.sha256 == digest
    whole = hashlib.new(algorithm, usedforsecurity=False)
    for data, length in archive.store.read_pieces(content):
        whole.update(data if data is not None else bytes(length))
    return whole.hexdigest() == digest


def _output(command: list[str]) -> str:
    """What a command prints; nothing if it is not there or fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=_TIMEOUT_S, env={**os.environ, "LC_ALL": "C"})
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return codec.text(done.stdout)


def _batches(items: list[str]) -> Iterator[list[str]]:
    for at in range(0, len(items), _BATCH):
        yield items[at:at + _BATCH]


def _dpkg(paths: list[str]) -> Iterator[Claim]:
    """dpkg may know a file by its name from before /bin and /usr/bin became one."""
    if not os.path.isdir(_DPKG):
        return
    names = {name: path for path in paths if not set(path) & set("*?[\n")
             for name in (path, path.removeprefix("/usr"))}
    owners: dict[str, str] = {}
    for batch in _batches(sorted(names)):
        for line in _output(["dpkg-query", "-S", *batch]).splitlines():
            package, _, name = line.rpartition(": ")
            if name in names and "," not in package:
                owners[name] = package
    versions = {}
    for batch in _batches(sorted(set(owners.values()))):
        for line in _output(["dpkg-query", "-W", "-f", "${binary:Package} ${Package} ${Version}\n",
                             *batch]).splitlines():
            full, plain, version = line.split(" ")
            versions[full] = versions[plain] = Package("dpkg", plain, version)
    sums = {package: _md5sums(package) for package in set(owners.values())}
    for name, owner in owners.items():
        if owner in versions and (digest := sums[owner].get(name)):
            yield names[name], "md5", digest, versions[owner]


def _md5sums(package: str) -> dict[str, str]:
    for name in (package, package.partition(":")[0]):
        try:
            with open(f"{_DPKG}/{name}.md5sums", encoding="utf-8", errors="surrogateescape") as file:
                pairs = [line.rstrip("\n").split("  ", 1) for line in file]
        except OSError:
            continue
        return {"/" + pair[1]: pair[0] for pair in pairs if len(pair) == 2}
    return {}


def _rpm(paths: list[str]) -> Iterator[Claim]:
    form = "[%{=NAME}\t%{=VERSION}-%{=RELEASE}\t%{FILENAMES}\t%{FILEDIGESTS}\n]"
    wanted = set(paths)
    for batch in _batches(sorted(paths)):
        # Every owner is listed with all its files, again for each file asked for.
        for line in dict.fromkeys(_output(["rpm", "-qf", "--qf", form, *batch]).splitlines()):
            parts = line.split("\t")
            if len(parts) == 4 and parts[2] in wanted and parts[3]:
                algorithm = {32: "md5", 40: "sha1", 64: "sha256"}.get(len(parts[3]))
                if algorithm:
                    yield parts[2], algorithm, parts[3], Package("rpm", parts[0], parts[1])


def _tops(paths: Iterable[str], pattern: str) -> set[str]:
    return {match[0] for path in paths if (match := re.match(pattern, path))}


def _pip(paths: list[str]) -> Iterator[Claim]:
    wanted = set(paths)
    for top in sorted(_tops(paths, r".*/(?:site|dist)-packages/")):
        for record in sorted(glob.glob(glob.escape(top) + "*.dist-info/RECORD")):
            name, _, version = os.path.basename(os.path.dirname(record))[:-10].partition("-")
            try:
                with open(record, encoding="utf-8", newline="") as file:
                    rows = [row for row in csv.reader(file) if len(row) == 3]
            except (OSError, ValueError, csv.Error):
                continue
            for file_name, digest, _ in rows:
                path = os.path.normpath(top + file_name)
                if path in wanted and digest.startswith("sha256="):
                    padded = digest[7:] + "=" * (-len(digest[7:]) % 4)
                    yield (path, "sha256", base64.urlsafe_b64decode(padded).hex(),
                           Package("pip", name, version))


def _conda(paths: list[str]) -> Iterator[Claim]:
    prefixes = {prefix for path in paths for prefix in _above(path)
                if os.path.isdir(os.path.join(prefix, "conda-meta"))}
    wanted = set(paths)
    for prefix in sorted(prefixes):
        for meta in sorted(glob.glob(os.path.join(glob.escape(prefix), "conda-meta", "*.json"))):
            try:
                with open(meta, encoding="utf-8") as file:
                    facts = json.load(file)
                package = Package("conda", facts["name"], f"{facts['version']}-{facts['build']}")
                for each in facts["paths_data"]["paths"]:
                    path = os.path.join(prefix, each["_path"])
                    digest = each.get("sha256_in_prefix") or each.get("sha256")
                    if path in wanted and digest:
                        yield path, "sha256", digest, package
            except (OSError, ValueError, KeyError, TypeError):
                continue


def _above(path: str) -> Iterator[str]:
    while len(path) > 1:
        path = os.path.dirname(path)
        yield path
