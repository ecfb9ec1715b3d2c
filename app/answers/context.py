"""Build the context of an answer: numbered sources and their facts, within a token budget; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.answers.denial_sentences import list_asked_reports, list_denials_asked_about
from app.answers.shapes import (
    MAX_ENDED_CLAIMS,
    Context,
    ContextFormat,
    EndedQuote,
    EndLine,
    NumberedQuote,
    Source,
)
from app.answers.support import judge_support
from app.answers.text_matching import fold_to_spaced_lower_case
from app.documents.sentences import split_sentences
from app.documents.token_counts import count_tokens, count_tokens_each
from app.graph.contested import format_denial_or_report, list_edges_of_denials
from app.graph.invalidation.shapes import EndedClaim
from app.graph.narrative import (
    CitedAttribute,
    format_claim,
    format_claim_of_names,
    list_end_nodes_in_order,
    write_entity_list,
    write_narrative,
)
from app.graph.shapes import Denial, Edge, Evidence, NodeAttribute, ReportedClaim
from app.ids import ChunkId, DocumentId, EdgeId, NodeId
from app.retrieval.shapes import Passage, RetrievalResult, ScoredFact

CONTEXT_TOKENS = 4_000
"""Default tokens of passages and facts together (requirement 10.1)."""
FACTS_SHARE = 0.25
"""Share of the budget reserved for facts, which are shorter than passages."""


def build_context(
    retrieval: RetrievalResult,
    *,
    budget: int = CONTEXT_TOKENS,
    format: ContextFormat = ContextFormat.NARRATIVE,
) -> Context:
    """Build the context of a retrieval result, with at most `budget` tokens (requirement 10.1).

    Passages come first. If the chunk of a fact is not a passage, the sentence that states the fact becomes a
    source. A passage that does not fit is cut after a whole sentence, so that every source is text of its
    chunk.
    """
    nodes = {node.id: node for node in retrieval.nodes}
    edges = [
        fact.edge
        for fact in retrieval.facts
        if fact.edge.from_node_id in nodes and fact.edge.to_node_id in nodes
    ]
    sources: list[Source] = []
    node_values, asked_values = list_attributes_for_context(retrieval)
    facts_budget = int(budget * FACTS_SHARE) if edges or node_values else 0
    remaining_tokens = budget - facts_budget
    shortened_count = 0
    for passage in retrieval.passages:
        text, spent_tokens = _cut_to_token_budget(passage.text, remaining_tokens)
        shortened_count += text != passage.text
        if text:
            remaining_tokens -= spent_tokens
            sources.append(_build_source_of_passage(len(sources) + 1, passage, text))
    # A denial is shown with the sources on both sides.
    denials_and_reports: list[Denial | ReportedClaim] = [
        *list_denials_asked_about(retrieval),
        *list_asked_reports(retrieval),
    ]
    number_by_edge_id, remaining_tokens = _append_quotes_of_edges_as_sources(
        sources,
        [*list_edges_of_denials(denials_and_reports), *edges],
        remaining_tokens + facts_budget,
        retrieval.trust,
    )
    remaining_tokens = _append_value_sources_and_count_remaining_tokens(
        sources, asked_values, remaining_tokens, retrieval.trust
    )
    conflict_lines, contested_numbers, end_lines = _describe_contradictions(
        retrieval, edges, denials_and_reports, number_by_edge_id, max_tokens=remaining_tokens // 2
    )
    remaining_tokens -= sum(count_tokens_each(f"{line}\n" for line in conflict_lines))
    values_by_node_id = _group_values_by_node(sources, node_values)
    nodes_with_values = [nodes[node_id] for node_id in values_by_node_id if node_id in nodes]
    shown_nodes = list(
        {node.id: node for node in (*list_end_nodes_in_order(edges, nodes), *nodes_with_values)}.values()
    )
    if format is ContextFormat.NARRATIVE:
        narrative = write_narrative(
            shown_nodes,
            edges,
            number_by_edge_id=number_by_edge_id,
            cited_attributes_by_node=values_by_node_id,
            token_budget=max(remaining_tokens, 0),
            count_tokens=count_tokens_each,
        )
    else:
        narrative = write_entity_list(
            shown_nodes, edges, token_budget=max(remaining_tokens, 0), count_tokens=count_tokens_each
        )
    truncation_notes = (
        (shortened_count, f"{shortened_count} of {len(retrieval.passages)} passages did not fit as a whole."),
        (narrative.is_truncated, f"Not all facts fit into {budget:,} tokens."),
    )
    return Context(
        tuple(sources),
        "\n\n".join(section for section in (narrative.text, "\n".join(conflict_lines)) if section),
        format,
        contested_numbers,
        tuple(note for is_cut, note in truncation_notes if is_cut),
        end_lines=end_lines,
    )


class _SourcesOfEdges(NamedTuple):
    """The number of the source of each edge that has one, and the tokens that remain."""

    number_by_edge_id: dict[EdgeId, int]
    remaining_tokens: int


def _append_quotes_of_edges_as_sources(
    sources: list[Source], edges: Iterable[Edge], remaining_tokens: int, trust: Mapping[DocumentId, float]
) -> _SourcesOfEdges:
    """Add the quotes of edges that no source contains yet to `sources`."""
    number_by_edge_id: dict[EdgeId, int] = {}
    for edge in edges:
        source_number = _find_source_stating(sources, edge)
        evidence = edge.evidence
        if source_number is None and evidence is not None and evidence.quote:
            token_cost = count_tokens(evidence.quote)
            if token_cost <= remaining_tokens // 2:
                remaining_tokens -= token_cost
                source_number = len(sources) + 1
                sources.append(_build_source_of_evidence(source_number, evidence, evidence.quote, trust))
        if source_number is not None:
            number_by_edge_id[edge.id] = source_number
    return _SourcesOfEdges(number_by_edge_id, remaining_tokens)


class AttributesForContext(NamedTuple):
    """The attribute values of the nodes found, and those that the question asks for."""

    node_values: Sequence[NodeAttribute]
    asked_values: Sequence[NodeAttribute]


def list_attributes_for_context(retrieval: RetrievalResult) -> AttributesForContext:
    """Return the attribute values for a context; none if no graph was searched."""
    explanation = retrieval.explanation
    if explanation is None:
        return AttributesForContext((), ())
    return AttributesForContext(explanation.attributes, explanation.asked_attributes)


def _append_value_sources_and_count_remaining_tokens(
    sources: list[Source],
    asked_values: Iterable[NodeAttribute],
    remaining_tokens: int,
    trust: Mapping[DocumentId, float],
) -> int:
    """Add quotes of values that no source contains yet; return the remaining tokens."""
    for asked_value in asked_values:
        quote = asked_value.evidence.quote or ""
        token_cost = count_tokens(quote)
        if (
            quote
            and _find_source_of_evidence(sources, asked_value.evidence) is None
            and token_cost <= remaining_tokens // 2
        ):
            remaining_tokens -= token_cost
            sources.append(_build_source_of_evidence(len(sources) + 1, asked_value.evidence, quote, trust))
    return remaining_tokens


def _group_values_by_node(
    sources: list[Source], values: Iterable[NodeAttribute]
) -> dict[NodeId, list[CitedAttribute]]:
    """Return, by node, the values that a source states, each with the number of the source."""
    values_by_node: dict[NodeId, list[CitedAttribute]] = {}
    for value in values:
        source_number = _find_source_of_evidence(sources, value.evidence)
        if source_number is not None:
            values_by_node.setdefault(value.node_id, []).append(CitedAttribute(value, source_number))
    return values_by_node


def build_context_with_ended_claims(context: Context, claims: Iterable[EndedClaim]) -> Context:
    """Add the claims that its sources state but that no longer hold to the context; its facts tell up to
    `MAX_ENDED_CLAIMS` of them.
    """
    ended_claims = [
        EndedQuote(
            source.number,
            format_claim_of_names(claim.from_name, claim.relation_type, claim.to_name),
            claim.quote,
            f"{claim.ended_at:%Y-%m-%d}",
            claim.edge_id,
            claim.is_ended_by_person,
            claim.relation_type,
            tuple(claim.standing_relation_types),
            claim.from_name,
            claim.to_name,
        )
        for claim in claims
        for source in context.sources
        if source.chunk_id == claim.chunk_id and claim.quote in source.text
    ]
    if not ended_claims:
        return context
    facts = _tell_ended_claims(context, ended_claims[:MAX_ENDED_CLAIMS])
    return replace(context, facts=facts, ended_quotes=tuple(ended_claims))


def _tell_ended_claims(context: Context, ended_claims: Iterable[EndedQuote]) -> str:
    """Return the facts of the context with each ended claim once, with the numbers of all sources that state
    it: in the line of a denial that tells its end, else in a line of its own.
    """
    numbers_by_line: dict[str, list[int]] = {}
    for ended_claim in ended_claims:
        line = next(
            (end_line.line for end_line in context.end_lines if end_line.tells(ended_claim)),
            f"No longer so since {ended_claim.until}: {ended_claim.claim}",
        )
        numbers = numbers_by_line.setdefault(line, [])
        if ended_claim.number not in numbers:
            numbers.append(ended_claim.number)
    marked_lines = {
        line: " ".join((line, *(mark for number in numbers if (mark := f"[{number}]") not in line)))
        for line, numbers in numbers_by_line.items()
    }
    facts = "\n".join(marked_lines.get(line, line) for line in context.facts.split("\n"))
    told_lines = {end_line.line for end_line in context.end_lines}
    new_lines = [marked_line for line, marked_line in marked_lines.items() if line not in told_lines]
    return "\n\n".join(section for section in (facts, "\n".join(new_lines)) if section)


def build_context_with_other_sentences_of_ended_claims(
    context: Context, claims: Sequence[EndedClaim], standing_facts: Iterable[ScoredFact]
) -> Context:
    """Return the context with the other sentences of sources that state the first `MAX_ENDED_CLAIMS` ended
    claims: an edge has only the best quote of its chunk.

    `standing_facts` are claims that hold, which such a sentence may state too. Parses sentences.
    """
    standing_types_by_quote: dict[tuple[ChunkId, str], list[str]] = {}
    for edge in (fact.edge for fact in standing_facts):
        if edge.evidence is not None and edge.evidence.quote:
            standing_types_by_quote.setdefault((edge.evidence.chunk_id, edge.evidence.quote), []).append(
                edge.relation_type
            )
    other_quotes = [
        EndedQuote(
            source.number,
            claim_text,
            sentence,
            f"{claim.ended_at:%Y-%m-%d}",
            claim.edge_id,
            claim.is_ended_by_person,
            claim.relation_type,
            tuple(standing_types_by_quote.get((source.chunk_id, sentence), ())),
            claim.from_name,
            claim.to_name,
        )
        for claim in claims[:MAX_ENDED_CLAIMS]
        for source in context.sources
        if source.chunk_id == claim.chunk_id and claim.quote in source.text
        for claim_text in [format_claim_of_names(claim.from_name, claim.relation_type, claim.to_name)]
        for sentence in _list_other_sentences_stating(claim, claim_text, source)
    ]
    return replace(context, ended_quotes=(*context.ended_quotes, *other_quotes))


def _list_other_sentences_stating(claim: EndedClaim, claim_text: str, source: Source) -> list[str]:
    """Return the sentences of the source that state the claim besides its quote."""
    folded_names = [fold_to_spaced_lower_case(name) for name in (claim.from_name, claim.to_name)]
    sentences = [source.text[start:end].strip() for start, end in split_sentences(source.text)]
    return [
        sentence
        for sentence in sentences
        if sentence not in claim.quote
        and claim.quote not in sentence
        and all(name in fold_to_spaced_lower_case(sentence) for name in folded_names)
        and any(judge_support(text, [replace(source, text=sentence)]) for text in (claim_text, claim.quote))
    ]


QuoteInChunk = tuple[ChunkId, str]
"""A chunk, and words that it states."""


def build_context_with_later_statements(
    context: Context, later_statements: Iterable[QuoteInChunk]
) -> Context:
    """Return the context with the quotes of its sources, or whole sources, that were stated after the asked
    moment.
    """
    quotes_by_source = [
        (source, quote)
        for chunk_id, quote in later_statements
        for source in context.sources
        if source.chunk_id == chunk_id and (quote in source.text or source.text in quote)
    ]
    if not quotes_by_source:
        return context
    later_lines = "\n".join(
        f"Said only after the moment asked about: "
        f"{'all' if source.text in quote else quote} [{source.number}]"
        for source, quote in quotes_by_source
    )
    facts = f"{context.facts}\n\n{later_lines}" if context.facts else later_lines
    later_quotes = tuple(NumberedQuote(source.number, quote) for source, quote in quotes_by_source)
    return replace(context, facts=facts, later_quotes=later_quotes)


def _list_citable_conflicts(
    retrieval: RetrievalResult, edges: Mapping[EdgeId, Edge], number_by_edge_id: Mapping[EdgeId, int]
) -> list[list[Edge]]:
    """Return the edges of each contradiction that at least two sources of the context state."""
    conflicts = []
    for conflict in retrieval.explanation.contested if retrieval.explanation else ():
        # Denials are described separately.
        cited_edges = [
            edges[edge_id]
            for edge_id in conflict.edge_ids
            if edge_id in number_by_edge_id and edge_id in edges
        ]
        if len({number_by_edge_id[edge.id] for edge in cited_edges}) > 1:
            conflicts.append(cited_edges)
    return conflicts


class _Contradictions(NamedTuple):
    """Lines about contradictions, denials and reports, the source numbers of each contradiction, and the ends
    of claims that the lines tell.
    """

    lines: list[str]
    contested_numbers: tuple[tuple[int, ...], ...]
    end_lines: tuple[EndLine, ...]


def _describe_contradictions(
    retrieval: RetrievalResult,
    edges: Sequence[Edge],
    statements: Sequence[Denial | ReportedClaim],
    number_by_edge_id: Mapping[EdgeId, int],
    *,
    max_tokens: int,
) -> _Contradictions:
    """Describe contradictions; without lines if these have more than `max_tokens`."""
    cited_statements = [entry for entry in statements if entry.edge.id in number_by_edge_id]
    name_by_node_id = {node.id: node.canonical_name for node in retrieval.nodes}
    conflicts = _list_citable_conflicts(retrieval, {edge.id: edge for edge in edges}, number_by_edge_id)
    lines = [_describe_conflict(conflict, name_by_node_id, number_by_edge_id) for conflict in conflicts]
    line_by_statement = [
        (entry, f"{format_denial_or_report(entry)} {_format_citation_marks(entry, number_by_edge_id)}")
        for entry in cited_statements
    ]
    lines += [line for _, line in line_by_statement]
    end_lines = [
        EndLine(entry.claim, entry.since, tuple(edge.id for edge in list_edges_of_denials([entry])), line)
        for entry, line in line_by_statement
        if isinstance(entry, Denial) and entry.was_once_stated and not entry.contested
    ]
    conflicting_edge_groups = [
        *conflicts,
        *(
            list_edges_of_denials([entry])
            for entry in cited_statements
            if isinstance(entry, Denial) and entry.contested
        ),
    ]
    contested_numbers = (
        tuple(
            sorted({number_by_edge_id[edge.id] for edge in conflicting_edges if edge.id in number_by_edge_id})
        )
        for conflicting_edges in conflicting_edge_groups
    )
    if count_tokens("\n".join(lines)) > max_tokens:
        lines, end_lines = [], []
    return _Contradictions(lines, tuple(contested_numbers), tuple(end_lines))


def _format_citation_marks(statement: Denial | ReportedClaim, number_by_edge_id: Mapping[EdgeId, int]) -> str:
    return " ".join(
        f"[{number_by_edge_id[edge.id]}]"
        for edge in list_edges_of_denials([statement])
        if edge.id in number_by_edge_id
    )


def _describe_conflict(
    conflict: Sequence[Edge], name_by_node_id: Mapping[NodeId, str], number_by_edge_id: Mapping[EdgeId, int]
) -> str:
    claims = dict.fromkeys(
        f"{format_claim(edge, name_by_node_id)} [{number_by_edge_id[edge.id]}]" for edge in conflict
    )
    return f"These contradict one another: {'; '.join(claims)}"


class _CutText(NamedTuple):
    """The beginning of a text, and its number of tokens."""

    text: str
    token_count: int


def _cut_to_token_budget(text: str, max_tokens: int) -> _CutText:
    """Return the text up to the last whole sentence within `max_tokens`."""
    needed_tokens = count_tokens(text)
    if needed_tokens <= max_tokens:
        return _CutText(text, needed_tokens)
    end, spent_tokens = 0, 0
    for _, sentence_end in split_sentences(text):
        needed_tokens = count_tokens(text[:sentence_end])
        if needed_tokens > max_tokens:
            break
        end, spent_tokens = sentence_end, needed_tokens
    return _CutText(text[:end], spent_tokens)


def _build_source_of_passage(number: int, passage: Passage, text: str) -> Source:
    return Source(
        number,
        passage.chunk_id,
        passage.document_id,
        passage.document_title,
        passage.heading_path,
        text,
        passage.char_start,
        passage.place,
        passage.trust,
    )


def _build_source_of_evidence(
    number: int, evidence: Evidence, quote: str, trust: Mapping[DocumentId, float]
) -> Source:
    """Return the quote as a source; `trust` has the documents that are trusted less than 1."""
    return Source(
        number,
        evidence.chunk_id,
        evidence.document_id,
        evidence.document_title,
        (),
        quote,
        evidence.char_start,
        evidence.place,
        trust.get(evidence.document_id, 1.0),
    )


def _find_source_stating(sources: list[Source], edge: Edge) -> int | None:
    return None if edge.evidence is None else _find_source_of_evidence(sources, edge.evidence)


def _find_source_of_evidence(sources: list[Source], evidence: Evidence) -> int | None:
    quote = evidence.quote or ""
    return next(
        (
            source.number
            for source in sources
            if source.chunk_id == evidence.chunk_id and quote in source.text
        ),
        None,
    )
