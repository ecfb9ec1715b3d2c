"""Answers kept questions again, by the choosers of folds: each one those whose articles it did not see."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.answers.asked_names import AskedNames
from app.answers.chooser.model import (
    Chooser,
    do_sources_show_small_space,
    find_threshold_by_language_or_script,
)
from app.answers.extractive import DOUBT_FACTOR
from app.answers.refusal import are_asked_words_missing_beside_known_names, choose_quotes_or_refuse
from app.answers.shapes import FinalAnswer, Mode, Question
from app.answers.written_by_quotes import answer_by_quotes
from benchmarks.chooser.data import Collected

FOLDS = 5


def fold_of(group: str) -> int:
    """The fold of an article, the same in all languages."""
    return zlib.crc32(group.encode()) % FOLDS


def half_of(group: str) -> int:
    """The half of an article, 0 to choose by and 1 that is looked at once."""
    return zlib.crc32(f"half {group}".encode()) % 2


def answered(example: Collected, chooser: Chooser | None) -> FinalAnswer:
    """The answer that the product gives to what was retrieved."""
    question = Question(example.question.text)
    sentences = answer_by_quotes(question, example.retrieved, example.context, chooser=chooser)
    mode = Mode.EXTRACTIVE if sentences else Mode.NOTHING
    return FinalAnswer(
        question.text, mode, tuple(sentences), (), (), example.context, example.retrieved.graph_revision
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """A question of a set, and the likelihood of its first quote as it is compared with the threshold.

    It is 0 if the product refuses the question whatever the threshold is, for its names or by a guard, and 1
    if a claim, a value or a row answers.
    """

    set: str
    question: str
    is_answerable: bool
    is_about_several: bool
    in_small_space: bool
    likelihood: float

    def find_threshold(self, threshold_by_key: Mapping[str, float]) -> float:
        """Return the likelihood below which the question is refused."""
        return find_threshold_by_language_or_script(
            self.question,
            threshold_by_key,
            is_about_several=self.is_about_several,
            in_small_space=self.in_small_space,
        )


def judge(name: str, example: Collected, chooser: Chooser) -> Judged:
    """Judge a question by a chooser whose thresholds are 0."""
    likelihood = 0.0
    if answered(example, chooser).sentences:
        quotes = choose_quotes_or_refuse(example.retrieved, example.context, chooser)
        likelihood = 1.0 if quotes.likelihood is None else quotes.likelihood
        if quotes.likelihood is not None and are_asked_words_missing_beside_known_names(
            example.retrieved, example.context.sources
        ):
            likelihood *= DOUBT_FACTOR
    return Judged(
        name,
        example.question.text,
        bool(example.question.answers),
        AskedNames(example.retrieved, example.context.sources).may_answer_take_two_sentences,
        do_sources_show_small_space(source.text for source in example.context.sources),
        likelihood,
    )


def choosers_of(folds: Path | None) -> list[Chooser | None]:
    """The chooser of each fold as `train` wrote it; None, the trained one, without a folder of folds."""
    if folds is None:
        return [None] * FOLDS
    return [
        Chooser.from_weights(json.loads((folds / f"{fold}.json").read_text("utf-8"))) for fold in range(FOLDS)
    ]
