"""Denials told as sentences of an answer: no longer, since when, with the quotes of both sides; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.answers.context import Source
from app.documents.sentences import after_list_mark
from app.graph.shapes import Denial, Edge


@dataclass(frozen=True, slots=True)
class DeniedSentence:
    """A sentence of the answer, and the source that it quotes."""

    text: str
    source: Source
    quote: str


def sentences_of(
    denials: Sequence[Denial], sources: Sequence[Source], *, whole: bool
) -> Iterator[DeniedSentence]:
    """The denials told with their quotes; `whole` says that they are the answer to a yes or no."""
    for denial in denials:
        said = _cited(denial.edge, sources)
        if said is None:
            continue
        yield DeniedSentence(f"{_opening(denial, whole=whole)}: {said[1]}", said[0], denial.edge.quote or "")
        against = None if denial.asserted is None else _cited(denial.asserted, sources)
        if against is not None and denial.asserted is not None:
            opening = "Another source says" if denial.contested else "Before"
            yield DeniedSentence(f"{opening}: {against[1]}", against[0], denial.asserted.quote or "")


def _opening(denial: Denial, *, whole: bool) -> str:
    if denial.contested:
        return "Sources contradict one another; one says"
    since = f", since {denial.since}" if denial.since else ""
    if denial.held:
        return f"No longer{since}"
    return f"No{since}" if whole else f"Not so{since}"


def _cited(edge: Edge, sources: Sequence[Source]) -> tuple[Source, str] | None:
    """The source that holds the edge's quote, and the quote on one line."""
    quote = edge.quote or ""
    for source in sources:
        if edge.evidence is not None and source.chunk_id == edge.evidence.chunk_id and quote in source.text:
            return source, " ".join(quote[after_list_mark(quote, 0, len(quote)) :].split())
    return None
