"""The trained chooser: which kind of answer a question asks for, and how likely a sentence answers it.

Its weights are a data file that `python -m benchmarks.chooser.train` writes.
"""

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.answers.chooser.features import ANSWER_KINDS, FEATURE_NAMES, Floats
from app.documents.language import guess_language
from app.graph.name_forms import classify_script

WEIGHTS = Path(__file__).parent / "weights.json"
ANY_SCRIPT = "other"
ABOUT_SEVERAL = " several"
"""Suffix of the keys of thresholds for questions about several things."""
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Chooser:
    """Trees over features, the kinds asked by tokens, the words common in questions, and the threshold of
    likelihood by language and script.

    The trees are flat columns: a node with `left_child` below 0 is a leaf with the value `value`.
    """

    kinds: Mapping[str, Sequence[float]]
    common_words: Set[str]
    bias: Sequence[float]
    roots: Indices
    feature: Indices
    limit: Floats
    left_child: Indices
    right_child: Indices
    value: Floats
    thresholds: Mapping[str, float]
    min_likelihood_of_sure_answer: float

    @classmethod
    def from_weights(cls, weights_document: Mapping[str, Any]) -> "Chooser":
        """Return the chooser stored in `weights.json`. Raises KeyError for features that this code does not
        compute.
        """
        column = {name: index for index, name in enumerate(FEATURE_NAMES)}
        roots: list[int] = []
        tree_nodes: list[tuple[int, float, int, int, float]] = []
        for tree in weights_document["trees"]:
            start = len(tree_nodes)
            roots.append(start)
            for node in tree:
                if len(node) == 1:
                    tree_nodes.append((0, 0.0, -1, -1, node[0]))
                else:
                    name, limit, left_child, right_child = node
                    tree_nodes.append(
                        (
                            column[weights_document["features"][name]],
                            limit,
                            start + left_child,
                            start + right_child,
                            0.0,
                        )
                    )
        features, limits, left_child, right_child, values = zip(*tree_nodes, strict=True)
        return cls(
            kinds=weights_document["kinds"],
            common_words=frozenset(weights_document["common_words"]),
            bias=weights_document["bias"],
            roots=np.array(roots),
            feature=np.array(features),
            limit=np.array(limits),
            left_child=np.array(left_child),
            right_child=np.array(right_child),
            value=np.array(values),
            thresholds=weights_document["thresholds"],
            min_likelihood_of_sure_answer=weights_document["sure"],
        )

    def score_kinds_asked(self, tokens: Sequence[str]) -> list[float]:
        """Return the likelihood of each of `ANSWER_KINDS`, 0 to 1, by the tokens of a question."""
        logits = list(self.bias)
        for token in tokens:
            for index, weight in enumerate(self.kinds.get(token, ())):
                logits[index] += weight
        assert len(logits) == len(ANSWER_KINDS)
        return [1 / (1 + exp(-total)) for total in logits]

    def compute_likelihoods(self, rows: Floats) -> Floats:
        """Return the likelihood of each sentence, a row of features, to answer its question: 0 to 1."""
        nodes = np.repeat(self.roots[:, None], len(rows), axis=1)
        row_indexes = np.arange(len(rows))[None, :]
        while (is_inner := self.left_child[nodes] >= 0).any():
            goes_left = rows[row_indexes, self.feature[nodes]] <= self.limit[nodes]
            nodes = np.where(
                is_inner, np.where(goes_left, self.left_child[nodes], self.right_child[nodes]), nodes
            )
        likelihoods: Floats = 1 / (1 + np.exp(-self.value[nodes].sum(axis=0)))
        return likelihoods

    def get_threshold(self, question: str, *, is_about_several: bool) -> float:
        """Return the likelihood below which a sentence is not an answer, by the question's language, else by
        its script; another one for a question about several things, which two sentences may answer.
        """
        return find_threshold(question, self.thresholds, is_about_several=is_about_several)


def find_threshold(question: str, thresholds: Mapping[str, float], *, is_about_several: bool) -> float:
    """Return the threshold for a question by its language or script, else the general one."""
    keys = (*list_threshold_keys(question, is_about_several=is_about_several), ANY_SCRIPT)
    return next(thresholds[key] for key in keys if key in thresholds)


def list_threshold_keys(question: str, *, is_about_several: bool) -> tuple[str, ...]:
    """Return the keys for a question's threshold: its language, if it is recognised, and its script. If it is
    about several things, the key for such questions precedes each.
    """
    language, script = guess_language(question), guess_script_of_question(question)
    keys = (script,) if language is None else (language, script)
    suffixes = (ABOUT_SEVERAL, "") if is_about_several else ("",)
    return tuple(f"{key}{suffix}" for key in keys for suffix in suffixes)


def guess_script_of_question(question: str) -> str:
    """Return the script in which most letters of a question are written; scripts that one language mixes
    count as one.
    """
    counts: dict[str, int] = {}
    for character in question:
        if script := classify_script(character):
            counts[script] = counts.get(script, 0) + 1
    return max(counts, key=lambda script: counts[script]) if counts else ANY_SCRIPT


@cache
def load_chooser() -> Chooser:
    """Return the chooser with the weights of this version."""
    return Chooser.from_weights(json.loads(WEIGHTS.read_text("utf-8")))
