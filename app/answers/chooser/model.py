"""The trained chooser: which kind of answer a question asks for, and how likely a sentence answers it.

Its weights are a data file that `python -m benchmarks.chooser.train` writes.
"""

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.answers.chooser.features import ANSWER_KINDS, FEATURE_NAMES
from app.answers.chooser.question_matches import Floats
from app.documents.language import guess_language
from app.domain.scoring.keywords import count_unspaced_characters
from app.graph.name_forms import classify_script

WEIGHTS_PATH = Path(__file__).parent / "weights.json"
ANY_SCRIPT = "other"
ABOUT_SEVERAL_SUFFIX = " several"
"""Suffix of the keys of thresholds for questions about several things."""
SMALL_SPACE = "small space"
"""Key of the threshold for questions to a small space."""
LENGTH_OF_LARGE_SPACE = 4_500
"""Characters of the sources from which a question counts as one to a large space, as retrieval fills its
passages there.
"""
CHARACTERS_OF_IDEOGRAPH = 3
"""Characters of a script with spaces for which one of a script without counts."""
Indices = npt.NDArray[np.int64]
CommonWords = Mapping[str, Set[str]]
"""The words, folded, that questions of a language about many things have in common, by language."""


@dataclass(frozen=True, slots=True)
class Chooser:
    """Trees over features, the kinds asked by tokens, the words common in questions, and the threshold of
    likelihood by language and script.

    The trees are flat columns: a node with `left_child` below 0 is a leaf.
    """

    kind_weights_by_token: Mapping[str, Sequence[float]]
    common_words: CommonWords
    kind_biases: Sequence[float]
    tree_roots: Indices
    node_features: Indices
    split_limits: Floats
    left_child: Indices
    right_child: Indices
    leaf_values: Floats
    threshold_by_key: Mapping[str, float]
    min_likelihood_of_sure_answer: float

    @classmethod
    def from_weights(cls, weights_document: Mapping[str, Any]) -> "Chooser":
        """Return the chooser stored in `weights.json`. Raises KeyError for features that this code does not
        compute.
        """
        column_by_feature = {name: index for index, name in enumerate(FEATURE_NAMES)}
        roots: list[int] = []
        tree_nodes: list[tuple[int, float, int, int, float]] = []
        for tree in weights_document["trees"]:
            first_node_index = len(tree_nodes)
            roots.append(first_node_index)
            for node in tree:
                if len(node) == 1:
                    tree_nodes.append((0, 0.0, -1, -1, node[0]))
                else:
                    feature_index, limit, left_child, right_child = node
                    tree_nodes.append(
                        (
                            column_by_feature[weights_document["features"][feature_index]],
                            limit,
                            first_node_index + left_child,
                            first_node_index + right_child,
                            0.0,
                        )
                    )
        features, limits, left_child, right_child, values = zip(*tree_nodes, strict=True)
        return cls(
            kind_weights_by_token=weights_document["kinds"],
            common_words={
                language: frozenset(words) for language, words in weights_document["common_words"].items()
            },
            kind_biases=weights_document["bias"],
            tree_roots=np.array(roots),
            node_features=np.array(features),
            split_limits=np.array(limits),
            left_child=np.array(left_child),
            right_child=np.array(right_child),
            leaf_values=np.array(values),
            threshold_by_key=weights_document["thresholds"],
            min_likelihood_of_sure_answer=weights_document["sure"],
        )

    def score_kinds_asked(self, tokens: Sequence[str]) -> list[float]:
        """Return the likelihood of each of `ANSWER_KINDS`, 0 to 1, by the tokens of a question."""
        logits = list(self.kind_biases)
        for token in tokens:
            for index, weight in enumerate(self.kind_weights_by_token.get(token, ())):
                logits[index] += weight
        assert len(logits) == len(ANSWER_KINDS)
        return [1 / (1 + exp(-logit)) for logit in logits]

    def select_common_words(self, question: str) -> Set[str]:
        """Return the words that questions in this question's language have in common."""
        return select_common_words(question, self.common_words)

    def compute_likelihoods(self, feature_rows: Floats) -> Floats:
        """Return the likelihood of each sentence, a row of features, to answer its question: 0 to 1."""
        node_indices = np.repeat(self.tree_roots[:, None], len(feature_rows), axis=1)
        row_indices = np.arange(len(feature_rows))[None, :]
        while (is_inner := self.left_child[node_indices] >= 0).any():
            goes_left = (
                feature_rows[row_indices, self.node_features[node_indices]] <= self.split_limits[node_indices]
            )
            node_indices = np.where(
                is_inner,
                np.where(goes_left, self.left_child[node_indices], self.right_child[node_indices]),
                node_indices,
            )
        likelihoods: Floats = 1 / (1 + np.exp(-self.leaf_values[node_indices].sum(axis=0)))
        return likelihoods

    def get_likelihood_threshold(
        self, question: str, *, is_about_several: bool, in_small_space: bool
    ) -> float:
        """Return the likelihood below which a sentence is not an answer, by the question's language, else by
        its script; another one for a question about several things, which two sentences may answer. For one
        thing it is higher in a small space.
        """
        return find_threshold_by_language_or_script(
            question,
            self.threshold_by_key,
            is_about_several=is_about_several,
            in_small_space=in_small_space,
        )


def select_common_words(question: str, common_words: CommonWords) -> Set[str]:
    """Return the common words of a question's language; of all languages if it is not recognised."""
    language = guess_language(question)
    return (
        frozenset().union(*common_words.values())
        if language is None
        else common_words.get(language, frozenset())
    )


def find_threshold_by_language_or_script(
    question: str, threshold_by_key: Mapping[str, float], *, is_about_several: bool, in_small_space: bool
) -> float:
    """Return the threshold for a question by its language or script, else the general one.

    For a question about one thing in a small space it is not below the one of small spaces.
    """
    keys = (*list_threshold_keys(question, is_about_several=is_about_several), ANY_SCRIPT)
    threshold = next(threshold_by_key[key] for key in keys if key in threshold_by_key)
    if in_small_space and not is_about_several:
        threshold = max(threshold_by_key.get(SMALL_SPACE, threshold), threshold)
    return threshold


def do_sources_show_small_space(source_texts: Iterable[str]) -> bool:
    """Return whether these are the sources of a question to a small space, by their length in characters of a
    script with spaces.
    """
    length = sum(
        len(text) + (CHARACTERS_OF_IDEOGRAPH - 1) * count_unspaced_characters(text) for text in source_texts
    )
    return length < LENGTH_OF_LARGE_SPACE


def list_threshold_keys(question: str, *, is_about_several: bool) -> tuple[str, ...]:
    """Return the keys for a question's threshold: its language, if it is recognised, and its script. If it is
    about several things, the key for such questions precedes each.
    """
    language, script = guess_language(question), guess_script_of_question(question)
    keys = (script,) if language is None else (language, script)
    suffixes = (ABOUT_SEVERAL_SUFFIX, "") if is_about_several else ("",)
    return tuple(f"{key}{suffix}" for key in keys for suffix in suffixes)


def guess_script_of_question(question: str) -> str:
    """Return the script in which most letters of a question are written; scripts that one language mixes
    count as one.
    """
    count_by_script: dict[str, int] = {}
    for character in question:
        if script := classify_script(character):
            count_by_script[script] = count_by_script.get(script, 0) + 1
    return max(count_by_script, key=lambda script: count_by_script[script]) if count_by_script else ANY_SCRIPT


@cache
def load_chooser() -> Chooser:
    """Return the chooser with the weights of this version."""
    return Chooser.from_weights(json.loads(WEIGHTS_PATH.read_text("utf-8")))
