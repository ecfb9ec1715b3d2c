"""How far a word as somebody typed it is from a name that is known, as slips of typing go; pure."""

import unicodedata

_VOWELS = frozenset("aeiouy")
_ALIKE = tuple(map(frozenset, ("ckqgx", "szc", "dt", "mn", "bpv", "fvp", "ij")))
_EXACT_BELOW, _LONG = 5, 8
"""Letters below which a word has to be right, and from which two slips are forgiven instead of one."""
_SMALL, _ONE, _LARGE = 0.5, 1.0, 1.5
_MOST = 2.5


def misspelling(asked: str, name: str) -> float | None:
    """The cost of the slips that make the normalised `name` into `asked`, 0 to 2.5; None for another name.

    Word by word: a vowel, a doubled letter or two letters in each other's place cost half of what a consonant
    does, so that "Micheal Stonbraker" is Michael Stonebraker and Slovenia not Slovakia. Numbers have to be
    the same, short words as well. Accents count nothing.
    """
    ours, theirs = _unmarked(asked).split(), _unmarked(name).split()
    if len(ours) != len(theirs):
        return None
    total = 0.0
    for one, other in zip(ours, theirs, strict=True):
        cost = 0.0 if one == other else _cost(one, other)
        if cost > _limit(one, other):
            return None
        total += cost
    return total if total <= _MOST else None


def _unmarked(text: str) -> str:
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(each for each in apart if not unicodedata.combining(each))


def _limit(one: str, other: str) -> float:
    letters = min(len(one), len(other))
    if letters < _EXACT_BELOW or not (one.isalpha() and other.isalpha()):
        return 0.0
    if letters == _EXACT_BELOW:
        return _SMALL
    return _ONE if letters < _LONG else _LARGE


def _cost(one: str, other: str) -> float:
    """Weighted distance of optimal string alignment; words of very unlike lengths are far."""
    if abs(len(one) - len(other)) > 3:
        return float("inf")
    before: list[float] = []
    row = [0.0]
    for place in range(len(other)):
        row.append(row[-1] + _added(other, place))
    for place, letter in enumerate(one):
        last, before, row = before, row, [row[0] + _added(one, place)]
        for at, wanted in enumerate(other):
            best = min(
                before[at] + (0.0 if letter == wanted else _changed(letter, wanted)),
                before[at + 1] + _added(one, place),
                row[at] + _added(other, at),
            )
            if place and at and letter == other[at - 1] and one[place - 1] == wanted and letter != wanted:
                best = min(best, last[at - 1] + _SMALL)
            row.append(best)
    return row[-1]


def _added(word: str, place: int) -> float:
    letter = word[place]
    doubled = place > 0 and word[place - 1] == letter
    return _SMALL if letter in _VOWELS or doubled or letter == "h" else _ONE


def _changed(letter: str, wanted: str) -> float:
    if letter in _VOWELS and wanted in _VOWELS:
        return _SMALL
    return _ONE if any(letter in each and wanted in each for each in _ALIKE) else _LARGE
