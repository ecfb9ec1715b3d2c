"""Line layout: only prose states facts; tables, lists, code and navigation do not."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.english.topics import FINITE_VERBS

# Quick test: text without any of these characters is prose.
_NON_PROSE_MARK = re.compile(r"[|{}<>$=\\;»·•\t]| {3}|(?:^|\n)[^\S\n]*(?:[-*+•‣▪–—\[#%]|\d)|--\w|://")
_COMMAND_PROMPT = re.compile(
    r"(?:\$|%|>>>|\.\.\.|In \[\d+\]:|Out\[\d+\]:|PS [A-Z]:\S*>|[A-Z]:\\\S*>"
    r"|[\w.-]+@[\w.-]+[:~ ][^\s]*[$#%])\s"
)
_COMMAND_OPTION = re.compile(r"-{1,2}[A-Za-z][\w-]*(?:[\s=,\[]|$)")
_TEXT_COLUMNS = re.compile(r"\S(?: {4,}|\t+ *)\S|\S {3,}\S.*\S {3,}\S")
_LOG_ENTRY = re.compile(
    r"\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE)\b[:\s\]])"
)
_CODE_STATEMENT = re.compile(
    r"(?:def|class|import|from \S+ import|return|public|private|static|const|let|var|function|func|#include"
    r"|package"
    r"|using|export|SELECT|INSERT INTO|CREATE (?:TABLE|INDEX|EXTENSION|DATABASE)|UPDATE"
    r"|DELETE FROM|ALTER|DROP|GRANT"
    r"|sudo|apt|apt-get|pip|npm|git|docker|kubectl|curl|cd|ls|make|psql|brew)\b"
)
_CODE_MARKS = re.compile(r"[{}();=<>\[\]\\$`]|::|->")
# Brackets and semicolons also occur in prose.
_MARKS_ONLY_OF_CODE = re.compile(r"[{}=<>\\$`]|::|->|\(\)")
_CODE_LINE_END = re.compile(r"[{};]$|\)\s*;?$|=>$|\\$")
_MARKUP_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_NAVIGATION = re.compile(r"\S\s[>»·•/|]\s\S")
_LIST_MARK = re.compile(r"(?:[-*+•‣▪–—]|\d{1,3}[.)]|[A-Za-z][)])\s+(?=\S)")
_ADDRESS = re.compile(
    r"\d{1,5}[A-Za-z]?,? (?:[^\W\d_][\w.'-]* ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr"
    r"|Boulevard|Blvd"
    r"|Way|Square|Place|Court|Suite)\b\.?"
)
SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*$")
_SENTENCE_ENDS = frozenset(".!?…")
_MARK_BETWEEN_ENTRIES = re.compile(r"\s[*•·›»▪]\s")
_MIN_JOINED_ENTRIES = 4
_MIN_LONG_RUN_LENGTH = 30
_WORD = re.compile(r"[^\W\d_]+")


_STATING_VERBS = (
    FINITE_VERBS
    | {
        verb
        for verb, readings in PATTERNS_BY_FIRST_WORD.items()
        if any(not particles and pattern.transitive for particles, pattern in readings)
    }
    # Verbs with which items of a changelog describe what was done.
    | split_into_word_set(
        "added removed dropped deprecated renamed upgraded switched migrated adds removes drops"
    )
)


class Layout(Enum):
    """The kind of a line: prose, entries that state nothing in words, or text for a machine."""

    PROSE = "prose"
    ENTRIES = "entries"
    CODE = "code"


class LayoutRange(NamedTuple):
    """A range of a text whose lines have one layout."""

    start: int
    end: int
    layout: Layout


def split_by_layout(text: str, start: int, end: int) -> Iterator[LayoutRange]:
    """Yield the ranges of `text[start:end]` with their layout, in order; adjacent lines of prose are one
    range.
    """
    if _NON_PROSE_MARK.search(text, max(0, start - 1), end) is None:
        yield LayoutRange(start, end, Layout.PROSE)
        return
    prose_start = start
    line_start = start
    while line_start < end:
        line_end = text.find("\n", line_start, end)
        line_end = end if line_end < 0 else line_end
        # A range that begins within a line is classified as part of that line.
        layout = classify_line(
            text[line_start:line_end], is_whole=line_start == 0 or text[line_start - 1] == "\n"
        )
        if layout is not Layout.PROSE:
            if text[prose_start:line_start].strip():
                yield LayoutRange(prose_start, line_start, Layout.PROSE)
            if layout is Layout.ENTRIES:
                yield LayoutRange(line_start, line_end, layout)
            prose_start = line_end
        line_start = line_end + 1
    if text[prose_start:end].strip():
        yield LayoutRange(prose_start, end, Layout.PROSE)


def classify_line(line: str, *, is_whole: bool = True) -> Layout:
    """Return the layout of one line; `is_whole` is False for a piece that begins inside a line."""
    stripped_line = line.strip()
    if not stripped_line or _NON_PROSE_MARK.search("\n" + line) is None:
        return Layout.PROSE
    if _is_code(stripped_line, line if is_whole else stripped_line):
        return Layout.CODE
    return Layout.ENTRIES if _are_list_entries(stripped_line) else Layout.PROSE


def _is_code(stripped_line: str, line: str) -> bool:
    if (
        _COMMAND_PROMPT.match(stripped_line)
        or _COMMAND_OPTION.match(stripped_line)
        or _LOG_ENTRY.match(stripped_line)
    ):
        return True
    has_full_stop = SENTENCE_END.search(stripped_line) is not None
    if _TEXT_COLUMNS.search(line.strip()) and not (has_full_stop and len(stripped_line) > 80):
        return True
    mark_count = len(_CODE_MARKS.findall(stripped_line))
    if (
        _CODE_STATEMENT.match(stripped_line)
        and not has_full_stop
        and (mark_count or stripped_line[0].islower())
    ):
        return True
    if _MARKUP_TAG.match(stripped_line) or (_CODE_LINE_END.search(stripped_line) and mark_count > 2):
        return True
    return (
        mark_count > 3
        and mark_count > 0.06 * len(stripped_line)
        and not has_full_stop
        and _MARKS_ONLY_OF_CODE.search(stripped_line) is not None
    )


def _are_list_entries(stripped_line: str) -> bool:
    if " | " in stripped_line or stripped_line[0] == "|":
        return True
    has_speech_verb = any(word.lower() in _STATING_VERBS for word in _WORD.findall(stripped_line))
    if has_speech_verb and SENTENCE_END.search(stripped_line) is not None:
        return False
    if len(_NAVIGATION.findall(stripped_line)) > 1:
        return True
    return not has_speech_verb and (
        _LIST_MARK.match(stripped_line) is not None or _ADDRESS.match(stripped_line) is not None
    )


def is_joined_list(text: str, start: int, end: int) -> bool:
    """Return whether the entries of a list are joined in one line: "* Home * About us * News from Oslo *"."""
    return len(_MARK_BETWEEN_ENTRIES.findall(text, start, end)) >= _MIN_JOINED_ENTRIES


def is_run_of_names(words: list[str], small_word_count: int) -> bool:
    """Return whether words are an enumeration without grammar, as in the info boxes beside an article.

    Nearly all words are capitalised and hardly any is a small word (`small_word_count`).
    """
    plain_words = [word for word in words if word[0].isalpha()]
    word_count = len(plain_words)
    if word_count < 10:
        return False
    capital_count = sum(word[0].isupper() for word in plain_words)
    if (
        words[-1] not in _SENTENCE_ENDS
        and small_word_count < 0.08 * word_count
        and capital_count > 0.6 * word_count
    ):
        return True
    # The joined rows of a table contain an occasional "of" or full stop, and hardly a comma.
    if (
        word_count < _MIN_LONG_RUN_LENGTH
        or small_word_count > 0.16 * word_count
        or capital_count < 0.65 * word_count
    ):
        return False
    comma_count = words.count(",") + words.count(";")
    return words[-1] not in _SENTENCE_ENDS or (
        comma_count < 0.02 * word_count and capital_count > 0.75 * word_count
    )
