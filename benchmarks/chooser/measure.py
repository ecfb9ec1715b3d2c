"""Answer kept questions by choosers that saw none of their articles: python -m benchmarks.chooser.measure
FOLDER FOLDS.

Prints what `citegraph eval answers` prints. Without FOLDS the trained chooser answers, which saw them all.
"""

import argparse
from pathlib import Path

from app.answers.evaluation import AnswerCounts
from app.cli.evaluate import show_answer_scores
from benchmarks.chooser.data import read_kept
from benchmarks.chooser.replay import answered, choosers_of, fold_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kept", type=Path)
    parser.add_argument("folds", type=Path, nargs="?")
    parser.add_argument("--set", action="append")
    chosen = parser.parse_args()
    choosers = choosers_of(chosen.folds)
    for name, kept in read_kept(chosen.kept):
        if chosen.set and name not in chosen.set:
            continue
        counts = AnswerCounts()
        for example in kept:
            chunks = [passage.text for passage in example.retrieved.passages]
            counts.add_answer_to_counts(
                example.question, answered(example, choosers[fold_of(example.group)]), chunks
            )
        show_answer_scores({"set": name, **counts.compute_percentages(), "milliseconds_p50": 0.0})


if __name__ == "__main__":
    main()
