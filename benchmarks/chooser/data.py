"""What is kept of a question's retrieval, and the rows of features that the chooser is trained with."""

import gzip
import pickle
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from app.answers.chooser.choice import compute_feature_rows
from app.answers.chooser.features import Floats, list_question_tokens
from app.answers.evaluation import KnownQuestion, holds_answer
from app.answers.extractive import list_facts_asked_for, list_names_asked, list_sentences_to_choose
from app.answers.refusal import explain_unknown_names
from app.answers.shapes import Context, Source
from app.graph.questions import capitalised_names, capitalises_nouns
from app.retrieval.shapes import RetrievalResult


@dataclass(frozen=True, slots=True)
class Collected:
    """A question with its group (the article or question that no fold divides), and what was found for
    it.
    """

    question: KnownQuestion
    group: str
    retrieved: RetrievalResult
    context: Context


@dataclass(slots=True)
class Example:
    """The rows of a question: which sentences answer it, and which hold a known answer by chance too.

    `is_altered` is True where passages were taken away.
    """

    set: str
    group: str
    question: str
    answers: tuple[str, ...]
    is_scored: bool
    refused_for_names: bool
    is_altered: bool
    tokens: list[str]
    rows: Floats
    answering: npt.NDArray[np.bool_]
    holding: npt.NDArray[np.bool_]
    likely: Floats = field(default_factory=lambda: np.zeros(0))


def read_kept(folder: Path) -> Iterator[tuple[str, list[Collected]]]:
    """The sets that `collect` kept, by name."""
    for path in sorted(folder.glob("*.pickle.gz")):
        with gzip.open(path) as file:
            yield path.name.removesuffix(".pickle.gz"), pickle.load(file)


def examples_of(name: str, kept: list[Collected]) -> Iterator[Example]:
    """Each question as it was asked, each answerable one again without the text that answers it, and both
    among one to three passages alone, as in a small space.
    """
    for example in kept:
        answers = example.question.answers
        every = list(example.context.sources)
        holding = [source for source in every if answers and holds_answer(source.text, answers)]
        own = [source for source in holding if source.document_title == example.group] or holding
        gold = {source.number for source in own}
        yield _example(name, example, every, gold, as_asked=True)
        rest = [source for source in every if source not in holding]
        if holding:
            yield _example(name, example, rest, set())
        chance = random.Random(example.question.id)
        others = chance.sample(rest, min(len(rest), chance.randint(0 if own else 1, 2)))
        few = [source for source in every if source in own[:1] or source in others]
        yield _example(name, example, few, gold)
        if own and others:
            yield _example(name, example, [source for source in every if source in others], set())


def with_another_name(question: str, texts: Sequence[str], chance: random.Random) -> str | None:
    """The question with a name of these texts, of two words or more, in place of its first one; None where it
    has none, or they have no other.
    """
    written = capitalised_names(question)
    if not written or capitalises_nouns(question):
        return None
    names = {
        name.surface
        for text in texts
        # A word that begins a text is in capitals anyhow.
        for name in capitalised_names(f"- {text}")
        if " " in name.surface and name.surface not in question
    }
    if not names:
        return None
    first = written[0]
    return f"{question[: first.start]}{chance.choice(sorted(names))}{question[first.end :]}"


def _narrowed(retrieved: RetrievalResult, sources: list[Source]) -> RetrievalResult:
    """What would have been retrieved of these sources alone: the best of them is the best."""
    chunks = {source.chunk_id for source in sources}
    passages = [passage for passage in retrieved.passages if passage.chunk_id in chunks]
    best = max((passage.breakdown["walk"] for passage in passages), default=0.0) or 1.0
    return replace(
        retrieved,
        passages=tuple(
            replace(passage, breakdown=passage.breakdown | {"walk": passage.breakdown["walk"] / best})
            for passage in passages
        ),
        facts=tuple(
            fact
            for fact in retrieved.facts
            if fact.edge.evidence is not None and fact.edge.evidence.chunk_id in chunks
        ),
    )


def _example(
    name: str, collected: Collected, sources: list[Source], gold: set[int], *, as_asked: bool = False
) -> Example:
    question = collected.question
    retrieved = collected.retrieved if as_asked else _narrowed(collected.retrieved, sources)
    names = list_names_asked(retrieved)
    sentences = list_sentences_to_choose(question.text, sources, names, collected.context.later)
    rows: Floats = np.zeros((0, 0))
    chosen = []
    if sentences:
        places, rows = compute_feature_rows(
            retrieved,
            sources,
            sentences,
            names=names,
            asked_edge_ids={fact.edge.id for fact in list_facts_asked_for(retrieved)},
            chooser=None,
        )
        chosen = [sentences[place] for place in places]
    holding = [
        bool(question.answers) and holds_answer(sentence.text, question.answers) for sentence in chosen
    ]
    return Example(
        name,
        collected.group,
        question.text,
        question.answers,
        question.is_scored,
        explain_unknown_names(retrieved) is not None,
        not as_asked,
        list_question_tokens(question.text),
        rows,
        np.array(
            [held and sentence.source.number in gold for held, sentence in zip(holding, chosen, strict=True)],
            bool,
        ),
        np.array(holding, bool),
    )


def cached(folder: Path, name: str, kept: list[Collected]) -> list[Example]:
    """The examples of a set, made once: remove the file after a change of the features."""
    path = folder / f"{name}.rows"
    if not path.exists():
        path.write_bytes(pickle.dumps(list(examples_of(name, kept))))
    return cast(list[Example], pickle.loads(path.read_bytes()))
