"""Addresses of the pages. Templates ask for them here, so that the same page can lie in a folder as a file."""

from __future__ import annotations

from urllib.parse import urlencode


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

    def experiment(self, name: str) -> str:
        """Where one experiment is shown."""
        return self.form(name)

    def form(self, name: str) -> str:
        """The form of a new experiment made from this one; "" for the default one."""
        return f"/?{urlencode({'from': name})}" if name else "/"

    def compare(self, left: str, right: str) -> str:
        """The comparison of two experiments."""
        return f"/compare?{urlencode({'left': left, 'right': right})}"
