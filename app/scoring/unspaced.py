"""Scripts that put no spaces between words: there two neighbouring characters are as good as a word; pure."""

import re

UNSPACED = (
    (0x3005, 0x3007),
    (0x3041, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0x20000, 0x3134F),
)
"""First and last code points of ideographs, kana and Hangul: Chinese, Japanese and Korean."""
_RUN = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED) + "]+")


def pairs_of(word: str) -> list[str]:
    """A word as it is, or, where it holds such characters, its pairs of them and what else stands in it."""
    if word.isascii() or not _RUN.search(word):
        return [word]
    found = [part for part in _RUN.split(word) if len(part) > 1]
    for run in _RUN.findall(word):
        found += [run[place : place + 2] for place in range(len(run) - 1)] or [run]
    return found


def count_unspaced(text: str) -> int:
    """How many characters of such scripts a text has."""
    return 0 if text.isascii() else sum(map(len, _RUN.findall(text)))
