"""An experiment as a root directory, or as the recipe of a container image, without Rex in it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from typing import Callable

from rex import codec
from rex.archive import Archive, Experiment, Manifest
from rex.archive.locks import temporary_name
from rex.errors import UsageError
from rex.transfer.seen import seen_files
from rex.transfer.tree import Tree, initial_tree, write_directory, write_tar

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

RUN_SCRIPT = """#!/bin/sh
# Runs {title}
# on the files in root/ and on no others; what it writes lands there as well.
#   ./run.sh               the recorded command
#   ./run.sh PROGRAM ARG   another command in the same place
# It needs unshare and mount of util-linux 2.34, and the right to make namespaces (or root).
here=$(cd "$(dirname "$0")" && pwd -P) || exit 125
unshare=$(command -v unshare) || {{ echo "run.sh: it needs unshare, of util-linux" >&2; exit 125; }}
if [ "${{1-}}" != --inside ]; then
    if [ "$(id -u)" = 0 ]; then exec "$unshare" --mount -- "$here/run.sh" --inside "$@"; fi
    exec "$unshare" --user --map-root-user --mount -- "$here/run.sh" --inside "$@"
fi
shift
mount --rbind /dev "$here/root/dev" && mount --rbind /proc "$here/root/proc" || exit 125
[ $# -gt 0 ] || set -- {command}
umask {umask:04o}
exec env -i {environment} \\
    "$unshare" --root="$here/root" --wd={cwd} -- "$@"
"""

DOCKERFILE = """# {title}
# docker build -t {name} . && docker run --rm {name}
FROM scratch
ADD root.tar /
{environment}WORKDIR {cwd}
CMD {command}
"""

DEFINITION = """# {title}
# apptainer build {name}.sif {name}.def && apptainer run --containall --writable-tmpfs {name}.sif
# Apptainer runs what is below with the image's /bin/sh, which the experiment must have used.
Bootstrap: scratch

%setup
    tar -xpf root.tar -C "$APPTAINER_ROOTFS"

%environment
{environment}
%runscript
    cd {cwd} && umask {umask:04o} && exec {command} "$@"
"""


def program_of(manifest: Manifest) -> str:
    """The path of the program that the experiment's command began with."""
    program = manifest.extra.get("record", {}).get("program") or manifest.command[0]
    return os.path.normpath(os.path.join(manifest.cwd, program))


def _command(manifest: Manifest) -> list[str]:
    return [program_of(manifest), *manifest.command[1:]]


def _variables(manifest: Manifest) -> dict[str, str]:
    return {n: v for n, v in sorted(manifest.environment.items()) if _VARIABLE.fullmatch(n)}


def _title(experiment: Experiment) -> str:
    text = shlex.join(experiment.manifest.command)
    return f"{experiment.name}: " + "".join(c if c.isprintable() else "?" for c in text)[:200]


def _name(experiment: Experiment) -> str:
    return re.sub(r"[^a-z0-9]+", "-", experiment.name.lower()).strip("-") or "experiment"


def run_script(experiment: Experiment) -> str:
    """A shell script that runs the experiment in the root directory beside it."""
    manifest = experiment.manifest
    return RUN_SCRIPT.format(
        title=_title(experiment), command=shlex.join(_command(manifest)), umask=manifest.umask & 0o777,
        environment=" ".join(shlex.quote(f"{n}={v}") for n, v in _variables(manifest).items()),
        cwd=shlex.quote(manifest.cwd))


def dockerfile(experiment: Experiment) -> str:
    """A Dockerfile for the root.tar beside it.

    Raises:
        UsageError: the command or its directory cannot be written in a Dockerfile.
    """
    manifest = experiment.manifest
    lines = []
    for name, value in _variables(manifest).items():
        if _is_plain(value):
            quoted = re.sub(r'([\\"$])', r"\\\1", value)
            lines.append(f'ENV {name}="{quoted}"\n')
        else:
            lines.append(f"# {name} is left out: a Dockerfile cannot hold its value\n")
    if not all(map(_is_text, manifest.command)) or not _is_plain(manifest.cwd):
        raise UsageError("the command cannot be written in a Dockerfile",
                         "it holds bytes that are not UTF-8", "use --format dir")
    cwd = re.sub(r"([\\$])", r"\\\1", manifest.cwd)
    return DOCKERFILE.format(title=_title(experiment), name=_name(experiment), cwd=cwd,
                             environment="".join(lines),
                             command=json.dumps(_command(manifest)))


def definition(experiment: Experiment) -> str:
    """An Apptainer definition file for the root.tar beside it.

    Raises:
        UsageError: the command or its directory cannot be written in one.
    """
    manifest = experiment.manifest
    # A line of its own could begin with % and so add a section, which Apptainer runs as root.
    if not all(map(_is_plain, (*_command(manifest), manifest.cwd))):
        raise UsageError("the command cannot be written in a definition file",
                         "it holds line breaks, or bytes that are not UTF-8", "use --format dir")
    exports = "".join(f"    export {n}={shlex.quote(v)}\n" for n, v in _variables(manifest).items()
                      if _is_plain(v))
    return DEFINITION.format(title=_title(experiment), name=_name(experiment), environment=exports,
                             cwd=shlex.quote(manifest.cwd), umask=manifest.umask & 0o777,
                             command=shlex.join(_command(manifest)))


def _is_text(value: str) -> bool:
    return not any(0xD800 <= ord(c) <= 0xDFFF for c in value)


def _is_plain(value: str) -> bool:
    return _is_text(value) and not set(value) & set("\n\r\0")


def _write(path: str, text: str, mode: int = 0o644) -> None:
    with open(path, "xb") as file:
        file.write(codec.raw(text))
    os.chmod(path, mode)


def export_dir(archive: Archive, experiment: Experiment, path: str) -> Tree:
    """Write root/ and run.sh to a new directory."""
    def build(work: str) -> Tree:
        tree = initial_tree(experiment.manifest, seen_files(experiment))
        write_directory(archive, tree, os.path.join(work, "root"))
        _write(os.path.join(work, "run.sh"), run_script(experiment), 0o755)
        return tree
    return build_directory(path, build)


def export_docker(archive: Archive, experiment: Experiment, path: str) -> Tree:
    """Write root.tar and Dockerfile to a new directory."""
    return _export_image(archive, experiment, path, "Dockerfile", dockerfile(experiment))


def export_apptainer(archive: Archive, experiment: Experiment, path: str) -> Tree:
    """Write root.tar and a definition file to a new directory."""
    return _export_image(archive, experiment, path, f"{_name(experiment)}.def",
                         definition(experiment))


def _export_image(archive: Archive, experiment: Experiment, path: str, recipe: str, text: str) -> Tree:
    def build(work: str) -> Tree:
        tree = initial_tree(experiment.manifest, seen_files(experiment))
        with open(os.path.join(work, "root.tar"), "xb") as stream:
            write_tar(archive, tree, stream)
        _write(os.path.join(work, recipe), text)
        return tree
    return build_directory(path, build)


def build_directory(path: str, build: Callable[[str], Tree]) -> Tree:
    """Build a directory under a temporary name; it gets its own when it is whole.

    Raises:
        UsageError: something is at path.
    """
    where = os.path.abspath(path)
    if os.path.lexists(where) and not (os.path.isdir(where) and not os.listdir(where)):
        raise UsageError(f"{path} exists", "", "choose another name, or remove it first")
    os.makedirs(os.path.dirname(where), exist_ok=True)
    work = temporary_name(os.path.dirname(where))
    os.mkdir(work)
    try:
        tree = build(work)
        os.rename(work, where)
        return tree
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
