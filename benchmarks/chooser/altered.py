"""How often an altered question is refused: python -m benchmarks.chooser.altered FOLDER [FOLDS] [--half N].

Each answerable question of the kept sets is asked of what was retrieved for it once more with another name,
object, verb or year in it, drawn from its own passages or from other questions: whatever answers it as it was
is then a fact about something else. Prints of each kind how many were refused and how many were led by the
answer of the question as it was, and how many questions as they were are refused wrongly; of one half of the
articles alone with --half 0 or 1. Only languages that the reader reads have other objects and verbs.
"""

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from app.answers.clause_support import ParsedSentence, parse_question
from app.answers.evaluation import contains_any_answer
from app.documents.language import guess_language
from benchmarks.chooser.data import Collected, read_kept, with_another_name
from benchmarks.chooser.replay import answered, choosers_of, fold_of, half_of

_YEAR = re.compile(r"\b(1\d|20)\d\d\b")
_OBJECTS = frozenset(("obj", "nsubj:pass", "obl"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kept", type=Path)
    parser.add_argument("folds", type=Path, nargs="?")
    parser.add_argument("--set", action="append")
    parser.add_argument("--half", type=int)
    parser.add_argument("--show", action="store_true", help="print those that were led")
    chosen = parser.parse_args()
    choosers = choosers_of(chosen.folds)
    for name, kept in read_kept(chosen.kept):
        if chosen.set and name not in chosen.set:
            continue
        own = [item for item in kept if chosen.half is None or half_of(item.group) == chosen.half]
        asked: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        led: Counter[str] = Counter()
        for kind, item in _all(own):
            answer = answered(item, choosers[fold_of(item.group)])
            asked[kind] += 1
            refused[kind] += not answer.sentences
            if answer.sentences and contains_any_answer(answer.sentences[0].text, item.question.answers):
                led[kind] += 1
                if chosen.show and kind not in ("as it is", "unanswerable"):
                    print(f"  {kind}: {item.question.text}\n    {answer.sentences[0].text[:200]}")
        for kind, count in asked.items():
            print(
                f"{name} {kind} ({count}): refused {100 * refused[kind] / count:.1f}, "
                f"led by the answer {100 * led[kind] / count:.1f}",
                flush=True,
            )


def _all(kept: Sequence[Collected]) -> Iterator[tuple[str, Collected]]:
    """The questions as they are, and each that has an answer in every altered form that it has."""
    questions = [item.question.text for item in kept]
    read = {text: parse_question(text, guess_language(text)) for text in questions}
    verbs = sorted({verb for text in questions if (verb := _word_of(read[text], text, "verb"))})
    objects = sorted({word for text in questions if (word := _word_of(read[text], text, "object"))})
    for item in kept:
        question = item.question
        if not question.answers:
            yield "unanswerable", item
        elif question.is_scored:
            yield "as it is", item
            chance = random.Random(question.id)
            texts = [source.text for source in item.context.sources if source.document_title == item.group]
            altered = {
                "another name": with_another_name(question.text, texts, chance),
                "another object": _with_another(
                    read[question.text], question.text, "object", objects, chance
                ),
                "another verb": _with_another(read[question.text], question.text, "verb", verbs, chance),
                "another year": _with_another_year(question.text, chance),
            }
            for kind, text in altered.items():
                if text is not None:
                    query = replace(item.retrieved.query, text=text)
                    yield (
                        kind,
                        replace(
                            item,
                            question=replace(question, text=text),
                            retrieved=replace(item.retrieved, query=query),
                        ),
                    )


def _place_of(question: ParsedSentence | None, kind: str) -> int | None:
    """The word of a question that is its main verb, or the common noun that is an object of it."""
    if question is None:
        return None
    root = next(word for word, head in enumerate(question.parse.heads) if word == head)
    if kind == "verb":
        return root if question.parse.upos[root] == "VERB" else None
    return next(
        (word for word in question.list_dependents(root, _OBJECTS) if question.parse.upos[word] == "NOUN"),
        None,
    )


def _word_of(question: ParsedSentence | None, text: str, kind: str) -> str | None:
    word = _place_of(question, kind)
    return None if question is None or word is None else text[slice(*question.ranges[word])]


def _with_another(
    question: ParsedSentence | None, text: str, kind: str, words: Sequence[str], chance: random.Random
) -> str | None:
    """The question with another verb of the same ending, or another object, of other questions."""
    word = _place_of(question, kind)
    if question is None or word is None:
        return None
    start, end = question.ranges[word]
    own = text[start:end]
    others = [other for other in words if other not in text and (kind == "object" or other[-2:] == own[-2:])]
    return f"{text[:start]}{chance.choice(others)}{text[end:]}" if others else None


def _with_another_year(text: str, chance: random.Random) -> str | None:
    """The question with its first year moved by 11 to 60 years; None without one."""
    match = _YEAR.search(text)
    if match is None:
        return None
    year = int(match[0]) + chance.choice((-1, 1)) * chance.randint(11, 60)
    return f"{text[: match.start()]}{year}{text[match.end() :]}"


if __name__ == "__main__":
    main()
