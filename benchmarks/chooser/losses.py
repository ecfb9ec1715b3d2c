"""Where the answers of kept questions are lost: python -m benchmarks.chooser.losses FOLDER [FOLDS].

Of the answerable questions of each set it prints, in per cent, at which step the first sentence ceases to
hold the answer, and of those to be refused by what they are; with FOLDS by choosers that saw none of their
articles.
"""

import argparse
from collections import Counter
from pathlib import Path

from app.answers.chooser.choice import rank_sentences_by_likelihood_and_trust
from app.answers.chooser.model import Chooser
from app.answers.evaluation import FIRST_CHUNK_COUNT, contains_any_answer
from app.answers.extractive import (
    list_asked_anchor_names,
    list_asked_and_contradicting_edge_ids,
    list_sentences_to_choose_from,
)
from app.answers.refusal import explain_unknown_names
from app.answers.shapes import Mode
from benchmarks.chooser.data import Collected, read_kept
from benchmarks.chooser.replay import answered, choosers_of, fold_of

STEPS = (
    "not in the first chunks", "in no sentence", "in none looked at", "another first", "refused: names",
    "refused: likelihood or guard", "first, not told", "first",
)  # fmt: skip
"""What becomes of a question that has an answer: the first step that loses it, or that it is told."""
REFUSALS = ("refused: names", "refused: likelihood or guard", "told")


def step_of(example: Collected, chooser: Chooser | None) -> str:
    """The first of `STEPS` that loses a question's answer; its last one where none does."""
    answers, question = example.question.answers, example.question.text
    told = answered(example, chooser)
    if told.sentences and contains_any_answer(told.sentences[0].text, answers):
        return "first"
    chunks = [passage.text for passage in example.retrieved.passages][:FIRST_CHUNK_COUNT]
    if not any(contains_any_answer(text, answers) for text in chunks):
        return "not in the first chunks"
    names = list_asked_anchor_names(example.retrieved)
    sentences = list_sentences_to_choose_from(
        question, example.context.sources, names, example.context.later_quotes
    )
    if not any(contains_any_answer(sentence.text, answers) for sentence in sentences):
        return "in no sentence"
    choice = rank_sentences_by_likelihood_and_trust(
        example.retrieved,
        example.context.sources,
        sentences,
        names=names,
        asked_edge_ids=list_asked_and_contradicting_edge_ids(example.retrieved),
        chooser=chooser,
    )
    if not any(contains_any_answer(sentence.text, answers) for sentence in choice.sentences):
        return "in none looked at"
    if not contains_any_answer(choice.sentences[0].text, answers):
        return "another first"
    return refusal_of(example) if told.mode is Mode.NOTHING else "first, not told"


def refusal_of(example: Collected) -> str:
    """Whether it is refused for names that nothing speaks of, or by its likelihood or a guard."""
    return "refused: names" if explain_unknown_names(example.retrieved) else "refused: likelihood or guard"


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
        steps: Counter[str] = Counter()
        refusals: Counter[str] = Counter()
        for example in kept:
            chooser = choosers[fold_of(example.group)]
            if not example.question.answers:
                refused = answered(example, chooser).mode is Mode.NOTHING
                refusals[refusal_of(example) if refused else "told"] += 1
            elif example.question.is_scored:
                steps[step_of(example, chooser)] += 1
        _tell(f"{name}, answerable", STEPS, steps)
        _tell(f"{name}, to be refused", REFUSALS, refusals)


def _tell(name: str, kinds: tuple[str, ...], counts: Counter[str]) -> None:
    total = counts.total()
    shares = "  ".join(f"{kind} {100 * counts[kind] / total:.1f}" for kind in kinds) if total else "none"
    print(f"{name} ({total}): {shares}", flush=True)


if __name__ == "__main__":
    main()
