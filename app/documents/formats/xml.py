"""XML: each child of the root, or of a group in it, is a section of its fields or its prose."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from app.documents.formats.html import extract_visible_text
from app.documents.formats.ics import FieldText
from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import FileContent, TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.records import add_titled_record
from app.documents.shapes import ParsedDocument
from app.errors import UnsupportedFormat

_MAX_DEPTH = 50
_DECLARATION_BYTES = 1_024
# A text that is HTML, as the entries of news feeds are.
_HTML_TAG = re.compile(
    r"</(?:a|b|div|em|h[1-6]|i|li|ol|p|span|strong|table|ul)\s*>|<(?:br|img|p)\b[^<>]*>", re.IGNORECASE
)


class Xml(TextFormat):
    """XML of any kind."""

    name = "xml"
    label = "XML"
    description = (
        "A section for each child of the root, or of a group in it: lines of `field: value`, prose as text."
        " Entities are refused; citations name the line."
    )
    extensions = ("xml", "rss", "atom", "opml", "kml", "gpx", "rdf", "tei")
    media_types = ("application/xml", "text/xml")
    # 25 MB of texts in HTML.
    seconds = 60

    def check(self, content: FileContent) -> None:
        """Refuse binary files, and single-file Office documents, which are mostly layout."""
        super().check(content)
        if b"<?mso-application" in content.raw[:_DECLARATION_BYTES]:
            raise UnsupportedFormat("It is an Office document in one XML file. Save it as DOCX or XLSX.")

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return the elements' text in reading order."""
        text = decode_with_detected_encoding(file_bytes, is_markup=True)
        try:
            # The text is decoded already, so the declared encoding no longer applies. A document type without
            # entities is harmless, and external files that it names are never fetched.
            parser = _LineParser(forbid_dtd=False, forbid_entities=True, forbid_external=True)
            parser.feed(_remove_xml_declaration(text))
            root = parser.close()
        except DefusedXmlException:
            raise parse_errors.build_entities_refused_error() from None
        except (ParseError, ValueError):
            raise parse_errors.build_damaged_document_error(
                "The XML is not well formed", "correct it"
            ) from None
        assembly = Assembly()
        assembly.set_next_place(parser.place_by_element[root])
        if _has_text_beside_inner_elements(root):
            assembly.add_block(_join_prose(root))
        elif all(len(child) == 0 for child in root):
            # A root with only fields is one record.
            add_titled_record(assembly, _list_fields(root, "", 0))
        else:
            for section_count, (element, fields) in enumerate(_iter_sections(list(root), 0), start=1):
                if section_count > limits.rows:
                    raise parse_errors.build_too_many_rows_error(limits.rows)
                assembly.set_next_place(parser.place_by_element[element])
                if fields:
                    add_titled_record(assembly, fields)
                else:
                    assembly.add_block(_join_prose(element))
        return assembly.build(title=_find_title(root))


def _remove_xml_declaration(text: str) -> str:
    """Return the XML without its declaration, but with its line breaks, so that line numbers stay right."""
    if not text.startswith("<?xml"):
        return text
    declaration, _, text_after_declaration = text.partition("?>")
    return "".join(re.findall("[\r\n]", declaration)) + text_after_declaration


class _LineParser(DefusedXMLParser):  # type: ignore[misc]
    """A parser that stores the line on which each element begins."""

    def __init__(self, **options: bool) -> None:
        super().__init__(**options)
        self.place_by_element: dict[Any, str] = {}

    def _start(self, tag: str, attributes: list[str]) -> Any:
        element = super()._start(tag, attributes)
        self.place_by_element[element] = f"line {self.parser.CurrentLineNumber}"
        return element


def _find_title(root: Any) -> str | None:
    """Return the title of the document or of its first group that has one: of an article, of a news feed."""
    groups = (child for child in root if _is_group_of_records(child))
    return next(
        (
            _join_prose(child)
            for element in (root, *groups)
            for child in element
            if len(child) == 0 and _get_local_name(child.tag).lower() == "title"
        ),
        None,
    )


def _iter_sections(elements: Collection[Any], depth: int) -> Iterator[tuple[Any, list[FieldText]]]:
    """Yield those of the elements that are sections, with their fields; [] for prose.

    Instead of a group, such as the channel of a news feed, its own fields and its records are yielded.
    """
    tag_counts = Counter(child.tag for child in elements)
    for child in elements:
        if tag_counts[child.tag] == 1 and depth < _MAX_DEPTH and _is_group_of_records(child):
            if group_fields := _list_group_fields(child):
                yield child, group_fields
            yield from _iter_sections([element for element in child if len(element)], depth + 1)
        elif _has_text_beside_inner_elements(child):
            yield child, []
        else:
            yield child, _list_fields(child, "", 0)


def _list_group_fields(group: Any) -> list[FieldText]:
    """Return the attributes of the group and its fields beside the records."""
    fields = [
        (_get_local_name(key), remove_characters_refused_in_texts(value)) for key, value in group.items()
    ]
    for child in group:
        if len(child) == 0:
            fields += _list_fields(child, _get_local_name(child.tag), 1)
    return fields


def _is_group_of_records(element: Any) -> bool:
    """Return whether several elements of one name with fields are in it, and no prose."""
    record_counts = Counter(child.tag for child in element if not _has_text_beside_inner_elements(child))
    return any(count > 1 for count in record_counts.values()) and not _has_text_beside_inner_elements(element)


def _has_text_beside_inner_elements(element: Any) -> bool:
    """Return whether the element has text beside inner elements, or no inner elements."""
    return len(element) == 0 or any((text or "").strip() for text in _iter_own_texts(element))


def _iter_own_texts(element: Any) -> Iterator[str | None]:
    """Yield the texts that are directly in the element."""
    yield element.text
    for child in element:
        yield child.tail


def _join_prose(element: Any) -> str:
    """Return the text of the element with that of its inner elements on one line."""
    text = remove_characters_refused_in_texts("".join(element.itertext()))
    return " ".join((extract_visible_text(text) if _HTML_TAG.search(text) else text).split())


def _list_fields(element: Any, path: str, depth: int) -> list[FieldText]:
    """Return attributes and texts of the element and its descendants, by their paths."""
    if depth > _MAX_DEPTH:
        raise parse_errors.build_too_deep_error(_MAX_DEPTH)
    fields = [
        (_join_path(path, _get_local_name(key)), remove_characters_refused_in_texts(value))
        for key, value in element.items()
    ]
    if _has_text_beside_inner_elements(element):
        if text := _join_prose(element):
            fields.append((path or _get_local_name(element.tag), text))
        fields += [
            (_join_path(path, _get_local_name(key)), remove_characters_refused_in_texts(value))
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
    return remove_characters_refused_in_texts(str(name).rpartition("}")[2])
