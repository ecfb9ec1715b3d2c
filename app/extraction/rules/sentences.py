"""A chunk as sentences, and these as words with their places; a line of its own, such as a heading,
is one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from app.documents.sentences import split_glued_sentences, split_sentences
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.english.lexicon import SUBJECT_VERBS
from app.extraction.rules.english.phrase_patterns import TRIE
from app.extraction.rules.layout import Layout, is_run_of_names, split_by_layout
from app.extraction.rules.tokens import split_words

_LINE_BREAK = re.compile(r"(?<=\S)[^\S\n]*+\n\s*+(?=[^a-z\s])")
# Wrapped prose has longer lines; the last line of a paragraph ends with a stop.
_SHORT_LINE = 60
_LONGER_WORD = re.compile(r"[^\W\d_]{4,}")
_LEAST_TITLE = 4
"""Longer words, at least, of a line of any length that their capitals alone tell to be a heading."""


@dataclass(slots=True)
class Sentence:
    """A sentence as words: `words[i] == text[starts[i]:ends[i]]`, possessive 's a word of its own.

    `outside`: it is no prose but the row of a table, an entry of a list, an address or the like. Names that
    stand nowhere else are no nodes, and nothing is stated.
    """

    start: int
    end: int
    words: list[str]
    lower: list[str]
    starts: list[int]
    ends: list[int]
    outside: bool = False


def _is_unfinished_line(line: str) -> bool:
    """Return whether a line ends with a word that wants another:
    a chunk may begin in the middle of a line."""
    last = line.rsplit(maxsplit=1)[-1]
    return last.islower() and (last in STOP_WORDS or last in SUBJECT_VERBS or last in TRIE)


def _is_title(line: str) -> bool:
    """Return whether all longer words of a line have a capital, and no comma makes a list of them."""
    words = _LONGER_WORD.findall(line)
    return len(words) >= _LEAST_TITLE and "," not in line and all(word[0].isupper() for word in words)


def _split_at_headings(text: str) -> Iterator[tuple[int, int]]:
    """Sentence ranges, cut where a short line without a stop is followed by a capital: a heading."""
    for start, end in split_sentences(text):
        begin = start
        for match in _LINE_BREAK.finditer(text, start, end):
            line = text[begin : match.start()]
            # A sentence that begins near the end of a wrapped line is no heading.
            begins_line = begin == 0 or text[begin - 1] == "\n"
            if (
                begins_line
                and (len(line) <= _SHORT_LINE or _is_title(line))
                and (line[:1] == "#" or line[-1:].isalnum() or line[-1:] in ")|`*")
                and not _is_unfinished_line(line)
            ):
                yield begin, match.start()
                begin = match.end()
        if begin < end:
            yield begin, end


def _split_with_layout(text: str) -> Iterator[tuple[int, int, Layout]]:
    """Sentences with the layout of their lines, without surrounding white space; code is left out."""
    for start, end in _split_at_headings(text):
        for first, last, layout in split_by_layout(text, start, end):
            piece = text[first:last]
            begin, stop = first + len(piece) - len(piece.lstrip()), first + len(piece.rstrip())
            if layout is not Layout.PROSE:
                yield begin, stop, layout
                continue
            for part in split_glued_sentences(text, begin, stop):
                yield *part, layout


# Both passes read every chunk, a batch at a time: the second finds it read.
@lru_cache(maxsize=256)
def read_sentences(text: str) -> tuple[Sentence, ...]:
    """The chunk's sentences as words; a line of its own, such as a heading, is a sentence."""
    sentences: list[Sentence] = []
    for start, end, layout in _split_with_layout(text):
        words, starts, ends = split_words(text, start, end)
        if words:
            lower = [word.lower() for word in words]
            outside = layout is not Layout.PROSE or is_run_of_names(
                words, sum(map(STOP_WORDS.__contains__, lower))
            )
            sentences.append(Sentence(start, end, words, lower, starts, ends, outside))
    return tuple(sentences)
