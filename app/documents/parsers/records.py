"""Records of fields: each becomes one indivisible section of readable lines."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from app.documents.parsers.assembly import Assembly, collapse_whitespace

_PROSE_KEYS = ("text", "content", "body")
_NAME, _TITLE = ("name", "nom"), ("title",)
_FIRST_NAMES = ("first_name", "first name", "firstname", "given_name", "given name", "vorname", "prénom")
_LAST_NAMES = ("last_name", "last name", "lastname", "surname", "family_name", "family name", "nachname")
# "report_2024.pdf", "left-pad": the title beside it says more.
_IDENTIFIER = re.compile(r"\S*[._/\-]\S*")
_LONGEST_HEADING = 300


def name_columns(cells: Sequence[str]) -> list[str]:
    """The names of a table's columns, by the cells of its first row; a column without a name is numbered."""
    return [collapse_whitespace(cell) or f"column {number}" for number, cell in enumerate(cells, start=1)]


def name_cells(header: Sequence[str], cells: Sequence[str]) -> list[tuple[str, str]]:
    """The cells of a row with the names of their columns; those beyond the header are numbered."""
    extra_columns = [f"column {number}" for number in range(len(header) + 1, len(cells) + 1)]
    return list(zip([*header, *extra_columns], cells, strict=False))


def add_record(assembly: Assembly, items: Sequence[tuple[str, Any]]) -> None:
    """Add the record under the name that one of its fields gives it."""
    title_at, title = _find_title(items)
    lines = [title] if title is not None else []
    prose: list[str] = []
    for index, (key, value) in enumerate(items):
        if index == title_at:
            continue
        if isinstance(value, str) and key.strip().lower() in _PROSE_KEYS:
            prose.append(value.strip())
        else:
            lines.extend(_iter_lines(collapse_whitespace(key), value))
    parts = ["\n".join(lines), *prose]
    heading = title if title is not None and len(title) <= _LONGEST_HEADING else None
    assembly.add_indivisible("\n\n".join(part for part in parts if part), heading=heading)


def _find_title(items: Sequence[tuple[str, Any]]) -> tuple[int | None, str | None]:
    """The place of the value that names the record, and the name; first and last name have no place."""
    named = next(
        (index for index, (key, value) in enumerate(items) if _is_named_text(key, _NAME, value)), None
    )
    title_index = next(
        (index for index, (key, value) in enumerate(items) if _is_named_text(key, _TITLE, value)), None
    )
    if named is None and (full_name := _join_person_name(items)) is not None:
        return None, full_name
    identified = named is not None and _IDENTIFIER.fullmatch(items[named][1].strip()) is not None
    position = title_index if named is None or (identified and title_index is not None) else named
    return position, None if position is None else collapse_whitespace(items[position][1])


def _join_person_name(items: Sequence[tuple[str, Any]]) -> str | None:
    """The first and the last name as one, where the record has both."""
    parts = [
        next((collapse_whitespace(value) for key, value in items if _is_named_text(key, keys, value)), None)
        for keys in (_FIRST_NAMES, _LAST_NAMES)
    ]
    return " ".join(part for part in parts if part) if all(parts) else None


def _is_named_text(name: str, keys: Sequence[str], value: Any) -> bool:
    return name.strip().lower() in keys and isinstance(value, str) and bool(value.strip())


def _iter_lines(key: str, value: Any) -> Iterator[str]:
    """`key: value`, with the keys of nested objects joined by dots; nothing for an absent value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _iter_lines(f"{key}.{collapse_whitespace(name)}", inner)
    elif isinstance(value, list):
        scalars = [_format_scalar(item) for item in value if not isinstance(item, (dict, list))]
        if text := ", ".join(item for item in scalars if item):
            yield f"{key}: {text}"
        for number, inner in enumerate(value, start=1):
            if isinstance(inner, (dict, list)):
                yield from _iter_lines(f"{key}.{number}", inner)
    elif text := _format_scalar(value):
        yield f"{key}: {text}"


def _format_scalar(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
