"""A word, or a character of an unspaced script, as rows of hashed embedding tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from app.domain.char_range import CharRange
from app.extraction.reader.tokens import (
    list_character_and_space_ranges,
    list_spaced_word_ranges,
    list_unit_ranges,
    list_word_ranges_of_text,
)

_MAX_RUN_LENGTH = 4
"""Maximum length of a run of one character class in a shape: "Xxxxx" is a capital and lower-case letters."""
_MAX_SHAPE_LENGTH = 40
_MAX_WORD_LENGTH = 100


@dataclass(frozen=True, slots=True)
class Table:
    """One embedding table: a feature's name and the number of rows to which its values are hashed."""

    name: str
    row_count: int
    hash_count: int = 1
    """Number of rows added for one value: two separate values that share one of them."""

    def iter_rows_of_value(self, value: str) -> Iterator[int]:
        """Yield the rows of a value."""
        for hash_number in range(self.hash_count):
            yield crc32(f"{self.name}{hash_number}={value}".encode()) % self.row_count


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """The tables of a network, in the order of its weights, and the row look-up of a sentence."""

    tables: tuple[Table, ...]
    lookup: Callable[[Sequence[str]], list[tuple[int, ...]]]
    tokens: Callable[[str, int, int], list[CharRange]]
    """Splits a range of text into the tokens to look up."""

    @property
    def rows_per_word(self) -> int:
        """Return the number of rows that one word looks up."""
        return sum(table.hash_count for table in self.tables)

    def list_rows_of_words(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Return the rows of each word of a sentence: len(words) × columns."""
        return np.array(self.lookup(words), dtype=np.intp).reshape(len(words), self.rows_per_word)


def describe_word_shape(word: str) -> str:
    """Return the classes of a word's characters, with runs of at most four: "Xxxxx", "d.d", "XxX"."""
    shape: list[str] = []
    last_class, run_length = "", 0
    for character in word[:_MAX_SHAPE_LENGTH]:
        if character.isupper():
            character_class = "X"
        elif character.isalpha():
            character_class = "x"
        elif character.isdigit():
            character_class = "d"
        else:
            character_class = character
        run_length = run_length + 1 if character_class == last_class else 1
        last_class = character_class
        if run_length <= _MAX_RUN_LENGTH:
            shape.append(character_class)
    return "".join(shape)


def _get_unicode_block(character: str) -> str:
    """Return the Unicode block of a unit of an unspaced script, 256 code points wide."""
    return f"{ord(character[0]) >> 8:x}"


def _build_word_tables(form_row_count: int, part_row_count: int) -> tuple[Table, ...]:
    return (
        Table("form", form_row_count, hash_count=2),
        Table("prefix", part_row_count // 2),
        Table("suffix3", part_row_count),
        Table("suffix4", part_row_count),
        Table("shape", 1_000),
    )


def _build_word_features(
    tables: tuple[Table, ...], tokens: Callable[[str, int, int], list[CharRange]]
) -> FeatureSet:
    @lru_cache(maxsize=100_000)
    def rows_of(word: str) -> tuple[int, ...]:
        lower_word = word[:_MAX_WORD_LENGTH].lower()
        feature_values = (
            lower_word,
            lower_word[:2],
            lower_word[-3:],
            lower_word[-4:],
            describe_word_shape(word),
        )
        return tuple(
            row
            for table, feature_value in zip(tables, feature_values, strict=True)
            for row in table.iter_rows_of_value(feature_value)
        )

    return FeatureSet(tables, lambda words: list(map(rows_of, words)), tokens)


def _build_character_features(
    tables: tuple[Table, ...], tokens: Callable[[str, int, int], list[CharRange]]
) -> FeatureSet:
    @lru_cache(maxsize=100_000)
    def rows_of(column: int, value: str) -> tuple[int, ...]:
        return tuple(tables[column].iter_rows_of_value(value))

    def lookup(units: Sequence[str]) -> list[tuple[int, ...]]:
        padded_units = ["", *units, ""]
        rows_by_unit = []
        for previous_unit, unit, next_unit in zip(padded_units, units, padded_units[2:], strict=False):
            unit_class = describe_word_shape(unit) if unit.isascii() else _get_unicode_block(unit)
            feature_values = (
                unit[:_MAX_WORD_LENGTH],
                (previous_unit + unit)[:_MAX_WORD_LENGTH],
                (unit + next_unit)[:_MAX_WORD_LENGTH],
                unit_class,
            )
            rows_by_unit.append(
                tuple(row for column, value in enumerate(feature_values) for row in rows_of(column, value))
            )
        return rows_by_unit

    return FeatureSet(tables, lookup, tokens)


_CHARACTER_TABLES = (
    Table("unit", 4_000, hash_count=2),
    Table("before", 8_000),
    Table("after", 8_000),
    Table("kind", 500),
)

FEATURES = {
    "words": _build_word_features(_build_word_tables(10_000, 4_000), list_word_ranges_of_text),
    # For treebanks of some thousand sentences: fewer words, and weights of a third the size.
    "few_words": _build_word_features(_build_word_tables(4_000, 2_000), list_spaced_word_ranges),
    # For treebanks of more than ten thousand sentences.
    "spaced_words": _build_word_features(_build_word_tables(8_000, 3_000), list_spaced_word_ranges),
    "characters": _build_character_features(_CHARACTER_TABLES, list_unit_ranges),
    # For scripts whose names end within words, which spaces part.
    "characters_and_spaces": _build_character_features(_CHARACTER_TABLES, list_character_and_space_ranges),
}
"""Feature sets by the name stored with the weights."""
