"""An answer without a model: the sentences of the sources that say most of what was asked; pure (10.3)."""

from collections import Counter
from collections.abc import Sequence
from math import log

from app.answers.context import Source
from app.answers.wording import stems
from app.documents.sentences import sentence_ranges

MAX_QUOTES = 3
"""Quotes in an answer: more is the context itself."""
RANK_DISCOUNT = 0.05
"""What each place further down among the sources takes from a sentence's worth."""
ENOUGH = 0.5
"""Share of the best quote's worth below which a further one is left out."""
_LONGEST_QUOTE = 600


def best_quotes(question: str, sources: Sequence[Source]) -> list[tuple[Source, str]]:
    """At most three sentences out of the sources, best first; none only where there is no source.

    A sentence is worth the words that it has in common with the question, rare ones more. Where nothing
    is in common, the first sentence of the best source: whoever ranked it had another reason.
    """
    asked = stems(question)
    candidates = [
        (source, source.text[start:end])
        for source in sources
        for start, end in sentence_ranges(source.text)
        if end - start <= _LONGEST_QUOTE
    ]
    if not candidates:
        return [(source, source.text) for source in sources[:1]]
    held = [stems(text) & asked for _, text in candidates]
    known = Counter(word for words in held for word in words)
    worths = [
        sum(log(1 + len(candidates) / known[word]) for word in words)
        * max(0.0, 1 - RANK_DISCOUNT * (source.number - 1))
        for (source, _), words in zip(candidates, held, strict=True)
    ]
    order = sorted(range(len(candidates)), key=lambda place: -worths[place])
    best = worths[order[0]]
    if best <= 0:
        return candidates[:1]
    found: dict[str, tuple[Source, str]] = {}
    for place in order:
        if worths[place] < ENOUGH * best or len(found) == MAX_QUOTES:
            break
        source, text = candidates[place]
        found.setdefault(" ".join(text.casefold().split()), (source, text))
    return list(found.values())
