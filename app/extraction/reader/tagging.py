"""Sequences of BIO tags: the best one of a sentence, and the probability of each tag over all of them.

The score of a sequence is the sum of its tags' scores and of the learned scores of their transitions (a
conditional random field). A sentence begins as if after the first tag, "O". The sentences of a batch take
each step of an algorithm together, so that the longest one determines the number of steps.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_MIN_LOG = -40.0
"""Scores this far below the best count as this far: the product of two of them is a float32 above zero."""


def find_best_tags(scores: Sequence[Floats], transitions: Floats, tags: Sequence[str]) -> list[list[str]]:
    """Return the valid tag sequence of each sentence with the highest score.

    `scores` are words × tags for each sentence, none of which is empty; `transitions` are scores of a tag
    (columns) after another (rows). In a valid sequence, an inside tag follows one of its type.
    """
    step_scores = np.where(_find_allowed_steps(tuple(tags)), transitions, -np.inf).astype(np.float32)
    starts = np.cumsum([0, *(len(sentence_scores) for sentence_scores in scores[:-1])])
    likeliest_tags = np.concatenate(scores).argmax(axis=1)
    previous_tags = np.roll(likeliest_tags, 1)
    previous_tags[starts] = 0
    # No sequence is better than that of each word's best tag if each of its transitions has the best score.
    best_flags = np.logical_and.reduceat(
        step_scores[previous_tags, likeliest_tags] == step_scores.max(), starts
    )
    paths = np.split(likeliest_tags, starts[1:])
    other_sentences = np.flatnonzero(~best_flags).tolist()
    if other_sentences:
        best_paths = _find_best_paths([scores[index] for index in other_sentences], step_scores)
        for index, path in zip(other_sentences, best_paths, strict=True):
            paths[index] = path
    return [[tags[index] for index in path] for path in paths]


def _find_best_paths(scores: Sequence[Floats], step_scores: Floats) -> list[NDArray[np.intp]]:
    """Return the indexes of each sentence's best tags, by Viterbi's algorithm."""
    padded_scores, lengths = _pad_to_longest(scores)
    longest_length, sentence_count, tag_count = padded_scores.shape
    best_scores = padded_scores[0] + step_scores[0]
    unchanged_tags = np.broadcast_to(np.arange(tag_count), best_scores.shape)
    previous_tags = np.empty(padded_scores.shape, dtype=np.intp)
    for position in range(1, longest_length):
        is_inside = (position < lengths)[:, None]
        candidates = best_scores[:, :, None] + step_scores
        previous_tags[position] = np.where(is_inside, candidates.argmax(axis=1), unchanged_tags)
        best_scores = np.where(is_inside, candidates.max(axis=1) + padded_scores[position], best_scores)
    sentence_indexes = np.arange(sentence_count)
    path = np.empty((longest_length, sentence_count), dtype=np.intp)
    path[-1] = best_scores.argmax(axis=1)
    for position in range(longest_length - 1, 0, -1):
        path[position - 1] = previous_tags[position, sentence_indexes, path[position]]
    return [path[:length, column] for column, length in enumerate(lengths.tolist())]


def tag_probabilities(scores: Sequence[Floats], transitions: Floats) -> list[Floats]:
    """Return the probability of each tag of each word, over all sequences of tags of its sentence.

    The arguments are those of `find_best_tags`; the algorithm is forward-backward.
    """
    padded_scores, lengths = _pad_to_longest(
        [sentence_scores - sentence_scores.max(axis=1, keepdims=True) for sentence_scores in scores]
    )
    # After the end of a sentence, ones: they do not change what precedes.
    weights = np.exp(np.maximum(padded_scores, _MIN_LOG))
    step_weights = np.exp(np.maximum(transitions - transitions.max(), _MIN_LOG))
    longest_length, sentence_count, tag_count = weights.shape
    probabilities = np.empty_like(weights)
    forward = np.zeros((sentence_count, tag_count), dtype=np.float32)
    forward[:, 0] = 1.0
    for position in range(longest_length):
        forward = (forward @ step_weights) * weights[position]
        forward /= forward.sum(axis=1, keepdims=True)
        probabilities[position] = forward
    backward_scores = np.ones((sentence_count, tag_count), dtype=np.float32)
    for position in range(longest_length - 2, -1, -1):
        next_backward_scores = (backward_scores * weights[position + 1]) @ step_weights.T
        next_backward_scores /= next_backward_scores.sum(axis=1, keepdims=True)
        backward_scores = np.where((position < lengths - 1)[:, None], next_backward_scores, np.float32(1.0))
        probabilities[position] *= backward_scores
    probabilities /= probabilities.sum(axis=2, keepdims=True)
    return [probabilities[:length, column] for column, length in enumerate(lengths.tolist())]


class _PaddedScores(NamedTuple):
    """Scores as positions × sentences × tags, with zeros after the end of a sentence, and the lengths."""

    scores: Floats
    lengths: NDArray[np.intp]


def _pad_to_longest(scores: Sequence[Floats]) -> _PaddedScores:
    """Return the scores as positions × sentences × tags, with zeros after the end of a sentence, and the
    lengths of the sentences.
    """
    lengths = np.array([len(sentence_scores) for sentence_scores in scores])
    padded_scores = np.zeros((int(lengths.max()), len(scores), scores[0].shape[1]), dtype=np.float32)
    for column, sentence_scores in enumerate(scores):
        padded_scores[: len(sentence_scores), column] = sentence_scores
    return _PaddedScores(padded_scores, lengths)


@lru_cache(maxsize=16)
def _find_allowed_steps(tags: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return whether a tag (columns) may follow another (rows)."""
    return np.array([[_may_follow(previous_tag, tag) for tag in tags] for previous_tag in tags])


def _may_follow(previous_tag: str, tag: str) -> bool:
    return tag[0] != "I" or previous_tag[1:] == tag[1:]
