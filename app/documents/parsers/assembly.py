"""Assemble a parsed document: one clean text, and the sections that refer to it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from app.documents.parsers import parse_errors
from app.documents.parsers.combining import limit_combining_marks
from app.documents.shapes import MailIds, ParsedDocument, Place, Section
from app.domain.invisible_breaks import remove_invisible_breaks
from app.number_words import pluralise

_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# With its parameters, a sequence by which terminals colour text or move the cursor.
_CONTROLS = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0e-\x1b\x1f\x7f\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_INVISIBLE_CHARACTERS = re.compile(
    "[\\s\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u00ad\u034f\u061c\u180e\ufeff]*"
)
# A longer "heading" is bold prose; as a heading it would be repeated on every chunk.
MAX_HEADING_LENGTH = 300


def clean_text(text: str) -> str:
    """Return the text in NFC with \\n line ends, without control characters and invisible breaks, with
    at most 30 marks in a row.

    Raises InvalidInput `invalid_character` for a NUL or a lone surrogate.
    """
    if _SURROGATES.search(text):
        raise parse_errors.build_invalid_character_error("a lone surrogate")
    if "\x00" in text:
        raise parse_errors.build_invalid_character_error("a NUL character")
    # After removing controls, since that can join two runs of marks.
    text = _CONTROLS.sub("", _LINE_BREAKS.sub("\n", text))
    text = limit_combining_marks(remove_invisible_breaks(text))
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def remove_characters_refused_in_texts(text: str) -> str:
    """Return the text without what `clean_text` refuses, for formats whose authors cannot see such faults."""
    return _SURROGATES.sub("\ufffd", text).replace("\x00", "")


def collapse_whitespace(text: str) -> str:
    """Return the text with each run of white space replaced by one space, as in titles and headings."""
    return " ".join(clean_text(text).split())


def is_blank(text: str) -> bool:
    """Return whether the text contains only white space and zero-width characters."""
    return _INVISIBLE_CHARACTERS.fullmatch(text) is not None


class _Heading(NamedTuple):
    level: int
    text: str


class Assembly:
    """Collects blocks in reading order, separated by blank lines, in sections under their headings.

    With `sections_are_places` it sets places itself: the heading above a block, or without one the number of
    the paragraph or table, and the page if `set_page` was called.
    """

    def __init__(self, *, sections_are_places: bool = False) -> None:
        self._text_parts: list[str] = []
        self._text_length = 0
        self._sections: list[Section] = []
        self._section_start: int | None = None
        self._headings: list[_Heading] = []
        self._is_in_list = False
        self._places: list[Place] = []
        self._current_place: str | None = None
        self._mail_ids: MailIds | None = None
        self._sections_are_places = sections_are_places
        self._page_number: int | None = None
        self._aside_name: str | None = None
        self._previous_place: str | None = None
        self._block_counts: Counter[str] = Counter()
        self._left_out: list[str] = []
        # The title of the document if it has no other.
        self.first_heading: str | None = None

    def set_next_place(self, name: str) -> None:
        """Set the place in the file of the next addition."""
        self._current_place = collapse_whitespace(name)

    def set_ids_of_next_mail(self, mail_ids: MailIds) -> None:
        """Set the ids of the mail that begins with the next record or turn."""
        self._mail_ids = mail_ids

    def set_page(self, number: int) -> None:
        """Set the page on which the next addition begins."""
        self._page_number = number

    def begin_aside(self, name: str) -> None:
        """Start a part beside the text, such as a note, which is below none of its headings."""
        self._close_section()
        self._headings.clear()
        self._is_in_list = False
        self._aside_name = self._previous_place = name
        self.set_next_place(name)

    def note_omission(self, sentence: str) -> None:
        """Record a sentence about a part of the file that is not in the text."""
        self._left_out.append(sentence)

    def note_unread_objects(self, noun: str, count: int) -> None:
        """Record how many pictures or other objects were not read, if any."""
        if count:
            pronoun = "it" if count == 1 else "them"
            self.note_omission(f"{pluralise(count, noun)}: of {pronoun} no text is read.")

    def add_heading(self, level: int, text: str) -> None:
        """Open a section, closing those under headings of the same or a deeper level."""
        heading_line = collapse_whitespace(text)
        if not heading_line or is_blank(heading_line):
            return
        if len(heading_line) > MAX_HEADING_LENGTH:
            self.add_block(heading_line)
            return
        self._close_section()
        while self._headings and self._headings[-1].level >= level:
            self._headings.pop()
        self._headings.append(_Heading(level, heading_line))
        self._name_place_of_next_block("paragraph")
        self.first_heading = self.first_heading or heading_line
        self._section_start = self._append_text(heading_line, separator="\n\n")
        self._is_in_list = False

    def add_block(
        self,
        text: str,
        *,
        list_item: bool = False,
        noun: Literal["paragraph", "table", "text box", "chart", "picture"] = "paragraph",
        places: Sequence[Place] = (),
    ) -> None:
        """Add a paragraph, a table or, after a single line break, a list item.

        `places` are relative to the beginning of the text, which must be clean already.
        """
        cleaned_text = clean_text(text)
        text = cleaned_text.strip("\n").rstrip()
        if is_blank(text):
            return
        self._name_place_of_next_block(noun)
        separator = "\n" if list_item and self._is_in_list else "\n\n"
        start = self._append_text(text, separator=separator)
        self._add_places(places, start, cleaned_text, text)
        if self._section_start is None:
            self._section_start = start
        self._is_in_list = list_item

    def add_unsplittable_section(
        self,
        text: str,
        *,
        heading: str | None = None,
        speaker: str | None = None,
        said_at: datetime | None = None,
        places: Sequence[Place] = (),
    ) -> None:
        """Add a record or a turn as a section of its own; skip a blank one.

        `places` are relative to the beginning of the text, which must be clean already.
        """
        cleaned_text = clean_text(text)
        text = cleaned_text.strip()
        if is_blank(text):
            return
        self._close_section()
        start = self._append_text(text, separator="\n\n")
        self._add_places(places, start, cleaned_text, text)
        heading_path = () if heading is None else (heading,)
        self._sections.append(
            Section(start, self._text_length, heading_path, True, speaker, said_at, self._mail_ids)
        )
        self._mail_ids = None

    def build(
        self,
        *,
        title: str | None = None,
        metadata: Mapping[str, str] | None = None,
        sections_are_chunks: bool = False,
    ) -> ParsedDocument:
        """Return the document. Raises InvalidInput `empty_document` if nothing was added."""
        self._close_section()
        if not self._sections:
            raise parse_errors.build_empty_document_error()
        cleaned_title = collapse_whitespace(title) if title else ""
        if not any(map(str.isalnum, cleaned_title)):
            # A program wrote "?????" for letters that it could not encode.
            cleaned_title = collapse_whitespace(self.first_heading or "")
        cleaned_metadata = {
            collapse_whitespace(key): collapse_whitespace(value) for key, value in (metadata or {}).items()
        }
        return ParsedDocument(
            "".join(self._text_parts),
            tuple(self._sections),
            cleaned_title or None,
            cleaned_metadata,
            sections_are_chunks,
            places=tuple(self._places),
            left_out=tuple(self._left_out),
        )

    def _name_place_of_next_block(self, noun: str) -> None:
        """Set the place that citations of the next block name: "page 2, section Results" or "table 3"."""
        if not self._sections_are_places or self._aside_name is not None:
            return
        self._block_counts[noun] += not self._headings
        place_parts = [] if self._page_number is None else [f"page {self._page_number}"]
        if self._headings:
            place_parts.append(f"section {self._headings[-1].text}")
        elif self._page_number is None:
            place_parts.append(f"{noun} {self._block_counts[noun]}")
        place = ", ".join(place_parts)
        if place != self._previous_place:
            self.set_next_place(place)
            self._previous_place = place

    def _add_places(self, places: Sequence[Place], start: int, cleaned_text: str, text: str) -> None:
        """Store the places of a text that was appended at `start` without surrounding white space."""
        if places and self._places and self._places[-1].start == start:
            # The places of the lines are more precise than that of the block.
            self._places.pop()
        shift = start - cleaned_text.find(text)
        self._places.extend(Place(max(place.start + shift, start), place.name) for place in places)

    def _append_text(self, text: str, *, separator: str) -> int:
        if self._text_parts:
            self._text_parts.append(separator)
            self._text_length += len(separator)
        start = self._text_length
        if self._current_place is not None:
            self._places.append(Place(start, self._current_place))
            self._current_place = None
        self._text_parts.append(text)
        self._text_length += len(text)
        return start

    def _close_section(self) -> None:
        if self._section_start is not None:
            heading_path = tuple(text for _, text in self._headings)
            self._sections.append(Section(self._section_start, self._text_length, heading_path))
            self._section_start = None
