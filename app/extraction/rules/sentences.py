"""Split a chunk into sentences, and these into words with positions; a line of its own, such as a heading, is
a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from app.documents.sentences import match_field_line, split_glued_sentences, split_sentences
from app.domain.char_range import CharRange
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.english.lexicon import SUBJECT_VERBS
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.line_layout import Layout, is_joined_list, is_run_of_names, split_by_layout
from app.extraction.rules.tokens import split_words

_NEWLINE = re.compile("\n")
_LINE_BREAK = re.compile(r"(?<=\S)[^\S\n]*+\n\s*+(?=[^a-z\s])")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_BREAK_OF_CONTINUED_LINE = re.compile(r"(?<=[^\s.!?:;])[^\S\n]*+\n[^\S\n]*+(?=\S)")
_MIN_CONTINUED_LINES = 2
"""Minimum number of lines that go on in small letters on the next one in wrapped prose."""
# Lines of wrapped prose are longer; the last line of a paragraph ends with a full stop.
_MAX_HEADING_LENGTH = 60
_VISIBLE_WORD = re.compile(r"\S+")
_LONGER_WORD = re.compile(r"[^\W\d_]{4,}")
_MIN_TITLE_WORDS = 4
"""Minimum number of longer words in a line of any length that is recognised as a heading by its capitals
alone.
"""


@dataclass(slots=True)
class Sentence:
    """A sentence as words: `words[i] == text[starts[i]:ends[i]]`; a possessive 's is a separate word.

    `is_outside_prose`: the sentence is not prose but a table row, a list entry, an address or the like. Names
    that occur only there are no nodes, and nothing is stated.
    """

    start: int
    end: int
    words: list[str]
    lower: list[str]
    starts: list[int]
    ends: list[int]
    is_outside_prose: bool = False


def _does_line_require_next_word(line: str) -> bool:
    """Return whether a line ends with a word that requires another one; a chunk may begin in the middle of a
    line.
    """
    last_word = line.rsplit(maxsplit=1)[-1]
    return last_word.islower() and (
        last_word in STOP_WORDS or last_word in SUBJECT_VERBS or last_word in PATTERNS_BY_FIRST_WORD
    )


def _are_longer_words_of_line_capitalised(line: str) -> bool:
    """Return whether all longer words of a line are capitalised and it is not a comma-separated list."""
    words = _LONGER_WORD.findall(line)
    return len(words) >= _MIN_TITLE_WORDS and "," not in line and all(word[0].isupper() for word in words)


def _measure_width(text: str, start: int, end: int) -> int:
    """Return the length of the longest line that a sentence touches."""
    first_line_start, last_line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    lines = text[first_line_start : last_line_end if last_line_end >= 0 else len(text)].split("\n")
    return max(map(len, lines))


def _has_room_for_next_word(text: str, line_break: re.Match[str], width: int) -> bool:
    """Return whether a line is not wrapped, because the word after it fits on it too: an item of a menu, a
    caption, a heading in the middle.
    """
    line_start = text.rfind("\n", 0, line_break.start()) + 1
    next_word = _VISIBLE_WORD.match(text, line_break.end())
    next_length = 0 if next_word is None else next_word.end() - next_word.start()
    return line_break.start() - line_start + 1 + next_length <= width


def _find_wrapping_width(text: str, start: int, end: int) -> int | None:
    """Return the width to which the lines around a sentence are wrapped, up to the next blank lines: the
    length of the second longest one that goes on in small letters, as the longest may be indented. None if
    fewer than `_MIN_CONTINUED_LINES` do, as in a menu.
    """
    block_start = max((match.end() for match in _BLANK_LINE.finditer(text, 0, start)), default=0)
    next_blank_line = _BLANK_LINE.search(text, end)
    block_end = next_blank_line.start() if next_blank_line else len(text)
    lengths = sorted(
        line_break.start() - (text.rfind("\n", 0, line_break.start()) + 1)
        for line_break in _BREAK_OF_CONTINUED_LINE.finditer(text, block_start, block_end)
        if text[line_break.end()].islower()
    )
    return lengths[-2] if len(lengths) >= _MIN_CONTINUED_LINES else None


class _FieldOrText(NamedTuple):
    """The range of a field's line, or of text between such lines."""

    start: int
    end: int
    is_field: bool


def _split_at_fields(text: str, start: int, end: int) -> Iterator[_FieldOrText]:
    """Yield each line of two or more fields in a row by itself, and the text between.

    The label of a field opens it, so that it is not taken for a name within a sentence.
    """
    line_ends = [match.start() for match in _NEWLINE.finditer(text, start, end)]
    line_ranges = list(
        zip([start, *(line_end + 1 for line_end in line_ends)], [*line_ends, end], strict=True)
    )
    field_flags = (
        [match_field_line(text, *line_range) is not None for line_range in line_ranges]
        if line_ends
        else [False]
    )
    pending_start = start
    for index, (line_start, line_end) in enumerate(line_ranges):
        if field_flags[index] and any(
            field_flags[max(index - 1, 0) : index] + field_flags[index + 1 : index + 2]
        ):
            if pending_start < line_start:
                yield _FieldOrText(pending_start, line_start, is_field=False)
            yield _FieldOrText(line_start, line_end, is_field=True)
            pending_start = line_end + 1
    if pending_start < end:
        yield _FieldOrText(pending_start, end, is_field=False)


def _split_at_headings_and_fields(text: str) -> Iterator[CharRange]:
    """Yield sentence ranges, split at headings, which are short lines without a full stop, followed by a
    capital, and between fields.
    """
    for sentence_start, sentence_end in split_sentences(text):
        for start, end, is_field in _split_at_fields(text, sentence_start, sentence_end):
            pending_start = start
            line_breaks = [] if is_field else list(_LINE_BREAK.finditer(text, start, end))
            wrapping_width = _find_wrapping_width(text, start, end) if line_breaks else None
            width = wrapping_width or (_measure_width(text, start, end) if line_breaks else 0)
            for match in line_breaks:
                line = text[pending_start : match.start()]
                # A sentence that begins near the end of a wrapped line is not a heading.
                begins_line = pending_start == 0 or text[pending_start - 1] == "\n"
                is_heading = (
                    begins_line
                    and wrapping_width is None
                    and (len(line) <= _MAX_HEADING_LENGTH or _are_longer_words_of_line_capitalised(line))
                )
                if (
                    (is_heading or _has_room_for_next_word(text, match, width))
                    and (line[:1] == "#" or line[-1:].isalnum() or line[-1:] in ")|`*")
                    and not _does_line_require_next_word(line)
                ):
                    yield pending_start, match.start()
                    pending_start = match.end()
            if pending_start < end:
                yield pending_start, end


class _SentenceRange(NamedTuple):
    """The range of a sentence and the layout of its lines."""

    start: int
    end: int
    layout: Layout


def _split_into_sentences_with_layout(text: str) -> Iterator[_SentenceRange]:
    """Yield sentences with the layout of their lines, without surrounding white space; code is omitted."""
    for start, end in _split_at_headings_and_fields(text):
        for part_start, part_end, layout in split_by_layout(text, start, end):
            part_text = text[part_start:part_end]
            stripped_start, stripped_end = (
                part_start + len(part_text) - len(part_text.lstrip()),
                part_start + len(part_text.rstrip()),
            )
            if layout is not Layout.PROSE:
                yield _SentenceRange(stripped_start, stripped_end, layout)
                continue
            for sentence_range in split_glued_sentences(text, stripped_start, stripped_end):
                yield _SentenceRange(*sentence_range, layout)


# Both passes read every chunk of a batch; the second one hits the cache.
@lru_cache(maxsize=256)
def read_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the chunk's sentences as words; a line of its own, such as a heading, is a sentence."""
    sentences: list[Sentence] = []
    for start, end, layout in _split_into_sentences_with_layout(text):
        words, starts, ends = split_words(text, start, end, is_prose=layout is Layout.PROSE)
        if words:
            lower_words = [word.lower() for word in words]
            is_outside_prose = (
                layout is not Layout.PROSE
                or is_joined_list(text, start, end)
                or is_run_of_names(words, sum(map(STOP_WORDS.__contains__, lower_words)))
            )
            sentences.append(Sentence(start, end, words, lower_words, starts, ends, is_outside_prose))
    return tuple(sentences)
