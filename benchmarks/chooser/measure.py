"""Answer kept questions by choosers that saw none of their articles: python -m benchmarks.chooser.measure
FOLDER FOLDS.

Prints what `citegraph eval answers` prints. Without FOLDS the trained chooser answers, which saw them all.
"""

import argparse
import json
from pathlib import Path

from app.answers.ask import answer_by_quotes
from app.answers.chooser.model import Chooser
from app.answers.evaluation import AnswerCounts
from app.answers.shapes import Answered, Mode, Question
from app.cli.evaluate import _tell_answers
from benchmarks.chooser.data import Collected, read_kept
from benchmarks.chooser.train import FOLDS, fold_of


def answered(each: Collected, chooser: Chooser | None) -> Answered:
    """The answer that the product gives to what was retrieved."""
    question = Question(each.question.text)
    sentences = answer_by_quotes(question, each.retrieved, each.context, chooser=chooser)
    mode = Mode.EXTRACTIVE if sentences else Mode.NOTHING
    return Answered(
        question.text, mode, tuple(sentences), (), (), each.context, each.retrieved.graph_revision
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kept", type=Path)
    parser.add_argument("folds", type=Path, nargs="?")
    parser.add_argument("--set", action="append")
    chosen = parser.parse_args()
    choosers: list[Chooser | None] = [None] * FOLDS
    if chosen.folds is not None:
        choosers = [
            Chooser.of(json.loads((chosen.folds / f"{fold}.json").read_text("utf-8")))
            for fold in range(FOLDS)
        ]
    for name, kept in read_kept(chosen.kept):
        if chosen.set and name not in chosen.set:
            continue
        counts = AnswerCounts()
        for each in kept:
            chunks = [passage.text for passage in each.retrieved.passages]
            counts.add(each.question, answered(each, choosers[fold_of(each.group)]), chunks)
        _tell_answers({"set": name, **counts.in_percent(), "milliseconds_p50": 0.0})


if __name__ == "__main__":
    main()
