"""What the weights of each language are trained on and tested with."""

import gzip
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from app.extraction.reader.tokens import list_character_and_space_ranges, list_unit_ranges
from benchmarks.reader.analysers import Analyser, chinese_words, japanese_words
from benchmarks.reader.chinese import simplified_characters, simplified_characters_of_japanese
from benchmarks.reader.data import (
    UNKNOWN,
    Example,
    name_spans,
    read_characters,
    read_contractions,
    read_iob,
    read_listed_names,
    read_redocred,
    read_treebank,
    read_wikipedia_names,
    written,
)
from benchmarks.reader.russian import with_other_names
from benchmarks.reader.vectors import Vectors, chinese_vectors, english_vectors

_JOINING = {"ADP", "DET"}
_ANY = "X"
"""The part of speech where none is known."""
UNTYPED = "NAME"
"""The type of names where the data says only that they are names."""


@dataclass(frozen=True)
class Size:
    """Widths of the layers, and shares of numbers that are left out in training."""

    embedding: int = 64
    hidden: int = 128
    reach: tuple[int, ...] = (1, 1, 1, 1)
    """How far the neighbours are that each window sees."""
    vectors: int = 0
    """Width of the pretrained vectors; none where it is 0."""
    arcs: int = 64
    labels: int = 96
    dropout: float = 0.2
    feature_dropout: float = 0.12
    form_dropout: float = 0.12
    """The same of a word's form, which the most is remembered of."""


@dataclass(frozen=True)
class Round:
    """A part of training, in which the rate rises, and falls to nothing."""

    epochs: int
    rate: float = 3e-3
    warming: float = 0.1
    """Share of the steps in which the rate rises."""
    words: int = 1_800
    """Words of a step."""
    named: float = 1.0
    """Share of the sentences without syntax that an epoch takes."""


@dataclass(frozen=True)
class Recipe:
    """How the weights of one language are made."""

    features: str
    size: Size
    train: Callable[[Path], list[Example]]
    test: Callable[[Path], list[Example]]
    """The split that names are tested with."""
    dev: Callable[[Path], list[Example]] | None = None
    """The split that choices are made on; None where there is none beside these two."""
    rounds: tuple[Round, ...] = (Round(16),)
    lemmas: int = 250
    parses: bool = True
    """Whether the weights keep the syntax that they were trained with."""
    inflects_names: bool = False
    """Whether names stand in cases, so that their lemmas are what they are listed under."""
    taught: Callable[[Path], list[Example]] = lambda _data: []
    """Further sentences for the first round alone: their names are another network's, or another scheme's, or
    not known."""
    analyser: Analyser | None = None
    """What gives the sentences of training words with tags, which are learned beside names."""
    folded: Callable[[], tuple[str, str]] = lambda: ("", "")
    """Characters, and those as which they are looked up."""
    vectors: Callable[[], Vectors] | None = None
    """Pretrained vectors; none where it is None."""
    outside_penalty: float = 0.0
    """Subtracted from the score of "O" when the weights are stored, so that about as many names are missed as
    are wrong; chosen on development sentences."""
    typed: bool = True
    """Whether the weights tell the types that the data has."""


def _english(data: Path) -> list[Example]:
    return [
        *read_treebank(data / "ud/en.train.conllu.gz"),
        *read_treebank(data / "ud/en.gum_by.train.conllu.gz", entities=True),
        *_universal_ner(data / "ner/en.ewt_dev.iob2.gz"),
        *_universal_ner(data / "ner/en.pud.iob2.gz"),
        *read_iob(data / "ner/en.wikigold.conll.gz", word_column=0, column=1, has_misc=True),
        *read_redocred(data / "redocred_train.json.gz"),
    ]


def _universal_ner(path: Path, *, cased: bool = True) -> list[Example]:
    # Its scheme has no MISC: another word with a capital may be a name, in scripts that have capitals.
    return read_iob(path, word_column=1, column=2, has_misc=not cased)


def _proper_nouns(path: Path) -> list[Example]:
    """Sentences of a treebank with runs of proper nouns as names without a type."""
    return [replace(example, names=_runs(example.upos)) for example in read_treebank(path, as_written=True)]


def hyphens_joined(example: Example) -> Example:
    """The sentence with words that hyphens join as one, as texts are cut, and without syntax."""
    upos: list[str] = []
    lemmas: list[str] = []
    words: list[str] = []
    joins = False
    for word, tag, lemma in zip(example.words, example.upos, example.lemmas, strict=True):
        if words and (joins or word == "-") and words[-1] + word in example.text and words[-1][:1].isalpha():
            words[-1] += word
            upos[-1], lemmas[-1] = (upos[-1] if word == "-" else tag), lemmas[-1] + lemma
        else:
            words.append(word)
            upos.append(tag)
            lemmas.append(lemma)
        joins = word == "-" and len(words[-1]) > 1
    return replace(example, words=words, upos=upos, lemmas=lemmas, names=_runs(upos), heads=[], labels=[])


def _list_written_names_of_node(path: Path) -> list[Example]:
    """Sentences of a treebank, words as texts have them, with parts of speech, lemmas and names alone."""
    return list(map(hyphens_joined, _proper_nouns(path)))


def _names_and_parts_of_speech(path: Path) -> list[Example]:
    """The same without lemmas, which the copy that trained the weights did not have."""
    return [replace(name, lemmas=[]) for name in _list_written_names_of_node(path)]


def _runs(upos: list[str]) -> list[str]:
    tags, last = [], ""
    for tag in upos:
        tags.append(f"{'I' if last == 'PROPN' else 'B'}-{UNTYPED}" if tag == "PROPN" else "O")
        last = tag
    return tags


def _typed_elsewhere(path: Path) -> list[Example]:
    """Sentences whose proper nouns are names of a type that the data does not know."""
    return [
        replace(example, names=_unknown(example.upos)) for example in read_treebank(path, as_written=True)
    ]


def _unknown(upos: list[str]) -> list[str]:
    """`UNKNOWN` for proper nouns and for what may join two of them to one name: "Rio de Janeiro"."""
    tags = [UNKNOWN if tag == "PROPN" else "O" for tag in upos]
    proper = [index for index, tag in enumerate(upos) if tag == "PROPN"]
    for before, after in pairwise(proper):
        if all(tag in _JOINING for tag in upos[before + 1 : after]):
            tags[before:after] = [UNKNOWN] * (after - before)
    return tags


def characters(example: Example) -> Example:
    """The example with characters of unspaced scripts for words, with names, and the ends of words as BIO
    tags of their parts of speech, or of one where these are not known.
    """
    units: list[str] = []
    names: list[str] = []
    upos: list[str] = []
    for number, (word, name) in enumerate(zip(example.words, example.names, strict=True)):
        for at, (start, end) in enumerate(list_unit_ranges(word, 0, len(word))):
            units.append(word[start:end])
            names.append("I-" + name[2:] if at and name[0] == "B" else name)
            upos.append(f"{'I' if at else 'B'}-{example.upos[number] if example.upos else _ANY}")
    return Example(units, upos=upos, names=names, text=example.text)


Tokens = Callable[[str, int, int], list[tuple[int, int]]]


def units(example: Example, tokens: Tokens = list_unit_ranges) -> Example:
    """The example, whose words are single characters, with what texts are cut into."""
    ranges = tokens(example.text, 0, len(example.text))
    inside = {at for first, last, _ in name_spans(example.names) for at in range(first + 1, last)}
    names = [
        example.names[start] if start in inside else example.names[start].replace("I-", "B-")
        for start, _ in ranges
    ]
    return replace(example, words=[example.text[start:end] for start, end in ranges], names=names)


def _korean(path: Path, tenths: Collection[int]) -> list[Example]:
    """Tenths of KLUE's development part: eight train, one is for choices, the last is the test."""
    sentences = read_characters(path, {"PS": "PER", "LC": "LOC", "OG": "ORG"})
    return [
        units(sentence, list_character_and_space_ranges)
        for at, sentence in enumerate(sentences)
        if at % 10 in tenths
    ]


def _plain_sentences(path: Path) -> list[Example]:
    """Sentences of an unspaced script, a line each, whose names are not known."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [units(_unnamed(line.strip())) for line in lines]


def _unnamed(text: str) -> Example:
    return Example(list(text), names=[UNKNOWN] * len(text), text=text)


def contracted(examples: list[Example], forms: dict[tuple[str, str], str]) -> list[Example]:
    """The sentences with pairs of words as the one that is written for them ("do" for "de o")."""
    return [_contracted(example, forms) for example in examples]


def _contracted(example: Example, forms: dict[tuple[str, str], str]) -> Example:
    words: list[str] = []
    names: list[str] = []
    for word, name in zip(example.words, example.names, strict=True):
        form = forms.get((words[-1].lower(), word.lower())) if words else None
        if form is None:
            words.append(word)
            names.append(name)
        else:
            words[-1] = form.capitalize() if words[-1][:1].isupper() else form
    return replace(example, words=words, names=names, text=written(words))


def _spaced(language: str) -> Recipe:
    """A language with spaces between words: syntax, and runs of proper nouns as names."""
    return Recipe(
        "few_words",
        Size(embedding=48, hidden=96, dropout=0.3, feature_dropout=0.2),
        lambda data: _proper_nouns(data / f"ud/{language}.train.conllu.gz"),
        lambda data: _proper_nouns(data / f"ud/{language}.test.conllu.gz"),
        rounds=(Round(20),),
        lemmas=150,
    )


_OF_CHARACTERS = Size(embedding=48, hidden=96, reach=(1, 2, 4), dropout=0.3, feature_dropout=0.25)
"""Windows that reach eight characters: names and what stands beside them are longer than in words."""


RECIPES: dict[str, Recipe] = {
    "en": Recipe(
        "words",
        Size(hidden=160, arcs=96, labels=128, vectors=64, form_dropout=0.25),
        _english,
        lambda data: _universal_ner(data / "ner/en.ewt_test.iob2.gz"),
        rounds=(Round(10), Round(8, rate=2e-3, warming=0.05, named=0.4)),
        vectors=english_vectors,
    ),
    "de": Recipe(
        "spaced_words",
        Size(embedding=48, hidden=96, dropout=0.3, feature_dropout=0.2, form_dropout=0.25),
        lambda data: [
            *_names_and_parts_of_speech(data / "ud/de.gsd_train.conllu.gz"),
            *_list_written_names_of_node(data / "ud/de.train.conllu.gz"),
        ],
        lambda data: _list_written_names_of_node(data / "ud/de.test.conllu.gz"),
        rounds=(Round(8),),
        lemmas=150,
        parses=False,
    ),
    "fr": _spaced("fr"),
    "es": _spaced("es"),
    "ru": Recipe(
        "few_words",
        Size(embedding=48, hidden=96, dropout=0.3, feature_dropout=0.2, form_dropout=0.25),
        lambda data: with_other_names(_list_written_names_of_node(data / "ud/ru.train.conllu.gz")),
        lambda data: _list_written_names_of_node(data / "ud/ru.test.conllu.gz"),
        rounds=(Round(8),),
        lemmas=600,
        parses=False,
        inflects_names=True,
    ),
    "pt": replace(
        _spaced("pt"),
        train=lambda data: [
            *_typed_elsewhere(data / "ud/pt.train.conllu.gz"),
            *contracted(
                _universal_ner(data / "ner/pt.bosque_train.iob2.gz"),
                read_contractions(data / "ud/pt.train.conllu.gz"),
            ),
        ],
        rounds=(Round(12),),
        test=lambda data: contracted(
            _universal_ner(data / "ner/pt.bosque_test.iob2.gz"),
            read_contractions(data / "ud/pt.train.conllu.gz"),
        ),
        parses=False,
    ),
    "zh": Recipe(
        "characters",
        replace(_OF_CHARACTERS, vectors=64),
        lambda data: [
            *map(characters, _universal_ner(data / "ner/zh.gsd_train.iob2.gz", cased=False)),
            *map(characters, _universal_ner(data / "ner/zh.pud.iob2.gz", cased=False)),
        ],
        lambda data: [
            *map(characters, _universal_ner(data / "ner/zh.gsd_test.iob2.gz", cased=False)),
        ],
        dev=lambda data: [*map(characters, _universal_ner(data / "ner/zh.gsd_dev.iob2.gz", cased=False))],
        rounds=(Round(2, words=600), Round(3, rate=2e-3, words=600)),
        vectors=chinese_vectors,
        typed=False,
        lemmas=0,
        parses=False,
        taught=lambda data: [
            *map(characters, _universal_ner(data / "ner/zh.taught.iob2.gz", cased=False)),
        ],
        analyser=chinese_words,
        folded=simplified_characters,
    ),
    "ja": Recipe(
        "characters",
        replace(_OF_CHARACTERS, vectors=64),
        lambda data: [*map(characters, read_listed_names(data / "ud/ja.gsd_train.ne.conllu.gz"))],
        lambda data: [*map(characters, read_listed_names(data / "ud/ja.gsd_test.ne.conllu.gz"))],
        dev=lambda data: [*map(characters, read_listed_names(data / "ud/ja.gsd_dev.ne.conllu.gz"))],
        rounds=(Round(2, words=600), Round(3, rate=2e-3, words=600)),
        lemmas=0,
        parses=False,
        taught=lambda data: [
            *map(units, read_wikipedia_names(data / "ner/ja.wikipedia.json.gz")),
            *_plain_sentences(data / "text/ja.txt.gz"),
        ],
        analyser=japanese_words,
        folded=simplified_characters_of_japanese,
        vectors=chinese_vectors,
        typed=False,
    ),
    "ko": Recipe(
        "characters_and_spaces",
        _OF_CHARACTERS,
        lambda data: _korean(data / "ner/ko.klue_dev.tsv.gz", range(8)),
        lambda data: _korean(data / "ner/ko.klue_dev.tsv.gz", (9,)),
        dev=lambda data: _korean(data / "ner/ko.klue_dev.tsv.gz", (8,)),
        rounds=(Round(5, words=600),),
        outside_penalty=0.6,
        lemmas=0,
        parses=False,
    ),
}
"""Recipes by ISO 639-1 code."""
