"""Addresses of the pages. Templates ask for them here, so that the same page can lie in a folder as a file."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from rex.web.wish import key_of


class Links:
    """Addresses of a running server. "" stands for a page that is not there.

    Attributes:
        is_static: whether pages are files, which nobody can be asked about.
    """

    is_static = False

    def static(self, name: str) -> str:
        """A style, script or picture of the pages themselves."""
        return f"/static/{name}"

    def archive(self) -> str:
        """The table of all experiments."""
        return "/archive"

    def history(self) -> str:
        """Ancestry and execution tree."""
        return "/history"

    def export(self, name: str) -> str:
        """The experiment as one file to take along; "" where nobody can make it."""
        return f"/export?{urlencode({'name': name})}"

    def sweep(self, of: str) -> str:
        """The runs of a sweep that began from an experiment, which may be gone."""
        return f"/sweep?{urlencode({'of': of})}"

    def versions(self) -> str:
        """The tree of versions that were recorded cell by cell."""
        return "/versions"

    def experiment(self, name: str) -> str:
        """The page of one experiment."""
        return f"/experiments/{quote(name)}"

    def log(self, name: str) -> str:
        """The page of its log."""
        return f"/experiments/{quote(name)}/log"

    def log_chunks(self, name: str, count: int) -> str:
        """What the names of scripts begin with that hold parts of a log of so many events; "" where a server answers."""
        return ""

    def preview(self, name: str, role: str, path: str) -> str:
        """The page of one of its files, or of a standard stream."""
        return f"/experiments/{quote(name)}/file?role={role}&path={key_of(path)}"

    def content(self, name: str, role: str, path: str, form: str) -> str:
        """The bytes of one of its files: as a `file` to keep, an `image`, or a page for a `frame`."""
        return f"/experiments/{quote(name)}/content?role={role}&path={key_of(path)}&as={form}"

    def stream(self, name: str, stream: str) -> str:
        """All that it wrote to a standard stream, to keep."""
        return f"/experiments/{quote(name)}/streams/{stream}"

    def graph(self, name: str) -> str:
        """Its processes and files as a picture."""
        return f"/experiments/{quote(name)}/graph"

    def workflow(self, name: str) -> str:
        """Its steps, and who needs whom."""
        return f"/experiments/{quote(name)}/workflow"

    def session(self, name: str) -> str:
        """The cells of a notebook session."""
        return f"/experiments/{quote(name)}/session"

    def training(self, name: str) -> str:
        """The values and checkpoints of a training run."""
        return f"/experiments/{quote(name)}/training"

    def prov(self, name: str) -> str:
        """The same as PROV-JSON."""
        return f"/experiments/{quote(name)}/prov.json"

    def form(self, name: str) -> str:
        """The form of a new experiment made from this one; "" for the default one."""
        return f"/?{urlencode({'from': name})}" if name else "/"

    def compare(self, left: str, right: str) -> str:
        """The comparison of two experiments."""
        return f"/compare?{urlencode({'left': left, 'right': right})}"

    def picture(self, left: str, right: str, left_path: str, right_path: str) -> str:
        """A picture of how outputs of two experiments differ that are pictures; "" for none."""
        return f"/compare/picture?{urlencode({'left': left, 'right': right, 'left_path': key_of(left_path), 'right_path': key_of(right_path)})}"
