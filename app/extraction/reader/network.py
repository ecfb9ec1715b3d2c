"""The forward pass of the trained network, in numpy: states of words, and the scores of each head.

The layers are those of `benchmarks/reader/network.py`, which trains them.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.extraction.reader.embedding_features import FEATURES
from app.extraction.reader.tagging import find_best_tags, tag_probabilities
from app.extraction.reader.word_pieces import Pieces

Floats = NDArray[np.float32]

_MAX_DISTANCE = 15
_EPSILON = 1e-5
_SCALE = ".scale"


@dataclass(frozen=True, slots=True)
class _Maxout:
    """A linear layer with the maximum of two pieces, followed by a layer norm."""

    weight: Floats
    bias: Floats
    scale: Floats
    shift: Floats

    def apply_to_pieces(self, piece_outputs: Floats) -> Floats:
        """Return the layer's output from its linear part."""
        hidden_size = len(self.scale)
        outputs = np.maximum(piece_outputs[:, :hidden_size], piece_outputs[:, hidden_size:])
        outputs -= np.add.reduce(outputs, axis=1, keepdims=True) / np.float32(hidden_size)
        outputs *= 1.0 / np.sqrt(np.einsum("ij,ij->i", outputs, outputs)[:, None] / hidden_size + _EPSILON)
        outputs *= self.scale
        outputs += self.shift
        return outputs

    def __call__(self, inputs: Floats) -> Floats:
        piece_outputs = inputs @ self.weight
        piece_outputs += self.bias
        return self.apply_to_pieces(piece_outputs)


@dataclass(frozen=True, slots=True)
class _Linear:
    weight: Floats
    bias: Floats

    def __call__(self, inputs: Floats) -> Floats:
        outputs: Floats = inputs @ self.weight
        outputs += self.bias
        return outputs


class _WordVectors:
    """Pretrained word vectors: each is the mean of the vectors of its pieces."""

    def __init__(self, pieces: Pieces, table: Floats) -> None:
        # A word without a known piece uses the last row, of zeros.
        self._table = np.concatenate([table, np.zeros((1, table.shape[1]), dtype=np.float32)])

        self.is_known = pieces.is_single_piece

        @lru_cache(maxsize=100_000)
        def rows_of(word: str) -> tuple[int, ...]:
            return pieces.list_piece_rows(word) or (len(table),)

        self._rows_of = rows_of

    @classmethod
    def from_arrays(
        cls, stored_settings: dict[str, NDArray[Any]], arrays: dict[str, Floats]
    ) -> "_WordVectors | None":
        """Return the word vectors stored with the weights; None if there are none."""
        if "pieces" not in stored_settings:
            return None
        return cls(Pieces(stored_settings["pieces"].tobytes().decode().split("\n")), arrays["pieces.weight"])

    def __call__(self, words: Iterable[str]) -> Floats:
        """Return one vector for each word; `words` is not empty."""
        rows_by_word = list(map(self._rows_of, words))
        counts = np.fromiter(map(len, rows_by_word), dtype=np.intp, count=len(rows_by_word))
        starts = np.cumsum(counts) - counts
        flat_rows = np.fromiter(chain.from_iterable(rows_by_word), dtype=np.intp, count=int(counts.sum()))
        mean_vectors: Floats = np.add.reduceat(self._table[flat_rows], starts, axis=0)
        mean_vectors /= counts[:, None].astype(np.float32)
        return mean_vectors


class Network:
    """The weights of one language; its methods compute in batches and keep no state."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        stored_header = json.loads(str(arrays["header"]))
        self.classes: dict[str, list[str]] = stored_header["classes"]
        self.features = FEATURES[stored_header["features"]]
        self._reach_by_window: list[int] = stored_header.get("reach", [])
        """How far the neighbours are that each window sees; one word where it is not given."""
        self._character_folding = str.maketrans(*stored_header.get("folded", ("", "")))
        """Characters that are looked up as others: the traditional ones of Chinese as simplified ones."""
        self.inflects_names: bool = stored_header.get("inflects_names", False)
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
        self._word_vectors = _WordVectors.from_arrays(arrays, self._arrays)

    def knows_word(self, word: str) -> bool:
        """Return whether a word in lower case has a vector of its own; False without word vectors."""
        return self._word_vectors is not None and self._word_vectors.is_known(word)

    def embed_words(self, words: Sequence[str]) -> Floats:
        """Return the pretrained vector of each word: len(words) × size; len(words) × 0 without vectors."""
        if self._word_vectors is None or not words:
            return np.zeros((len(words), 0), np.float32)
        return self._word_vectors(words)

    def _read_linear_layer(self, name: str) -> _Linear:
        weight = np.ascontiguousarray(self._arrays[f"{name}.weight"].T)
        return _Linear(weight, self._arrays[f"{name}.bias"])

    def _read_maxout_layer(self, name: str) -> _Maxout:
        linear_layer = self._read_linear_layer(f"{name}.linear")
        return _Maxout(
            linear_layer.weight,
            linear_layer.bias,
            self._arrays[f"{name}.norm.weight"],
            self._arrays[f"{name}.norm.bias"],
        )

    @cached_property
    def _first_layer(self) -> tuple[_Maxout, list[Floats], Floats]:
        """Return the first layer, the contribution of each row of each table to its linear part, and its part
        for vectors.

        The product of a table and its part of the layer is computed once, so that a word's features are only
        added.
        """
        layer = self._read_maxout_layer("first")
        row_products, row_offset = [], 0
        for table_index, table in enumerate(self.features.tables):
            rows = self._arrays[f"tables.{table_index}.weight"]
            product = rows @ layer.weight[row_offset : row_offset + rows.shape[1]]
            row_products.extend([product] * table.hash_count)
            row_offset += rows.shape[1]
        # The remaining rows of the layer are for pretrained vectors, whose products are too many to
        # precompute.
        return layer, row_products, np.ascontiguousarray(layer.weight[row_offset:])

    @cached_property
    def _windows(self) -> list[tuple[int, _Maxout]]:
        """Return each window with how far its neighbours are."""
        depth = sum(name.startswith("windows.") and name.endswith("linear.weight") for name in self._arrays)
        reach_by_window = self._reach_by_window or [1] * depth
        return [
            (reach_by_window[window_index], self._read_maxout_layer(f"windows.{window_index}"))
            for window_index in range(depth)
        ]

    @cached_property
    def _heads(self) -> dict[str, _Linear]:
        head_names = (
            "upos",
            "lemma",
            "names",
            "arc_of",
            "arc_to",
            "arc_head",
            "label_of",
            "label_to",
            "label",
        )
        return {
            name: self._read_linear_layer(name) for name in head_names if f"{name}.weight" in self._arrays
        }

    def prepare(self) -> None:
        """Compute all cached values now, instead of at the first sentence."""
        for name, attribute in vars(type(self)).items():
            if isinstance(attribute, cached_property):
                getattr(self, name)

    def _encode_words(self, rows: NDArray[np.intp], words: Iterable[str]) -> Floats:
        """Return the output of the first layer for words with these rows, which no other word changes."""
        layer, row_products, vector_weights = self._first_layer
        piece_outputs = np.tile(layer.bias, (len(rows), 1))
        for column, row_product in enumerate(row_products):
            piece_outputs += row_product[rows[:, column]]
        if self._word_vectors is not None:
            piece_outputs += self._word_vectors(words) @ vector_weights
        return layer.apply_to_pieces(piece_outputs)

    def encode(self, sentences: list[list[str]]) -> list[Floats]:
        """Return the states of each sentence's words: len(words) × hidden.

        Values that depend on a single word are computed once for all its occurrences.
        """
        if not sentences:
            return []
        if self._character_folding:
            sentences = [[word.translate(self._character_folding) for word in words] for words in sentences]
        index_by_word: dict[tuple[tuple[int, ...], str], int] = {}
        word_indexes = [
            index_by_word.setdefault(rows_and_word, len(index_by_word))
            for words in sentences
            for rows_and_word in zip(self.features.lookup(words), words, strict=True)
        ]
        word_states = self._encode_words(
            np.array([rows for rows, _ in index_by_word], dtype=np.intp), [word for _, word in index_by_word]
        )
        # A row of zeros for the places between sentences, which separate their windows.
        word_states = np.concatenate([word_states, np.zeros((1, word_states.shape[1]), dtype=np.float32)])
        sentence_lengths = np.array([len(words) for words in sentences])
        padding = max(reach for reach, _ in self._windows)
        sentence_ends = np.cumsum(sentence_lengths + padding) - padding
        padded_words = np.full(int(sentence_ends[-1]) + padding, len(index_by_word), dtype=np.intp)
        padded_words[
            np.arange(len(word_indexes))
            + np.repeat(sentence_ends - np.cumsum(sentence_lengths), sentence_lengths)
        ] = word_indexes
        separator_positions = np.flatnonzero(padded_words == len(index_by_word))
        states = word_states[padded_words]
        hidden_size = states.shape[1]
        window_inputs = np.empty((len(padded_words), hidden_size * 3), dtype=np.float32)
        for window_index, (reach, window) in enumerate(self._windows):
            if window_index == 0:
                states += window.apply_to_pieces(self._precompute_first_window(word_states, padded_words))
            else:
                window_inputs[:reach, :hidden_size] = 0.0
                window_inputs[reach:, :hidden_size] = states[:-reach]
                window_inputs[:, hidden_size : 2 * hidden_size] = states
                window_inputs[:-reach, 2 * hidden_size :] = states[reach:]
                window_inputs[-reach:, 2 * hidden_size :] = 0.0
                states += window(window_inputs)
            states[separator_positions] = 0.0
        return [
            states[end - length : end]
            for end, length in zip(sentence_ends.tolist(), sentence_lengths.tolist(), strict=True)
        ]

    def _precompute_first_window(self, word_states: Floats, padded_words: NDArray[np.intp]) -> Floats:
        """Return the linear part of the first window at each place, from the states of the distinct words."""
        reach, window = self._windows[0]
        weights_of_previous, weights_of_word, weights_of_next = np.split(window.weight, 3)
        piece_outputs = (word_states @ weights_of_word)[padded_words]
        piece_outputs += window.bias
        piece_outputs[reach:] += (word_states @ weights_of_previous)[padded_words[:-reach]]
        piece_outputs[:-reach] += (word_states @ weights_of_next)[padded_words[reach:]]
        return piece_outputs

    def compute_scores(self, states: Sequence[Floats], head: str) -> Floats:
        """Return the scores of the classes of a head (`upos`, `lemma`) for the words of all sentences."""
        return self._heads[head](np.concatenate(states))

    def find_name_tags(self, states: list[Floats]) -> list[tuple[Floats, list[str]]]:
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
        best_paths = find_best_tags(scores, transitions, self.classes["names"])
        return list(zip(probabilities, best_paths, strict=True))

    def compute_arc_scores(self, states: Sequence[Floats]) -> list[Floats]:
        """Return for each sentence the probabilities of the heads (columns) of each word (rows); the diagonal
        is the root.
        """
        layers, word_states = self._heads, np.concatenate(states)
        dependent_vectors = layers["arc_of"](word_states)
        dependent_vectors /= np.float32(np.sqrt(layers["arc_of"].bias.size))
        head_vectors = layers["arc_to"](word_states)
        scores_of_heads = layers["arc_head"](word_states)[:, 0]
        arcs_by_sentence, start = [], 0
        for length in map(len, states):
            end = start + length
            scores = dependent_vectors[start:end] @ head_vectors[start:end].T
            scores += scores_of_heads[start:end]
            positions = np.arange(length)
            distances = positions - positions[:, None]
            np.clip(distances, -_MAX_DISTANCE, _MAX_DISTANCE, out=distances)
            scores += self._arrays["distance"][distances + _MAX_DISTANCE]
            scores[positions, positions] += self._arrays["root"][0]
            arcs_by_sentence.append(softmax(scores))
            start = end
        return arcs_by_sentence

    def compute_label_scores(self, states: Sequence[Floats], heads: Sequence[NDArray[np.intp]]) -> Floats:
        """Return the probabilities of the relations of each word of all sentences to its head."""
        layers, word_states = self._heads, np.concatenate(states)
        lengths = [len(state) for state in states]
        starts = np.repeat(np.cumsum([0, *lengths[:-1]]), lengths)
        hidden_states = layers["label_to"](word_states)[np.concatenate(heads) + starts]
        hidden_states += layers["label_of"](word_states)
        return softmax(layers["label"](np.maximum(hidden_states, 0.0)))


def softmax(scores: Floats) -> Floats:
    """Return the scores of each row as probabilities."""
    exponentials: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    exponentials /= exponentials.sum(axis=1, keepdims=True)
    return exponentials


def _split(word_rows: Floats, states: list[Floats]) -> list[Floats]:
    """Return the rows of each sentence."""
    return np.split(word_rows, np.cumsum([len(state) for state in states])[:-1])
