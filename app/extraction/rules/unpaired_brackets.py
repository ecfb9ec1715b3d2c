"""Unpaired brackets and quotation marks, whose open side is not read."""

import re

_OPENED_BY = {")": "(", "]": "[", "”": "“", "»": "«"}
_CLOSED = re.compile(r"[()\[\]]")
_QUOTED = re.compile("[“”«»]")
_STRAIGHT = re.compile(r"""(?<!['′]\d)(?<!['′]\d\d)\"""")
"""A straight quotation mark, except the inch mark of a measure (6'11")."""
_ENUMERATED = re.compile(r"\W*\w{1,3}[)\]]")
"""The mark of a list entry, "a)", which closes no bracket."""
_PARAGRAPH = "\n\n"


def find_open_range(text: str, start: int, end: int) -> range:
    """Return the range of characters in the sentence `text[start:end]` on the open side of an unpaired mark.

    It extends from an unclosed mark to the end, or from the beginning to an unopened one; a quotation may
    span the sentences of its paragraph. Straight marks do not show which half is missing.
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
    """Return the positions of marks without a partner within these characters, except those inside a pair."""
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
