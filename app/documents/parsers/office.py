"""Office documents: ZIP containers of XML, completely checked before a library opens them."""

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import ParseError, iterparse

from app.documents.parsers import archive, faults
from app.documents.shapes import ParsedDocument
from app.errors import CitegraphError

_ROOT_RELATIONS = "_rels/.rels"
_STRICT_NAMESPACE = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/([\w/]+)")
_RENAMED = {b"extendedProperties": b"extended-properties", b"customProperties": b"custom-properties"}


def read_container(
    raw: bytes, label: str, read: Callable[[bytes], ParsedDocument], *, checks_parts: bool = True
) -> ParsedDocument:
    """Check the container and return the document that `read` makes of it.

    With `checks_parts` all XML parts are checked before a library reads them; otherwise `read` must parse
    with defusedxml. Raises InvalidInput: `archive_refused` for a hostile container or XML that declares
    entities, `damaged_document`, and what `read` raises on purpose.
    """
    archive.check_directory(raw)
    archive.check_inflated(raw)
    try:
        if checks_parts:
            _check_xml(raw, label)
            raw = _rewrite_strict(raw)
        return read(raw)
    except (CitegraphError, MemoryError, RecursionError):
        raise
    except DefusedXmlException:
        raise faults.archive_refused("its XML declares a document type or entities") from None
    except Exception:
        # Libraries raise any exception for broken parts, with messages that quote the file.
        raise faults.damaged_document(
            f"The {label} document is damaged and cannot be read: copy or save it again."
        ) from None


def _rewrite_strict(raw: bytes) -> bytes:
    """Return the container with strict OOXML names replaced by transitional ones, which libraries know."""
    with zipfile.ZipFile(io.BytesIO(raw)) as container:
        if _ROOT_RELATIONS not in container.namelist():
            return raw
        if _STRICT_NAMESPACE.search(container.read(_ROOT_RELATIONS)) is None:
            return raw
        rewritten = io.BytesIO()
        with zipfile.ZipFile(rewritten, "w") as copy:
            for name in container.namelist():
                content = container.read(name)
                if name.lower().endswith((".xml", ".rels")):
                    content = _STRICT_NAMESPACE.sub(_name_in_common_dialect, content)
                copy.writestr(name, content)
    return rewritten.getvalue()


def _name_in_common_dialect(match: re.Match[bytes]) -> bytes:
    path = b"/".join(_RENAMED.get(step, step) for step in match[2].split(b"/"))
    return b"http://schemas.openxmlformats.org/" + match[1] + b"/2006/" + path


def _check_xml(raw: bytes, label: str) -> None:
    """Refuse any part that declares a document type, without which there are no entities."""
    with zipfile.ZipFile(io.BytesIO(raw)) as container:
        for entry in container.infolist():
            if entry.filename.lower().endswith((".xml", ".rels", ".opf")):
                with container.open(entry) as part:
                    _check_part(part, label)


def _check_part(part: Any, label: str) -> None:
    try:
        for _, element in iterparse(part, events=("end",), forbid_dtd=True):
            element.clear()
    except ParseError:
        raise faults.damaged_document(f"A part of the {label} document is not valid XML.") from None
