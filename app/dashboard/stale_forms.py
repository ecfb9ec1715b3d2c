"""Forms about an object that somebody else changed after the form was shown.

No change is overwritten unseen and no typed text is lost: the answer shows what changed and what was typed,
and the visitor resends or discards it. A field left as it was shown keeps the value of the earlier change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.http.edit_versions.service import hash_field
from app.http.edit_versions.shapes import Stale

SEEN_VERSION_FIELD = "seen_version"
"""The field of every form that overwrites something: the version of the object as its page showed it."""
_EMPTY_FIELD_HASH = hash_field("")


@dataclass(frozen=True)
class SeenForm:
    """A form as it was sent: hashes of the fields that its page showed, and the typed values."""

    shown_hashes: Mapping[str, str]
    typed_texts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class TypedField:
    """A field to be sent again; `current_text` is the current value if that differs."""

    name: str
    text: str
    current_text: str | None


class ChangedField(NamedTuple):
    """A field that changed since it was shown, and its current value."""

    name: str
    current_text: str


def list_fields_changed_by_others(form: SeenForm, stale_version: Stale) -> list[ChangedField]:
    """Return the fields that changed since they were shown, with their current values."""
    field_names = [
        *stale_version.current_fields,
        *(name for name in form.shown_hashes if name not in stale_version.current_fields),
    ]
    current_texts = {name: stale_version.current_fields.get(name, "") for name in field_names}
    return [
        ChangedField(name, text)
        for name, text in current_texts.items()
        if form.shown_hashes.get(name, _EMPTY_FIELD_HASH) != hash_field(text)
    ]


def list_typed_fields(form: SeenForm, stale_version: Stale) -> list[TypedField]:
    """Return the fields to be sent again: the typed value, else the current one."""
    fields = []
    for name, text in form.typed_texts:
        if name in ("csrf", SEEN_VERSION_FIELD):
            continue
        current_text = stale_version.current_fields.get(name, "" if name in form.shown_hashes else None)
        if current_text is not None and form.shown_hashes.get(name, _EMPTY_FIELD_HASH) == hash_field(text):
            text = current_text
        is_unchanged = current_text is not None and hash_field(current_text) == hash_field(text)
        fields.append(TypedField(name, text, None if is_unchanged else current_text))
    return fields
