"""The read-only pages of an archive as files, which open from a disk or from any web host."""

from __future__ import annotations

import base64
import json
import os
import re
from dataclasses import dataclass, field
from typing import Callable, Iterator, cast

from starlette.responses import Response

from rex import codec
from rex.archive import OUTPUT
from rex.contents.client import Comparer
from rex.contents.picture import SVG, Picture
from rex.contents.rules import Rules
from rex.errors import RexError, UsageError
from rex.expdiff.output import output_pieces
from rex.text import clean
from rex.web import experiment, history, preview, session, sweeps, table, training, versions, workflow
from rex.web.catalog import Catalog
from rex.web.links import Links
from rex.web.logview import BLOCK_ROWS
from rex.web.pages import compare_page, draw_outputs, first_bytes
from rex.web.runs import Runs
from rex.web.services import Plan, Services, Start
from rex.web.site import HERE, Site

MAX_EVENTS = 100_000        # of one log
MAX_FILE_BYTES = 8 << 20    # of one archived file
MAX_PICTURES_BYTES = 64 << 20   # of all pictures of differences
_PICTURES_SECONDS = 300.0   # for all of them
_MAX_SVG_BYTES = 1 << 20
_CHUNK_BLOCKS = 10          # of a log, in one file
_SHARED_SCRIPTS = ("dom.js", "window.js", "sorting.js")
_SCRIPTS = ("archive.js", "experiment.js", "log.js", "sweep.js")
_FILES = ("style.css", "archive.css", "icon.svg")
_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/bmp": ".bmp", "image/webp": ".webp"}
_MODULE_WORDS = re.compile(r"^import .*\n|^export (?=\w)", re.MULTILINE)

_NOTHING_RUNS = Services(cast(Plan, None), cast(Start, None))

Make = Callable[[], bytes]


@dataclass
class StaticLinks(Links):
    """Names of files in the export. What is asked for here is to be written.

    Attributes:
        site: whose pages they are; set when it is made.
        wanted: what makes each file, by its name.
        comparer: draws how pictures differ.
        picture_bytes_left: for these; they are held until they are written.
    """

    site: Site | None = None
    wanted: dict[str, Make] = field(default_factory=dict)
    comparer: Comparer = field(default_factory=lambda: Comparer(Rules(), all_seconds=_PICTURES_SECONDS))
    picture_bytes_left: int = field(default_factory=lambda: MAX_PICTURES_BYTES)
    _numbers: dict[tuple[str, ...], str] = field(default_factory=dict)
    _shown: dict[str, set[tuple[str, str]]] = field(default_factory=dict)   # of the experiment that was asked for last
    is_static = True

    def _file(self, name: str, make: Make) -> str:
        self.wanted.setdefault(name, make)
        return name

    def _page(self, name: str, make: Callable[[Site], Response]) -> str:
        return self._file(name, lambda: self._body(make))

    def _body(self, make: Callable[[Site], Response]) -> bytes:
        site = cast(Site, self.site)
        try:
            return bytes(make(site).body)
        except RexError as error:
            return bytes(site.trouble(str(error), 400).body)

    def _number(self, *key: str) -> str:
        return self._numbers.setdefault(key, str(len(self._numbers)))

    def static(self, name: str) -> str:
        return f"static/{name}"

    def archive(self) -> str:
        return self._page("index.html", table.archive_page)

    def history(self) -> str:
        return self._page("history.html", history.history_page)

    def export(self, name: str) -> str:
        return ""

    def sweep(self, of: str) -> str:
        return self._page(f"sweep~{self._number('sweep', of)}.html", lambda site: sweeps.sweep_page(site, of))

    def versions(self) -> str:
        return self._page("versions.html", versions.versions_page)

    def experiment(self, name: str) -> str:
        return self._page(f"exp~{name}.html", lambda site: experiment.experiment_page(site, name))

    def form(self, name: str) -> str:
        return ""

    def compare(self, left: str, right: str) -> str:
        return self._page(f"compare~{self._number('compare', left, right)}.html", lambda site: compare_page(site, left, right))

    def picture(self, left: str, right: str, left_path: str, right_path: str) -> str:
        try:
            found: Picture | str = draw_outputs(cast(Site, self.site), (left, left_path), (right, right_path), self.comparer, MAX_FILE_BYTES)
        except RexError as error:      # an output is damaged: the page tells the rest
            found = str(error)
        if isinstance(found, str) or len(found.data) > min(self.picture_bytes_left, MAX_FILE_BYTES):
            return ""
        self.picture_bytes_left -= len(found.data)
        if found.suffix == SVG:
            return _data_address(found.data) if len(found.data) <= _MAX_SVG_BYTES else ""
        data = found.data
        return self._file(f"files/{self._number('picture', left, right, left_path, right_path)}.png", lambda: data)

    def log(self, name: str) -> str:
        return self._page(f"exp~{name}~log.html", lambda site: experiment.log_page(site, name))

    def log_chunks(self, name: str, count: int) -> str:
        begin = f"exp~{name}~log"
        for chunk in range(-(-min(count, MAX_EVENTS) // (_CHUNK_BLOCKS * BLOCK_ROWS))):
            self._file(f"{begin}~{chunk}.js", lambda chunk=chunk: _chunk(cast(Site, self.site), name, chunk))   # type: ignore[misc]
        return begin

    def preview(self, name: str, role: str, path: str) -> str:
        if role not in experiment.STREAMS and (role, path) not in self._own_files(name):
            return ""       # of programs, libraries and files of the system the name is enough
        return self._page(f"exp~{name}~file~{self._number(name, role, path)}.html",
                          lambda site: experiment.file_page(site, name, role, path))

    def _own_files(self, name: str) -> set[tuple[str, str]]:
        """Role and path of each file of an experiment that is shown."""
        if name not in self._shown:
            self._shown = {name: {(row.role, row.path) for row in cast(Site, self.site).catalog.files(name)
                                  if row.has_content and (row.is_own or row.role == OUTPUT)}}
        return self._shown[name]

    def content(self, name: str, role: str, path: str, form: str) -> str:
        archive = cast(Site, self.site).catalog.archive
        _, content = cast(Site, self.site).catalog.content(name, path, role)
        if content.size > MAX_FILE_BYTES:
            return ""
        begin = first_bytes(archive, content, preview.SHOWN_BYTES)
        number = self._number("content", name, role, path)
        if form == "file":
            ending = ".txt" if preview.text_of(begin, True) is not None else ".bin"   # nothing that a browser runs
            return self._file(f"files/{number}{ending}", lambda: archive.read(content, MAX_FILE_BYTES))
        kind = preview.image_type(begin, path)
        if kind == preview.SVG:
            return _data_address(archive.read(content, _MAX_SVG_BYTES)) if content.size <= _MAX_SVG_BYTES else ""
        return self._file(f"files/{number}{_ENDINGS[kind]}", lambda: archive.read(content, MAX_FILE_BYTES)) if kind in _ENDINGS else ""

    def stream(self, name: str, stream: str) -> str:
        number = self._number("stream", name, stream)
        return self._file(f"files/{number}.txt", lambda: _stream(cast(Site, self.site), name, stream))

    def graph(self, name: str) -> str:
        return self._page(f"exp~{name}~graph.html", lambda site: experiment.graph_page(site, name))

    def session(self, name: str) -> str:
        return self._page(f"exp~{name}~session.html", lambda site: session.session_page(site, name))

    def training(self, name: str) -> str:
        return self._page(f"exp~{name}~training.html", lambda site: training.training_page(site, name))

    def workflow(self, name: str) -> str:
        return self._page(f"exp~{name}~workflow.html", lambda site: workflow.workflow_page(site, name))

    def prov(self, name: str) -> str:
        return self._file(f"files/{self._number('prov', name)}.json", lambda: experiment.prov_json(cast(Site, self.site).catalog.experiment(name)))


def _data_address(data: bytes) -> str:
    """A picture within the page: in a file of its own its scripts would run when that is opened."""
    return f"data:{preview.SVG};base64,{base64.b64encode(data).decode()}"


def _chunk(site: Site, name: str, chunk: int) -> bytes:
    view = site.logs.view(site.catalog.experiment(name), experiment.Filter())
    rows = [row for block in range(chunk * _CHUNK_BLOCKS, (chunk + 1) * _CHUNK_BLOCKS) for row in view.block(block)]
    return f"rexRows({chunk}, {json.dumps(rows)});\n".encode()


def _stream(site: Site, name: str, stream: str) -> bytes:
    pieces = (data for number, data in output_pieces(site.catalog.experiment(name)) if number == experiment.STREAMS[stream][1])
    return experiment.joined(pieces, MAX_FILE_BYTES)[0][:MAX_FILE_BYTES]


def bundle(name: str) -> bytes:
    """A script with all that it imports, as one that is no module: browsers load no modules from a disk."""
    texts = []
    for each in (*_SHARED_SCRIPTS, name):
        with open(os.path.join(HERE, "static", each), encoding="utf-8") as file:
            texts.append(_MODULE_WORDS.sub("", file.read()))
    return ("(() => {\n" + "\n".join(texts) + "})();\n").encode()


def _fixed_files() -> Iterator[tuple[str, bytes]]:
    for name in _FILES:
        with open(os.path.join(HERE, "static", name), "rb") as file:
            yield f"static/{name}", file.read()
    for name in _SCRIPTS:
        yield f"static/{name}", bundle(name)


def export(path: str, directory: str, progress: Callable[[int, int], None] | None = None) -> int:
    """Write the pages of an archive into a new or empty directory; how many files there are.

    Args:
        progress: is given how many files are written and how many are known so far.
    Raises:
        NotFound, TooNew, Damaged: the archive cannot be read.
        UsageError: the directory holds something.
    """
    links = StaticLinks()
    site = Site(Catalog(path), _NOTHING_RUNS, Runs(_NOTHING_RUNS), is_read_only=True, links=links)
    links.site = site
    try:
        if os.path.isdir(directory) and os.listdir(directory):
            raise UsageError(f"the directory {clean(directory)} is not empty", "", "choose another one")
        for folder in ("static", "files"):
            os.makedirs(os.path.join(directory, folder), exist_ok=True)
        for name, data in _fixed_files():
            _write(directory, name, data)
        site.catalog.usages()
        links.archive()
        done: set[str] = set()
        while left := [name for name in links.wanted if name not in done]:
            for name in left:
                try:
                    _write(directory, name, links.wanted[name]())
                except RexError as error:
                    _write(directory, name, clean(str(error)).encode())
                done.add(name)
                links.wanted[name] = bytes   # what it held is not needed any more
                if progress:
                    progress(len(done), len(links.wanted))
        return len(done) + len(_FILES) + len(_SCRIPTS)
    finally:
        links.comparer.close()
        site.runs.close()


def _write(directory: str, name: str, data: bytes) -> None:
    with open(codec.raw(os.path.join(directory, name)), "wb") as file:
        file.write(data)
