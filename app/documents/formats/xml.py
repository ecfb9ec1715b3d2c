"""XML: each child of the root is a section of its fields or its prose."""

import re
from collections.abc import Iterator
from typing import Any

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from app.documents.parsers import faults
from app.documents.parsers.assembly import Assembly, replace_invalid_characters
from app.documents.parsers.decoding import decode
from app.documents.parsers.file_format import FileContent, TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.records import add_record
from app.documents.shapes import ParsedDocument
from app.errors import UnsupportedFormat

_MAX_DEPTH = 50
_DECLARATIONS = 1_024


class Xml(TextFormat):
    """XML of any kind."""

    name = "xml"
    label = "XML"
    description = (
        "A section for each child of the root: lines of `field: value`, prose as text. Entities are refused;"
        " citations name the line."
    )
    extensions = ("xml",)
    media_types = ("application/xml", "text/xml")

    def check(self, content: FileContent) -> None:
        """Refuse binary files, and single-file Office documents, which are mostly layout."""
        super().check(content)
        if b"<?mso-application" in content.raw[:_DECLARATIONS]:
            raise UnsupportedFormat("It is an Office document in one XML file. Save it as DOCX or XLSX.")

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return the elements' text in reading order."""
        text = decode(file_bytes, is_markup=True)
        try:
            # The text is decoded already, so the declared encoding no longer applies. A document type without
            # entities is harmless, and external files that it names are never fetched.
            parser = _LineParser(forbid_dtd=False, forbid_entities=True, forbid_external=True)
            parser.feed(_strip_declaration(text))
            root = parser.close()
        except DefusedXmlException:
            raise faults.entities_refused() from None
        except (ParseError, ValueError):
            raise faults.damaged_document("The XML is not well formed", "correct it") from None
        assembly = Assembly()
        children = list(root)
        if len(children) > limits.rows:
            raise faults.too_many_rows(limits.rows)
        assembly.set_place(parser.places[root])
        if _is_prose(root):
            assembly.add_block(_join_prose(root))
            children = []
        elif all(len(child) == 0 for child in children):
            # A root with only fields is one record.
            add_record(assembly, _list_fields(root, "", 0))
            children = []
        for child in children:
            assembly.set_place(parser.places[child])
            if _is_prose(child):
                assembly.add_block(_join_prose(child))
            else:
                add_record(assembly, list(_list_fields(child, "", 0)))
            assembly.add_block(replace_invalid_characters(child.tail or ""))
        return assembly.build()


def _strip_declaration(text: str) -> str:
    """Return the XML without its declaration, but with its line breaks, so that line numbers stay right."""
    if not text.startswith("<?xml"):
        return text
    declaration, _, text_after_declaration = text.partition("?>")
    return "".join(re.findall("[\r\n]", declaration)) + text_after_declaration


class _LineParser(DefusedXMLParser):  # type: ignore[misc]
    """A parser that stores the line on which each element begins."""

    def __init__(self, **options: bool) -> None:
        super().__init__(**options)
        self.places: dict[Any, str] = {}

    def _start(self, tag: str, attributes: list[str]) -> Any:
        element = super()._start(tag, attributes)
        self.places[element] = f"line {self.parser.CurrentLineNumber}"
        return element


def _is_prose(element: Any) -> bool:
    """Return whether the element has text beside inner elements, or no inner elements."""
    return len(element) == 0 or any((text or "").strip() for text in _iter_own_texts(element))


def _iter_own_texts(element: Any) -> Iterator[str | None]:
    """Yield the texts that are directly in the element."""
    yield element.text
    for child in element:
        yield child.tail


def _join_prose(element: Any) -> str:
    """Return the text of the element with that of its inner elements on one line."""
    return " ".join(replace_invalid_characters("".join(element.itertext())).split())


def _list_fields(element: Any, path: str, depth: int) -> list[tuple[str, str]]:
    """Return attributes and texts of the element and its descendants, by their paths."""
    if depth > _MAX_DEPTH:
        raise faults.too_deep(_MAX_DEPTH)
    fields = [
        (_join_path(path, _get_local_name(key)), replace_invalid_characters(value))
        for key, value in element.items()
    ]
    if _is_prose(element):
        if text := _join_prose(element):
            fields.append((path or _get_local_name(element.tag), text))
        fields += [
            (_join_path(path, _get_local_name(key)), replace_invalid_characters(value))
            for child in element.iter()
            if child is not element
            for key, value in child.items()
        ]
        return fields
    for child in element:
        fields.extend(_list_fields(child, _join_path(path, _get_local_name(child.tag)), depth + 1))
    return fields


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _get_local_name(name: Any) -> str:
    return replace_invalid_characters(str(name).rpartition("}")[2])
