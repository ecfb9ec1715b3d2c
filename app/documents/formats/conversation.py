"""Conversations: one indivisible section for each turn, with its speaker and time."""

import re
from datetime import UTC, datetime
from typing import Any

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly, collapse_whitespace
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import FileContent, JsonFormat
from app.documents.parsers.json_reader import load_json_numbers_as_text
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument

_MAX_SPEAKER_LENGTH = 200
_TURNS_START = re.compile(rb'\s*(?:\{\s*"turns"\s*:|\[\s*\{[^{}\[\]]{0,4000}?"speaker"\s*:)')


class Conversation(JsonFormat):
    """JSON with the turns of a conversation."""

    name = "conversation"
    label = "conversation"
    description = "JSON turns with `speaker`, `text` and `time`: a chunk a turn, with who said it and when."
    sent_as = "application/json"

    def recognizes(self, content: FileContent) -> bool:
        """Return whether a file declared as JSON begins like a list of turns."""
        return (
            content.declared_format == "json"
            and _TURNS_START.match(content.raw.removeprefix(b"\xef\xbb\xbf")) is not None
        )

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return the turns in order."""
        return parse_conversation(file_bytes, limits)


def parse_conversation(file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
    """Return the turns of `{"turns": [{"speaker", "text", "time"}]}` or of the plain list, in order.

    A turn's text is `speaker: text`, so that the speaker can be extracted and quoted. `time` is ISO 8601 or
    seconds since 1970; without an offset it is UTC.
    """
    conversation = load_json_numbers_as_text(
        decode_with_detected_encoding(file_bytes), max_values=limits.values
    )
    turns = conversation.get("turns") if isinstance(conversation, dict) else conversation
    if not isinstance(turns, list):
        raise parse_errors.build_damaged_document_error(
            "A conversation is a list of turns, or an object with `turns`", "correct it"
        )
    if len(turns) > limits.rows:
        raise parse_errors.build_too_many_rows_error(limits.rows)
    assembly = Assembly()
    for number, turn in enumerate(turns, start=1):
        _add_turn(assembly, turn, number)
    title = conversation.get("title") if isinstance(conversation, dict) else None
    return assembly.build(title=title if isinstance(title, str) else None)


def _add_turn(assembly: Assembly, turn: Any, number: int) -> None:
    if not isinstance(turn, dict) or not isinstance(turn.get("text"), str):
        raise parse_errors.build_damaged_document_error(
            f"Turn {number} is not an object with a `text`", "correct it"
        )
    speaker = turn.get("speaker")
    if speaker is not None and not isinstance(speaker, str):
        raise parse_errors.build_damaged_document_error(
            f"The speaker of turn {number} is not text", "correct it"
        )
    speaker_name = collapse_whitespace(speaker or "")
    if len(speaker_name) > _MAX_SPEAKER_LENGTH:
        raise parse_errors.build_damaged_document_error(
            f"The speaker of turn {number} is over {_MAX_SPEAKER_LENGTH} characters", "correct it"
        )
    text = turn["text"].strip()
    if text:
        assembly.set_next_place(f"turn {number}")
        said_at = _parse_time_of_turn(turn.get("time"), number)
        assembly.add_unsplittable_section(
            f"{speaker_name}: {text}" if speaker_name else text, speaker=speaker_name or None, said_at=said_at
        )


def _parse_time_of_turn(written_time: Any, number: int) -> datetime | None:
    if written_time is None or written_time == "":
        return None
    try:
        if (
            written_time.replace(".", "", 1).isascii()
            and written_time.replace(".", "", 1).isdigit()
            and len(written_time) > 8
        ):
            return datetime.fromtimestamp(float(written_time), tz=UTC)
        said_at = datetime.fromisoformat(written_time)
        said_at = said_at if said_at.tzinfo is not None else said_at.replace(tzinfo=UTC)
        return said_at.astimezone(UTC)
    except (AttributeError, ValueError, OverflowError, OSError):
        raise parse_errors.build_damaged_document_error(
            f"The time of turn {number} is not an ISO 8601 time", "correct it"
        ) from None
