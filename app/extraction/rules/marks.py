"""Brackets and quotation marks of which the other half is missing: what they leave open is not understood."""

import re

_OPENED_BY = {")": "(", "]": "[", "”": "“", "»": "«"}
_CLOSED = re.compile(r"[()\[\]]")
_QUOTED = re.compile("[“”«»]")
_STRAIGHT = re.compile(r"""(?<!['′]\d)(?<!['′]\d\d)\"""")
"""Behind a measure it opens and closes nothing: 6'11"."""
_ENUMERATED = re.compile(r"\W*\w{1,3}[)\]]")
"""The mark of an entry, "a)", which closes nothing."""
_PARAGRAPH = "\n\n"


def find_open_range(text: str, start: int, end: int) -> range:
    """The characters of a sentence, `text[start:end]`, on the open side of a mark without its other half.

    They reach from what is not closed to the end, and from the beginning to what was not opened; a quotation
    may go on over the sentences of its paragraph. Of straight marks nothing says which one is missing.
    """
    first = text.rfind(_PARAGRAPH, 0, start) + 1
    last = text.find(_PARAGRAPH, end)
    last = len(text) if last < 0 else last
    if all(len(_STRAIGHT.findall(text, *places)) % 2 for places in ((start, end), (first, last))):
        return range(start, end)
    enumerated = _ENUMERATED.match(text, start, end)
    alone = [
        *_list_alone(_CLOSED, text, enumerated.end() if enumerated else start, end),
        *(mark for mark in _list_alone(_QUOTED, text, first, last) if start <= mark < end),
    ]
    if not alone:
        return range(0)
    unopened = [mark for mark in alone if text[mark] in _OPENED_BY]
    unclosed = [mark for mark in alone if text[mark] not in _OPENED_BY]
    return range(start if unopened else min(unclosed), end if unclosed else max(unopened) + 1)


def _list_alone(marks: re.Pattern[str], text: str, start: int, end: int) -> list[int]:
    """Where the marks stand that have no other half within these characters, nor are within a pair."""
    opened: list[int] = []
    alone: list[int] = []
    for match in marks.finditer(text, start, end):
        opening = _OPENED_BY.get(match[0])
        if opening is None:
            opened.append(match.start())
        elif opened and text[opened[-1]] == opening:
            pair = opened.pop()
            alone = [mark for mark in alone if mark < pair]
        else:
            alone.append(match.start())
    return [*alone, *opened]
