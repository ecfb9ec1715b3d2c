"""Train the classifier of the kinds of English names: python -m benchmarks.reader.kinds DATA [--eval EVAL].

DATA is the folder of `benchmarks.reader.train`. Names are those that the rules find, where an annotated name
has the same range; features are what the rules' reading of the document shows of them. Names whose kind the
rules leave open count three times. Where the annotation has no MISC, other runs of proper nouns are `MISC`.
Of a `MISC` only Re-DocRED's relations say whether it is a work, an event, a product or something else.

Prints for data that was not trained on, and with --eval for Re-DocRED's slice in that folder, how many of the
open names have a kind with a probability, and how many of these are right. Training needs scikit-learn.
"""

import argparse
import gzip
import json
import random
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from app.domain.node_types import DEFAULT_NODE_TYPES
from app.domain.possible_ends import IMPOSSIBLE_ENDS
from app.domain.relation_type import Kinds
from app.domain.relation_types import RELATION_TYPES
from app.extraction.reader.kind_classifier import OTHER_KIND, combine_vectors, hash_features
from app.extraction.reader.languages import load_pipeline
from app.extraction.reader.names_in_documents import NameInDocument
from app.extraction.rules.entities import collect_entities_of_document
from app.extraction.rules.learned_kinds import MIN_PROBABILITY, describe_names
from app.extraction.rules.name_kinds import decide_kind
from app.extraction.shapes import ChunkText
from app.ids import ChunkId, DocumentId
from benchmarks.quality.redocred import document_text
from benchmarks.reader.data import NAME_TYPES, Example, name_spans, read_iob, read_treebank

WEIGHTS_PATH = Path("app/extraction/reader/weights/en.kinds.npz")
KINDS_BY_TAG = {
    "PER": ("Person",),
    "ORG": ("Organization",),
    "LOC": ("Location",),
    "WORK": ("Document",),
    "EVENT": ("Event",),
    "PRODUCT": ("Product",),
    "OTHER": (OTHER_KIND,),
    "MISC": ("Document", "Event", "Product", OTHER_KIND),
}
"""The kinds that a name with a tag may have. In most data, all but people, groups and places are `MISC`."""
KINDS = list(dict.fromkeys(kind for kinds in KINDS_BY_TAG.values() for kind in kinds))
PROPERTIES_BY_TAG = {
    "PRODUCT": "P178 P176 P400",
    "EVENT": "P710 P585",
    "WORK": "P50 P57 P58 P86 P161 P162 P175 P264 P272 P449 P674 P676",
    "OTHER": "P171 P1441",
}
"""Properties of Wikidata that say what a `MISC` is: a developer, participants, a cast, a taxon. A game has a
developer and characters, a festival participants and a director: the first tag counts.
"""
INVERSE_PROPERTIES_BY_TAG = {
    "EVENT": "P1344 P607",
    "WORK": "P800",
    "OTHER": "P37 P136 P140 P166 P171 P172 P364 P407 P1412",
}
"""The same for what a property points at: what somebody took part in, an award, a language."""
MIN_SHARE = 1e-3
ROUNDS = 3
"""Times that the kinds of names with several possible ones are estimated, by expectation maximisation."""
SLOTS = 1 << 16
OPEN_WEIGHT = 3.0
VECTOR_SCALE = 0.1
"""Factor of the vectors' numbers: how little they are regularised beside the hashed features."""
REGULARISATION = 0.3
SEED = 7
PROPER_TAGS = ("PER", "ORG", "LOC")
NAME_SLOT, WORDS_SLOT = "NAME", "WORDS"
SENTENCE_PATTERNS = (
    "NAME WORDS NAME .",
    "In 2019 NAME WORDS NAME .",
    "NAME WORDS NAME in May .",
    "Since then , NAME WORDS NAME , as planned .",
)
ROLE_PATTERNS = ("NAME 's WORDS NAME resigned .", "Yesterday NAME 's former WORDS , NAME , spoke .")
OWNER_PATTERN, OWNER_COUNT = "NAME 's WORDS is near NAME .", 400
"""Anything has something."""
TWO_WORDS_SHARE = 0.4
"""Share of the invented names that have two words."""
NOUN_SHARE = 0.5
"""Share of the invented names that are ordinary nouns."""
MIN_NOUN_LENGTH = 3
CONSONANTS = ("b", "br", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "z")
VOWELS = ("a", "e", "i", "o", "u")
ENDINGS = ("", "n", "r", "s", "x", "l", "th", "rk")
SENTENCES_A_DOCUMENT = 12
"""Sentences that are read as one document where the data has no documents."""


@dataclass(frozen=True, slots=True)
class AnnotatedName:
    """A name of a document with its annotated kinds."""

    name: NameInDocument
    kinds: tuple[str, ...]
    """The kinds that it may have: one, if the annotation says which."""
    is_open: bool
    """Whether the rules leave its kind open."""


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """Sentences of words, and the annotated names as (sentence, first word, end word, tag)."""

    title: str
    sentences: list[list[str]]
    names: list[tuple[int, int, int, str]]


def read_redocred(path: Path) -> Iterator[AnnotatedDocument]:
    """Yield the documents of a file in Re-DocRED's format."""
    documents = json.loads(gzip.decompress(path.read_bytes()))
    for document in documents["docs"] if isinstance(documents, dict) else documents:
        names = [
            (mention["sent"], *mention["span"], tag_entity(document, index))
            for index, entity in enumerate(document["entities"])
            for mention in entity["mentions"]
        ]
        yield AnnotatedDocument(document["title"], document["tokens"], names)


def tag_entity(document: Mapping[str, Any], index: int) -> str:
    """Return the tag of an entity: its annotated type, or for `MISC` what its relations say that it is."""
    annotated_type: str = document["entities"][index]["type"]
    if annotated_type != "MISC":
        return annotated_type
    properties = {row["r"] for row in document["relations"] if row["h"] == index}
    inverse_properties = {row["r"] for row in document["relations"] if row["t"] == index}
    return next(
        (
            tag
            for tag in PROPERTIES_BY_TAG
            if properties & set(PROPERTIES_BY_TAG[tag].split())
            or inverse_properties & set(INVERSE_PROPERTIES_BY_TAG.get(tag, "").split())
        ),
        "MISC",
    )


def group_sentences(examples: Sequence[Example]) -> Iterator[AnnotatedDocument]:
    """Yield documents of some successive sentences each."""
    for _, group in groupby(enumerate(examples), key=lambda row: row[0] // SENTENCES_A_DOCUMENT):
        sentences = [example for _, example in group]
        names = [
            (index, *span) for index, example in enumerate(sentences) for span in name_spans(example.names)
        ]
        yield AnnotatedDocument("", [example.words for example in sentences], names)


def read_universal_ner(names_path: Path, treebank_path: Path) -> list[Example]:
    """Return sentences with names; proper nouns of the treebank without a name are `MISC`."""
    parts_of_speech = {tuple(example.words): example.upos for example in read_treebank(treebank_path)}
    examples = read_iob(names_path, column=2, word_column=1, has_misc=True)
    for example in examples:
        last_tag = "O"
        for index, part in enumerate(parts_of_speech.get(tuple(example.words), ())):
            if example.names[index] == "O" and part == "PROPN":
                example.names[index] = "I-MISC" if last_tag.endswith("MISC") else "B-MISC"
            last_tag = example.names[index]
    return examples


def list_annotated_names(document: AnnotatedDocument, number: int) -> Iterator[AnnotatedName]:
    """Yield the names that the rules find in a document where an annotated one has the same range."""
    text, ranges = document_text(document.sentences)
    tags_by_range = {
        (ranges[sentence, first][0], ranges[sentence, end - 1][1]): tag
        for sentence, first, end, tag in document.names
    }
    chunk = ChunkText(ChunkId(uuid.UUID(int=number)), DocumentId(uuid.UUID(int=number)), document.title, text)
    collected = collect_entities_of_document([chunk])
    tags_by_key: dict[str, Counter[str]] = {}
    for mention in collected.mentions_by_chunk[0]:
        tag = tags_by_range.get((mention.start, mention.end))
        if tag in KINDS_BY_TAG and not mention.is_adjective:
            tags_by_key.setdefault(mention.entity.key, Counter())[tag] += 1
    entities = [collected.document_entities.entity_by_key[key] for key in tags_by_key]
    names = describe_names(collected.document_entities, entities)
    for entity, name, tags in zip(entities, names, tags_by_key.values(), strict=True):
        kinds = KINDS_BY_TAG[tags.most_common(1)[0][0]]
        yield AnnotatedName(name, kinds, not decide_kind(entity.votes).is_certain)


def write_sentences_of_registry(nouns: Sequence[str]) -> Iterator[AnnotatedDocument]:
    """Yield sentences of two invented names and a wording of a relation type, each a document.

    Each name is of one of the kinds that the relation permits, at random. Encyclopedias and news rarely name
    firms and programs by a word alone; nothing else teaches that it may be no person who acquired something.
    """
    generator = random.Random(SEED)
    for relation_type in RELATION_TYPES:
        never_sources, never_targets = IMPOSSIBLE_ENDS[relation_type.name]
        for wording in relation_type.wordings:
            sources = list_possible_tags(wording.subject_kinds, never_sources)
            targets = list_possible_tags(wording.object_kinds, never_targets)
            tags = (targets, sources) if wording.is_reversed else (sources, targets)
            for words in wording.words:
                verb = f"is the {words}" if wording.nominal else words
                yield write_sentence(generator.choice(SENTENCE_PATTERNS), verb, tags, generator, nouns)
        sources, targets = list_possible_tags(None, never_sources), list_possible_tags(None, never_targets)
        for role in relation_type.roles:
            tags = (sources, targets) if role.is_reversed else (targets, sources)
            for noun in role.nouns.split():
                yield write_sentence(generator.choice(ROLE_PATTERNS), noun, tags, generator, nouns)
    for _ in range(OWNER_COUNT):
        noun = generator.choice(nouns)
        yield write_sentence(OWNER_PATTERN, noun, (list(NAME_TYPES), list(NAME_TYPES)), generator, nouns)


def write_sentence(
    pattern: str,
    words: str,
    tags: tuple[Sequence[str], Sequence[str]],
    generator: random.Random,
    nouns: Sequence[str],
) -> AnnotatedDocument:
    """Return a document of one sentence of two invented names, each with one of its possible tags."""
    sentence: list[str] = []
    names: list[tuple[int, int, int, str]] = []
    invented_names = iter(invent_name(generator, nouns) for _ in tags)
    for word in pattern.split():
        if word == NAME_SLOT:
            name = next(invented_names)
            possible_tags = tags[len(names)]
            # "Tolman Freight" is nobody.
            if len(name) > 1 and name[-1].lower() in nouns:
                possible_tags = [tag for tag in possible_tags if tag != "PER"] or ["ORG"]
            names.append((0, len(sentence), len(sentence) + len(name), generator.choice(possible_tags)))
            sentence += name
        else:
            sentence += words.split() if word == WORDS_SLOT else [word]
    return AnnotatedDocument("", [sentence], names)


def list_possible_tags(permitted_kinds: Kinds | None, excluded_kinds: Kinds) -> list[str]:
    """Return the tags of the kinds that an end may have."""
    kinds = (permitted_kinds or frozenset(DEFAULT_NODE_TYPES)) - excluded_kinds
    tag_by_kind = {KINDS_BY_TAG[tag][0]: tag for tag in PROPER_TAGS}
    return sorted({tag_by_kind.get(kind, "MISC") for kind in kinds}) or sorted(NAME_TYPES)


def invent_name(generator: random.Random, nouns: Sequence[str]) -> list[str]:
    """Return the words of a name: one or two, each a noun, or syllables that mean nothing."""
    return [
        invent_word(generator, nouns).capitalize() for _ in range(1 + (generator.random() < TWO_WORDS_SHARE))
    ]


def invent_word(generator: random.Random, nouns: Sequence[str]) -> str:
    """Return a noun, or syllables that mean nothing."""
    if generator.random() < NOUN_SHARE:
        return generator.choice(nouns)
    syllables = (
        generator.choice(CONSONANTS) + generator.choice(VOWELS) for _ in range(generator.choice((2, 2, 3)))
    )
    return "".join(syllables) + generator.choice(ENDINGS)


def read_names(documents: Iterator[AnnotatedDocument]) -> list[AnnotatedName]:
    """Return the annotated names of documents."""
    return [
        name for number, document in enumerate(documents) for name in list_annotated_names(document, number)
    ]


def build_matrix(names: Sequence[AnnotatedName]) -> Any:
    """Return a row of hashed features and scaled vectors for each name, as a sparse matrix."""
    pipeline = load_pipeline("en")
    assert pipeline is not None, "There are no weights for English."
    slots_and_values = [hash_features(annotated.name, SLOTS) for annotated in names]
    starts = np.cumsum([0, *(len(slots) for slots, _ in slots_and_values)])
    features = csr_matrix(
        (
            np.concatenate([values for _, values in slots_and_values]),
            np.concatenate([slots for slots, _ in slots_and_values]),
            starts,
        ),
        shape=(len(names), SLOTS),
    )
    features.sum_duplicates()
    vectors = combine_vectors([annotated.name for annotated in names], pipeline.embed_words)
    return hstack([features, csr_matrix(vectors * VECTOR_SCALE)]).tocsr()


def train(names: Sequence[AnnotatedName]) -> tuple[LogisticRegression, dict[str, Any]]:
    """Return the fitted regression, and its weights as they are stored.

    A name with several possible kinds is one example of each, weighted by the probability that the
    regression of the round before gives it; the first round knows the other names alone.
    """
    matrix = build_matrix(names)
    is_possible = np.array([[kind in name.kinds for kind in KINDS] for name in names])
    name_weights = np.array([OPEN_WEIGHT if name.is_open else 1.0 for name in names])
    shares = is_possible * (is_possible.sum(axis=1, keepdims=True) == 1)
    for _ in range(ROUNDS):
        rows, kinds = np.nonzero(shares > MIN_SHARE)
        regression = LogisticRegression(C=REGULARISATION, max_iter=1_000)
        regression.fit(matrix[rows], kinds, sample_weight=name_weights[rows] * shares[rows, kinds])
        shares = regression.predict_proba(matrix) * is_possible
        shares /= shares.sum(axis=1, keepdims=True)
    weights = regression.coef_.T
    scale = np.abs(weights[:SLOTS]).max() / 127
    return regression, {
        "kinds": np.array(KINDS),
        "features": np.round(weights[:SLOTS] / scale).astype(np.int8),
        "features.scale": np.float32(scale),
        "vectors": (weights[SLOTS:] * VECTOR_SCALE).astype(np.float16),
        "bias": regression.intercept_.astype(np.float32),
    }


def print_scores(title: str, regression: LogisticRegression, names: Sequence[AnnotatedName]) -> None:
    """Print the share of open names that are right, and from which probability on how many of how many.

    Right is one of the possible kinds.
    """
    open_names = [annotated for annotated in names if annotated.is_open]
    probabilities = regression.predict_proba(build_matrix(open_names))
    best, best_kinds = probabilities.max(axis=1), probabilities.argmax(axis=1)
    is_right = np.array(
        [KINDS[kind] in annotated.kinds for kind, annotated in zip(best_kinds, open_names, strict=True)]
    )
    print(f"{title}: {len(open_names)} of {len(names)} names open, right {is_right.mean():.3f}")
    for low in (0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        is_in_bin = (best >= low) & (best < low + 0.1)
        is_above = best >= low
        print(
            f"  {low}: in bin {is_in_bin.sum()}, mean {best[is_in_bin].mean():.2f},"
            f" right {is_right[is_in_bin].mean():.2f}; from there on {is_above.mean():.2f} of all,"
            f" right {is_right[is_above].mean():.3f}"
        )
    for index, kind in enumerate(KINDS):
        is_kind = best_kinds == index
        likely = is_kind & (best >= MIN_PROBABILITY)
        wanted = sum(annotated.kinds == (kind,) for annotated in open_names)
        print(
            f"  {kind}: {wanted} annotated, {is_kind.sum()} said, {is_right[is_kind].sum()} right;"
            f" from {MIN_PROBABILITY} on {likely.sum()}, {is_right[likely].sum()} right"
        )


def main() -> None:
    """Train, score and write the classifier."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--eval", type=Path, dest="evaluation")
    parser.add_argument("--weights", type=Path, default=WEIGHTS_PATH)
    arguments = parser.parse_args()
    data: Path = arguments.data
    nouns = sorted(
        {
            lemma
            for example in read_treebank(data / "ud/en.train.conllu.gz")
            for lemma, part in zip(example.lemmas, example.upos, strict=True)
            if part == "NOUN" and lemma.isalpha() and lemma.islower() and len(lemma) > MIN_NOUN_LENGTH
        }
    )
    names = [
        *read_names(write_sentences_of_registry(nouns)),
        *read_names(read_redocred(data / "redocred_train.json.gz")),
        *read_names(group_sentences(read_treebank(data / "ud/en.gum_by.train.conllu.gz", entities=True))),
        *read_names(
            group_sentences(read_universal_ner(data / "ner/en.ewt_dev.iob2.gz", data / "ud/en.dev.conllu.gz"))
        ),
        *read_names(
            group_sentences(read_iob(data / "ner/en.pud.iob2.gz", column=2, word_column=1, has_misc=False))
        ),
        *read_names(
            group_sentences(
                read_iob(data / "ner/en.wikigold.conll.gz", column=1, word_column=0, has_misc=True)
            )
        ),
    ]
    print(f"{len(names)} names, {sum(annotated.is_open for annotated in names)} open")
    regression, stored_arrays = train(names)
    np.savez_compressed(arguments.weights, **stored_arrays)
    print(f"{arguments.weights}: {arguments.weights.stat().st_size} bytes")
    test_names = {
        "EWT test": read_names(
            group_sentences(
                read_universal_ner(data / "ner/en.ewt_test.iob2.gz", data / "ud/en.test.conllu.gz")
            )
        ),
        "GUM test": read_names(
            group_sentences(read_treebank(data / "ud/en.gum_by.test.conllu.gz", entities=True))
        ),
    }
    if arguments.evaluation is not None:
        test_names["Re-DocRED slice"] = read_names(
            read_redocred(arguments.evaluation / "redocred_dev100.json.gz")
        )
    for title, annotated_names in test_names.items():
        print_scores(title, regression, annotated_names)


if __name__ == "__main__":
    main()
