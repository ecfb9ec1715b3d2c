"""Answers kept questions again, by the choosers of folds: each one those whose articles it did not see."""

import json
import zlib
from pathlib import Path

from app.answers.ask import answer_by_quotes
from app.answers.chooser.model import Chooser
from app.answers.shapes import FinalAnswer, Mode, Question
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


def choosers_of(folds: Path | None) -> list[Chooser | None]:
    """The chooser of each fold as `train` wrote it; None, the trained one, without a folder of folds."""
    if folds is None:
        return [None] * FOLDS
    return [
        Chooser.from_weights(json.loads((folds / f"{fold}.json").read_text("utf-8"))) for fold in range(FOLDS)
    ]
