"""Requirement 5: heads of words form one tree, whatever the network says."""

import itertools

import numpy as np
import pytest

from app.extraction.reader.dependency_trees import find_most_probable_heads


def _reaches_root(heads: list[int], root: int) -> bool:
    for start in range(len(heads)):
        at, steps = start, 0
        while at != root and steps <= len(heads):
            at, steps = heads[at], steps + 1
        if at != root:
            return False
    return True


def _best_score(arcs: np.ndarray, root: int) -> float:
    """The best sum over all trees under this root, by trying each."""
    places = range(len(arcs))
    return max(
        sum(float(np.log(arcs[at, head])) for at, head in enumerate(heads) if at != root)
        for heads in itertools.product(places, repeat=len(arcs))
        if heads[root] == root
        and all(head != at for at, head in enumerate(heads) if at != root)
        and _reaches_root(list(heads), root)
    )


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_best_tree_under_its_root(seed: int) -> None:
    rng = np.random.default_rng(seed)
    length = int(rng.integers(1, 6))
    arcs = rng.random((length, length)) ** 4 + 1e-6
    arcs = (arcs / arcs.sum(axis=1, keepdims=True)).astype(np.float32)

    heads = find_most_probable_heads(arcs).tolist()

    roots = [at for at, head in enumerate(heads) if at == head]
    assert len(roots) == 1
    assert _reaches_root(heads, roots[0])
    score = sum(float(np.log(arcs[at, head])) for at, head in enumerate(heads) if at != roots[0])
    assert score == pytest.approx(_best_score(arcs, roots[0]), abs=1e-3)


def test_a_long_sentence_of_cycles_ends() -> None:
    rng = np.random.default_rng(1)
    arcs = rng.random((200, 200)).astype(np.float32)

    heads = find_most_probable_heads(arcs).tolist()

    assert sum(at == head for at, head in enumerate(heads)) == 1
