"""The forward pass of the trained network, in numpy: states of words, and the scores of each head.

The layers are those of `benchmarks/reader/network.py`, which trains them.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.extraction.reader.embedding_features import FEATURES
from app.extraction.reader.pieces import Pieces
from app.extraction.reader.tagging import best_tags, tag_probabilities

Floats = NDArray[np.float32]

_FARTHEST = 15
_EPSILON = 1e-5
_SCALE = ".scale"


@dataclass(frozen=True, slots=True)
class _Maxout:
    """A linear layer with the maximum of two pieces, followed by a layer norm."""

    weight: Floats
    bias: Floats
    scale: Floats
    shift: Floats

    def of_pieces(self, pieces: Floats) -> Floats:
        """Return the layer's output from its linear part."""
        hidden_size = len(self.scale)
        x = np.maximum(pieces[:, :hidden_size], pieces[:, hidden_size:])
        x -= x.mean(axis=1, keepdims=True)
        x *= 1.0 / np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / hidden_size + _EPSILON)
        x *= self.scale
        x += self.shift
        return x

    def __call__(self, x: Floats) -> Floats:
        return self.of_pieces(x @ self.weight + self.bias)


@dataclass(frozen=True, slots=True)
class _Linear:
    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        outputs: Floats = x @ self.weight + self.bias
        return outputs


class _WordVectors:
    """Pretrained word vectors: each is the mean of the vectors of its pieces."""

    def __init__(self, pieces: Pieces, table: Floats) -> None:
        # A word without a known piece uses the last row, of zeros.
        self._table = np.concatenate([table, np.zeros((1, table.shape[1]), dtype=np.float32)])

        self.is_known = pieces.has

        @lru_cache(maxsize=100_000)
        def rows_of(word: str) -> tuple[int, ...]:
            return pieces.rows_of(word) or (len(table),)

        self._rows_of = rows_of

    @classmethod
    def of(cls, stored: dict[str, NDArray[Any]], arrays: dict[str, Floats]) -> "_WordVectors | None":
        """Return the word vectors stored with the weights; None if there are none."""
        if "pieces" not in stored:
            return None
        return cls(Pieces(stored["pieces"].tobytes().decode().split("\n")), arrays["pieces.weight"])

    def __call__(self, words: Iterable[str]) -> Floats:
        """Return one vector for each word; `words` is not empty."""
        rows = list(map(self._rows_of, words))
        counts = np.fromiter(map(len, rows), dtype=np.intp, count=len(rows))
        starts = np.cumsum(counts) - counts
        flat_rows = np.fromiter(chain.from_iterable(rows), dtype=np.intp, count=int(counts.sum()))
        mean_vectors: Floats = np.add.reduceat(self._table[flat_rows], starts, axis=0)
        mean_vectors /= counts[:, None].astype(np.float32)
        return mean_vectors


class Network:
    """The weights of one language; its methods compute in batches and keep no state."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        header = json.loads(str(arrays["header"]))
        self.classes: dict[str, list[str]] = header["classes"]
        self.features = FEATURES[header["features"]]
        self._reach: list[int] = header.get("reach", [])
        """How far the neighbours are that each window sees; one word where it is not given."""
        self._folded = str.maketrans(*header.get("folded", ("", "")))
        """Characters that are looked up as others: the traditional ones of Chinese as simplified ones."""
        self.inflects_names: bool = header.get("inflects_names", False)
        """Whether the lemmas of names are their base forms."""
        self._arrays = {
            name: value.astype(np.float32)
            for name, value in arrays.items()
            if value.dtype.kind == "f" and not name.endswith(_SCALE)
        }
        # Tables are stored as bytes, with a scale for each column.
        for name, value in arrays.items():
            if value.dtype == np.int8:
                self._arrays[name] = value * arrays[name + _SCALE].astype(np.float32)
        self._vectors = _WordVectors.of(arrays, self._arrays)

    def knows_word(self, word: str) -> bool:
        """Return whether a word in lower case has a vector of its own; False without word vectors."""
        return self._vectors is not None and self._vectors.is_known(word)

    def _linear(self, name: str) -> _Linear:
        weight = np.ascontiguousarray(self._arrays[f"{name}.weight"].T)
        return _Linear(weight, self._arrays[f"{name}.bias"])

    def _maxout(self, name: str) -> _Maxout:
        linear = self._linear(f"{name}.linear")
        return _Maxout(
            linear.weight,
            linear.bias,
            self._arrays[f"{name}.norm.weight"],
            self._arrays[f"{name}.norm.bias"],
        )

    @cached_property
    def _first(self) -> tuple[_Maxout, list[Floats], Floats]:
        """Return the first layer, the contribution of each row of each table to its linear part, and its part
        for vectors.

        The product of a table and its part of the layer is computed once, so that a word's features are only
        added.
        """
        layer = self._maxout("first")
        products, offset = [], 0
        for number, table in enumerate(self.features.tables):
            rows = self._arrays[f"tables.{number}.weight"]
            product = rows @ layer.weight[offset : offset + rows.shape[1]]
            products.extend([product] * table.hashes)
            offset += rows.shape[1]
        # The remaining rows of the layer are for pretrained vectors, whose products are too many to
        # precompute.
        return layer, products, np.ascontiguousarray(layer.weight[offset:])

    @cached_property
    def _windows(self) -> list[tuple[int, _Maxout]]:
        """Return each window with how far its neighbours are."""
        depth = sum(name.startswith("windows.") and name.endswith("linear.weight") for name in self._arrays)
        reach = self._reach or [1] * depth
        return [(reach[number], self._maxout(f"windows.{number}")) for number in range(depth)]

    @cached_property
    def _heads(self) -> dict[str, _Linear]:
        names = ("upos", "lemma", "names", "arc_of", "arc_to", "arc_head", "label_of", "label_to", "label")
        return {name: self._linear(name) for name in names if f"{name}.weight" in self._arrays}

    def prepare(self) -> None:
        """Compute all cached values now, instead of at the first sentence."""
        for name, attribute in vars(type(self)).items():
            if isinstance(attribute, cached_property):
                getattr(self, name)

    def encode(self, sentences: list[list[str]]) -> list[Floats]:
        """Return the states of each sentence's words: len(words) × hidden."""
        if not sentences:
            return []
        if self._folded:
            sentences = [[word.translate(self._folded) for word in words] for words in sentences]
        lengths = [len(words) for words in sentences]
        # Rows of zeros after each sentence separate the windows of adjacent sentences.
        padding = max(reach for reach, _ in self._windows)
        ends = np.cumsum([length + padding for length in lengths]) - padding
        total_length = int(ends[-1]) + padding
        is_word = np.zeros(total_length, dtype=bool)
        for end, length in zip(ends, lengths, strict=True):
            is_word[end - length : end] = True
        rows = np.zeros((total_length, self.features.columns), dtype=np.intp)
        rows[is_word] = np.concatenate([self.features.rows_of(words) for words in sentences])
        layer, products, vector_weights = self._first
        pieces = np.tile(layer.bias, (total_length, 1))
        for column, product in enumerate(products):
            pieces += product[rows[:, column]]
        if self._vectors is not None:
            pieces[is_word] += self._vectors(chain.from_iterable(sentences)) @ vector_weights
        x = layer.of_pieces(pieces)
        x[~is_word] = 0.0
        hidden_size = x.shape[1]
        for reach, window in self._windows:
            windows_of_states = np.zeros((total_length, hidden_size * 3), dtype=np.float32)
            windows_of_states[reach:, :hidden_size] = x[:-reach]
            windows_of_states[:, hidden_size : 2 * hidden_size] = x
            windows_of_states[:-reach, 2 * hidden_size :] = x[reach:]
            x += window(windows_of_states)
            x[~is_word] = 0.0
        return [x[end - length : end] for end, length in zip(ends, lengths, strict=True)]

    def tags(self, states: list[Floats], head: str) -> list[Floats]:
        """Return the class probabilities of a head (`upos`, `lemma`) for each word."""
        return _split(softmax(self._heads[head](np.concatenate(states))), states)

    def name_tags(self, states: list[Floats]) -> list[tuple[Floats, list[str]]]:
        """Return for each sentence the probabilities of its words' BIO tags of names, and the best valid
        sequence of tags.

        With learned transitions both are of whole sequences, else of each word alone.
        """
        logits = self._heads["names"](np.concatenate(states))
        scores, transitions = _split(logits, states), self._arrays.get("transitions")
        if transitions is None:
            probabilities = _split(softmax(logits), states)
            transitions = np.zeros((logits.shape[1], logits.shape[1]), dtype=np.float32)
        else:
            probabilities = tag_probabilities(scores, transitions)
        best_paths = best_tags(scores, transitions, self.classes["names"])
        return list(zip(probabilities, best_paths, strict=True))

    def arcs(self, x: Floats) -> Floats:
        """Return the probabilities of the heads (columns) of each word (rows); the diagonal is the root."""
        heads = self._heads
        length = len(x)
        scores = heads["arc_of"](x) @ heads["arc_to"](x).T
        scores /= np.float32(np.sqrt(heads["arc_of"].bias.size))
        scores += heads["arc_head"](x).T
        positions = np.arange(length)
        distance = np.clip(positions[None, :] - positions[:, None], -_FARTHEST, _FARTHEST) + _FARTHEST
        scores += self._arrays["distance"][distance]
        scores[positions, positions] += self._arrays["root"][0]
        return softmax(scores)

    def labels(self, x: Floats, heads: NDArray[np.intp]) -> Floats:
        """Return the probabilities of the relations of each word to this head."""
        layers = self._heads
        hidden_states = layers["label_of"](x) + layers["label_to"](x)[heads]
        return softmax(layers["label"](np.maximum(hidden_states, 0.0)))


def softmax(scores: Floats) -> Floats:
    """Return the scores of each row as probabilities."""
    exponentials: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    exponentials /= exponentials.sum(axis=1, keepdims=True)
    return exponentials


def _split(rows: Floats, states: list[Floats]) -> list[Floats]:
    """Return the rows of each sentence."""
    return np.split(rows, np.cumsum([len(state) for state in states])[:-1])
