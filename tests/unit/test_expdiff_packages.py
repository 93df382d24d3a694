"""Environments of Python packages."""

from __future__ import annotations

from rex.expdiff.difference import ONLY_RIGHT, Difference
from rex.expdiff.packages import compare_packages, installed


def differ(path: str) -> Difference:
    return Difference(path, left_path=path, right_path=path)


def test_packages_of_a_listing() -> None:
    assert installed(["numpy-1.26.4.dist-info", "numpy", "PyYAML-6.0-py3.11.egg-info", "a.pth", "zope.event-5.0.dist-info"]) == {
        "numpy": "1.26.4", "pyyaml": "6.0", "zope_event": "5.0"}


def test_packages_come_before_their_files() -> None:
    files = [differ("/v/lib/site-packages/numpy/a.py"), differ("/v/lib/site-packages/numpy/b.so"), differ("/v/lib/site-packages/same/c.py"),
             differ("/v/lib/site-packages/new.py"), differ("/etc/numpy")]
    found, said = compare_packages({"numpy": "1.0", "same": "1"}, {"numpy": "2.0", "same": "1", "new": "3"}, files)
    assert found == [Difference("package new", ONLY_RIGHT, None, "3", ("1 file",)), Difference("package numpy", left="1.0", right="2.0",
                                                                                            notes=("2 files",))]
    assert set(said) == {each.left_path for each in (files[0], files[1], files[3])}
    assert said["/v/lib/site-packages/numpy/b.so"] == "package numpy is 1.0 in the first and 2.0 in the second"
