"""The pipeline: from text to sentences of words with part of speech, lemma, head, relation, and names."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.documents.sentences import split_sentences
from app.domain.char_range import CharRange
from app.extraction.reader.dependency_trees import find_most_probable_heads
from app.extraction.reader.lemmas import Lemmas, apply_lemma_rule
from app.extraction.reader.network import Floats, Network, softmax

MAX_SENTENCE_LENGTH = 200
"""Maximum number of tokens of a sentence; a longer one is split, since arcs need quadratic memory."""
_BATCH_TOKENS = 4_000
"""Number of tokens in one forward pass."""
_MIN_CACHED_PARSES = 128
"""Minimum number of sentences whose syntax is kept."""
_MAX_CACHED_LEMMAS = 50_000
"""Maximum number of words whose lemmas are kept."""
_OUTSIDE_TAG = "O"
_MIN_LEMMA_PROBABILITY = 0.5
"""Minimum probability of the lemma of a name's word."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a sentence: the words from `first` to `last` (exclusive)."""

    first: int
    last: int
    confidence: float
    """Probability that all of its words are part of a name."""


@dataclass(frozen=True, slots=True)
class ReadWords:
    """The words of a sentence, their states in the network, and what it says of names."""

    words: list[str]
    states: Floats
    tag_probabilities: Floats
    """Probabilities of the BIO tags of names (words × tags)."""
    best_tags: list[str]
    """The best valid sequence of these tags."""


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A sentence of a text: `text[starts[i]:ends[i]]` are its words."""

    starts: list[int]
    ends: list[int]
    read_words: ReadWords


@dataclass(frozen=True, slots=True)
class Parse:
    """The syntax of a sentence in Universal Dependencies; every list is as long as its words."""

    upos: list[str]
    lemmas: list[str]
    heads: list[int]
    """Index of each word's head; its own index for the root."""
    relations: list[str]
    confidence: list[float]
    """Joint probability of each head and its relation."""


class _RecentParses:
    """The syntax of the sentences parsed last, by their words, in two generations of `_MIN_CACHED_PARSES`
    sentences.
    """

    def __init__(self) -> None:
        self._newer_parses: dict[tuple[str, ...], Parse] = {}
        self._older_parses: dict[tuple[str, ...], Parse] = {}

    def get(self, words: tuple[str, ...]) -> Parse | None:
        return self._newer_parses.get(words) or self._older_parses.get(words)

    def add(self, parses: Iterable[tuple[tuple[str, ...], Parse]]) -> None:
        """Add sentences; the older generation ends if the newer one is full."""
        if len(self._newer_parses) >= _MIN_CACHED_PARSES:
            self._older_parses, self._newer_parses = self._newer_parses, {}
        self._newer_parses.update(parses)


class PartsOfSpeech(NamedTuple):
    """The parts of speech of words, and the probability of each."""

    tags: list[str]
    probabilities: list[float]


class ParsedNames(NamedTuple):
    """The syntax of a sentence, and the names in it."""

    parse: Parse
    names: list[Name]


class Pipeline:
    """Reads one language with the shipped weights."""

    def __init__(self, network: Network, lemmas: Lemmas | None = None) -> None:
        self._network = network
        self._cached_parses = _RecentParses()
        self.lemmas = lemmas or Lemmas()
        self._lemma_by_rule = lru_cache(_MAX_CACHED_LEMMAS)(self.lemmas.find_lemma_by_rule)
        self._tags = network.classes["names"]
        self._outside_tag = self._tags.index(_OUTSIDE_TAG)
        kinds = sorted({tag[2:] for tag in self._tags if tag != _OUTSIDE_TAG})
        self._columns_by_kind = {
            kind: [index for index, tag in enumerate(self._tags) if tag[2:] == kind] for kind in kinds
        }
        self._lemma_rules = self._network.classes["lemmas"]

    @property
    def inflects_names(self) -> bool:
        """Return whether names of the language are inflected; `find_base_forms` then returns their base
        forms.
        """
        return self._network.inflects_names

    def with_lemmas(self, lemmas: Lemmas) -> "Pipeline":
        """Return the same pipeline with another table of lemmas."""
        return Pipeline(self._network, lemmas)

    @property
    def has_parser(self) -> bool:
        """Return whether the weights include syntax."""
        return bool(self._network.classes["labels"])

    def knows_word(self, word: str) -> bool:
        """Return whether a word in lower case is frequent: an ordinary word or a well-known name.

        The vectors have some 20,000 words; "pine", "mercury" and "oslo" are among them, "larkspur" is not.
        """
        return self._network.knows_word(word)

    def embed_words(self, words: Sequence[str]) -> Floats:
        """Return the pretrained vector of each word: len(words) × size; len(words) × 0 without vectors."""
        return self._network.embed_words(words)

    def prepare(self) -> None:
        """Compute all cached values now, instead of at the first sentence."""
        self._network.prepare()

    def read_sentences(self, texts: Sequence[str]) -> list[list[TaggedSentence]]:
        """Return the sentences of each text, in order. Linear in the length of the texts."""
        sentence_token_ranges: list[tuple[int, list[CharRange]]] = []
        for text_index, text in enumerate(texts):
            for start, end in split_sentences(text):
                token_ranges = self.split_into_tokens(text, start, end)
                sentence_token_ranges += [
                    (text_index, token_ranges[range_start : range_start + MAX_SENTENCE_LENGTH])
                    for range_start in range(0, len(token_ranges), MAX_SENTENCE_LENGTH)
                ]
        words_by_sentence = [
            [texts[text_index][start:end] for start, end in token_ranges]
            for text_index, token_ranges in sentence_token_ranges
        ]
        sentences_by_text: list[list[TaggedSentence]] = [[] for _ in texts]
        for (text_index, token_ranges), read_words in zip(
            sentence_token_ranges, self.encode_and_tag_names(words_by_sentence), strict=True
        ):
            starts, ends = [start for start, _ in token_ranges], [end for _, end in token_ranges]
            sentences_by_text[text_index].append(TaggedSentence(starts, ends, read_words))
        return sentences_by_text

    def split_into_tokens(self, text: str, start: int, end: int) -> list[CharRange]:
        """Return the ranges of the words in `text[start:end]`, in characters of the text."""
        return self._network.features.tokens(text, start, end)

    def encode_and_tag_names(self, sentences: Sequence[list[str]]) -> Iterator[ReadWords]:
        """Yield the states and tags of each sentence of words, none of which is empty."""
        for batch in _split_into_batches(sentences):
            states = self._network.encode(batch)
            for words, word_states, tags in zip(
                batch, states, self._network.find_name_tags(states), strict=True
            ):
                yield ReadWords(words, word_states, *tags)

    def find_names(self, read_words: ReadWords) -> list[Name]:
        """Return the names in a sentence, in order."""
        best_tags = read_words.best_tags
        names, name_start = [], 0
        while name_start < len(best_tags):
            name_end = name_start + 1
            if best_tags[name_start] != _OUTSIDE_TAG:
                while name_end < len(best_tags) and best_tags[name_end].startswith("I-"):
                    name_end += 1
                outside_probabilities = read_words.tag_probabilities[name_start:name_end, self._outside_tag]
                # Spaces are tokens in some languages, and no name begins or ends with one.
                word_indexes = [
                    index for index in range(name_start, name_end) if not read_words.words[index].isspace()
                ]
                if word_indexes:
                    names.append(
                        Name(word_indexes[0], word_indexes[-1] + 1, float(1.0 - outside_probabilities.max()))
                    )
            name_start = name_end
        return names

    def tag_parts_of_speech(self, read_words: ReadWords, wanted_tags: Set[str]) -> PartsOfSpeech:
        """Return the part of speech of each word of a sentence, and the probability that it is one of the
        wanted ones.
        """
        tag_names = self._network.classes["upos"]
        probabilities = softmax(self._network.compute_scores([read_words.states], "upos"))
        wanted_columns = [index for index, tag in enumerate(tag_names) if tag in wanted_tags]
        return PartsOfSpeech(
            [tag_names[index] for index in probabilities.argmax(axis=1).tolist()],
            probabilities[:, wanted_columns].sum(axis=1).tolist(),
        )

    def find_base_forms(self, read_words: ReadWords) -> list[str]:
        """Return the base form of each word of a name ("Москвы": "Москва"), with its own capitals.

        A word with an uncertain lemma is unchanged: a wrong lemma would name nothing.
        """
        rule_probabilities = softmax(self._network.compute_scores([read_words.states], "lemma"))
        best_rules, certainties = (
            rule_probabilities.argmax(axis=1).tolist(),
            rule_probabilities.max(axis=1).tolist(),
        )
        return [
            word
            if confidence < _MIN_LEMMA_PROBABILITY
            else _copy_capitals_of(word, apply_lemma_rule(word, self._lemma_rules[index]))
            for word, index, confidence in zip(read_words.words, best_rules, certainties, strict=True)
        ]

    def guess_name_types(self, read_words: ReadWords, first_index: int, end_index: int) -> dict[str, float]:
        """Return the probability of each type for the words from `first_index` to `end_index` (exclusive), if
        they are a name.

        The types are those of the training data (PER, ORG, LOC, MISC, or NAME if it has none); the sum is
        one.
        """
        tag_probabilities = read_words.tag_probabilities[first_index:end_index]
        kinds = list(self._columns_by_kind)
        kind_probabilities = np.stack(
            [tag_probabilities[:, self._columns_by_kind[kind]].sum(axis=1) for kind in kinds]
        )
        # Geometric mean over the words: each has to match.
        kind_weights = np.exp(np.log(np.maximum(kind_probabilities, 1e-9)).mean(axis=1))
        return dict(zip(kinds, (kind_weights / kind_weights.sum()).tolist(), strict=True))

    def parse(self, sentences: Sequence[list[str]]) -> Iterator[Parse]:
        """Yield the syntax of each sentence, given as words; none may be empty. Requires a pipeline that
        `parses`.

        Claims and statements of a chunk are read one after the other: what was parsed lately is kept.
        """
        sentence_keys = [tuple(words) for words in sentences]
        parses = {key: parse for key in sentence_keys if (parse := self._cached_parses.get(key)) is not None}
        new_keys = [key for key in dict.fromkeys(sentence_keys) if key not in parses]
        for batch in _split_into_batches([list(key) for key in new_keys]):
            parses.update(zip(map(tuple, batch), self._parse_batch(batch), strict=True))
        self._cached_parses.add((key, parses[key]) for key in new_keys)
        return iter([parses[key] for key in sentence_keys])

    def parse_with_names(self, words: list[str]) -> ParsedNames:
        """Return the syntax of a non-empty sentence of words, and the names in it, with one forward pass."""
        states = self._network.encode([words])
        (parse,) = self._parse_states([words], states)
        return ParsedNames(
            parse, self.find_names(ReadWords(words, states[0], *self._network.find_name_tags(states)[0]))
        )

    def _parse_batch(self, sentences: list[list[str]]) -> Iterator[Parse]:
        return self._parse_states(sentences, self._network.encode(sentences))

    def _parse_states(self, sentences: list[list[str]], states: list[Floats]) -> Iterator[Parse]:
        classes = self._network.classes
        best_tags = self._network.compute_scores(states, "upos").argmax(axis=1).tolist()
        rule_scores = self._network.compute_scores(states, "lemma")
        best_rules = rule_scores.argmax(axis=1).tolist()
        arcs_by_sentence = self._network.compute_arc_scores(states)
        heads_by_sentence = [find_most_probable_heads(sentence_arcs) for sentence_arcs in arcs_by_sentence]
        label_probabilities = self._network.compute_label_scores(states, heads_by_sentence)
        best_labels = label_probabilities.argmax(axis=1)
        best_label_probabilities = label_probabilities[np.arange(len(label_probabilities)), best_labels]
        start = 0
        for words, sentence_arcs, sentence_heads in zip(
            sentences, arcs_by_sentence, heads_by_sentence, strict=True
        ):
            indexes = range(start, start + len(words))
            start, span = indexes.stop, slice(indexes.start, indexes.stop)
            upos = [classes["upos"][best_tags[index]] for index in indexes]
            arc_probabilities = sentence_arcs[np.arange(len(words)), sentence_heads]
            yield Parse(
                upos=upos,
                lemmas=[
                    self._lemma_by_rule(word, tag, self._lemma_rules[best_rules[index]])
                    or self.lemmas.find_lemma_of_word(
                        word, tag, self._list_likeliest_rules(rule_scores[index])
                    )
                    for word, tag, index in zip(words, upos, indexes, strict=True)
                ],
                heads=sentence_heads.tolist(),
                relations=[classes["labels"][label] for label in best_labels[span].tolist()],
                confidence=(arc_probabilities * best_label_probabilities[span]).tolist(),
            )

    def _list_likeliest_rules(self, scores: Floats) -> list[str]:
        """Return the lemma rules by descending score."""
        return [self._lemma_rules[index] for index in np.argsort(-scores, kind="stable").tolist()]


def _copy_capitals_of(word: str, lemma: str) -> str:
    if word.isupper() and len(word) > 1:
        return lemma.upper()
    return lemma[:1].upper() + lemma[1:] if word[:1].isupper() else lemma


def _split_into_batches(sentences: Sequence[list[str]]) -> Iterator[list[list[str]]]:
    batch: list[list[str]] = []
    token_count = 0
    for words in sentences:
        if batch and token_count + len(words) > _BATCH_TOKENS:
            yield batch
            batch, token_count = [], 0
        batch.append(words)
        token_count += len(words)
    if batch:
        yield batch
