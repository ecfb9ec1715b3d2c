"""Putting a parsed document together: one clean text, and the sections that point into it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from app.documents.parsers import faults
from app.documents.parsers.combining import cap_marks
from app.documents.shapes import ParsedDocument, Place, Section
from app.number_words import pluralise

_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile(
    "[\\s\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u00ad\u034f\u061c\u180e\ufeff]*"
)
# A longer "heading" is prose that somebody made bold: it would be repeated on every chunk.
_LONGEST_HEADING = 300


def clean_text(text: str) -> str:
    """The text in NFC with \\n line ends, without control characters and with at most 30 marks in a row.

    A NUL or a lone surrogate raises InvalidInput `invalid_character`.
    """
    if _SURROGATES.search(text):
        raise faults.invalid_character("a lone surrogate")
    if "\x00" in text:
        raise faults.invalid_character("a NUL character")
    # After the controls: two runs of marks with one between them are one run once it has gone.
    text = cap_marks(_CONTROLS.sub("", _LINE_BREAKS.sub("\n", text)))
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def scrub(text: str) -> str:
    """The text without what `clean_text` refuses, for formats whose author cannot see such faults."""
    return _SURROGATES.sub("\ufffd", text).replace("\x00", "")


def collapse_whitespace(text: str) -> str:
    """The text with every run of white space as one space, as titles and headings are kept."""
    return " ".join(clean_text(text).split())


def is_blank(text: str) -> bool:
    """Return whether the text holds nothing but white space and characters without width."""
    return _INVISIBLE.fullmatch(text) is not None


class Assembly:
    """Blocks in reading order, separated by a blank line, gathered under their headings.

    With `sections_are_places` it says itself where in the file a block stands: below which heading, without
    one the how many-th paragraph or table it is, and on which page where `page` was told.
    """

    def __init__(self, *, sections_are_places: bool = False) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._sections: list[Section] = []
        self._open_at: int | None = None
        self._headings: list[tuple[int, str]] = []
        self._in_list = False
        self._places: list[Place] = []
        self._place: str | None = None
        self._sections_are_places = sections_are_places
        self._page: int | None = None
        self._apart: str | None = None
        self._last_place: str | None = None
        self._block_counts: Counter[str] = Counter()
        self._left_out: list[str] = []
        # Names the document where nothing else does.
        self.first_heading: str | None = None

    def set_place(self, name: str) -> None:
        """Say where in the file that stands which is added next."""
        self._place = collapse_whitespace(name)

    def set_page(self, number: int) -> None:
        """Say on which page that begins which is added next."""
        self._page = number

    def begin_aside(self, name: str) -> None:
        """Say that what is added from here on stands beside the text, below none of its headings."""
        self._close_section()
        self._headings.clear()
        self._in_list = False
        self._apart = self._last_place = name
        self.set_place(name)

    def note_omission(self, sentence: str) -> None:
        """Name something of the file that is no part of the text."""
        self._left_out.append(sentence)

    def note_unread(self, noun: str, count: int) -> None:
        """Say of how many pictures or the like nothing is read, if there are any."""
        if count:
            pronoun = "it" if count == 1 else "them"
            self.note_omission(f"{pluralise(count, noun)}: of {pronoun} no text is read.")

    def add_heading(self, level: int, text: str) -> None:
        """Open a section; headings of the same or a deeper level are closed by it."""
        line = collapse_whitespace(text)
        if not line or is_blank(line):
            return
        if len(line) > _LONGEST_HEADING:
            self.add_block(line)
            return
        self._close_section()
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, line))
        self._place_block("paragraph")
        self.first_heading = self.first_heading or line
        self._open_at = self._append(line, separator="\n\n")
        self._in_list = False

    def add_block(
        self,
        text: str,
        *,
        list_item: bool = False,
        noun: Literal["paragraph", "table", "text box", "chart", "picture"] = "paragraph",
        places: Sequence[Place] = (),
    ) -> None:
        """Add a paragraph, a table or, after a single line break, one item of a list.

        `places` count from the beginning of a text that is clean already.
        """
        cleaned = clean_text(text)
        text = cleaned.strip("\n").rstrip()
        if is_blank(text):
            return
        self._place_block(noun)
        separator = "\n" if list_item and self._in_list else "\n\n"
        start = self._append(text, separator=separator)
        self._add_places(places, start, cleaned, text)
        if self._open_at is None:
            self._open_at = start
        self._in_list = list_item

    def add_indivisible(
        self,
        text: str,
        *,
        heading: str | None = None,
        speaker: str | None = None,
        said_at: datetime | None = None,
        places: Sequence[Place] = (),
    ) -> None:
        """Add a record or a turn as a section of its own; a blank one is left out.

        `places` count from the beginning of a text that is clean already.
        """
        cleaned = clean_text(text)
        text = cleaned.strip()
        if is_blank(text):
            return
        self._close_section()
        start = self._append(text, separator="\n\n")
        self._add_places(places, start, cleaned, text)
        path = () if heading is None else (heading,)
        self._sections.append(Section(start, self._length, path, True, speaker, said_at))

    def build(
        self,
        *,
        title: str | None = None,
        metadata: Mapping[str, str] | None = None,
        sections_are_chunks: bool = False,
    ) -> ParsedDocument:
        """The document; raises InvalidInput `empty_document` where nothing was added."""
        self._close_section()
        if not self._sections:
            raise faults.empty_document()
        cleaned = collapse_whitespace(title) if title else ""
        if not any(map(str.isalnum, cleaned)):
            # What a program wrote for letters that it did not have: "?????".
            cleaned = collapse_whitespace(self.first_heading or "")
        entries = {
            collapse_whitespace(key): collapse_whitespace(value) for key, value in (metadata or {}).items()
        }
        return ParsedDocument(
            "".join(self._parts),
            tuple(self._sections),
            cleaned or None,
            entries,
            sections_are_chunks,
            places=tuple(self._places),
            left_out=tuple(self._left_out),
        )

    def _place_block(self, noun: str) -> None:
        if not self._sections_are_places or self._apart is not None:
            return
        self._block_counts[noun] += not self._headings
        parts = [] if self._page is None else [f"page {self._page}"]
        if self._headings:
            parts.append(f"section {self._headings[-1][1]}")
        elif self._page is None:
            parts.append(f"{noun} {self._block_counts[noun]}")
        place = ", ".join(parts)
        if place != self._last_place:
            self.set_place(place)
            self._last_place = place

    def _add_places(self, places: Sequence[Place], start: int, cleaned: str, text: str) -> None:
        """Keep the places of a text that was appended at `start` without the white space around it."""
        if places and self._places and self._places[-1].start == start:
            # Where each of its lines stands says more than where its block begins.
            self._places.pop()
        shift = start - cleaned.find(text)
        self._places.extend(Place(max(place.start + shift, start), place.name) for place in places)

    def _append(self, text: str, *, separator: str) -> int:
        if self._parts:
            self._parts.append(separator)
            self._length += len(separator)
        start = self._length
        if self._place is not None:
            self._places.append(Place(start, self._place))
            self._place = None
        self._parts.append(text)
        self._length += len(text)
        return start

    def _close_section(self) -> None:
        if self._open_at is not None:
            path = tuple(text for _, text in self._headings)
            self._sections.append(Section(self._open_at, self._length, path))
            self._open_at = None
