"""Office documents: ZIP containers of XML, completely checked before a library opens them."""

import io
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import ParseError, iterparse

from app.documents.parsers import archive, parse_errors
from app.documents.parsers.assembly import remove_characters_refused_in_texts
from app.documents.parsers.broken_parts import describe_broken_parts
from app.documents.shapes import ParsedDocument
from app.errors import CitegraphError

_PROPERTIES_RELATION = "/metadata/core-properties"
_ROOT_RELATIONS = "_rels/.rels"
_STRICT_NAMESPACE = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/([\w/]+)")
_TAG_BY_MISSPELLED_TAG = {
    b"extendedProperties": b"extended-properties",
    b"customProperties": b"custom-properties",
}


def check_and_read_container(
    file_bytes: bytes,
    label: str,
    read: Callable[[bytes], ParsedDocument],
    *,
    checks_parts: bool = True,
    separable_part_pattern: re.Pattern[str] | None = None,
    empty_xml: bytes = b"",
) -> ParsedDocument:
    """Check the container and return the document that `read` makes of it.

    With `checks_parts` all of its XML is checked before a library sees it; else `read` parses with
    defusedxml what it needs. A damaged part is named and read as `empty_xml` if its name matches
    `separable_part_pattern` and fewer than half of these are damaged, or as nothing if it is not XML; a
    library never sees it.

    Raises InvalidInput: `archive_refused` for a hostile container or XML that declares entities,
    `damaged_document`, or what `read` raises on purpose.
    """
    part_names = archive.check_directory_and_list_names(file_bytes)
    damaged_names = archive.check_unpacked_sizes_and_list_damaged_names(file_bytes)
    try:
        if checks_parts:
            damaged_names |= _list_invalid_xml_parts(file_bytes, damaged_names)
        if damaged_names:
            stand_ins = _choose_replacements_of_damaged_parts(
                part_names, damaged_names, separable_part_pattern, empty_xml, label
            )
            file_bytes = _rewrite_container(file_bytes, lambda _, content: content, stand_ins)
        if checks_parts:
            file_bytes = _convert_strict_to_transitional(file_bytes)
        document = read(file_bytes)
    except (CitegraphError, MemoryError, RecursionError):
        raise
    except DefusedXmlException:
        raise parse_errors.build_archive_refused_error(
            "its XML declares a document type or entities"
        ) from None
    except Exception as error:
        if parse_errors.is_out_of_memory_error(error):
            raise parse_errors.build_too_large_to_parse_error() from None
        # Libraries raise any exception for broken parts, with messages that quote the file.
        raise parse_errors.build_damaged_document_error(
            f"The {label} document is damaged and cannot be read"
        ) from None
    if damaged_names:
        damage_note = remove_characters_refused_in_texts(describe_broken_parts(sorted(damaged_names)))
        document = replace(document, left_out=(damage_note, *document.left_out))
    return document


def _choose_replacements_of_damaged_parts(
    part_names: Collection[str],
    damaged_names: Collection[str],
    separable_part_pattern: re.Pattern[str] | None,
    empty_xml: bytes,
    label: str,
) -> dict[str, bytes]:
    """Return what is read in place of the damaged parts. Raises InvalidInput `damaged_document`."""
    separate_part_names = [
        name
        for name in part_names
        if separable_part_pattern is not None and separable_part_pattern.fullmatch(name)
    ]
    damaged_separable_names = [name for name in separate_part_names if name in damaged_names]
    damaged_required_names = [
        name for name in damaged_names if name not in damaged_separable_names and _is_xml_name(name)
    ]
    if damaged_required_names or 2 * len(damaged_separable_names) > len(separate_part_names):
        raise parse_errors.build_damaged_document_error(f"The {label} document is damaged and cannot be read")
    return dict.fromkeys(damaged_names, b"") | dict.fromkeys(damaged_separable_names, empty_xml)


def _convert_strict_to_transitional(file_bytes: bytes) -> bytes:
    """Return the container with strict OOXML names replaced by transitional ones, which libraries know."""
    with zipfile.ZipFile(io.BytesIO(file_bytes)) as container:
        if _ROOT_RELATIONS not in container.namelist():
            return file_bytes
        if _STRICT_NAMESPACE.search(container.read(_ROOT_RELATIONS)) is None:
            return file_bytes
    return _rewrite_container(
        file_bytes,
        lambda name, content: (
            _STRICT_NAMESPACE.sub(_to_transitional_namespace, content)
            if name.lower().endswith((".xml", ".rels"))
            else content
        ),
        {},
    )


def _rewrite_container(
    file_bytes: bytes, change_part: Callable[[str, bytes], bytes], stand_ins: Mapping[str, bytes]
) -> bytes:
    """Return the container with each part changed, or with what stands in for it."""
    output = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(file_bytes)) as container,
        zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as rewritten_archive,
    ):
        for name in container.namelist():
            replacement = stand_ins.get(name)
            rewritten_archive.writestr(
                name, change_part(name, container.read(name)) if replacement is None else replacement
            )
    return output.getvalue()


def _to_transitional_namespace(match: re.Match[bytes]) -> bytes:
    path = b"/".join(_TAG_BY_MISSPELLED_TAG.get(segment, segment) for segment in match[2].split(b"/"))
    return b"http://schemas.openxmlformats.org/" + match[1] + b"/2006/" + path


def _list_invalid_xml_parts(file_bytes: bytes, damaged_names: Collection[str]) -> set[str]:
    """Return the parts that are not valid XML, besides those known to be damaged.

    Raises DefusedXmlException for any part that declares a document type: XML entities are declared there.
    """
    invalid_names = set()
    with zipfile.ZipFile(io.BytesIO(file_bytes)) as container:
        for entry in container.infolist():
            if _is_xml_name(entry.filename) and entry.filename not in damaged_names:
                with container.open(entry) as xml_file:
                    if not _is_valid_xml(xml_file):
                        invalid_names.add(entry.filename)
    return invalid_names


def _is_xml_name(name: str) -> bool:
    return name.lower().endswith((".xml", ".rels", ".opf"))


def _is_valid_xml(xml_file: Any) -> bool:
    try:
        for _, element in iterparse(xml_file, events=("end",), forbid_dtd=True):
            element.clear()
    except DefusedXmlException:
        raise
    except (ParseError, LookupError, ValueError, zipfile.BadZipFile) as error:
        if parse_errors.is_out_of_memory_error(error):
            raise
        return False
    return True


class TitleAndMetadata(NamedTuple):
    """The title that a file stores, and its author as metadata."""

    title: str
    metadata: dict[str, str]


def read_title_and_author(document: Any, relations: Iterable[Any]) -> TitleAndMetadata:
    """Return the title that the file stores, and its author as metadata; "" and none if it stores none.

    For a file without properties the libraries make up some, and name themselves as its author.
    """
    if not any(str(relation.reltype).endswith(_PROPERTIES_RELATION) for relation in relations):
        return TitleAndMetadata("", {})
    properties = document.core_properties
    author = remove_characters_refused_in_texts(properties.author or "")
    title = remove_characters_refused_in_texts(properties.title or "")
    return TitleAndMetadata(title, {"author": author} if author else {})
