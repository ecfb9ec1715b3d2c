"""The forward pass of the trained network, in numpy: states of words, and the scores of each head.

The layers are those of `benchmarks/reader/network.py`, which trains them.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.extraction.reader.features import FEATURES

Floats = NDArray[np.float32]

_FARTHEST = 15
_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class _Maxout:
    """A linear layer of two pieces, of which the larger counts, then a layer norm."""

    weight: Floats
    bias: Floats
    scale: Floats
    shift: Floats

    def of_pieces(self, pieces: Floats) -> Floats:
        """The layer's output from its linear part."""
        hidden = len(self.scale)
        x = np.maximum(pieces[:, :hidden], pieces[:, hidden:])
        x -= x.mean(axis=1, keepdims=True)
        x *= 1.0 / np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / hidden + _EPSILON)
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
        out: Floats = x @ self.weight + self.bias
        return out


class Network:
    """The weights of one language; its methods compute in batches and keep nothing."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        header = json.loads(str(arrays["header"]))
        self.classes: dict[str, list[str]] = header["classes"]
        self.features = FEATURES[header["features"]]
        self._arrays = {
            name: value.astype(np.float32) for name, value in arrays.items() if value.dtype.kind == "f"
        }

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
    def _first(self) -> tuple[_Maxout, list[Floats]]:
        """The first layer, and what each row of each table adds to its linear part.

        The product of a table and its part of the layer is worked out once: a word's features are
        then added up and not multiplied.
        """
        layer = self._maxout("first")
        products, at = [], 0
        for number, table in enumerate(self.features.tables):
            rows = self._arrays[f"tables.{number}.weight"]
            product = rows @ layer.weight[at : at + rows.shape[1]]
            products.extend([product] * table.hashes)
            at += rows.shape[1]
        return layer, products

    @cached_property
    def _windows(self) -> list[_Maxout]:
        depth = sum(name.startswith("windows.") and name.endswith("linear.weight") for name in self._arrays)
        return [self._maxout(f"windows.{number}") for number in range(depth)]

    @cached_property
    def _heads(self) -> dict[str, _Linear]:
        names = ("upos", "lemma", "names", "arc_of", "arc_to", "arc_head", "label_of", "label_to", "label")
        return {name: self._linear(name) for name in names if f"{name}.weight" in self._arrays}

    def encode(self, sentences: list[list[str]]) -> list[Floats]:
        """The states of each sentence's words: len(words) × hidden."""
        if not sentences:
            return []
        lengths = [len(words) for words in sentences]
        # One row of zeros behind each sentence keeps neighbours out of its windows.
        total = sum(lengths) + len(lengths)
        is_word = np.ones(total, dtype=bool)
        ends = np.cumsum([length + 1 for length in lengths])
        is_word[ends - 1] = False
        rows = np.zeros((total, self.features.columns), dtype=np.intp)
        rows[is_word] = np.concatenate([self.features.rows_of(words) for words in sentences])
        layer, products = self._first
        pieces = np.tile(layer.bias, (total, 1))
        for column, product in enumerate(products):
            pieces += product[rows[:, column]]
        x = layer.of_pieces(pieces)
        x[~is_word] = 0.0
        hidden = x.shape[1]
        for window in self._windows:
            wide = np.zeros((total, hidden * 3), dtype=np.float32)
            wide[1:, :hidden] = x[:-1]
            wide[:, hidden : 2 * hidden] = x
            wide[:-1, 2 * hidden :] = x[1:]
            x += window(wide)
            x[~is_word] = 0.0
        return [x[end - length - 1 : end - 1] for end, length in zip(ends, lengths, strict=True)]

    def tags(self, states: list[Floats], head: str) -> list[Floats]:
        """Probabilities of the classes of a head (`upos`, `lemma`, `names`) for each word."""
        together = softmax(self._heads[head](np.concatenate(states)))
        return np.split(together, np.cumsum([len(each) for each in states])[:-1])

    def arcs(self, x: Floats) -> Floats:
        """Probabilities of the heads (columns) of each word (rows); its own place stands for the root."""
        heads = self._heads
        length = len(x)
        scores = heads["arc_of"](x) @ heads["arc_to"](x).T
        scores /= np.float32(np.sqrt(heads["arc_of"].bias.size))
        scores += heads["arc_head"](x).T
        places = np.arange(length)
        distance = np.clip(places[None, :] - places[:, None], -_FARTHEST, _FARTHEST) + _FARTHEST
        scores += self._arrays["distance"][distance]
        scores[places, places] += self._arrays["root"][0]
        return softmax(scores)

    def labels(self, x: Floats, heads: NDArray[np.intp]) -> Floats:
        """Probabilities of the relations of each word to this head."""
        parts = self._heads
        wide = parts["label_of"](x) + parts["label_to"](x)[heads]
        return softmax(parts["label"](np.maximum(wide, 0.0)))


def softmax(scores: Floats) -> Floats:
    """Scores of each row as probabilities."""
    out: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    out /= out.sum(axis=1, keepdims=True)
    return out
