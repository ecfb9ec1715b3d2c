"""The most probable tree over a sentence, from the probability of each head for each word."""

import numpy as np
from numpy.typing import NDArray

Heads = NDArray[np.intp]

_IMPOSSIBLE_SCORE = -1e9


def find_most_probable_heads(head_probabilities: NDArray[np.float32]) -> Heads:
    """Return the head of each word, its own index for the root; there is exactly one root and no cycle.

    `head_probabilities` is an array of words × heads, with the root on the diagonal. If the best heads are
    not a tree, the maximum spanning arborescence is computed (Chu and Liu 1965, Edmonds 1967), with the most
    probable single root.
    """
    word_count = len(head_probabilities)
    heads: Heads = head_probabilities.argmax(axis=1)
    roots = np.flatnonzero(heads == np.arange(word_count))
    if len(roots) == 1 and not _has_cycle(heads, int(roots[0])):
        return heads
    scores = np.log(np.maximum(head_probabilities, 1e-12)).astype(np.float64)
    root = int(roots[scores[roots, roots].argmax()]) if len(roots) else int(scores.diagonal().argmax())
    np.fill_diagonal(scores, _IMPOSSIBLE_SCORE)
    scores[root] = _IMPOSSIBLE_SCORE
    return _find_arborescence(scores, root)


def _has_cycle(heads: Heads, root: int) -> bool:
    """Return whether a word does not lead to the root."""
    ancestors = heads
    steps = 1
    while steps < len(heads):
        ancestors = ancestors[ancestors]
        steps *= 2
    return bool((ancestors != root).any())


def _find_cycle(heads: Heads, root: int) -> list[int]:
    """Return the words of one cycle, or []."""
    visit_marks = np.zeros(len(heads), dtype=np.int8)
    visit_marks[root] = 2
    for start in range(len(heads)):
        path = []
        word = start
        while visit_marks[word] == 0:
            visit_marks[word] = 1
            path.append(word)
            word = int(heads[word])
        if visit_marks[word] == 1:
            return path[path.index(word) :]
        visit_marks[path] = 2
    return []


def _find_arborescence(scores: NDArray[np.float64], root: int) -> Heads:
    """Return the heads of the best tree under this root, which is its own head; scores are words × heads.

    A cycle is contracted to one word and the smaller problem solved; each level removes at least one word.
    """
    heads: Heads = scores.argmax(axis=1)
    heads[root] = root
    cycle = _find_cycle(heads, root)
    if not cycle:
        return heads
    cycle_words = np.array(cycle)
    other_words = np.setdiff1d(np.arange(len(scores)), cycle_words)
    outside_count = len(other_words)
    smaller_scores = np.full((outside_count + 1, outside_count + 1), _IMPOSSIBLE_SCORE)
    smaller_scores[:outside_count, :outside_count] = scores[np.ix_(other_words, other_words)]
    # A word outside depends on the best-scoring word of the cycle.
    scores_to_cycle = scores[np.ix_(other_words, cycle_words)]
    best_cycle_heads = scores_to_cycle.argmax(axis=1)
    smaller_scores[:outside_count, outside_count] = scores_to_cycle.max(axis=1)
    # An arc into the cycle replaces the previous arc of its target.
    entry_gains = scores[np.ix_(cycle_words, other_words)] - scores[cycle_words, heads[cycle_words]][:, None]
    entry_indexes = entry_gains.argmax(axis=0)
    smaller_scores[outside_count, :outside_count] = entry_gains.max(axis=0)
    smaller_heads = _find_arborescence(smaller_scores, int(np.flatnonzero(other_words == root)[0]))
    full_heads: Heads = heads.copy()
    for index in range(outside_count):
        word, head = other_words[index], smaller_heads[index]
        full_heads[word] = (
            cycle_words[best_cycle_heads[index]] if head == outside_count else other_words[head]
        )
    full_heads[root] = root
    head_of_cycle = smaller_heads[outside_count]
    full_heads[cycle_words[entry_indexes[head_of_cycle]]] = other_words[head_of_cycle]
    return full_heads
