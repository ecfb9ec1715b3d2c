"""The state of an answer in progress, arranged for its page: sources, facts, reasons, seconds per step."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from app.answers.shapes import (
    WITHOUT_MODEL,
    Citation,
    ContextFound,
    Event,
    FinalAnswer,
    Interruption,
    RemovalReason,
    Sentence,
    SentenceWritten,
    Source,
)
from app.dashboard.answers.drawing import Drawing, draw_graph_for_wide_and_narrow_windows
from app.dashboard.space.marked_text import replace_line_ends_within_paragraphs
from app.graph.contested import format_denial_or_report
from app.graph.shapes import Conflict, Edge, Explanation, Node
from app.ids import EdgeId, NodeId
from app.retrieval.shapes import Passage, RetrievalResult, ScoredFact

CONTEXT_CHARACTERS = 260
"""Characters shown before and after the words that a citation marks."""
SHOWN_FACTS = 10

TEXT_BY_REMOVAL_REASON = {
    RemovalReason.NOT_IN_CONTEXT: "the sources that were read have no such number",
    RemovalReason.GONE: "its text was deleted from the space",
}


@dataclass(frozen=True)
class ShownSource:
    """A source, the quote that the answer cites from it (if any), and how it was retrieved."""

    source: Source
    before: str
    quote: str
    after: str
    citation: Citation | None
    sentences: tuple[int, ...]
    passage: Passage | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class ShownFact:
    """The best edge of a claim, with the names of its two nodes and its state."""

    fact: ScoredFact
    from_name: str
    to_name: str
    contested: bool


class ClaimInWords(NamedTuple):
    """A denied, ended or reported claim in words, and its edge."""

    text: str
    edge: Edge


@dataclass
class Progress:
    """Collects the events of one answer in order. Times are seconds of this server's clock."""

    as_of: datetime | None = None
    clock: Callable[[], float] = time.perf_counter
    retrieval: RetrievalResult | None = None
    final_answer: FinalAnswer | None = None
    context_found: ContextFound | None = None
    interruption: Interruption | None = None
    sentences: list[Sentence] = field(default_factory=list)
    retrieval_seconds: float | None = None
    written_seconds: float | None = None
    checked_seconds: float | None = None

    def __post_init__(self) -> None:
        self._last_lap_at = self.clock()

    def _end_lap_and_return_seconds(self) -> float:
        now = self.clock()
        elapsed_seconds, self._last_lap_at = now - self._last_lap_at, now
        return elapsed_seconds

    def record_event(self, event: Event) -> None:
        """Record the event and the seconds since the previous one."""
        if isinstance(event, ContextFound):
            self.context_found, self.retrieval, self.retrieval_seconds = (
                event,
                event.retrieval,
                self._end_lap_and_return_seconds(),
            )
        elif isinstance(event, SentenceWritten):
            self.sentences.append(event.sentence)
            self.written_seconds = (self.written_seconds or 0.0) + self._end_lap_and_return_seconds()
        elif isinstance(event, Interruption):
            self.interruption = event
        else:
            self.final_answer, self.checked_seconds = event, self._end_lap_and_return_seconds()

    @property
    def explanation(self) -> Explanation | None:
        """The explanation by the graph; None if none was requested."""
        return self.retrieval.explanation if self.retrieval else None

    @property
    def names(self) -> dict[NodeId, str]:
        """The names of all nodes of the answer's context."""
        nodes: Sequence[Node] = self.retrieval.nodes if self.retrieval else ()
        return {node.id: node.canonical_name for node in nodes}

    @property
    def warnings(self) -> list[str]:
        """The warnings of the answer, without the one that the page always shows: that it only quotes."""
        return (
            [warning for warning in self.final_answer.warnings if warning != WITHOUT_MODEL]
            if self.final_answer
            else []
        )

    @property
    def cited_sources(self) -> list[ShownSource]:
        """The sources that the answer cites, in the order of their numbers."""
        return [source for source in self._list_sources() if source.citation is not None]

    @property
    def uncited_sources(self) -> list[ShownSource]:
        """The sources that are in the context but not cited."""
        return [source for source in self._list_sources() if source.citation is None]

    def _list_sources(self) -> list[ShownSource]:
        if self.context_found is None:
            return []
        context = self.final_answer.context if self.final_answer else self.context_found.context
        citation_by_number = (
            {answer_citation.number: answer_citation for answer_citation in self.final_answer.citations}
            if self.final_answer
            else {}
        )
        passage_by_chunk = {passage.chunk_id: passage for passage in self.context_found.retrieval.passages}
        shown_sources = []
        for source in context.sources:
            citation = citation_by_number.get(source.number)
            notes = list(
                dict.fromkeys(
                    f"No longer so since {ended_claim.until}: {ended_claim.claim}."
                    for ended_claim in context.ended_quotes
                    if ended_claim.number == source.number
                )
            )
            notes += [
                f"Said only after the moment asked about: “{quote}”"
                for number, quote in context.later_quotes
                if number == source.number
            ]
            notes += [
                "It contradicts source "
                f"{', '.join(str(rival) for rival in source_numbers if rival != source.number)}."
                for source_numbers in context.contested
                if source.number in source_numbers and len(source_numbers) > 1
            ]
            citing_sentences = tuple(
                sentence.index
                for sentence in (self.final_answer.sentences if self.final_answer else ())
                if source.number in sentence.citations
            )
            shown_sources.append(
                ShownSource(
                    source,
                    *_split_around_quote(source, citation),
                    citation,
                    citing_sentences,
                    passage_by_chunk.get(source.chunk_id),
                    tuple(notes),
                )
            )
        return shown_sources

    @property
    def omitted_passages(self) -> list[Passage]:
        """Passages that were retrieved but left out because nothing of them fitted into the context."""
        if self.context_found is None:
            return []
        read_chunk_ids = {source.chunk_id for source in self.context_found.context.sources}
        return [
            passage
            for passage in self.context_found.retrieval.passages
            if passage.chunk_id not in read_chunk_ids
        ]

    @property
    def facts(self) -> list[ShownFact]:
        """The best edge of each claim of the context, best first."""
        best_fact_by_claim: dict[tuple[NodeId, str, NodeId], ScoredFact] = {}
        for fact in self.retrieval.facts if self.retrieval else ():
            best_fact_by_claim.setdefault(
                (fact.edge.from_node_id, fact.edge.relation_type, fact.edge.to_node_id), fact
            )
        name_by_node, contested_edge_ids = self.names, self.contested
        return [
            ShownFact(
                best_fact,
                name_by_node.get(best_fact.edge.from_node_id, "…"),
                name_by_node.get(best_fact.edge.to_node_id, "…"),
                best_fact.edge.id in contested_edge_ids,
            )
            for best_fact in best_fact_by_claim.values()
        ]

    @property
    def contested(self) -> frozenset[EdgeId]:
        """The edges that contradict other edges of the context."""
        return collect_contested_edges(self.explanation.contested if self.explanation else ())

    @property
    def denials(self) -> list[ClaimInWords]:
        """Denied and ended claims about the nodes in question, in words, each with its edge."""
        return (
            [
                ClaimInWords(format_denial_or_report(denial), denial.edge)
                for denial in self.explanation.denials
            ]
            if self.explanation
            else []
        )

    @property
    def reported(self) -> list[ClaimInWords]:
        """Claims about the nodes in question that sources only report, in words, each with its edge."""
        return (
            [
                ClaimInWords(format_denial_or_report(report), report.edge)
                for report in self.explanation.reported
            ]
            if self.explanation
            else []
        )

    @property
    def drawings(self) -> list[Drawing]:
        """Drawings of the part of the graph that was used, for wide and for narrow windows."""
        if self.retrieval is None:
            return []
        if self.explanation is None:
            return draw_graph_for_wide_and_narrow_windows(
                self.retrieval.nodes, [fact.edge for fact in self.retrieval.facts], (), moment=self.as_of
            )
        return draw_graph_for_wide_and_narrow_windows(
            self.explanation.nodes,
            self.explanation.edges,
            [anchor.node.id for anchor in self.explanation.anchors],
            contested_ids=self.contested,
            moment=self.as_of,
        )

    @property
    def omission_notices(self) -> list[str]:
        """Sentences that say what is not in the answer, and why."""
        if self.context_found is None:
            return []
        notices: list[str] = []
        if self.final_answer:
            notices += [
                f"The mark {removal.mark} of sentence {removal.sentence + 1} was taken out: "
                f"{TEXT_BY_REMOVAL_REASON[removal.reason]}."
                for removal in self.final_answer.removed
            ]
            notices += self.final_answer.truncated
        else:
            notices += [*self.context_found.retrieval.truncated, *self.context_found.context.truncated]
        explanation = self.explanation
        if explanation is not None:
            notices += [*explanation.truncated, *explanation.why_not]
            notices += explanation.warnings
        return list(dict.fromkeys(notices))


def collect_contested_edges(conflicts: Sequence[Conflict]) -> frozenset[EdgeId]:
    """Return the ids of all edges of these contradictions."""
    return frozenset(edge_id for conflict in conflicts for edge_id in conflict.edge_ids)


class _SplitSource(NamedTuple):
    """A quote, and the text of its source before and after it."""

    text_before: str
    quote: str
    text_after: str


def _split_around_quote(source: Source, citation: Citation | None) -> _SplitSource:
    """Return the text before the quote, the quote, and the text after it; only the beginning if not cited."""
    text = replace_line_ends_within_paragraphs(source.text)
    if citation is None:
        return _SplitSource(_truncate_end(text, 2 * CONTEXT_CHARACTERS), "", "")
    start = citation.char_start - source.char_start
    end = citation.char_end - source.char_start
    if not 0 <= start < end <= len(text):
        return _SplitSource("", citation.quote, "")
    text_before, text_after = (
        _truncate_start(text[:start], CONTEXT_CHARACTERS),
        _truncate_end(text[end:], CONTEXT_CHARACTERS),
    )
    return _SplitSource(text_before, text[start:end], text_after)


def _truncate_end(text: str, max_length: int) -> str:
    words = text[:max_length].rsplit(maxsplit=1)
    return text if len(text) <= max_length or not words else words[0] + " …"


def _truncate_start(text: str, max_length: int) -> str:
    words = text[-max_length:].split(maxsplit=1)
    return text if len(text) <= max_length or not words else "… " + words[-1]
