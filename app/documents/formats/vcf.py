"""Address books: each contact is a record."""

import re

from app.documents.formats.ics import FieldText
from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.content_lines import Component, iter_components
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import FileContent, TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.records import add_numbered_records
from app.documents.shapes import ParsedDocument

_CARD_START = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}BEGIN:VCARD\s", re.IGNORECASE)
_LABEL_BY_PROPERTY = {
    "NICKNAME": "Nickname",
    "ORG": "Organization",
    "TITLE": "Job title",
    "ROLE": "Role",
    "EMAIL": "Email",
    "TEL": "Phone",
    "ADR": "Address",
    "BDAY": "Birthday",
    "URL": "Website",
    "NOTE": "Note",
}


class Vcf(TextFormat):
    """Contacts as saved by phones and mail programs."""

    name = "vcf"
    label = "contacts (VCF)"
    description = (
        "A chunk for each contact: name, organization, job, addresses, note; citations name the contact."
    )
    extensions = ("vcf", "vcard")
    media_types = ("text/vcard", "text/x-vcard", "text/directory")
    is_record = True

    def recognizes(self, content: FileContent) -> bool:
        """Return whether the first line is that of a contact."""
        return _CARD_START.match(content.raw[:200]) is not None

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return one section for each contact."""
        assembly = Assembly()
        contacts = map(_list_fields, iter_components(decode_with_detected_encoding(file_bytes)))
        add_numbered_records(assembly, limits, "contact", filter(None, contacts))
        return assembly.build()


def _list_fields(component: Component) -> list[FieldText]:
    name = _find_formatted_name(component)
    fields = [("Name", name)] if name else []
    for line in component.lines:
        if line.name in _LABEL_BY_PROPERTY and (
            value := remove_characters_refused_in_texts(", ".join(line.parts))
        ):
            fields.append((_LABEL_BY_PROPERTY[line.name], value))
    return fields


def _find_formatted_name(component: Component) -> str:
    """Return the formatted name, else one built from the parts: last, first, further."""
    for line in component.lines:
        if line.name == "FN" and line.text:
            return remove_characters_refused_in_texts(line.text)
    for line in component.lines:
        if line.name == "N":
            family_name, *other_names = line.parts[:3] or [""]
            return remove_characters_refused_in_texts(" ".join([*other_names, family_name]))
    return ""
