"""Characters of Chinese origin as simplified ones, by the tables of OpenCC (Apache License 2.0)."""

from functools import cache
from importlib import resources


def _pairs(table: str) -> dict[str, str]:
    """The pairs of two different characters in a table of OpenCC, the first of several forms."""
    path = resources.files("opencc") / "dictionary" / f"{table}.txt"
    rows = [line.split() for line in path.read_text("utf-8").splitlines() if line.strip()]
    return {row[0]: row[1] for row in rows if len(row[0]) == len(row[1]) == 1 and row[0] != row[1]}


@cache
def simplified_characters() -> tuple[str, str]:
    """Characters that have a simplified form in Chinese, and these forms, in the same order."""
    pairs = _pairs("TSCharacters")
    return "".join(pairs), "".join(pairs.values())


@cache
def simplified_characters_of_japanese() -> tuple[str, str]:
    """The same, with the forms that Japanese writes since its own reform."""
    pairs = _pairs("TSCharacters")
    pairs |= {new: pairs.get(old, old) for old, new in _pairs("JPVariants").items() if new not in pairs}
    return "".join(pairs), "".join(pairs.values())


@cache
def _to_simplified() -> dict[int, int]:
    return str.maketrans(*simplified_characters())


def simplify(text: str) -> str:
    """Return the text with simplified characters for traditional ones, each at its position."""
    return text.translate(_to_simplified())
