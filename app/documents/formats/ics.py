"""Calendars: each event and task is a record."""

import re
from collections.abc import Iterator

from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.content_lines import Component, ContentLine, iter_components
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import FileContent, TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.records import add_numbered_records
from app.documents.shapes import ParsedDocument

_CALENDAR_START = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}BEGIN:VCALENDAR\s", re.IGNORECASE)
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_LABEL_BY_PROPERTY = {
    "SUMMARY": "Subject",
    "DTSTART": "Start",
    "DTEND": "End",
    "DUE": "Due",
    "LOCATION": "Place",
    "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendee",
    "DESCRIPTION": "Description",
    "COMMENT": "Comment",
}
_CALENDAR_NAME = "X-WR-CALNAME"
_SKIPPED_COMPONENTS = ("VTIMEZONE", "STANDARD", "DAYLIGHT", "VALARM")


class Ics(TextFormat):
    """A calendar, or a saved invitation."""

    name = "ics"
    label = "calendar (ICS)"
    description = (
        "A chunk for each event or task: subject, times, place, those invited, description; citations name"
        " the event."
    )
    extensions = ("ics", "ical")
    media_types = ("text/calendar",)
    is_record = True

    def recognizes(self, content: FileContent) -> bool:
        """Return whether the first line is that of a calendar."""
        return _CALENDAR_START.match(content.raw[:200]) is not None

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return one section for each event and task."""
        assembly = Assembly()
        components = list(iter_components(decode_with_detected_encoding(file_bytes)))
        calendar_names = (
            line.text for component in components for line in component.lines if line.name == _CALENDAR_NAME
        )
        title = next(filter(None, calendar_names), None)
        records = (
            [("title" if name == _LABEL_BY_PROPERTY["SUMMARY"] else name, value) for name, value in fields]
            for fields in map(list_fields_of_event, components)
            if fields
        )
        add_numbered_records(assembly, limits, "event", records)
        return assembly.build(title=remove_characters_refused_in_texts(title) if title else None)


def format_calendar(calendar: str) -> str:
    """Return the events as text, one paragraph each."""
    events = (list_fields_of_event(component) for component in iter_components(calendar))
    return "\n\n".join("\n".join(f"{name}: {value}" for name, value in fields) for fields in events if fields)


FieldText = tuple[str, str]
"""The name of a field, and its text."""


def list_fields_of_event(component: Component) -> list[FieldText]:
    """Return the event's fields with display names; none for time zones and alarms."""
    return [] if component.name in _SKIPPED_COMPONENTS else list(_iter_fields(component))


def _iter_fields(component: Component) -> Iterator[FieldText]:
    for line in component.lines:
        if line.name in _LABEL_BY_PROPERTY and (
            value := remove_characters_refused_in_texts(line.parameters.get("CN") or _format_value(line))
        ):
            yield _LABEL_BY_PROPERTY[line.name], value


def _format_value(line: ContentLine) -> str:
    moment = _MOMENT.fullmatch(line.value.strip())
    if moment is None:
        return line.text.removeprefix("mailto:").removeprefix("MAILTO:")
    date = f"{moment[1]}-{moment[2]}-{moment[3]}"
    zone = "UTC" if moment[6] else line.parameters.get("TZID", "")
    return f"{date} {moment[4]}:{moment[5]} {zone}".strip() if moment[4] else date
