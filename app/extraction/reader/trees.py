"""The most probable tree over a sentence, from the probability of each head for each word."""

import numpy as np
from numpy.typing import NDArray

Heads = NDArray[np.intp]

_NEVER = -1e9


def find_best_tree(arcs: NDArray[np.float32]) -> Heads:
    """Return the head of each word, its own index for the root; there is exactly one root and no cycle.

    `arcs` are probabilities, words × heads, with the root on the diagonal. If the best heads are not a tree,
    the maximum spanning arborescence is computed (Chu and Liu 1965, Edmonds 1967), with the most probable
    single root.
    """
    length = len(arcs)
    heads: Heads = arcs.argmax(axis=1)
    roots = np.flatnonzero(heads == np.arange(length))
    if len(roots) == 1 and not _has_cycle(heads, int(roots[0])):
        return heads
    scores = np.log(np.maximum(arcs, 1e-12)).astype(np.float64)
    root = int(roots[scores[roots, roots].argmax()]) if len(roots) else int(scores.diagonal().argmax())
    np.fill_diagonal(scores, _NEVER)
    scores[root] = _NEVER
    return _find_arborescence(scores, root)


def _has_cycle(heads: Heads, root: int) -> bool:
    """Return whether a word does not lead to the root."""
    reached = heads
    steps = 1
    while steps < len(heads):
        reached = reached[reached]
        steps *= 2
    return bool((reached != root).any())


def _find_cycle(heads: Heads, root: int) -> list[int]:
    """Return the words of one cycle, or []."""
    state = np.zeros(len(heads), dtype=np.int8)
    state[root] = 2
    for start in range(len(heads)):
        path = []
        word = start
        while state[word] == 0:
            state[word] = 1
            path.append(word)
            word = int(heads[word])
        if state[word] == 1:
            return path[path.index(word) :]
        state[path] = 2
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
    inside = np.array(cycle)
    outside = np.setdiff1d(np.arange(len(scores)), inside)
    size = len(outside)
    smaller = np.full((size + 1, size + 1), _NEVER)
    smaller[:size, :size] = scores[np.ix_(outside, outside)]
    # A word outside depends on the best-scoring word of the cycle.
    to_cycle = scores[np.ix_(outside, inside)]
    best_inside = to_cycle.argmax(axis=1)
    smaller[:size, size] = to_cycle.max(axis=1)
    # An arc into the cycle replaces the previous arc of its target.
    gains = scores[np.ix_(inside, outside)] - scores[inside, heads[inside]][:, None]
    entered = gains.argmax(axis=0)
    smaller[size, :size] = gains.max(axis=0)
    solved = _find_arborescence(smaller, int(np.flatnonzero(outside == root)[0]))
    result: Heads = heads.copy()
    for index in range(size):
        word, head = outside[index], solved[index]
        result[word] = inside[best_inside[index]] if head == size else outside[head]
    result[root] = root
    entering = solved[size]
    result[inside[entered[entering]]] = outside[entering]
    return result
