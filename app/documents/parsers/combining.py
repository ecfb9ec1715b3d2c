"""Limit runs of combining marks before Unicode normalisation, whose time grows with their square.

See CPython issue gh-149079.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from app.limits import MARKS

# No mark is a word character, so every run of marks matches this; most text has no match.
_POSSIBLE_MARK_RUN = re.compile(rf"[^\w\x00-\x7f]{{{MARKS.maximum + 1},}}")
_dropped_mark_counts: ContextVar[list[int] | None] = ContextVar("dropped_marks", default=None)


def limit_combining_marks(text: str) -> str:
    """Return the text with at most 30 combining marks in a row.

    Dropped marks are counted inside `collect_dropped_mark_counts`.
    """
    if text.isascii():
        return text
    return _POSSIBLE_MARK_RUN.sub(_limit_run, text)


def _limit_run(match: re.Match[str]) -> str:
    characters: list[str] = []
    run_length = 0
    for character in match.group():
        run_length = run_length + 1 if unicodedata.category(character)[0] == "M" else 0
        if run_length <= MARKS.maximum:
            characters.append(character)
    dropped_counts = _dropped_mark_counts.get()
    if dropped_counts is not None:
        dropped_counts.append(len(match.group()) - len(characters))
    return "".join(characters)


@contextmanager
def collect_dropped_mark_counts() -> Iterator[list[int]]:
    """Yield a list of the numbers of marks that `limit_combining_marks` drops inside the block."""
    dropped_counts: list[int] = []
    reset_token = _dropped_mark_counts.set(dropped_counts)
    try:
        yield dropped_counts
    finally:
        _dropped_mark_counts.reset(reset_token)
