"""EPUB: the chapters of a book in reading order."""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import ParseError

from defusedxml.ElementTree import fromstring
from selectolax.lexbor import LexborHTMLParser

from app.documents.formats.html import add_visible_text_of_page
from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import (
    Assembly,
    collapse_whitespace,
    is_blank,
    remove_characters_refused_in_texts,
)
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import ZipFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.office import check_and_read_container
from app.documents.parsers.page_tree import build_page_tree
from app.documents.shapes import ParsedDocument

_PAGE_MEDIA_TYPES = ("application/xhtml+xml", "text/html")
_CHAPTER_PATH = re.compile(r".+\.x?html?", re.IGNORECASE)
_NCX_MEDIA_TYPE = "application/x-dtbncx+xml"
_HEADING_SELECTOR = "h1, h2, h3, h4, h5, h6"
_TOC_LINK_SELECTOR = r"nav[epub\:type~=toc] a[href], nav[role=doc-toc] a[href]"
_DOCUMENT_TYPE = re.compile(rb"<!DOCTYPE[^>\[]{0,300}>")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")


class Epub(ZipFormat):
    """A book."""

    name = "epub"
    label = "EPUB"
    description = (
        "Its chapters in reading order, headings as sections, those of chapters without one from the table of"
        " contents; citations name the chapter."
    )
    extensions = ("epub",)
    media_types = ("application/epub+zip",)
    main_part = "META-INF/container.xml"

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the visible text of the chapters."""
        return check_and_read_container(
            file_bytes, self.label, _read_book, separable_part_pattern=_CHAPTER_PATH
        )


def _read_book(file_bytes: bytes) -> ParsedDocument:
    with zipfile.ZipFile(io.BytesIO(file_bytes)) as container:
        entry_names = set(container.namelist())
        if "META-INF/encryption.xml" in entry_names and "META-INF/rights.xml" in entry_names:
            raise parse_errors.build_encrypted_document_error()
        package_path = _find_package_path(container)
        package = fromstring(container.read(package_path), forbid_dtd=True)
        path_by_id = {
            str(manifest_item.get("id")): str(manifest_item.get("href"))
            for manifest_item in package.iterfind("{*}manifest/{*}item")
            if manifest_item.get("media-type") in _PAGE_MEDIA_TYPES
        }
        navigation_path = _find_navigation_path(package, package_path)
        title_by_path = _read_table_of_contents(
            container, package, package_path, entry_names, navigation_path
        )
        assembly = Assembly()
        chapter_number = 0
        for reference in package.iterfind("{*}spine/{*}itemref"):
            href = path_by_id.get(str(reference.get("idref")))
            if href is None:
                continue
            path = _resolve_path(package_path, href)
            if path not in entry_names:
                assembly.note_omission(f"A chapter of the book is missing from the file: {path[:200]}.")
                continue
            page = _read_page_tree(container, path)
            if path == navigation_path:
                page.strip_tags(["nav"], recursive=True)
            if _is_page_empty(page):
                # A cover, or the table of contents: readers count neither as a chapter.
                continue
            chapter_number += 1
            assembly.set_next_place(f"chapter {chapter_number}")
            if path in title_by_path and not any(node.text().strip() for node in page.css(_HEADING_SELECTOR)):
                assembly.add_heading(1, title_by_path[path])
            add_visible_text_of_page(assembly, page)
    title = _get_metadata_text(package, "title")
    author = _get_metadata_text(package, "creator")
    return assembly.build(
        title=title or assembly.first_heading, metadata={"author": author} if author else {}
    )


def _resolve_path(base_path: str, href: str) -> str:
    """Return the path in the container to which a reference of this file leads, without its fragment."""
    target = unquote(href.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base_path), target))


def _find_navigation_path(package: Any, package_path: str) -> str | None:
    """Return the path of the book's navigation page (EPUB 3), which may be among its chapters."""
    return next(
        (
            _resolve_path(package_path, str(manifest_item.get("href")))
            for manifest_item in package.iterfind("{*}manifest/{*}item")
            if "nav" in str(manifest_item.get("properties", "")).split()
        ),
        None,
    )


def _read_page_tree(container: zipfile.ZipFile, path: str) -> LexborHTMLParser:
    return build_page_tree(
        _DECLARATION.sub("", decode_with_detected_encoding(container.read(path), is_markup=True))
    )


def _is_page_empty(page: LexborHTMLParser) -> bool:
    """Return whether the page holds no text, nor a picture that is described in a phrase."""
    descriptions = (node.attributes.get("alt") or "" for node in page.css("img"))
    return is_blank(page.body.text() if page.body is not None else "") and not any(
        " " in description.strip() for description in descriptions
    )


def _read_table_of_contents(
    container: zipfile.ZipFile,
    package: Any,
    package_path: str,
    entry_names: set[str],
    navigation_path: str | None,
) -> dict[str, str]:
    """Return the first title of each file in the book's navigation page (EPUB 3), else in its NCX (EPUB 2).

    A book without a readable table of contents has no titles.
    """
    title_by_path: dict[str, str] = {}
    for manifest_item in package.iterfind("{*}manifest/{*}item"):
        path = _resolve_path(package_path, str(manifest_item.get("href")))
        if path not in entry_names:
            continue
        if path == navigation_path:
            for link in _read_page_tree(container, path).css(_TOC_LINK_SELECTOR):
                _add_title(title_by_path, path, link.attributes.get("href"), link.text())
        elif manifest_item.get("media-type") == _NCX_MEDIA_TYPE and not title_by_path:
            for point in _iter_ncx_points(container.read(path)):
                content_element = point.find("{*}content")
                label = point.findtext("{*}navLabel/{*}text")
                _add_title(
                    title_by_path,
                    path,
                    None if content_element is None else content_element.get("src"),
                    label,
                )
    return title_by_path


def _iter_ncx_points(ncx_bytes: bytes) -> Iterator[Any]:
    try:
        # Old books have a document type here, which the parser refuses.
        yield from fromstring(_DOCUMENT_TYPE.sub(b"", ncx_bytes)).iterfind(".//{*}navPoint")
    except (ParseError, ValueError):
        return


def _add_title(title_by_path: dict[str, str], base_path: str, href: str | None, label: str | None) -> None:
    title = collapse_whitespace(remove_characters_refused_in_texts(label or ""))
    if href and title:
        title_by_path.setdefault(_resolve_path(base_path, href), title)


def _find_package_path(container: zipfile.ZipFile) -> str:
    root = fromstring(container.read(Epub.main_part), forbid_dtd=True)
    rootfile = root.find(".//{*}rootfile")
    if rootfile is None or rootfile.get("full-path") not in container.namelist():
        raise parse_errors.build_damaged_document_error("The book does not say where its chapters are")
    return str(rootfile.get("full-path"))


def _get_metadata_text(package: Any, name: str) -> str:
    return remove_characters_refused_in_texts(
        package.findtext(f"{{*}}metadata/{{http://purl.org/dc/elements/1.1/}}{name}") or ""
    ).strip()
