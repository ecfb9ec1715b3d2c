"""An embedder that needs no key and no download: hashed character n-grams and words.

It matches wording, not meaning: enough to find a passage by its terms and a name by its spelling.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.domain.scoring.keywords import UNSPACED
from app.llm.embedding.local_models import HASHED

MODEL, DIMENSIONS = HASHED.name, HASHED.dimensions
# Beyond this a vector of 256 sums carries no more information, and one text must not hold up a batch.
MAX_CHARACTERS = 20_000

_U64 = np.uint64
_PRIME = _U64(0x100000001B3)
_MIX_A = _U64(0xFF51AFD7ED558CCD)
_MIX_B = _U64(0xC4CEB9FE1A85EC53)
_SHIFT = _U64(33)
_NGRAM_SIZES = (3, 4, 5)
_WORD_SEED = _U64(0x9E3779B97F4A7C15)
# A shared word is stronger evidence than a shared trigram. In scripts without spaces, pairs stand for words.
_WORD_WEIGHT = 3.0
_PAIR_SIZE, _PAIR_WEIGHT = 2, 2.0
_PAIR_SEED = _U64(0xC2B2AE3D27D4EB4F)
_SPACE_CODE_POINT = 32

Vectors = npt.NDArray[np.float32]


def _mix_hashes(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    values = (values ^ (values >> _SHIFT)) * _MIX_A
    values = (values ^ (values >> _SHIFT)) * _MIX_B
    return values ^ (values >> _SHIFT)


def _normalize_text(text: str) -> str:
    text = text[:MAX_CHARACTERS]
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()[:MAX_CHARACTERS]


class _JoinedCodePoints(NamedTuple):
    """The code points of all texts in one array, and the index of its text for each of them."""

    code_points: npt.NDArray[np.uint32]
    text_indices: npt.NDArray[np.int64]


def _join_code_points_of_words(texts: Sequence[str]) -> _JoinedCodePoints:
    """Return one array of the code points of all texts, with spaces between, and their text indices.

    Everything but letters, digits, plus and hash becomes a space; runs of spaces become one.
    """
    joined_text = "".join(f" {text} " for text in texts)
    code_points = np.frombuffer(joined_text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    text_indices = np.repeat(
        np.arange(len(texts), dtype=np.int64), np.array([len(text) + 2 for text in texts], dtype=np.int64)
    )
    is_wordlike = (
        ((code_points >= 97) & (code_points <= 122))
        | ((code_points >= 48) & (code_points <= 57))
        | (code_points == 43)
        | (code_points == 35)
    )
    is_beyond_ascii = code_points >= 128
    if is_beyond_ascii.any():
        unique_points, point_indices = np.unique(code_points[is_beyond_ascii], return_inverse=True)
        is_letter = np.array([chr(point).isalnum() for point in unique_points.tolist()], dtype=bool)
        is_wordlike[is_beyond_ascii] = is_letter[point_indices]
    code_points = np.where(is_wordlike, code_points, _SPACE_CODE_POINT).astype(np.uint32)
    is_space = code_points == _SPACE_CODE_POINT
    is_retained = np.ones(len(code_points), dtype=bool)
    is_retained[1:] = ~(is_space[1:] & is_space[:-1] & (text_indices[1:] == text_indices[:-1]))
    return _JoinedCodePoints(code_points[is_retained], text_indices[is_retained])


def _flag_code_points_of_unspaced_scripts(code_points: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    is_unspaced = np.zeros(len(code_points), dtype=bool)
    if len(code_points) and code_points.max() >= UNSPACED[0][0]:
        for first_code, last_code in UNSPACED:
            is_unspaced |= (code_points >= first_code) & (code_points <= last_code)
    return is_unspaced


class _HashedFeatures(NamedTuple):
    """The hash of each feature, and the index of its text."""

    hashes: npt.NDArray[np.uint64]
    text_indices: npt.NDArray[np.int64]


def _hash_ngrams(code_points: npt.NDArray[np.uint32], text_indices: npt.NDArray[np.int64]) -> _HashedFeatures:
    hashes: list[npt.NDArray[np.uint64]] = []
    text_indexes: list[npt.NDArray[np.int64]] = []
    rolling_hashes = code_points.astype(np.uint64)
    # Scripts without spaces use pairs instead: longer n-grams would outweigh them.
    unspaced_before = np.concatenate(([0], np.cumsum(_flag_code_points_of_unspaced_scripts(code_points))))
    for ngram_size in range(2, max(_NGRAM_SIZES) + 1):
        if len(code_points) < ngram_size:
            break
        rolling_hashes = rolling_hashes[:-1] * _PRIME + code_points[ngram_size - 1 :].astype(np.uint64)
        if ngram_size in _NGRAM_SIZES:
            is_short = unspaced_before[ngram_size:] - unspaced_before[: len(rolling_hashes)] < _PAIR_SIZE
            is_inside_word = (
                text_indices[: len(rolling_hashes)] == text_indices[ngram_size - 1 :]
            ) & is_short
            hashes.append(_mix_hashes(rolling_hashes[is_inside_word] + _U64(ngram_size)))
            text_indexes.append(text_indices[: len(rolling_hashes)][is_inside_word])
    if not hashes:
        return _HashedFeatures(np.zeros(0, np.uint64), np.zeros(0, np.int64))
    return _HashedFeatures(np.concatenate(hashes), np.concatenate(text_indexes))


def _hash_words(code_points: npt.NDArray[np.uint32], text_indices: npt.NDArray[np.int64]) -> _HashedFeatures:
    """Return one hash per word: a wrapping sum over (character, position in word), exact for any length."""
    is_letter = code_points != _SPACE_CODE_POINT
    is_word_start = is_letter & np.concatenate(([True], ~is_letter[:-1]))
    if not is_word_start.any():
        return _HashedFeatures(np.zeros(0, np.uint64), np.zeros(0, np.int64))
    word_starts = np.flatnonzero(is_word_start)
    # Each run from one start to the next is one word and the space after it; the space contributes 0.
    offsets = (np.arange(len(code_points)) - word_starts[np.maximum(np.cumsum(is_word_start) - 1, 0)]).astype(
        np.uint64
    )
    character_hashes = _mix_hashes(code_points.astype(np.uint64) * _PRIME + offsets + _WORD_SEED)
    character_hashes[~is_letter] = _U64(0)
    word_hashes = _mix_hashes(np.add.reduceat(character_hashes, word_starts))
    # A run in a script without spaces is a phrase, not a word.
    is_spaced = (
        np.add.reduceat(_flag_code_points_of_unspaced_scripts(code_points).astype(np.int64), word_starts)
        < _PAIR_SIZE
    )
    return _HashedFeatures(word_hashes[is_spaced], text_indices[word_starts][is_spaced])


def _hash_pairs(code_points: npt.NDArray[np.uint32], text_indices: npt.NDArray[np.int64]) -> _HashedFeatures:
    """Return three hashes per pair of adjacent characters in scripts without spaces between words."""
    is_unspaced = _flag_code_points_of_unspaced_scripts(code_points)
    is_pair = is_unspaced[:-1] & is_unspaced[1:] & (text_indices[:-1] == text_indices[1:])
    wide_code_points = code_points.astype(np.uint64)
    pair_codes = wide_code_points[:-1][is_pair] * _PRIME + wide_code_points[1:][is_pair]
    # Three slots for each: a query may be a single pair, and one of 256 slots is often shared.
    hashes = np.concatenate([_mix_hashes(pair_codes ^ _PAIR_SEED ^ _U64(seed)) for seed in (1, 2, 3)])
    return _HashedFeatures(hashes, np.tile(text_indices[:-1][is_pair], 3))


class HashedEmbedder:
    """Embeds by hashing: the same text gives the same vector in every process on every machine."""

    model: str = MODEL
    dimensions: int = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector of 256 float32 per text, in order; shape (len(texts), 256).

        Case, Unicode composition and punctuation are ignored. A text without letters and digits gets a fixed
        unit vector, because a zero vector has no cosine (docs/reliability.md, bad input 45). Only the first
        20,000 characters of a text are used.
        """
        if not texts:
            return np.zeros((0, DIMENSIONS), np.float32)
        code_points, text_indices = _join_code_points_of_words([_normalize_text(text) for text in texts])
        vectors = np.zeros(len(texts) * DIMENSIONS, np.float64)
        for (hashes, text_indexes), weight in (
            (_hash_ngrams(code_points, text_indices), 1.0),
            (_hash_words(code_points, text_indices), _WORD_WEIGHT),
            (_hash_pairs(code_points, text_indices), _PAIR_WEIGHT),
        ):
            if not len(hashes):
                continue
            # Sublinear term frequency: the tenth occurrence of a word adds little to the ninth.
            keyed_hashes = hashes ^ (text_indexes.astype(np.uint64) * _WORD_SEED)
            _, first_indexes, counts = np.unique(keyed_hashes, return_index=True, return_counts=True)
            hashes, text_indexes = hashes[first_indexes], text_indexes[first_indexes]
            signs = np.where(hashes >> _U64(63), 1.0, -1.0)
            slot_indexes = text_indexes * DIMENSIONS + (hashes % _U64(DIMENSIONS)).astype(np.int64)
            vectors += np.bincount(
                slot_indexes, weight * signs * (1.0 + np.log(counts)), minlength=len(vectors)
            )
        vector_rows = vectors.reshape(len(texts), DIMENSIONS)
        norms = np.linalg.norm(vector_rows, axis=1)
        is_zero = norms == 0
        vector_rows[is_zero, 0] = 1.0
        norms[is_zero] = 1.0
        unit_vectors: Vectors = (vector_rows / norms[:, None]).astype(np.float32)
        return unit_vectors
