"""Find the text on the open side of an unpaired bracket or quotation mark, which is not extracted from."""

import re

_OPENED_BY = {")": "(", "]": "[", "”": "“", "»": "«"}
_BRACKETS = re.compile(r"[()\[\]]")
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
    unpaired_positions = [
        *_list_unpaired(_BRACKETS, text, enumerated.end() if enumerated else start, end),
        *(mark for mark in _list_unpaired(_QUOTED, text, first, last) if start <= mark < end),
    ]
    if not unpaired_positions:
        return range(0)
    unopened = [mark for mark in unpaired_positions if text[mark] in _OPENED_BY]
    unclosed = [mark for mark in unpaired_positions if text[mark] not in _OPENED_BY]
    return range(start if unopened else min(unclosed), end if unclosed else max(unopened) + 1)


def _list_unpaired(marks: re.Pattern[str], text: str, start: int, end: int) -> list[int]:
    """Return the positions of marks without a partner within these characters, except those inside a pair."""
    open_positions: list[int] = []
    unpaired_positions: list[int] = []
    for match in marks.finditer(text, start, end):
        opening = _OPENED_BY.get(match[0])
        if opening is None:
            open_positions.append(match.start())
        elif open_positions and text[open_positions[-1]] == opening:
            pair = open_positions.pop()
            unpaired_positions = [mark for mark in unpaired_positions if mark < pair]
        else:
            unpaired_positions.append(match.start())
    return [*unpaired_positions, *open_positions]
