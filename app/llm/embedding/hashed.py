"""An embedder that needs no key and no download: hashed character n-grams and words.

It matches wording, not meaning: enough to find a passage by its terms and a name by its spelling.
"""

import unicodedata
from collections.abc import Sequence

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
_SIZES = (3, 4, 5)
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


def _join_code_points(texts: Sequence[str]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """Return one array of the code points of all texts, with spaces between, and their text indices.

    Everything but letters, digits, plus and hash becomes a space; runs of spaces become one.
    """
    joined_text = "".join(f" {text} " for text in texts)
    points = np.frombuffer(joined_text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    rows = np.repeat(
        np.arange(len(texts), dtype=np.int64), np.array([len(text) + 2 for text in texts], dtype=np.int64)
    )
    is_wordlike = (
        ((points >= 97) & (points <= 122))
        | ((points >= 48) & (points <= 57))
        | (points == 43)
        | (points == 35)
    )
    is_beyond_ascii = points >= 128
    if is_beyond_ascii.any():
        unique_points, point_indices = np.unique(points[is_beyond_ascii], return_inverse=True)
        letters = np.array([chr(point).isalnum() for point in unique_points.tolist()], dtype=bool)
        is_wordlike[is_beyond_ascii] = letters[point_indices]
    points = np.where(is_wordlike, points, _SPACE_CODE_POINT).astype(np.uint32)
    is_space = points == _SPACE_CODE_POINT
    is_kept = np.ones(len(points), dtype=bool)
    is_kept[1:] = ~(is_space[1:] & is_space[:-1] & (rows[1:] == rows[:-1]))
    return points[is_kept], rows[is_kept]


def _find_unspaced(points: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    is_unspaced = np.zeros(len(points), dtype=bool)
    if len(points) and points.max() >= UNSPACED[0][0]:
        for first_code, last_code in UNSPACED:
            is_unspaced |= (points >= first_code) & (points <= last_code)
    return is_unspaced


def _hash_ngrams(
    points: npt.NDArray[np.uint32], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    hashes: list[npt.NDArray[np.uint64]] = []
    text_indexes: list[npt.NDArray[np.int64]] = []
    rolling_hashes = points.astype(np.uint64)
    # Scripts without spaces use pairs instead: longer n-grams would outweigh them.
    unspaced_before = np.concatenate(([0], np.cumsum(_find_unspaced(points))))
    for size in range(2, max(_SIZES) + 1):
        if len(points) < size:
            break
        rolling_hashes = rolling_hashes[:-1] * _PRIME + points[size - 1 :].astype(np.uint64)
        if size in _SIZES:
            is_short = unspaced_before[size:] - unspaced_before[: len(rolling_hashes)] < _PAIR_SIZE
            is_inside_word = (rows[: len(rolling_hashes)] == rows[size - 1 :]) & is_short
            hashes.append(_mix_hashes(rolling_hashes[is_inside_word] + _U64(size)))
            text_indexes.append(rows[: len(rolling_hashes)][is_inside_word])
    if not hashes:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    return np.concatenate(hashes), np.concatenate(text_indexes)


def _hash_words(
    points: npt.NDArray[np.uint32], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Return one hash per word: a wrapping sum over (character, position in word), exact for any length."""
    is_letter = points != _SPACE_CODE_POINT
    is_word_start = is_letter & np.concatenate(([True], ~is_letter[:-1]))
    if not is_word_start.any():
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    starts = np.flatnonzero(is_word_start)
    # Each run from one start to the next is one word and the space after it; the space contributes 0.
    offsets = (np.arange(len(points)) - starts[np.maximum(np.cumsum(is_word_start) - 1, 0)]).astype(np.uint64)
    values = _mix_hashes(points.astype(np.uint64) * _PRIME + offsets + _WORD_SEED)
    values[~is_letter] = _U64(0)
    words = _mix_hashes(np.add.reduceat(values, starts))
    # A run in a script without spaces is a phrase, not a word.
    is_spaced = np.add.reduceat(_find_unspaced(points).astype(np.int64), starts) < _PAIR_SIZE
    return words[is_spaced], rows[starts][is_spaced]


def _hash_pairs(
    points: npt.NDArray[np.uint32], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Return three hashes per pair of adjacent characters in scripts without spaces between words."""
    is_unspaced = _find_unspaced(points)
    is_pair = is_unspaced[:-1] & is_unspaced[1:] & (rows[:-1] == rows[1:])
    values = points.astype(np.uint64)
    keys = values[:-1][is_pair] * _PRIME + values[1:][is_pair]
    # Three slots for each: a query may be a single pair, and one of 256 slots is often shared.
    hashes = np.concatenate([_mix_hashes(keys ^ _PAIR_SEED ^ _U64(seed)) for seed in (1, 2, 3)])
    return hashes, np.tile(rows[:-1][is_pair], 3)


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
        points, rows = _join_code_points([_normalize_text(text) for text in texts])
        vectors = np.zeros(len(texts) * DIMENSIONS, np.float64)
        for (hashes, text_indexes), weight in (
            (_hash_ngrams(points, rows), 1.0),
            (_hash_words(points, rows), _WORD_WEIGHT),
            (_hash_pairs(points, rows), _PAIR_WEIGHT),
        ):
            if not len(hashes):
                continue
            # Sublinear term frequency: the tenth occurrence of a word adds little to the ninth.
            keys = hashes ^ (text_indexes.astype(np.uint64) * _WORD_SEED)
            _, first_indexes, counts = np.unique(keys, return_index=True, return_counts=True)
            hashes, text_indexes = hashes[first_indexes], text_indexes[first_indexes]
            signs = np.where(hashes >> _U64(63), 1.0, -1.0)
            slot_indexes = text_indexes * DIMENSIONS + (hashes % _U64(DIMENSIONS)).astype(np.int64)
            vectors += np.bincount(
                slot_indexes, weight * signs * (1.0 + np.log(counts)), minlength=len(vectors)
            )
        table = vectors.reshape(len(texts), DIMENSIONS)
        norms = np.linalg.norm(table, axis=1)
        is_empty = norms == 0
        table[is_empty, 0] = 1.0
        norms[is_empty] = 1.0
        unit: Vectors = (table / norms[:, None]).astype(np.float32)
        return unit
