"""Find the text on the open side of an unpaired bracket or quotation mark, which is not extracted from."""

import re

_OPENING_BRACKET_BY_CLOSING = {")": "(", "]": "[", "”": "“", "»": "«"}
_BRACKETS = re.compile(r"[()\[\]]")
_QUOTATION_MARKS = re.compile("[“”«»]")
_STRAIGHT_QUOTE = re.compile(r"""(?<!['′]\d)(?<!['′]\d\d)\"""")
"""A straight quotation mark, except the inch mark of a measure (6'11")."""
_LIST_MARK = re.compile(r"\W*\w{1,3}[)\]]")
"""The mark of a list entry, "a)", which closes no bracket."""
_PARAGRAPH = "\n\n"


def find_range_of_unpaired_bracket(text: str, start: int, end: int) -> range:
    """Return the range of characters in the sentence `text[start:end]` on the open side of an unpaired mark.

    It extends from an unclosed mark to the end, or from the beginning to an unopened one; a quotation may
    span the sentences of its paragraph. Straight marks do not show which half is missing.
    """
    paragraph_start = text.rfind(_PARAGRAPH, 0, start) + 1
    paragraph_end = text.find(_PARAGRAPH, end)
    paragraph_end = len(text) if paragraph_end < 0 else paragraph_end
    if all(
        len(_STRAIGHT_QUOTE.findall(text, *bounds)) % 2
        for bounds in ((start, end), (paragraph_start, paragraph_end))
    ):
        return range(start, end)
    enumeration = _LIST_MARK.match(text, start, end)
    unpaired_positions = [
        *_list_unpaired(_BRACKETS, text, enumeration.end() if enumeration else start, end),
        *(
            position
            for position in _list_unpaired(_QUOTATION_MARKS, text, paragraph_start, paragraph_end)
            if start <= position < end
        ),
    ]
    if not unpaired_positions:
        return range(0)
    unopened_positions = [
        position for position in unpaired_positions if text[position] in _OPENING_BRACKET_BY_CLOSING
    ]
    unclosed_positions = [
        position for position in unpaired_positions if text[position] not in _OPENING_BRACKET_BY_CLOSING
    ]
    return range(
        start if unopened_positions else min(unclosed_positions),
        end if unclosed_positions else max(unopened_positions) + 1,
    )


def _list_unpaired(mark_pattern: re.Pattern[str], text: str, start: int, end: int) -> list[int]:
    """Return the positions of marks without a partner within these characters, except those inside a pair."""
    open_positions: list[int] = []
    unpaired_positions: list[int] = []
    for match in mark_pattern.finditer(text, start, end):
        opening_bracket = _OPENING_BRACKET_BY_CLOSING.get(match[0])
        if opening_bracket is None:
            open_positions.append(match.start())
        elif open_positions and text[open_positions[-1]] == opening_bracket:
            opening_position = open_positions.pop()
            unpaired_positions = [position for position in unpaired_positions if position < opening_position]
        else:
            unpaired_positions.append(match.start())
    return [*unpaired_positions, *open_positions]
