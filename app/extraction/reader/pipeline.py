"""The pipeline: from text to sentences of words with part of speech, lemma, head, relation, and names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.documents.sentences import split_sentences
from app.extraction.reader.lemmas import Lemmas, apply_rule
from app.extraction.reader.network import Floats, Network
from app.extraction.reader.trees import find_best_tree

LONGEST_SENTENCE = 200
"""Maximum number of tokens of a sentence; a longer one is split, since arcs need quadratic memory."""
_BATCH_TOKENS = 4_000
"""Number of tokens in one forward pass."""
_RECENT = 128
"""Sentences whose syntax is kept, at most."""
_OUTSIDE = "O"
_LEAST_SURE = 0.5
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
    tags: Floats
    """Probabilities of the BIO tags of names (words × tags)."""
    best_tags: list[str]
    """The best valid sequence of these tags."""


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence of a text: `text[starts[i]:ends[i]]` are its words."""

    starts: list[int]
    ends: list[int]
    read: ReadWords


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


class Pipeline:
    """Reads one language with the shipped weights."""

    def __init__(self, network: Network, lemmas: Lemmas | None = None) -> None:
        self._network = network
        self._recent: dict[tuple[str, ...], Parse] = {}
        self.lemmas = lemmas or Lemmas()
        self._tags = network.classes["names"]
        self._outside = self._tags.index(_OUTSIDE)
        kinds = sorted({tag[2:] for tag in self._tags if tag != _OUTSIDE})
        self._columns = {
            kind: [index for index, tag in enumerate(self._tags) if tag[2:] == kind] for kind in kinds
        }
        self._lemma_rules = self._network.classes["lemmas"]

    @property
    def inflects_names(self) -> bool:
        """Return whether names of the language are inflected; `base_forms` then returns their base forms."""
        return self._network.inflects_names

    def with_lemmas(self, lemmas: Lemmas) -> "Pipeline":
        """Return the same pipeline with another table of lemmas."""
        return Pipeline(self._network, lemmas)

    @property
    def parses(self) -> bool:
        """Return whether the weights include syntax."""
        return bool(self._network.classes["labels"])

    def knows_word(self, word: str) -> bool:
        """Return whether a word in lower case is frequent: an ordinary word or a well-known name.

        The vectors have some 20,000 words; "pine", "mercury" and "oslo" are among them, "larkspur" is not.
        """
        return self._network.knows_word(word)

    def prepare(self) -> None:
        """Compute all cached values now, instead of at the first sentence."""
        self._network.prepare()

    def read(self, texts: Sequence[str]) -> list[list[ReadSentence]]:
        """Return the sentences of each text, in order. Linear in the length of the texts."""
        pieces: list[tuple[int, list[tuple[int, int]]]] = []
        for text_index, text in enumerate(texts):
            for start, end in split_sentences(text):
                tokens = self.tokens(text, start, end)
                pieces += [
                    (text_index, tokens[begin : begin + LONGEST_SENTENCE])
                    for begin in range(0, len(tokens), LONGEST_SENTENCE)
                ]
        words = [[texts[text_index][start:end] for start, end in tokens] for text_index, tokens in pieces]
        sentences_by_text: list[list[ReadSentence]] = [[] for _ in texts]
        for (text_index, tokens), read_sentence in zip(pieces, self.read_words(words), strict=True):
            starts, ends = [token[0] for token in tokens], [token[1] for token in tokens]
            sentences_by_text[text_index].append(ReadSentence(starts, ends, read_sentence))
        return sentences_by_text

    def tokens(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        """Return the ranges of the words in `text[start:end]`, in characters of the text."""
        return self._network.features.tokens(text, start, end)

    def read_words(self, sentences: Sequence[list[str]]) -> Iterator[ReadWords]:
        """Yield the states and tags of each sentence of words, none of which is empty."""
        for batch in _batches(sentences):
            states = self._network.encode(batch)
            for words, word_states, tags in zip(batch, states, self._network.name_tags(states), strict=True):
                yield ReadWords(words, word_states, *tags)

    def names(self, read: ReadWords) -> list[Name]:
        """Return the names in a sentence, in order."""
        best_tags = read.best_tags
        names, name_start = [], 0
        while name_start < len(best_tags):
            name_end = name_start + 1
            if best_tags[name_start] != _OUTSIDE:
                while name_end < len(best_tags) and best_tags[name_end].startswith("I-"):
                    name_end += 1
                outside_probabilities = read.tags[name_start:name_end, self._outside]
                # Spaces are tokens in some languages, and no name begins or ends with one.
                word_indexes = [
                    index for index in range(name_start, name_end) if not read.words[index].isspace()
                ]
                if word_indexes:
                    names.append(
                        Name(word_indexes[0], word_indexes[-1] + 1, float(1.0 - outside_probabilities.max()))
                    )
            name_start = name_end
        return names

    def base_forms(self, read: ReadWords) -> list[str]:
        """Return the base form of each word of a name ("Москвы": "Москва"), with its own capitals.

        A word with an uncertain lemma is unchanged: a wrong lemma would name nothing.
        """
        (rules,) = self._network.tags([read.states], "lemma")
        best_rules, certainties = rules.argmax(axis=1).tolist(), rules.max(axis=1).tolist()
        return [
            word
            if confidence < _LEAST_SURE
            else _with_capitals_of(word, apply_rule(word, self._lemma_rules[index]))
            for word, index, confidence in zip(read.words, best_rules, certainties, strict=True)
        ]

    def types(self, read: ReadWords, first: int, last: int) -> dict[str, float]:
        """Return the probability of each type for the words from `first` to `last` (exclusive), if they are a
        name.

        The types are those of the training data (PER, ORG, LOC, MISC, or NAME if it has none); the sum is
        one.
        """
        tags = read.tags[first:last]
        kinds = list(self._columns)
        kind_probabilities = np.stack([tags[:, self._columns[kind]].sum(axis=1) for kind in kinds])
        # Geometric mean over the words: each has to match.
        weights = np.exp(np.log(np.maximum(kind_probabilities, 1e-9)).mean(axis=1))
        return dict(zip(kinds, (weights / weights.sum()).tolist(), strict=True))

    def parse(self, sentences: Sequence[list[str]]) -> Iterator[Parse]:
        """The syntax of each sentence of words, none of which is empty; for a pipeline that `parses`.

        Claims and statements of a chunk are read one after the other: what was parsed lately is kept.
        """
        keys = [tuple(words) for words in sentences]
        parses = {key: self._recent[key] for key in keys if key in self._recent}
        for batch in _batches([list(key) for key in dict.fromkeys(keys) if key not in parses]):
            parses.update(zip(map(tuple, batch), self._parse_batch(batch), strict=True))
        self._recent = dict(list({**self._recent, **parses}.items())[-_RECENT:])
        return iter([parses[key] for key in keys])

    def parse_with_names(self, words: list[str]) -> tuple[Parse, list[Name]]:
        """Return the syntax of a non-empty sentence of words, and the names in it, with one forward pass."""
        states = self._network.encode([words])
        (parse,) = self._parse_states([words], states)
        return parse, self.names(ReadWords(words, states[0], *self._network.name_tags(states)[0]))

    def _parse_batch(self, sentences: list[list[str]]) -> Iterator[Parse]:
        return self._parse_states(sentences, self._network.encode(sentences))

    def _parse_states(self, sentences: list[list[str]], states: list[Floats]) -> Iterator[Parse]:
        classes = self._network.classes
        tags, rules = self._network.tags(states, "upos"), self._network.tags(states, "lemma")
        for words, sentence_states, sentence_tags, sentence_rules in zip(
            sentences, states, tags, rules, strict=True
        ):
            arcs = self._network.arcs(sentence_states)
            heads = find_best_tree(arcs)
            labels = self._network.labels(sentence_states, heads)
            best_labels = labels.argmax(axis=1)
            positions = np.arange(len(heads))
            upos = [classes["upos"][index] for index in sentence_tags.argmax(axis=1)]
            yield Parse(
                upos=upos,
                lemmas=[
                    self.lemmas.of_word(word, tag, _likeliest(classes["lemmas"], scores))
                    for word, tag, scores in zip(words, upos, sentence_rules, strict=True)
                ],
                heads=heads.tolist(),
                relations=[classes["labels"][index] for index in best_labels],
                confidence=(arcs[positions, heads] * labels[positions, best_labels]).tolist(),
            )


def _likeliest(rules: Sequence[str], scores: Floats) -> Iterator[str]:
    """Yield the rules by descending score; sorted only if the first one is not enough."""
    yield rules[int(scores.argmax())]
    for index in np.argsort(-scores, kind="stable")[1:]:
        yield rules[int(index)]


def _with_capitals_of(word: str, lemma: str) -> str:
    if word.isupper() and len(word) > 1:
        return lemma.upper()
    return lemma[:1].upper() + lemma[1:] if word[:1].isupper() else lemma


def _batches(sentences: Sequence[list[str]]) -> Iterator[list[list[str]]]:
    batch: list[list[str]] = []
    size = 0
    for words in sentences:
        if batch and size + len(words) > _BATCH_TOKENS:
            yield batch
            batch, size = [], 0
        batch.append(words)
        size += len(words)
    if batch:
        yield batch
