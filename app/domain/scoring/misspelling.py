"""Estimate how likely a typed word is a misspelling of a known name; pure."""

from app.domain.scoring.letters import replace_by_base_letters

_VOWELS = frozenset("aeiouy")
_SIMILAR_LETTERS = tuple(map(frozenset, ("ckqgx", "szc", "dt", "mn", "bpv", "fvp", "ij")))
_MIN_FUZZY_LENGTH, _MIN_TWO_ERROR_LENGTH = 5, 8
"""Length of a word below which it must match exactly, and from which two errors are allowed."""
_SMALL_COST, _UNIT_COST, _LARGE_COST = 0.5, 1.0, 1.5
_MAX_COST = 2.5


def compute_misspelling_cost(query: str, name: str) -> float | None:
    """Return the cost, 0 to 2.5, of the errors that turn `name` into `query`, both normalised, or None.

    Words are compared one by one: a vowel, a doubled letter or two transposed letters cost half as much as a
    consonant, so that "Micheal Stonbraker" is Michael Stonebraker but Slovenia is not Slovakia. Numbers and
    short words must match exactly. Accents are ignored.
    """
    query_words, name_words = replace_by_base_letters(query).split(), replace_by_base_letters(name).split()
    if len(query_words) != len(name_words):
        return None
    total_cost = 0.0
    for query_word, name_word in zip(query_words, name_words, strict=True):
        cost = 0.0 if query_word == name_word else _compute_weighted_edit_distance(query_word, name_word)
        if cost > _compute_highest_cost_allowed(query_word, name_word):
            return None
        total_cost += cost
    return total_cost if total_cost <= _MAX_COST else None


def _compute_highest_cost_allowed(query_word: str, name_word: str) -> float:
    letter_count = min(len(query_word), len(name_word))
    if letter_count < _MIN_FUZZY_LENGTH or not (query_word.isalpha() and name_word.isalpha()):
        return 0.0
    if letter_count == _MIN_FUZZY_LENGTH:
        return _SMALL_COST
    return _UNIT_COST if letter_count < _MIN_TWO_ERROR_LENGTH else _LARGE_COST


def _compute_weighted_edit_distance(query_word: str, name_word: str) -> float:
    """Return the weighted optimal string alignment distance; infinite for very different lengths."""
    if abs(len(query_word) - len(name_word)) > 3:
        return float("inf")
    previous_row: list[float] = []
    row = [0.0]
    for name_index in range(len(name_word)):
        row.append(row[-1] + _compute_insertion_cost(name_word, name_index))
    for query_index, letter in enumerate(query_word):
        row_before_previous, previous_row, row = (
            previous_row,
            row,
            [row[0] + _compute_insertion_cost(query_word, query_index)],
        )
        for name_index, name_letter in enumerate(name_word):
            min_cost = min(
                previous_row[name_index]
                + (0.0 if letter == name_letter else _compute_substitution_cost(letter, name_letter)),
                previous_row[name_index + 1] + _compute_insertion_cost(query_word, query_index),
                row[name_index] + _compute_insertion_cost(name_word, name_index),
            )
            is_transposed = (
                query_index > 0
                and name_index > 0
                and letter == name_word[name_index - 1]
                and query_word[query_index - 1] == name_letter
            )
            if is_transposed and letter != name_letter:
                min_cost = min(min_cost, row_before_previous[name_index - 1] + _SMALL_COST)
            row.append(min_cost)
    return row[-1]


def _compute_insertion_cost(word: str, index: int) -> float:
    letter = word[index]
    is_doubled = index > 0 and word[index - 1] == letter
    return _SMALL_COST if letter in _VOWELS or is_doubled or letter == "h" else _UNIT_COST


def _compute_substitution_cost(letter: str, other_letter: str) -> float:
    if letter in _VOWELS and other_letter in _VOWELS:
        return _SMALL_COST
    return (
        _UNIT_COST
        if any(
            letter in alike_letters and other_letter in alike_letters for alike_letters in _SIMILAR_LETTERS
        )
        else _LARGE_COST
    )
