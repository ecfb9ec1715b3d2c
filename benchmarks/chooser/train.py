"""Train the chooser: python -m benchmarks.chooser.train FOLDER [--out WEIGHTS] [--folds FOLDER].

FOLDER is what `collect` kept. LightGBM and scikit-learn are needed for training alone; seeds are fixed. For
each fold of the articles a chooser is trained without it, and written to the folder of folds, so that
`measure` scores no text by a chooser that saw it; thresholds come from the answers of these choosers.
"""

import argparse
import itertools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from app.answers.chooser.features import ANSWER_KINDS, FEATURE_NAMES
from app.answers.chooser.model import (
    ABOUT_SEVERAL_SUFFIX,
    ANY_SCRIPT,
    SMALL_SPACE,
    WEIGHTS_PATH,
    Chooser,
    CommonWords,
    guess_script_of_question,
    list_threshold_keys,
)
from app.answers.chooser.question_matches import Floats
from benchmarks.chooser.data import Collected, Example, cached, list_common_words, read_kept
from benchmarks.chooser.replay import FOLDS, Judged, fold_of, judge

WRONGLY = 0.055
"""Share of the answerable questions that may be refused: 5 %, rounded."""
WRONGLY_IN_A_PACK = 0.06
"""The same of one pack, where several are in one language."""
AS_GOOD = 0.01
"""Share of the unanswerable questions that tells nothing: of thresholds that refuse as many but for it, those
of one thing and of several that are nearest to each other are taken.
"""
ENOUGH = 100
"""Answerable questions that say where such a share begins."""
SURELY = 0.9
"""Share of the questions answered from there on whose first sentence is right."""
FEWEST, FEWEST_GROUPS = 8, 5
"""Questions and articles that have a token, below which nothing is learned of it."""
LEAST_WEIGHT = 0.15
"""Weight of a token below which it is left out."""
TREES, SEEDS = 140, (7, 8, 9)
"""Trees of each of the choosers whose mean log odds are taken: one alone depends much on chance."""
PARAMETERS: dict[str, Any] = {
    "objective": "binary", "num_leaves": 10, "max_depth": 6, "learning_rate": 0.08, "min_data_in_leaf": 60,
    "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 63,
    "verbose": -1, "num_threads": 1, "deterministic": True, "force_row_wise": True,
}  # fmt: skip
SMALL_SPACES = "small_spaces"
"""The pack by whose questions about one thing the threshold of small spaces is chosen."""
SET_WEIGHTS = {"timeqa_dev": 2.0, "multihop_dev": 3.0, "choose_train": 0.0, SMALL_SPACES: 5.0}
"""How much the rows of a pack count in trees; of one that counts nothing the thresholds alone are told."""
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_COLUMN = {name: place for place, name in enumerate(FEATURE_NAMES)}
_CASED = frozenset({"Latin", "Cyrillic"})


class Kinds:
    """Which kinds of answer the tokens of a question ask for."""

    def __init__(self, examples: Sequence[Example]) -> None:
        groups: dict[str, set[str]] = defaultdict(set)
        counts = Counter(token for example in examples for token in example.tokens)
        for example in examples:
            for token in example.tokens:
                groups[token].add(example.group)
        self.tokens = [
            token for token in counts if counts[token] >= FEWEST and len(groups[token]) >= FEWEST_GROUPS
        ]
        self._places = {token: place for place, token in enumerate(self.tokens)}
        kinds = np.array([_kinds_of(example.answers[0]) for example in examples])
        # Of a script without capitals nothing says which answers are names.
        cased = np.array([guess_script_of_question(example.question) in _CASED for example in examples])
        every = self._matrix(examples)
        self.weights = np.zeros((len(self.tokens), len(ANSWER_KINDS)))
        self.bias = np.zeros(len(ANSWER_KINDS))
        for place, kind in enumerate(ANSWER_KINDS):
            chosen = np.flatnonzero(cased) if kind == "name" else np.arange(len(examples))
            model = LogisticRegression(C=0.3, max_iter=200).fit(every[chosen], kinds[chosen, place])
            self.weights[:, place] = np.where(np.abs(model.coef_[0]) < LEAST_WEIGHT, 0, model.coef_[0])
            self.bias[place] = model.intercept_[0]
        self.weights = self.weights.round(2)

    def _matrix(self, examples: Sequence[Example]) -> Any:
        pairs = [
            (row, self._places[token])
            for row, example in enumerate(examples)
            for token in example.tokens
            if token in self._places
        ]
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        return csr_matrix((np.ones(len(pairs)), (rows, columns)), shape=(len(examples), len(self.tokens)))

    def fill(self, examples: Sequence[Example]) -> None:
        """Put into the rows of examples which kinds their questions ask for."""
        likely = 1 / (1 + np.exp(-(self._matrix(examples) @ self.weights + self.bias)))
        for example, asked in zip(examples, likely, strict=True):
            if len(example.rows):
                for kind, share in zip(ANSWER_KINDS, asked, strict=True):
                    new = np.minimum(example.rows[:, _COLUMN[f"new_{kind}s"]], 1)
                    example.rows[:, _COLUMN[f"asks_{kind}"]] = share
                    example.rows[:, _COLUMN[f"{kind}_as_asked"]] = share * (new * 2 - 1)

    def stored(self) -> dict[str, list[float]]:
        """The weights of the tokens that have any."""
        return {
            token: weights.tolist()
            for token, weights in sorted(zip(self.tokens, self.weights, strict=True))
            if weights.any()
        }


def _kinds_of(answer: str) -> tuple[bool, bool, bool]:
    return any(map(str.isdigit, answer)), _YEAR.search(answer) is not None, answer[:1].isupper()


def counts_in_trees(example: Example) -> bool:
    """Return whether the trees and the kinds of answers are learned from an example."""
    return SET_WEIGHTS.get(example.set.split("-")[0], 1.0) > 0


def train(examples: Sequence[Example], kinds: Kinds, common_words: CommonWords) -> dict[str, Any]:
    """The stored form of a chooser of these examples, but for its thresholds."""
    used = [example for example in examples if len(example.rows) and counts_in_trees(example)]
    rows = np.concatenate([example.rows for example in used]).astype(np.float32)
    labels = np.concatenate([example.answering for example in used]).astype(float)
    weights = np.concatenate(
        [np.full(len(example.rows), SET_WEIGHTS.get(example.set.split("-")[0], 1.0)) for example in used]
    )
    data = lightgbm.Dataset(rows, labels, weight=weights, params={"max_bin": PARAMETERS["max_bin"]})
    trees = [
        _nodes_of(tree["tree_structure"])
        for seed in SEEDS
        for tree in lightgbm.train({**PARAMETERS, "seed": seed}, data, TREES).dump_model()["tree_info"]
    ]
    return {
        "features": list(FEATURE_NAMES),
        "bias": kinds.bias.round(3).tolist(),
        "kinds": kinds.stored(),
        "common_words": {language: sorted(words) for language, words in sorted(common_words.items())},
        "trees": trees,
        "thresholds": {ANY_SCRIPT: 0.0},
        "sure": 1.0,
    }


def _nodes_of(root: dict[str, Any]) -> list[list[float]]:
    """The nodes of a tree from its root: [feature, limit, left, right], and [value] of a leaf."""
    nodes: list[list[float]] = []

    def add(node: dict[str, Any]) -> int:
        place = len(nodes)
        if "leaf_value" in node:
            nodes.append([round(node["leaf_value"] / len(SEEDS), 4)])
            return place
        nodes.append([])
        left, right = add(node["left_child"]), add(node["right_child"])
        nodes[place] = [node["split_feature"], float(f"{node['threshold']:.5g}"), left, right]
        return place

    add(root)
    return nodes


def known(examples: Iterable[Example]) -> list[Example]:
    """Those with an answer, as they were asked."""
    return [example for example in examples if example.answers and not example.is_altered]


def kinds_of(examples: Iterable[Example]) -> Kinds:
    """The kinds of answers that are learned from those with an answer."""
    return Kinds(known(example for example in examples if counts_in_trees(example)))


def cross_validate(examples: Sequence[Example], common_words: CommonWords) -> list[dict[str, Any]]:
    """A chooser for each fold, trained without it; sets `likely` of the fold's examples."""
    parts = [[example for example in examples if fold_of(example.group) == fold] for fold in range(FOLDS)]
    without: dict[frozenset[int], Kinds] = {}

    def kinds_without(*folds: int) -> Kinds:
        key = frozenset(folds)
        if key not in without:
            rest = [example for fold, part in enumerate(parts) if fold not in key for example in part]
            without[key] = kinds_of(rest)
        return without[key]

    choosers = []
    for fold in range(FOLDS):
        for other in range(FOLDS):
            kinds_without(fold, other).fill(parts[other])
        rest = [part for other in range(FOLDS) if other != fold for part in parts[other]]
        stored = train(rest, kinds_without(fold), common_words)
        choosers.append(stored)
        chooser = Chooser.from_weights(stored)
        for example in parts[fold]:
            example.likely = chooser.compute_likelihoods(example.rows) if len(example.rows) else np.zeros(0)
    return choosers


def calibration_line(examples: Sequence[Example]) -> tuple[float, float]:
    """Slope and shift of the log odds by which the likelihoods of first sentences are as often right as they
    say, for questions as they were asked: the examples without the sentence that answers are more than are
    asked.
    """
    asked = [example for example in examples if counts_in_trees(example) and not example.is_altered]
    asked = [example for example in asked if len(example.likely)]
    best = np.array([best_of(example) for example in asked]).clip(1e-6, 1 - 1e-6)
    right = [bool(example.holding[example.likely.argmax()]) for example in asked]
    model = LogisticRegression(C=1e6).fit(np.log(best / (1 - best))[:, None], right)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def calibrated(stored: Mapping[str, Any], slope: float, shift: float) -> dict[str, Any]:
    """A stored chooser whose log odds are moved along a line. The leaves of the first tree hold the shift."""
    trees = [
        [[round(slope * node[0] + (0 if index else shift), 4)] if len(node) == 1 else node for node in tree]
        for index, tree in enumerate(stored["trees"])
    ]
    return {**stored, "trees": trees}


def judge_all(kept: Mapping[str, Sequence[Collected]], stored: Sequence[dict[str, Any]]) -> list[Judged]:
    """Judge each question by the chooser that did not see its article, without a threshold."""
    choosers = [
        Chooser.from_weights(values | {"thresholds": {ANY_SCRIPT: 0.0}, "sure": 1.0}) for values in stored
    ]
    return [
        judge(name, example, choosers[fold_of(example.group)])
        for name, part in kept.items()
        for example in part
    ]


def best_of(example: Example) -> float:
    """The likelihood of the first sentence."""
    return float(example.likely.max(initial=0.0))


def thresholds(judged: Iterable[Judged]) -> dict[str, float]:
    """By language and by script the likelihood below which a question to a large space is refused, and
    another one for those about several things, if there are enough; and the one of small spaces.

    They refuse 5 % of the answerable questions, those included that are refused anyhow, and of no pack more
    than 6 %; of such thresholds, those that refuse most of the unanswerable questions. A set of which more
    than 5 % are refused anyhow is left out; a language without another set has the threshold of its script.
    """
    by_set: dict[str, list[Judged]] = defaultdict(list)
    in_small_spaces = []
    for question in judged:
        if not question.in_small_space:
            by_set[question.set].append(question)
        elif question.set.split("-")[0] == SMALL_SPACES and not question.is_about_several:
            in_small_spaces.append(question)
    by_key: dict[str, list[Judged]] = defaultdict(list)
    for part in by_set.values():
        if np.mean([question.likelihood <= 0 for question in part if question.is_answerable]) <= WRONGLY:
            for question in part:
                for key in list_threshold_keys(question.question, is_about_several=False):
                    by_key[key].append(question)
    found: dict[str, float] = {}
    for key, part in by_key.items():
        if sum(question.is_answerable for question in part) >= ENOUGH:
            one, several = thresholds_of(part)
            found |= {key: one} if several is None else {key: one, f"{key}{ABOUT_SEVERAL_SUFFIX}": several}
    # The mean of them for a script that none of them is.
    of_one = [likelihood for key, likelihood in found.items() if not key.endswith(ABOUT_SEVERAL_SUFFIX)]
    found[ANY_SCRIPT] = round(float(np.mean(of_one)), 4)
    return found | {SMALL_SPACE: threshold_of_small_spaces(in_small_spaces, found)}


def threshold_of_small_spaces(judged: Sequence[Judged], by_key: Mapping[str, float]) -> float:
    """The largest threshold of small spaces that refuses 5 % of their answerable questions, beside the
    thresholds of large ones.
    """
    answerable = [question for question in judged if question.is_answerable]
    largest = 0.0
    for threshold in sorted(round(question.likelihood, 4) for question in answerable):
        thresholds_now = {**by_key, SMALL_SPACE: threshold}
        refused = [
            question.likelihood <= 0 or question.likelihood < question.find_threshold(thresholds_now)
            for question in answerable
        ]
        if np.mean(refused) > WRONGLY:
            break
        largest = threshold
    return largest


def thresholds_of(judged: Sequence[Judged]) -> tuple[float, float | None]:
    """The threshold of the questions of a language or script, and the one for those about several things;
    None if these are too few.
    """
    likelihoods = np.array([question.likelihood for question in judged])
    is_answerable = np.array([question.is_answerable for question in judged])
    is_about_several = np.array([question.is_about_several for question in judged])
    packs = np.array([question.set.split("-")[0] for question in judged])
    limits = [(is_answerable, WRONGLY)] + [
        (is_answerable & (packs == pack), WRONGLY_IN_A_PACK)
        for pack in sorted(set(packs))
        if (is_answerable & (packs == pack)).sum() >= ENOUGH
    ]
    has_several = (is_answerable & is_about_several).sum() >= ENOUGH
    options = []
    for several in _candidates(likelihoods[is_answerable & is_about_several]) if has_several else (0.0,):
        is_of_one = is_answerable & ~is_about_several if has_several else is_answerable
        for one in _candidates(likelihoods[is_of_one]):
            threshold = np.where(is_about_several, several, one) if has_several else one
            is_refused = (likelihoods <= 0) | (likelihoods < threshold)
            if all(is_refused[counted].mean() <= share for counted, share in limits):
                options.append((float(is_refused[~is_answerable].mean()), one, several))
    if not has_several:
        return round(max(options)[1], 4), None
    most = max(rightly for rightly, _, _ in options)
    # What a question or two decide tells nothing.
    one, several = min(
        ((one, several) for rightly, one, several in options if rightly >= most - AS_GOOD),
        key=lambda thresholds: abs(thresholds[0] - thresholds[1]),
    )
    return round(one, 4), round(several, 4)


def _candidates(likelihoods: Floats) -> list[float]:
    """Thresholds that refuse up to a tenth of the answerable questions, one more each."""
    return [0.0, *sorted(likelihoods.tolist())[: len(likelihoods) // 10]]


def likelihood_of_sure(examples: Sequence[Example]) -> float:
    """The likelihood from which on the first sentences are right but for one in ten."""
    order = sorted(known(examples), key=best_of, reverse=True)
    right = np.cumsum(
        [bool(len(example.likely)) and bool(example.holding[example.likely.argmax()]) for example in order]
    )
    shares = right / np.arange(1, len(order) + 1)
    sure = [best_of(example) for example, share in zip(order, shares, strict=True) if share >= SURELY]
    return round(min(sure, default=1.0), 4)


def calibration(examples: Sequence[Example]) -> list[tuple[str, int, float, float]]:
    """By tenths of likelihood: how many first sentences, their mean likelihood, and how many are right."""
    likely: Floats = np.array([best_of(example) for example in examples if not example.is_altered])
    right = np.array(
        [
            len(example.likely) > 0 and bool(example.holding[example.likely.argmax()])
            for example in examples
            if not example.is_altered
        ]
    )
    edges = [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.01]
    table = []
    for low, high in itertools.pairwise(edges):
        within = (likely >= low) & (likely < high)
        if within.any():
            table.append(
                (
                    f"{low}-{high}",
                    int(within.sum()),
                    float(likely[within].mean()),
                    float(right[within].mean()),
                )
            )
    return table


def _write(path: Path, stored: dict[str, Any]) -> None:
    """JSON with a line for each tree and token."""
    lines = []
    for key, value in stored.items():
        if key == "trees":
            inner = ",\n".join(f"  {json.dumps(row)}" for row in value)
            lines.append(f'"trees": [\n{inner}\n]')
        elif key == "kinds":
            inner = ",\n".join(
                f"  {json.dumps(k, ensure_ascii=False)}: {json.dumps(v)}" for k, v in value.items()
            )
            lines.append(f'"kinds": {{\n{inner}\n}}')
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--out", type=Path, default=WEIGHTS_PATH)
    parser.add_argument("--folds", type=Path)
    chosen = parser.parse_args()
    kept = dict(read_kept(chosen.kept))
    common_words = list_common_words(kept)
    examples = [
        example for name, part in kept.items() for example in cached(chosen.kept, name, part, common_words)
    ]
    print(f"{len(examples)} examples, {sum(len(example.rows) for example in examples)} sentences", flush=True)
    choosers = cross_validate(examples, common_words)
    line = calibration_line(examples)
    print("calibrated by slope and shift", line)
    choosers = [calibrated(chooser, *line) for chooser in choosers]
    by_fold = [Chooser.from_weights(stored) for stored in choosers]
    for example in examples:
        if len(example.rows):
            example.likely = by_fold[fold_of(example.group)].compute_likelihoods(example.rows)
    judged = judge_all(kept, choosers)
    by_key, sure = thresholds(judged), likelihood_of_sure(examples)
    for name in kept:
        part = [question for question in judged if question.set == name]
        print(name, _figures(part, by_key), flush=True)
    print("thresholds", by_key, "sure", sure)
    for bounds, count, likely, right in calibration(examples):
        print(f"{bounds:>10} {count:>6} {likely:6.3f} {right:6.3f}")
    for fold in range(FOLDS):
        choosers[fold] |= {"thresholds": by_key, "sure": sure}
        if chosen.folds:
            _write(chosen.folds / f"{fold}.json", choosers[fold])
    kinds = [
        kinds_of(example for example in examples if fold_of(example.group) != fold) for fold in range(FOLDS)
    ]
    for example in examples:
        kinds[fold_of(example.group)].fill([example])
    stored = calibrated(train(examples, kinds_of(examples), common_words), *line)
    _write(chosen.out, stored | {"thresholds": by_key, "sure": sure})


def _figures(judged: Sequence[Judged], by_key: Mapping[str, float]) -> str:
    refused: dict[bool, list[bool]] = {True: [], False: []}
    for question in judged:
        threshold = question.find_threshold(by_key)
        refused[question.is_answerable].append(question.likelihood <= 0 or question.likelihood < threshold)
    shares = [100 * float(np.mean(flags)) if flags else 0.0 for flags in (refused[False], refused[True])]
    return "refused rightly {:.1f} wrongly {:.1f}".format(*shares)


if __name__ == "__main__":
    main()
