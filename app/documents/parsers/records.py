"""JSON, JSON lines and CSV: every record becomes one indivisible section of readable lines."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from app.documents.parsers import faults
from app.documents.parsers.assembly import Assembly, one_line
from app.documents.parsers.json_reader import load_json
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.text import decode
from app.documents.shapes import ParsedDocument

_PROSE_KEYS = ("text", "content", "body")
_NAME, _TITLE = ("name", "nom"), ("title",)
_FIRST_NAMES = ("first_name", "first name", "firstname", "given_name", "given name", "vorname", "prénom")
_LAST_NAMES = ("last_name", "last name", "lastname", "surname", "family_name", "family name", "nachname")
# "report_2024.pdf", "left-pad": the title beside it says more.
_IDENTIFIER = re.compile(r"\S*[._/\-]\S*")
_DELIMITERS = ",;\t|"
_LONGEST_HEADING = 300


def parse_json(raw: bytes, limits: ParseLimits) -> ParsedDocument:
    """One section for the object, or one for each object of the array."""
    value = load_json(decode(raw), most=limits.values)
    records = value if isinstance(value, list) else [value]
    if len(records) > limits.rows:
        raise faults.too_many_rows(limits.rows)
    assembly = Assembly()
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise faults.damaged_document(f"Item {number} of the JSON is not an object.")
        _add_record(assembly, list(record.items()))
    return assembly.build()


def parse_jsonl(raw: bytes, limits: ParseLimits) -> ParsedDocument:
    """One section for the object on each line; blank lines are passed over."""
    assembly = Assembly()
    rows = 0
    for number, line in enumerate(decode(raw).split("\n"), start=1):
        if not line.strip():
            continue
        rows += 1
        if rows > limits.rows:
            raise faults.too_many_rows(limits.rows)
        record = load_json(line.strip(), first_line=number, most=limits.values)
        if not isinstance(record, dict):
            raise faults.damaged_document(f"Line {number} is not a JSON object.")
        _add_record(assembly, list(record.items()))
    return assembly.build()


def parse_csv(raw: bytes, limits: ParseLimits) -> ParsedDocument:
    """One section for each row under the header row; the delimiter is read off the header."""
    text = decode(raw)
    header_line = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header_line.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    assembly = Assembly()
    header: list[str] | None = None
    count = 0
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if header is None:
                header = [one_line(cell) or f"column {at}" for at, cell in enumerate(row, start=1)]
                continue
            count += 1
            if count > limits.rows:
                raise faults.too_many_rows(limits.rows)
            extra = [f"column {at}" for at in range(len(header) + 1, len(row) + 1)]
            _add_record(assembly, list(zip([*header, *extra], row, strict=False)))
    except csv.Error:
        raise faults.damaged_document(f"The CSV is not valid at line {rows.line_num}.") from None
    return assembly.build()


def _add_record(assembly: Assembly, items: list[tuple[str, Any]]) -> None:
    title_at, title = _title_of(items)
    lines = [title] if title is not None else []
    prose: list[str] = []
    for at, (key, value) in enumerate(items):
        if at == title_at:
            continue
        if isinstance(value, str) and key.strip().lower() in _PROSE_KEYS:
            prose.append(value.strip())
        else:
            lines.extend(_lines(one_line(key), value))
    parts = ["\n".join(lines), *prose]
    heading = title if title is not None and len(title) <= _LONGEST_HEADING else None
    assembly.indivisible("\n\n".join(part for part in parts if part), heading=heading)


def _title_of(items: list[tuple[str, Any]]) -> tuple[int | None, str | None]:
    """The place of the value that names the record, and the name; first and last name have no place."""
    named = next((at for at, (key, value) in enumerate(items) if _is(key, _NAME, value)), None)
    titled = next((at for at, (key, value) in enumerate(items) if _is(key, _TITLE, value)), None)
    if named is None and (whole := _whole_name(items)) is not None:
        return None, whole
    identified = named is not None and _IDENTIFIER.fullmatch(items[named][1].strip()) is not None
    at = titled if named is None or (identified and titled is not None) else named
    return at, None if at is None else one_line(items[at][1])


def _whole_name(items: list[tuple[str, Any]]) -> str | None:
    """The first and the last name as one, where the record has both."""
    parts = [
        next((one_line(value) for key, value in items if _is(key, keys, value)), None)
        for keys in (_FIRST_NAMES, _LAST_NAMES)
    ]
    return " ".join(part for part in parts if part) if all(parts) else None


def _is(name: str, keys: Sequence[str], value: Any) -> bool:
    return name.strip().lower() in keys and isinstance(value, str) and bool(value.strip())


def _lines(key: str, value: Any) -> Iterator[str]:
    """`key: value`, with the keys of nested objects joined by dots; nothing for an absent value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _lines(f"{key}.{one_line(name)}", inner)
    elif isinstance(value, list):
        simple = [_scalar(item) for item in value if not isinstance(item, (dict, list))]
        if written := ", ".join(item for item in simple if item):
            yield f"{key}: {written}"
        for at, inner in enumerate(value, start=1):
            if isinstance(inner, (dict, list)):
                yield from _lines(f"{key}.{at}", inner)
    elif written := _scalar(value):
        yield f"{key}: {written}"


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
