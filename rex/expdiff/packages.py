"""Environments of Python packages: compared by package and version, before their files are."""

from __future__ import annotations

import re
from dataclasses import replace

from rex.expdiff.difference import ONLY_LEFT, ONLY_RIGHT, Difference
from rex.expdiff.files import in_site

# What says in a folder of packages which there are: NAME-VERSION.dist-info, NAME-VERSION-pyX.Y.egg-info.
_INSTALLED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._]*)-([^-/]+?)(?:-py\d[\d.]*)?\.(?:dist|egg)-info$")
Packages = dict[str, str]   # name, as the folder of its modules mostly has it, and version


def installed(names: list[str]) -> Packages:
    """The packages that a listing of their folder names."""
    return {match[1].lower().replace(".", "_").replace("-", "_"): match[2] for name in names if (match := _INSTALLED.match(name))}


def compare_packages(left: Packages, right: Packages, files: list[Difference]) -> tuple[list[Difference], dict[str, str]]:
    """Packages of which files differ and whose versions do, and how to name these files.

    Args:
        files: what differs among the inputs and the apparatus.
    Returns:
        Differences, each with the number of its files; and by path what is said of a file instead.
    """
    by_package: dict[str, list[Difference]] = {}
    for each in files:
        name = in_site(each.left_path or each.right_path).partition("/")[0].partition(".")[0].partition("-")[0].lower()
        if name and left.get(name) != right.get(name):
            by_package.setdefault(name, []).append(each)
    found, said = [], {}
    for name, of_it in sorted(by_package.items()):
        old, new = left.get(name), right.get(name)
        difference = Difference(f"package {name}", left=old, right=new, notes=(f"{len(of_it)} file{'' if len(of_it) == 1 else 's'}",))
        if old is None or new is None:
            difference = replace(difference, kind=ONLY_LEFT if new is None else ONLY_RIGHT)
        found.append(difference)
        text = f"package {name} is " + (f"{old} in the first and {new} in the second" if old and new else
                                        f"only in the {'first' if old else 'second'} ({old or new})")
        said.update({path: text for each in of_it for path in (each.left_path, each.right_path) if path})
    return found, said
