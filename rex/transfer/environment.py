"""What an experiment used, as lists that package managers read: by distribution package and version."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass

from rex.archive import APPARATUS, INPUT, Archive, Experiment
from rex.extras import missing
from rex.transfer.packages import Package, identify
from rex.version import __version__

FORMATS = ("apt", "pip", "conda", "dockerfile", "sbom")
_MANAGERS = {"apt": "dpkg", "pip": "pip", "conda": "conda"}


@dataclass(frozen=True)
class Used:
    """What an experiment used.

    Attributes:
        packages: that this machine has in the same version, known by checksum.
        unknown: paths of used files that are of none of them.
    """

    packages: tuple[Package, ...]
    unknown: tuple[str, ...]

    def of(self, manager: str) -> list[Package]:
        """The packages of one manager."""
        return [each for each in self.packages if each.manager == manager]


def used(archive: Archive, experiment: Experiment) -> Used:
    """The packages that programs, libraries and inputs of an experiment are of.

    Raises:
        NotFound: it never finished.
    """
    files = {path: entry.initial.content for path, entry in experiment.manifest.files.items()
             if entry.initial and entry.initial.content and {APPARATUS, INPUT} & set(entry.roles)}
    found = identify(archive, files)
    return Used(tuple(sorted(set(found.values()))), tuple(sorted(files.keys() - found.keys())))


def pinned(package: Package) -> str:
    """A package with its version, as its manager takes it."""
    if package.manager == "pip":
        return f"{package.name}=={package.version}"
    version = package.version
    if package.manager == "conda":
        version = "=".join(version.rsplit("-", 1))
    return f"{package.name}={version}"


def text_of(found: Used, kind: str, experiment: Experiment) -> str:
    """What an experiment used, in one of FORMATS.

    Raises:
        UsageError: an SBOM is wanted and its library is not installed.
    """
    if kind == "sbom":
        return _sbom(found, experiment)
    if kind == "dockerfile":
        return _dockerfile(found)
    return "".join(f"{pinned(each)}\n" for each in found.of(_MANAGERS[kind]))


def _dockerfile(found: Used) -> str:
    """Packages are known on this machine, so that its distribution has them in these versions."""
    release = platform.freedesktop_os_release()
    lines = [f"FROM {release.get('ID', 'debian')}:{release.get('VERSION_ID', 'latest')}"]
    if debs := found.of("dpkg"):
        lines += ["RUN apt-get update && apt-get install -y --no-install-recommends --allow-downgrades \\",
                  *(f"    {pinned(each)} \\" for each in debs), "    && rm -rf /var/lib/apt/lists/*"]
    if wheels := found.of("pip"):
        lines += ["RUN python3 -m pip install --no-cache-dir --break-system-packages \\", *(f"    {pinned(each)} \\" for each in wheels[:-1]),
                  f"    {pinned(wheels[-1])}"]
    others = [each for each in found.packages if each.manager not in ("dpkg", "pip")]
    lines += [f"# {each.manager}: {pinned(each)}" for each in others]
    return "\n".join(lines) + "\n"


def _sbom(found: Used, experiment: Experiment) -> str:
    """CycloneDX as JSON; a file of no package is a component of its own, with its hash."""
    try:
        from cyclonedx.model import HashAlgorithm, HashType
        from cyclonedx.model.bom import Bom
        from cyclonedx.model.component import Component, ComponentType
        from cyclonedx.output import make_outputter
        from cyclonedx.schema import OutputFormat, SchemaVersion
        from packageurl import PackageURL
    except ImportError as error:
        raise missing("sbom", "an SBOM cannot be written") from error
    kinds = {"dpkg": ("deb", platform.freedesktop_os_release().get("ID", "debian")), "rpm": ("rpm", ""), "pip": ("pypi", ""), "conda": ("conda", "")}
    bom = Bom()
    bom.metadata.component = Component(name=experiment.name, type=ComponentType.APPLICATION, description=f"recorded by rex {__version__}")
    for each in found.packages:
        kind, namespace = kinds[each.manager]
        link = PackageURL(kind, namespace or None, each.name, each.version)
        bom.components.add(Component(name=each.name, version=each.version, type=ComponentType.LIBRARY, purl=link, bom_ref=str(link)))
    for path in found.unknown:
        state = experiment.manifest.files[path].initial
        assert state and state.content
        bom.components.add(Component(name=os.path.basename(path), description=path, type=ComponentType.FILE, bom_ref=path,
                                     hashes=[HashType(alg=HashAlgorithm.SHA_256, content=state.content.sha256)]))
    bom.register_dependency(bom.metadata.component, bom.components)
    text: str = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_5).output_as_string(indent=1)
    return text + "\n"

