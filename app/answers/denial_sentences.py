"""Select the denials that a question asks about, and write them as sentences; pure."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from app.answers.question_tense import asks_of_the_past, has_past_words
from app.answers.refusal import explain_unknown_names
from app.answers.shapes import Source
from app.documents.sentences import find_start_after_list_mark
from app.domain.relation_phrases import list_relations_stated_by
from app.graph.questions import guess_relation_types
from app.graph.shapes import Denial, Edge, ReportedClaim, format_since
from app.retrieval.shapes import RetrievalResult

MAX_DENIALS = 3
"""Maximum number of denials in an answer."""
_YES_NO_QUESTION = re.compile(
    r"\W*(?:do|does|did|is|are|was|were|has|have|had|can|could|will)\b", re.IGNORECASE
)


_Report = TypeVar("_Report", Denial, ReportedClaim)


@dataclass(frozen=True, slots=True)
class DeniedSentence:
    """A sentence of the answer, and the source that it quotes.

    `is_upheld` is whether it states a claim that only a less trusted source denies, `is_less_trusted` whether
    it is what that source says, `is_about_end` whether it is about a claim that held once and has ended.
    """

    text: str
    source: Source
    quote: str
    is_upheld: bool = False
    is_less_trusted: bool = False
    is_about_end: bool = False


class _LocatedQuote(NamedTuple):
    """A quote on one line, and the source that contains it."""

    source: Source
    text: str


def list_denials_asked_about(retrieval: RetrievalResult) -> list[Denial]:
    """Return the denials between two things that the question names, or of a relation that it names; what a
    person ended also by other words of the relation.

    A question about the past that does not ask for yes or no is answered by what has ended: "Who acquired
    it?". What a person ended answers only where words of the question say so. The list is empty if a name of
    the question is unknown: the most similar name is somebody else's.
    """
    if retrieval.explanation is None:
        return []
    question = retrieval.query.text
    is_end_answered = asks_of_the_past(question) and _YES_NO_QUESTION.match(question) is None
    denials = [
        denial
        for denial in retrieval.explanation.denials
        if not (
            has_past_words(question) if denial.is_ended_by_person else is_end_answered and denial.is_about_end
        )
    ]
    return _select_reports_about_asked_things(retrieval, denials)


def list_asked_reports(retrieval: RetrievalResult) -> list[ReportedClaim]:
    """Return the reports between two things that the question names, or of a relation that it names."""
    return (
        _select_reports_about_asked_things(retrieval, retrieval.explanation.reported)
        if retrieval.explanation
        else []
    )


def _select_reports_about_asked_things(
    retrieval: RetrievalResult, reports: Sequence[_Report]
) -> list[_Report]:
    if not reports or explain_unknown_names(retrieval):
        return []
    anchor_node_ids = {anchor.node.id for anchor in retrieval.anchors}
    hinted_relations = set(guess_relation_types(retrieval.query.text))
    stated_relations = hinted_relations | list_relations_stated_by(hinted_relations)
    answering_quotes = _list_quotes_of_asked_facts(retrieval, hinted_relations)
    ranked_entries = []
    for entry in reports:
        end_node_ids = {entry.edge.from_node_id, entry.edge.to_node_id}
        if not end_node_ids <= anchor_node_ids and entry.edge.quote in answering_quotes:
            # "Bob, who led A until 2019, leads B" answers what Bob leads.
            continue
        is_ended_by_person = isinstance(entry, Denial) and entry.is_ended_by_person
        asked_relations = stated_relations if is_ended_by_person else hinted_relations
        if end_node_ids <= anchor_node_ids or (
            entry.edge.relation_type in asked_relations and end_node_ids & anchor_node_ids
        ):
            ranked_entries.append((not end_node_ids <= anchor_node_ids, entry))
    # Statements about two things that the question names come first.
    ranked_entries.sort(key=lambda ranked_entry: ranked_entry[0])
    return [entry for _, entry in ranked_entries[:MAX_DENIALS]]


def _list_quotes_of_asked_facts(retrieval: RetrievalResult, hinted_relations: Collection[str]) -> set[str]:
    """Return the quotes of facts about a named thing that hold, with a relation that the question means."""
    anchor_node_ids = {anchor.node.id for anchor in retrieval.anchors}
    return {
        fact.edge.quote
        for fact in retrieval.facts
        if fact.edge.quote
        and fact.edge.relation_type in hinted_relations
        and anchor_node_ids & {fact.edge.from_node_id, fact.edge.to_node_id}
    }


def are_denials_whole_answer(retrieval: RetrievalResult, denials: Sequence[Denial]) -> bool:
    """Return whether the denials are the whole answer: a yes-or-no question about two named things."""
    anchor_node_ids = {anchor.node.id for anchor in retrieval.anchors}
    return _YES_NO_QUESTION.match(retrieval.query.text) is not None and any(
        {denial.edge.from_node_id, denial.edge.to_node_id} <= anchor_node_ids for denial in denials
    )


def iterate_denied_sentences(
    denials: Sequence[Denial], sources: Sequence[Source], *, is_whole_answer: bool
) -> Iterator[DeniedSentence]:
    """Yield the denials with their quotes, each sentence once; `is_whole_answer` marks them as the answer to
    a yes-or-no question.
    """
    # One sentence may deny several claims: "Neither Ann nor Bob works for Acme".
    yielded_keys: set[tuple[int, str]] = set()
    for sentence in _iterate_sentences_of_each_denial(denials, sources, is_whole_answer=is_whole_answer):
        key = (sentence.source.number, sentence.text)
        if key not in yielded_keys:
            yielded_keys.add(key)
            yield sentence


def _iterate_sentences_of_each_denial(
    denials: Sequence[Denial], sources: Sequence[Source], *, is_whole_answer: bool
) -> Iterator[DeniedSentence]:
    for denial in denials:
        located_quote = _find_located_quote(denial.edge, sources)
        if located_quote is None:
            continue
        counter_quote = None if denial.asserted is None else _find_located_quote(denial.asserted, sources)
        if (
            denial.asserted is not None
            and counter_quote is not None
            and _is_denial_less_trusted(denial, located_quote.source, counter_quote.source)
        ):
            # The less trusted source is quoted, but not as the answer.
            yield DeniedSentence(
                counter_quote.text, counter_quote.source, denial.asserted.quote or "", is_upheld=True
            )
            lead_in = "A source that is trusted less contradicts this"
            yield DeniedSentence(
                f"{lead_in}: {located_quote.text}",
                located_quote.source,
                denial.edge.quote or "",
                is_less_trusted=True,
            )
            continue
        yield DeniedSentence(
            f"{_write_opening_of_denial(denial, is_whole_answer=is_whole_answer)}: {located_quote.text}",
            located_quote.source,
            denial.edge.quote or "",
            is_about_end=denial.is_about_end,
        )
        if counter_quote is not None and denial.asserted is not None:
            lead_in = "Another source says" if denial.contested else "Before"
            yield DeniedSentence(
                f"{lead_in}: {counter_quote.text}",
                counter_quote.source,
                denial.asserted.quote or "",
                is_about_end=denial.is_about_end,
            )


def _is_denial_less_trusted(denial: Denial, denying_source: Source, asserting_source: Source) -> bool:
    """Return whether sources contradict each other and the denying one is trusted less."""
    return denial.contested and denying_source.trust < asserting_source.trust


def _write_opening_of_denial(denial: Denial, *, is_whole_answer: bool) -> str:
    if denial.contested:
        return "Sources contradict one another; one says"
    if is_whole_answer and not denial.was_once_stated:
        return f"No{format_since(denial.since)}"
    return denial.opening


def _find_located_quote(edge: Edge, sources: Sequence[Source]) -> _LocatedQuote | None:
    """Return the source that contains the edge's quote, and the quote on one line."""
    quote = edge.quote or ""
    for source in sources:
        if edge.evidence is not None and source.chunk_id == edge.evidence.chunk_id and quote in source.text:
            return _LocatedQuote(
                source, " ".join(quote[find_start_after_list_mark(quote, 0, len(quote)) :].split())
            )
    return None
