"""Russian sentences with other names in the same case: a small treebank knows few names in their forms.

OpenCorpora's dictionary (pymorphy3-dicts-ru, CC BY-SA) says how a name is inflected: `pip install pymorphy3`.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from app.lazy import import_object
from benchmarks.reader.data import Example

KINDS = ("Surn", "Name", "Geox", "Patr", "Orgn")
"""Grammemes of names: of a family, given, of a place, after the father, of an organisation."""
SHORTEST = 3
COPIES = 2


def with_other_names(examples: list[Example]) -> list[Example]:
    """The sentences, and copies in which other names of the kind stand in the same form."""
    names = _Names()
    shuffle = random.Random(1)
    copies = [names.swapped(example, shuffle) for example in examples for _ in range(COPIES)]
    return [*examples, *(copy for copy in copies if copy is not None)]


class _Names:
    """Names of the dictionary by kind and gender."""

    def __init__(self) -> None:
        self._morphology = import_object("pymorphy3").MorphAnalyzer()
        self._names: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for word, tag, *_ in self._morphology.dictionary.iter_known_words():
            kind = next((kind for kind in KINDS if kind in tag), None)
            if kind and "nomn" in tag and "sing" in tag and "Fixd" not in tag:
                self._names[kind, tag.gender].append(word)

    def swapped(self, example: Example, shuffle: random.Random) -> Example | None:
        """A copy with other names; None where the dictionary knows none of its names."""
        words, lemmas = list(example.words), list(example.lemmas)
        for index, other in self._others(example, shuffle):
            words[index], lemmas[index] = other
        return replace(example, words=words, lemmas=lemmas) if words != example.words else None

    def _others(self, example: Example, shuffle: random.Random) -> Iterator[tuple[int, tuple[str, str]]]:
        for index, word in enumerate(example.words):
            if example.upos[index] != "PROPN" or len(word) < SHORTEST or not word.istitle():
                continue
            form = self._form(word, example.lemmas[index].lower())
            if form is not None and (other := self._inflected(*form, shuffle)) is not None:
                yield index, other

    def _form(self, word: str, lemma: str) -> tuple[str, str, str] | None:
        """The kind, gender and case of a name in the singular, where its lemma leaves no doubt."""
        for parse in self._morphology.parse(word):
            kind = next((kind for kind in KINDS if kind in parse.tag), None)
            if kind is None or parse.tag.number != "sing" or "Fixd" in parse.tag:
                continue
            base = parse.inflect({"nomn"})
            if base is not None and base.word == lemma.replace("ё", "е"):
                return kind, parse.tag.gender, parse.tag.case
        return None

    def _inflected(self, kind: str, gender: str, case: str, shuffle: random.Random) -> tuple[str, str] | None:
        if not (names := self._names.get((kind, gender))):
            return None
        name = shuffle.choice(names)
        for parse in self._morphology.parse(name):
            if kind in parse.tag and parse.tag.gender == gender and parse.tag.case == "nomn":
                form = parse.inflect({case})
                return None if form is None else (form.word.capitalize(), name.capitalize())
        return None
