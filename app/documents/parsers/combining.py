"""Runs of combining marks, cut before Unicode normalisation, whose time grows with their square (CPython
gh-149079).
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from app.limits import MARKS

# No mark is a word character, so every run of marks lies inside one of these; most text has none.
_CANDIDATE = re.compile(rf"[^\w\x00-\x7f]{{{MARKS.most + 1},}}")
_dropped: ContextVar[list[int] | None] = ContextVar("dropped_marks", default=None)


def cap_marks(text: str) -> str:
    """The text with at most 30 combining marks in a row; the others are left out, and counted (see
    `counted`).
    """
    if text.isascii():
        return text
    return _CANDIDATE.sub(_cap_run, text)


def _cap_run(match: re.Match[str]) -> str:
    characters: list[str] = []
    run = 0
    for character in match.group():
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        if run <= MARKS.most:
            characters.append(character)
    dropped_marks = _dropped.get()
    if dropped_marks is not None:
        dropped_marks.append(len(match.group()) - len(characters))
    return "".join(characters)


@contextmanager
def count_dropped_marks() -> Iterator[list[int]]:
    """Gather how many marks `cap_marks` leaves out inside the block."""
    dropped_marks: list[int] = []
    token = _dropped.set(dropped_marks)
    try:
        yield dropped_marks
    finally:
        _dropped.reset(token)
