"""How often another's fact leads an answer: python -m benchmarks.chooser.swapped_names PACK [--folds FOLDS]
[--same].

Questions of each set are asked with another name of its texts, or with --same of their own article, in place
of their first one: whatever answers the question as it was is then a fact about something else. Prints how
many were refused, and of how many the first sentence holds the answer of the question as it was; with FOLDS
by choosers that saw none of the articles.
"""

import argparse
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.answers.evaluation import KnownQuestion, contains_any_answer, load_question_sets
from app.answers.shapes import ContextFound, Question
from app.answers.written_by_quotes import answer_by_quotes
from app.cli.evaluate import (
    EVALUATION_TENANT,
    Extraction,
    connect_evaluation_operator,
    get_embedding_settings,
    load_question_set_into_space,
    read_json_or_gzipped_json,
)
from app.llm.servers import NO_MODEL
from app.settings import read_settings
from benchmarks.chooser.collect import groups_of
from benchmarks.chooser.data import with_another_name
from benchmarks.chooser.replay import choosers_of, fold_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--set", action="append")
    parser.add_argument("--folds", type=Path)
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=3)
    chosen = parser.parse_args()
    settings = read_settings().model_copy(
        update={"tenant": EVALUATION_TENANT, "llm_model": NO_MODEL, **get_embedding_settings("hashed")}
    )
    choosers, raw = choosers_of(chosen.folds), read_json_or_gzipped_json(chosen.pack)
    groups = groups_of(raw)
    with connect_evaluation_operator(settings) as me:
        for part in load_question_sets(raw, chosen.set or ()):
            where, _ = load_question_set_into_space(
                me, {"name": part.name, "passages": part.documents}, "hashed", Extraction.OWN
            )
            chance = random.Random(chosen.seed)
            texts: dict[str, list[str]] = {}
            for document in part.documents:
                texts.setdefault(document["title"] if chosen.same else "", []).append(document["text"])
            texts_of = {
                question.id: texts.get(groups.get(question.id, "") if chosen.same else "", [])
                for question in part.questions
            }
            asked = _renamed(part.questions, texts_of, chance)
            refused = led = 0
            for question, text in asked[: chosen.count]:
                for event in me.citegraph.answerer.ask(*where, Question(text)):
                    if isinstance(event, ContextFound):
                        found = event
                chooser = choosers[fold_of(groups.get(question.id, question.id))]
                said = answer_by_quotes(Question(text), found.retrieval, found.context, chooser=chooser)
                refused += not said
                if said and contains_any_answer(said[0].text, question.answers):
                    led += 1
                    print(f"  {text}\n    {said[0].text[:200]}")
            count = len(asked[: chosen.count])
            print(f"{part.name}: of {count} refused {refused}, led by another's fact {led}", flush=True)


def _renamed(
    questions: tuple[KnownQuestion, ...], texts_of: Mapping[str, Sequence[str]], chance: random.Random
) -> list[tuple[KnownQuestion, str]]:
    """The questions that have an answer and a name, in a drawn order, with another name of their texts."""
    answerable = [question for question in questions if question.answers and question.is_scored]
    chance.shuffle(answerable)
    renamed = [
        (question, with_another_name(question.text, texts_of[question.id], chance)) for question in answerable
    ]
    return [(question, text) for question, text in renamed if text is not None]


if __name__ == "__main__":
    main()
