"""Split a parsed document into chunks along its sentences (requirement 2.2)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import is_blank
from app.documents.sentences import split_sentences
from app.documents.shapes import ChunkDraft, ParsedDocument, Section, UnchunkedRange
from app.documents.token_counts import count_tokens, split_by_tokens
from app.domain.char_range import CharRange
from app.domain.table_headers import MAX_HEADER_LENGTH, format_header_as_heading

# Full-text search refuses texts far above this; the limit also bounds what one model call is sent.
MAX_CHUNK_BYTES = 8_000
DEFAULT_MAX_CHUNKS = 20_000
# A sentence over the limit is passed to the token splitter in windows of this length, because the splitter's
# time grows with the square of a run without breaks.
_WINDOW_CHARACTERS = 1_000
_WINDOW_BREAK = re.compile(r"\s(?=\S*\Z)")
# Two lines or more, each with a bar.
_TABLE = re.compile(r"^(?P<header>[^\n|]*+\|[^\n]*+)(?>(?:\n[^\n|]*+\|[^\n]*+)+)", re.MULTILINE)
_RULE_LINE = re.compile(r"[=\-~]{3,}\s*")
# The line above a title that is underlined too.
_OVERLINE = re.compile(r"\s*([!-/:-@\[-`{-~])\1{2,}\s*")


class _Range(NamedTuple):
    """A range of the document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Unit:
    """The smallest piece, never split further: a sentence, a part of an overlong one, or a heading line."""

    start: int
    end: int
    token_count: int
    byte_count: int


def split_into_chunks(
    document: ParsedDocument, *, max_tokens: int = 256, max_chunks: int = DEFAULT_MAX_CHUNKS
) -> list[ChunkDraft]:
    """Return the chunks of a document in reading order; they do not overlap and omit only white space.

    `max_tokens` counts tokens of the o200k vocabulary and must be at least 16. Each chunk's text is an exact
    slice of the document, without surrounding white space, of at most 8,000 bytes. A sentence is split only
    if it alone is over a limit. A heading line stays with the text below it, and a heading without text with
    what follows it, if both fit. Raises InvalidInput `too_many_chunks` as soon as there are more than
    `max_chunks`.
    """
    if max_tokens < 16:
        raise ValueError("max_tokens must be at least 16")
    if document.sections_are_chunks:
        if len(document.sections) > max_chunks:
            raise parse_errors.build_too_many_chunks_error(max_chunks)
        return [
            _build_whole_chunk(document, section, index) for index, section in enumerate(document.sections)
        ]
    section_starts = [section.start for section in document.sections]
    place_starts = [place.start for place in document.places]
    tables = _find_tables(document.text)
    drafts: list[ChunkDraft] = []
    last_section: Section | None = None
    for units in _group_units_that_may_share_chunk(document, max_tokens):
        for start, end, token_count in _join_units_while_they_fit(document.text, units, max_tokens):
            if len(drafts) == max_chunks:
                raise parse_errors.build_too_many_chunks_error(max_chunks)
            section = document.sections[bisect_left(section_starts, end) - 1]
            drafts.append(
                ChunkDraft(
                    ordinal=len(drafts),
                    text=document.text[start:end],
                    char_start=start,
                    char_end=end,
                    heading_path=(*section.heading_path, *_get_table_header_as_heading(tables, start)),
                    token_count=token_count,
                    speaker=section.speaker,
                    said_at=section.said_at,
                    places=_list_places_of_range(document, place_starts, start, end),
                    mail_ids=None if section is last_section else section.mail_ids,
                )
            )
            last_section = section
    return drafts


def find_unchunked_ranges(text: str, drafts: Sequence[ChunkDraft]) -> list[UnchunkedRange]:
    """Return the ranges of the text between its chunks that contain text, in order (requirement 18.2).

    `drafts` must be sorted by position and not overlap.
    """
    ranges: list[UnchunkedRange] = []
    position = 0
    for start, end in [*((draft.char_start, draft.char_end) for draft in drafts), (len(text), len(text))]:
        gap = text[position:start]
        if not is_blank(gap) and _OVERLINE.fullmatch(gap) is None:
            gap_start = position + len(gap) - len(gap.lstrip())
            ranges.append(UnchunkedRange(gap_start, position + len(gap.rstrip())))
        position = max(position, end)
    return ranges


class _Table(NamedTuple):
    """The range of a table in the text, and its header row."""

    start: int
    end: int
    header: str


def _find_tables(text: str) -> list[_Table]:
    """Return the tables of the text: rows with bars between cells."""
    matches = _TABLE.finditer(text) if "|" in text else ()
    return [_Table(match.start(), match.end(), match["header"]) for match in matches]


def _get_table_header_as_heading(tables: Sequence[_Table], start: int) -> tuple[str, ...]:
    """Return, as a heading, the header of the table inside which a chunk begins; () if there is none."""
    index = bisect_left(tables, start, key=attrgetter("start")) - 1
    if index < 0:
        return ()
    _, end, header = tables[index]
    is_repeated = start < end and len(header) <= MAX_HEADER_LENGTH and header.strip("| ").count("|") > 0
    return (format_header_as_heading(header),) if is_repeated else ()


def _build_whole_chunk(document: ParsedDocument, section: Section, ordinal: int) -> ChunkDraft:
    text = document.text[section.start : section.end]
    return ChunkDraft(ordinal, text, section.start, section.end, section.heading_path, count_tokens(text))


PlaceStart = tuple[int, str]
"""The first character of a place in the chunk, and the name of the place."""


def _list_places_of_range(
    document: ParsedDocument, place_starts: Sequence[int], start: int, end: int
) -> tuple[PlaceStart, ...]:
    """Return the places in the file that the range covers, each with its first character in the range."""
    first_index, last_index = bisect_right(place_starts, start) - 1, bisect_left(place_starts, end) - 1
    covered_places = document.places[max(first_index, 0) : last_index + 1]
    return tuple(
        (max(place.start - start, 0) if index else 0, place.name)
        for index, place in enumerate(covered_places)
    )


def _group_units_that_may_share_chunk(document: ParsedDocument, max_tokens: int) -> Iterator[list[_Unit]]:
    """Yield groups of units that may share a chunk: a section's, after bare headings before it.

    Headings that would fill more than half a chunk are not carried over.
    """
    waiting_units: list[_Unit] = []
    for section in document.sections:
        if waiting_units and (
            section.indivisible or sum(unit.token_count for unit in waiting_units) > max_tokens // 2
        ):
            yield waiting_units
            waiting_units = []
        heading_range = _find_heading_range(document.text, section)
        previous_end = waiting_units[-1].end if waiting_units else None
        units = [
            *waiting_units,
            *_split_section_into_units(document.text, section, heading_range, previous_end, max_tokens),
        ]
        if heading_range is not None and units[-1].end == heading_range.end and not section.indivisible:
            waiting_units = units
        elif units:
            yield units
            waiting_units = []
    if waiting_units:
        yield waiting_units


def _split_section_into_units(
    text: str, section: Section, heading_range: _Range | None, previous_end: int | None, max_tokens: int
) -> Iterator[_Unit]:
    body_start = section.start
    if heading_range is not None:
        for unit in _split_sentence_into_units(text, *heading_range, previous_end, max_tokens):
            yield unit
            previous_end = unit.end
        body_start = heading_range.end
    for start, end in split_sentences(text[body_start : section.end]):
        for unit in _split_sentence_into_units(
            text, body_start + start, body_start + end, previous_end, max_tokens
        ):
            yield unit
            previous_end = unit.end


def _find_heading_range(text: str, section: Section) -> _Range | None:
    """Return the range of the heading line that opens the section, including a rule that underlines it."""
    if not section.heading_path:
        return None
    start = section.start
    while start < section.end and text[start].isspace():
        start += 1
    end = _find_line_end(text, start, section.end)
    if " ".join(text[start:end].split()) != section.heading_path[-1]:
        return None
    rule_end = _find_line_end(text, end + 1, section.end)
    if _RULE_LINE.fullmatch(text, end + 1, rule_end):
        end = rule_end
    return _Range(start, start + len(text[start:end].rstrip()))


def _find_line_end(text: str, start: int, limit: int) -> int:
    line_break = text.find("\n", start, limit)
    return limit if line_break < 0 else line_break


def _split_sentence_into_units(
    text: str, start: int, end: int, previous_end: int | None, max_tokens: int
) -> Iterator[_Unit]:
    """Yield the sentence as one unit if it fits, else pieces that fit."""
    if end - start <= MAX_CHUNK_BYTES:
        unit = _measure_unit(text, start, end, previous_end)
        if unit.byte_count <= MAX_CHUNK_BYTES and (
            unit.token_count <= max_tokens or count_tokens(text[start:end]) <= max_tokens
        ):
            yield unit
            return
    for piece_start, piece_end in _split_long_range(text, start, end, max_tokens):
        unit = _measure_unit(text, piece_start, piece_end, previous_end)
        yield unit
        previous_end = piece_end


def _measure_unit(text: str, start: int, end: int, previous_end: int | None) -> _Unit:
    # The white space before a unit is counted with it, since a chunk that joins two units includes it.
    counted_text = text[start if previous_end is None else previous_end : end]
    return _Unit(start, end, token_count=count_tokens(counted_text), byte_count=_count_bytes(counted_text))


def _split_long_range(text: str, start: int, end: int, max_tokens: int) -> Iterator[CharRange]:
    while start < end:
        window_end = min(start + _WINDOW_CHARACTERS, end)
        if window_end < end and (
            match := _WINDOW_BREAK.search(text, start + _WINDOW_CHARACTERS // 2, window_end)
        ):
            window_end = match.end()
        for piece_start, piece_end in split_by_tokens(text[start:window_end], max_tokens):
            yield from _halve_range_until_fitting(text, start + piece_start, start + piece_end, max_tokens)
        start = window_end


def _halve_range_until_fitting(text: str, start: int, end: int, max_tokens: int) -> Iterator[CharRange]:
    """Yield the range, halved until it fits: our count of a run without breaks exceeds the splitter's."""
    range_text = text[start:end]
    start, end = start + len(range_text) - len(range_text.lstrip()), start + len(range_text.rstrip())
    if start >= end:
        return
    range_text = text[start:end]
    if end - start == 1 or (
        _count_bytes(range_text) <= MAX_CHUNK_BYTES and count_tokens(range_text) <= max_tokens
    ):
        yield start, end
        return
    middle = (start + end) // 2
    yield from _halve_range_until_fitting(text, start, middle, max_tokens)
    yield from _halve_range_until_fitting(text, middle, end, max_tokens)


class _PackedRange(NamedTuple):
    """The range of a chunk, and its exact number of tokens."""

    start: int
    end: int
    token_count: int


def _join_units_while_they_fit(text: str, units: list[_Unit], max_tokens: int) -> Iterator[_PackedRange]:
    """Join adjacent units while they fit; yield start, end and exact token count of each chunk."""
    first_index = 0
    while first_index < len(units):
        last_index, token_sum, byte_sum = (
            first_index,
            units[first_index].token_count,
            units[first_index].byte_count,
        )
        while last_index + 1 < len(units):
            next_unit = units[last_index + 1]
            if (
                token_sum + next_unit.token_count > max_tokens
                or byte_sum + next_unit.byte_count > MAX_CHUNK_BYTES
            ):
                break
            token_sum, byte_sum, last_index = (
                token_sum + next_unit.token_count,
                byte_sum + next_unit.byte_count,
                last_index + 1,
            )
        start = units[first_index].start
        token_count = count_tokens(text[start : units[last_index].end])
        # The sum of the parts is nearly always at least the whole; if not, drop the last unit.
        while token_count > max_tokens and last_index > first_index:
            last_index -= 1
            token_count = count_tokens(text[start : units[last_index].end])
        yield _PackedRange(start, units[last_index].end, token_count)
        first_index = last_index + 1


def _count_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
