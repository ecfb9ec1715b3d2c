"""What is kept of a question's retrieval, and the rows of features that the chooser is trained with."""

import gzip
import pickle
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from app.answers.chooser.choice import select_sentences_and_build_features
from app.answers.chooser.features import ANSWER_KINDS
from app.answers.chooser.model import CommonWords, select_common_words
from app.answers.chooser.question_matches import Floats
from app.answers.evaluation import KnownQuestion, contains_any_answer
from app.answers.extractive import list_asked_anchor_names, list_asked_facts, list_sentences_to_choose_from
from app.answers.refusal import explain_unknown_names
from app.answers.shapes import Context, Source
from app.answers.text_matching import (
    fold_to_spaced_lower_case,
    list_question_tokens,
    list_question_words,
    list_question_words_with_known_names,
)
from app.documents.language import guess_language
from app.documents.sentences import split_passage_cached
from app.domain.scoring.keywords import count_unspaced_characters
from app.graph.questions import capitalises_nouns, find_capitalised_names_in_question
from app.retrieval.shapes import RetrievalResult

_WORD = re.compile(r"\w+")
COMMON_SHARE = 0.13
"""Share of a set's articles whose questions have a word, the mean of a language's sets, from which it is
common.
"""
FEWEST_ARTICLES, FEWEST_QUESTIONS = 20, 100
RARER_IN_TEXTS = 4
"""Factor by which two characters of a question word are rarer in texts than in questions."""


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


def list_common_words(kept: Mapping[str, Sequence[Collected]]) -> dict[str, frozenset[str]]:
    """By language the words, folded, that are no names and that its questions have in common about many
    articles: "which", "during", "called".

    A set with few articles or questions tells nothing: what they have in common may be their matter. Of two
    characters of a script without spaces, "法国" (France) is as common as "什么" (what) in questions, but not
    as rare in texts.
    """
    shares_by_language: dict[str, list[dict[str, float]]] = defaultdict(list)
    for examples in kept.values():
        article_count = len({example.group for example in examples})
        if article_count < FEWEST_ARTICLES or len(examples) < FEWEST_QUESTIONS:
            continue
        groups_by_word: dict[str, set[str]] = defaultdict(set)
        for example in examples:
            for word, is_name in list_question_words(example.question.text):
                if not is_name:
                    groups_by_word[word].add(example.group)
        shares = {word: len(groups) / article_count for word, groups in groups_by_word.items()}
        texts = [
            fold_to_spaced_lower_case(text)
            for text in {source.text for kept in examples for source in kept.context.sources}
        ]
        languages = Counter(guess_language(example.question.text) for example in examples)
        shares_by_language[languages.most_common(1)[0][0] or ""].append(
            {
                word: share
                for word, share in shares.items()
                if share >= COMMON_SHARE / 2
                and not (
                    count_unspaced_characters(word)
                    and sum(word in text for text in texts) >= share / RARER_IN_TEXTS * len(texts)
                )
            }
        )
    return {
        language: frozenset(
            word
            for word in set().union(*sets)
            if sum(shares.get(word, 0.0) for shares in sets) >= COMMON_SHARE * len(sets)
        )
        for language, sets in shares_by_language.items()
    }


def examples_of(name: str, kept: list[Collected], common_words: CommonWords) -> Iterator[Example]:
    """Each question as it was asked, each answerable one again without the passages that answer it, without
    the sentences that do, and with sentences that answer without a name; and all of them among one to three
    passages alone, as in a small space.
    """
    for example in kept:
        answers = example.question.answers
        every = list(example.context.sources)
        holding = [source for source in every if answers and contains_any_answer(source.text, answers)]
        own = [source for source in holding if source.document_title == example.group] or holding
        gold = {source.number for source in own}
        yield _example(name, example, common_words, every, gold, as_asked=True)
        rest = [source for source in every if source not in holding]
        if holding:
            yield _example(name, example, common_words, rest, set())
        chance = random.Random(example.question.id)
        others = chance.sample(rest, min(len(rest), chance.randint(0 if own else 1, 2)))
        few = [source for source in every if source in own[:1] or source in others]
        yield _example(name, example, common_words, few, gold)
        if own and others:
            yield _example(
                name, example, common_words, [source for source in every if source in others], set()
            )
        names = frozenset(_list_name_words(example))
        unnamed = [_without_names(source, answers, names) if source in own else source for source in every]
        if own and names and unnamed != every:
            yield _example(name, example, common_words, unnamed, gold)
            few = [
                source for source in unnamed if source.number in {one.number for one in (*own[:1], *others)}
            ]
            yield _example(name, example, common_words, few, gold)
        cut = [cut_source for source in every if (cut_source := _without_sentences(source, answers)).text]
        if holding and not any(contains_any_answer(source.text, answers) for source in cut):
            yield _example(name, example, common_words, cut, set())
            numbers = {source.number for source in (*own[:1], *others)}
            few = [source for source in cut if source.number in numbers]
            yield _example(name, example, common_words, few, set())


def _without_names(source: Source, answers: Sequence[str], names: Set[str]) -> Source:
    """A source whose sentences that hold one of the answers have no words of the names, where one before them
    or the title has: as if a pronoun stood there.
    """
    pieces, end_before = [], 0
    is_named = not names.isdisjoint(
        fold_to_spaced_lower_case(f"{source.document_title} {' '.join(source.heading_path)}").split()
    )
    for start, _, end in split_passage_cached(source.text):
        sentence = source.text[start:end]
        if is_named and contains_any_answer(sentence, answers):
            sentence = _WORD.sub(
                lambda word: "" if fold_to_spaced_lower_case(word[0]).strip() in names else word[0], sentence
            )
        pieces += [source.text[end_before:start], sentence]
        end_before = end
        is_named = is_named or not names.isdisjoint(fold_to_spaced_lower_case(sentence).split())
    return replace(source, text="".join((*pieces, source.text[end_before:])))


def _without_sentences(source: Source, answers: Sequence[str]) -> Source:
    """A source without its sentences that hold one of the answers; what is left is about the same things."""
    if not answers or not contains_any_answer(source.text, answers):
        return source
    kept, end_before = [], 0
    for start, _, end in split_passage_cached(source.text):
        if contains_any_answer(source.text[start:end], answers):
            kept.append(source.text[end_before:start])
            end_before = end
    return replace(source, text="".join((*kept, source.text[end_before:])).strip())


def _list_name_words(example: Collected) -> list[str]:
    """The words of the question's names, folded, without numbers."""
    words = list_question_words_with_known_names(
        example.question.text, list_asked_anchor_names(example.retrieved)
    )
    return [word for word, is_name in words if is_name and not any(map(str.isdigit, word))]


def with_another_name(question: str, texts: Sequence[str], chance: random.Random) -> str | None:
    """The question with a name of these texts, of two words or more, in place of its first one; None where it
    has none, or they have no other.
    """
    written = find_capitalised_names_in_question(question)
    if not written or capitalises_nouns(question):
        return None
    names = {
        name.surface
        for text in texts
        # A word that begins a text is in capitals anyhow.
        for name in find_capitalised_names_in_question(f"- {text}")
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
    name: str,
    collected: Collected,
    common_words: CommonWords,
    sources: list[Source],
    gold: set[int],
    *,
    as_asked: bool = False,
) -> Example:
    question = collected.question
    retrieved = collected.retrieved if as_asked else _narrowed(collected.retrieved, sources)
    names = list_asked_anchor_names(retrieved)
    sentences = list_sentences_to_choose_from(question.text, sources, names, collected.context.later_quotes)
    rows: Floats = np.zeros((0, 0))
    chosen = []
    if sentences:
        places, rows = select_sentences_and_build_features(
            retrieved,
            sources,
            sentences,
            names=names,
            asked_edge_ids={fact.edge.id for fact in list_asked_facts(retrieved)},
            # What a question asks for is learned from these examples, and put in later.
            score_kinds=lambda _: [0.0] * len(ANSWER_KINDS),
            common_words=select_common_words(question.text, common_words),
        )
        chosen = [sentences[place] for place in places]
    holding = [
        bool(question.answers) and contains_any_answer(sentence.text, question.answers) for sentence in chosen
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


def cached(folder: Path, name: str, kept: list[Collected], common_words: CommonWords) -> list[Example]:
    """The examples of a set, made once: remove the file after a change of the features."""
    path = folder / f"{name}.rows"
    if not path.exists():
        path.write_bytes(pickle.dumps(list(examples_of(name, kept, common_words))))
    return cast(list[Example], pickle.loads(path.read_bytes()))
