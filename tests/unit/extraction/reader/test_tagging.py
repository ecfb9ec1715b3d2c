"""Requirement 5: tags of a sentence are names, and the likeliest that are."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.extraction.reader.tagging import likeliest_tags

TAGS = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]


def test_a_name_that_goes_on_has_begun() -> None:
    odds = np.array([[0.6, 0.3, 0.1, 0, 0], [0.4, 0.0, 0.6, 0, 0]], dtype=np.float32)

    assert likeliest_tags(odds, TAGS) == ["O", "O"]
    odds[0, :2] = 0.45, 0.44
    assert likeliest_tags(odds, TAGS) == ["B-LOC", "I-LOC"]


def test_a_name_keeps_its_type() -> None:
    odds = np.array([[0, 0.9, 0, 0.1, 0], [0, 0, 0.4, 0, 0.6]], dtype=np.float32)

    assert likeliest_tags(odds, TAGS) == ["B-LOC", "I-LOC"]


@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_no_other_names_are_likelier(length: int, seed: int) -> None:
    odds = np.random.default_rng(seed).dirichlet(np.ones(len(TAGS)), length).astype(np.float32)

    def likelihood(path: tuple[str, ...]) -> float:
        return float(np.log(np.maximum(odds[range(length), list(map(TAGS.index, path))], 1e-9)).sum())

    paths = (
        path
        for path in product(TAGS, repeat=length)
        if all(
            tag[0] != "I" or before[1:] == tag[1:] for before, tag in zip(("O", *path), path, strict=False)
        )
    )
    best = likelihood(tuple(likeliest_tags(odds, TAGS)))
    assert best >= max(map(likelihood, paths)) - 1e-4
