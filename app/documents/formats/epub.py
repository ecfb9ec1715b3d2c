"""EPUB: the chapters of a book in reading order."""

import io
import posixpath
import re
import zipfile
from typing import Any
from urllib.parse import unquote

from defusedxml.ElementTree import fromstring

from app.documents.formats.html import read_page
from app.documents.parsers import faults
from app.documents.parsers.assembly import Assembly, scrub
from app.documents.parsers.decoding import decode
from app.documents.parsers.file_format import ZipFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import read_container
from app.documents.parsers.page_tree import build_page_tree
from app.documents.shapes import ParsedDocument

_PAGES = ("application/xhtml+xml", "text/html")
_CHAPTERS = re.compile(r".+\.x?html?", re.IGNORECASE)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")


class Epub(ZipFormat):
    """A book."""

    name = "epub"
    label = "EPUB"
    reads = "Its chapters in reading order, headings as sections; citations name the chapter."
    extensions = ("epub",)
    media_types = ("application/epub+zip",)
    main_part = "META-INF/container.xml"

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the visible text of the chapters."""
        return read_container(file_bytes, self.label, _read_book, separate_parts=_CHAPTERS)


def _read_book(file_bytes: bytes) -> ParsedDocument:
    with zipfile.ZipFile(io.BytesIO(file_bytes)) as container:
        names = set(container.namelist())
        if "META-INF/encryption.xml" in names and "META-INF/rights.xml" in names:
            raise faults.encrypted_document()
        package_path = _find_package_path(container)
        package = fromstring(container.read(package_path), forbid_dtd=True)
        path_by_id = {
            str(manifest_item.get("id")): str(manifest_item.get("href"))
            for manifest_item in package.iterfind("{*}manifest/{*}item")
            if manifest_item.get("media-type") in _PAGES
        }
        assembly = Assembly()
        number = 0
        for reference in package.iterfind("{*}spine/{*}itemref"):
            href = path_by_id.get(str(reference.get("idref")))
            if href is None:
                continue
            path = posixpath.normpath(posixpath.join(posixpath.dirname(package_path), unquote(href)))
            if path not in names:
                assembly.note_omission(f"A chapter of the book is missing from the file: {path[:200]}.")
                continue
            number += 1
            assembly.set_place(f"chapter {number}")
            page = _DECLARATION.sub("", decode(container.read(path), is_markup=True))
            read_page(assembly, build_page_tree(page))
    title = _get_metadata_text(package, "title")
    author = _get_metadata_text(package, "creator")
    return assembly.build(
        title=title or assembly.first_heading, metadata={"author": author} if author else {}
    )


def _find_package_path(container: zipfile.ZipFile) -> str:
    root = fromstring(container.read(Epub.main_part), forbid_dtd=True)
    file = root.find(".//{*}rootfile")
    if file is None or file.get("full-path") not in container.namelist():
        raise faults.damaged_document("The book does not say where its chapters are")
    return str(file.get("full-path"))


def _get_metadata_text(package: Any, name: str) -> str:
    return scrub(package.findtext(f"{{*}}metadata/{{http://purl.org/dc/elements/1.1/}}{name}") or "").strip()
