"""Gold answers in the quotes of `ask` without a model, and how often it abstains.

Usage: citegraph eval retrieval PACK.json.gz --embedding minilm --extraction own --strategy hybrid
       python -m benchmarks.quality.answers PACK.json.gz [--embedding minilm] [--show]

The first command loads each set of the pack into a space of its own, which the second one asks. A gold answer
is quoted where a quoted sentence or the answer holds it, letter for letter without case and punctuation; the
questions counted are those whose answer is not yes or no and stands in a supporting passage. For the rest
each set is asked the first five questions of the next one none of whose supporting titles stand in it.
`--show` prints each question that is missed.
"""

import argparse
import gzip
import json
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from app.answers.shapes import Answered, Mode, Question
from app.cli.context import Operator, connected, servers
from app.cli.evaluate import TENANT
from app.graph.names import normalise_name
from app.settings import read_settings
from benchmarks.quality.paths import answers

UNANSWERABLE = 5


def quoted(found: Answered, question: dict[str, Any]) -> bool:
    """Return whether the gold answer stands in a quote, or in the answer."""
    texts = [found.answer, *(each.quote for each in found.citations)]
    plain = [f" {normalise_name(text)} " for text in texts]
    wanted = {question["answer"], *question.get("answer_aliases", ())}
    return any(f" {normalise_name(each)} " in text for each in wanted for text in plain)


def is_stated(part: dict[str, Any], question: dict[str, Any]) -> bool:
    """Return whether the answer is no yes or no and stands in a supporting passage."""
    if question["answer"].lower() in ("yes", "no"):
        return False
    gold = [each["text"] for each in part["passages"] if each["id"] in question["gold"]]
    plain = [f" {normalise_name(text)} " for text in gold]
    return any(f" {name} " in text for name in answers(question) for text in plain)


def unanswerable(part: dict[str, Any], other: dict[str, Any]) -> list[dict[str, Any]]:
    """The first questions of another set whose supporting passages this one has not."""
    held = {each["title"] for each in part["passages"]}
    title = {each["id"]: each["title"] for each in other["passages"]}
    strange = [each for each in other["questions"] if held.isdisjoint(title[gold] for gold in each["gold"])]
    return strange[:UNANSWERABLE]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pack", type=Path)
    arguments.add_argument("--embedding", default="minilm")
    arguments.add_argument("--show", action="store_true")
    options = arguments.parse_args()
    sets = json.loads(gzip.decompress(options.pack.read_bytes()))["sets"]
    total: Counter[str] = Counter()
    with ExitStack() as stack:
        ready = stack.enter_context(servers(read_settings().model_copy(update={"tenant": TENANT})))
        me = Operator(stack.enter_context(connected(ready)), TENANT)
        for place, part in enumerate(sets):
            where = me.space_id(f"{part['name']}-{options.embedding}-own")
            for question in part["questions"]:
                *_, found = me.citegraph.answerer.ask(*where, Question(question["question"]))
                assert isinstance(found, Answered)
                total["asked"] += 1
                total["abstained wrongly"] += found.mode is Mode.NOTHING
                if is_stated(part, question):
                    right = quoted(found, question)
                    total["counted"] += 1
                    total["quoted"] += right
                    if options.show and not right:
                        print("-", question["question"], "|", question["answer"])
            for question in unanswerable(part, sets[(place + 1) % len(sets)]):
                *_, found = me.citegraph.answerer.ask(*where, Question(question["question"]))
                assert isinstance(found, Answered)
                total["strange"] += 1
                total["abstained"] += found.mode is Mode.NOTHING
    print(f"gold answer quoted: {total['quoted']} of {total['counted']}")
    print(f"abstains where the set has no answer: {total['abstained']} of {total['strange']}")
    print(f"abstains where it has one: {total['abstained wrongly']} of {total['asked']}")


if __name__ == "__main__":
    main()
