"""An answer without a model: the sentences of the sources that say most of what was asked; pure (10.3)."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log

from app.answers.context import Context, Ended, Source
from app.documents.sentences import after_list_mark, sentences_behind_marks
from app.graph.questions import relation_hints
from app.retrieval.shapes import Retrieved
from app.scoring.keywords import stems_of

MAX_QUOTES = 3
"""Quotes in an answer: more is the context itself."""
RANK_DISCOUNT = 0.05
"""What each place further down among the sources takes from a sentence's worth."""
STATED_BONUS = 2.0
"""Worth, in the question's rarest word, of stating a relation that the question asks for."""
ENOUGH = 0.6
"""Share of the best quote's worth below which a further one is left out."""
LITTLE = 0.5
"""Share of the question's words below which a quote hardly answers it: then one is enough."""
_LONGEST_QUOTE = 600
# A heading says what is talked about and states nothing.
_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Quotes:
    """At most three (source, sentence) pairs, best first.

    `coverage`, 0 to 1, is how much of what the question says the best one says too, rare words counting more.
    """

    found: tuple[tuple[Source, str], ...] = ()
    coverage: float = 0.0


def best_quotes(
    question: str,
    sources: Sequence[Source],
    *,
    names: Iterable[str] = (),
    stated: Iterable[str] = (),
    ended: Sequence[Ended] = (),
) -> Quotes:
    """The quotes out of the sources that say most of the question; none only where there is no source.

    A word counts by how few of the sentences hold it; those of `names`, the things asked about, count as
    the rarest, since the sources were found by them. `stated` are sentences that state what was asked, those
    that state what has `ended` are left out.
    Where nothing is in common, the first sentence of the best source: whoever ranked it had a reason.
    """
    candidates = _candidates(sources, ended)
    if not candidates:
        return Quotes(tuple((source, source.text) for source in sources[:1]))
    asked, named, *said_by_each = stems_of([question, " ".join(names), *(text for _, text in candidates)])
    held = [words & asked for words in said_by_each]
    weights = _weights(asked, held)
    rarest = max(weights.values(), default=0.0)
    weights |= dict.fromkeys(asked & named, rarest)
    wanted = list(stated)
    states = [any(each in text for each in wanted) for _, text in candidates]
    said = [sum(weights[word] for word in words) for words in held]
    worths = [
        (worth + (STATED_BONUS * rarest if stating else 0.0))
        * max(0.0, 1 - RANK_DISCOUNT * (source.number - 1))
        for (source, _), worth, stating in zip(candidates, said, states, strict=True)
    ]
    order = sorted(range(len(candidates)), key=lambda place: -worths[place])
    best = worths[order[0]]
    if best <= 0:
        return Quotes((candidates[0],))
    coverage = said[order[0]] / (sum(weights.values()) or 1.0)
    most = 1 if coverage < LITTLE and not any(states) else MAX_QUOTES
    found: dict[str, tuple[Source, str]] = {}
    for place in order:
        # What states it belongs to the answer in however few words: it may say the opposite.
        if worths[place] < ENOUGH * best and not states[place]:
            continue
        if len(found) == most:
            break
        source, text = candidates[place]
        found.setdefault(" ".join(text.casefold().split()), (source, text))
    return Quotes(tuple(found.values()), coverage)


def _weights(asked: Iterable[str], held: Sequence[Collection[str]]) -> dict[str, float]:
    """How much each word asked about counts: the more, the fewer sentences hold it."""
    known = Counter(word for words in held for word in words)
    return {word: log(1 + len(held) / max(known[word], 1)) for word in asked}


def _candidates(sources: Sequence[Source], ended: Sequence[Ended]) -> list[tuple[Source, str]]:
    """The sentences of the sources that can be quoted: neither too long nor too short, and not ended."""
    over = [(each.number, each.quote) for each in ended]
    sentences = (
        (source, source.text[words_start:end])
        for source in sources
        for start, words_start, end in sentences_behind_marks(source.text)
        if end - start <= _LONGEST_QUOTE and len(source.text[start:end].split()) >= _FEWEST_WORDS
    )
    return [
        (source, text)
        for source, text in sentences
        if not any(number == source.number and (quote in text or text in quote) for number, quote in over)
    ]


def quotes_for(retrieved: Retrieved, context: Context) -> Quotes:
    """The quotes for what was retrieved, its anchors and facts taken into account, and what holds no more."""
    anchors = {anchor.node.id for anchor in retrieved.anchors}
    hints = set(relation_hints(retrieved.query.text))
    asked_for = {
        fact.edge.id
        for fact in retrieved.facts
        if fact.edge.relation_type in hints and anchors & {fact.edge.from_node_id, fact.edge.to_node_id}
    }
    for conflict in retrieved.explanation.contested if retrieved.explanation else ():
        # Who quotes one side quotes the other (requirement 8.3).
        if asked_for & set(conflict.edge_ids):
            asked_for |= set(conflict.edge_ids)
    return best_quotes(
        retrieved.query.text,
        context.sources,
        names=[
            name
            for anchor in retrieved.anchors
            # An anchor found by meaning was matched by the whole question.
            for name in (anchor.node.canonical_name, anchor.matched)
            if name != retrieved.query.text
        ],
        stated=[
            quote[after_list_mark(quote, 0, len(quote)) :]
            for fact in retrieved.facts
            if (quote := fact.edge.quote) and fact.edge.id in asked_for
        ],
        ended=context.ended,
    )
