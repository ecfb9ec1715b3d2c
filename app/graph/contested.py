"""Find claims that contradict an explanation: other values, opposite directions and denials of its facts."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from app.db.session import SpaceSession
from app.db.sql import Pending
from app.domain.office_succession import RoleStatement, may_have_succeeded
from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.negation import contains_denial, denies_that_ever_held
from app.graph import repository
from app.graph.explanation_builder import extend_citations
from app.graph.narrative import format_claim_of_names
from app.graph.shapes import Anchor, Conflict, Denial, Edge, Explanation, ReportedClaim, format_since
from app.graph.validity import Polarity, format_date
from app.ids import EdgeId, NodeId

ONE_WAY_RELATIONS = frozenset(entry.name for entry in RELATION_TYPES if entry.one_way)
"""Relation types that cannot hold both ways between two nodes."""
DENIAL_REASON = "denied"
"""The reason of a contradiction between a claim and its denial."""
MAX_SCANNED_EDGES, MAX_DENIALS = 1_000, 20
"""Number of a node's strongest edges that are scanned in each direction, and maximum number of denials."""


def select_edges_of_single_valued_relations(
    edges: Iterable[Edge], single_valued_relations: Collection[str]
) -> list[Edge]:
    """Return the edges whose relation is single-valued in the space, so that other edges may
    contradict them.
    """
    return [edge for edge in edges if edge.relation_type in single_valued_relations]


def group_conflicting_edges(
    edges: Sequence[Edge],
    single_valued_relations: Collection[str],
    single_source_relations: Collection[str] = (),
    *,
    nested_pairs: Collection[frozenset[NodeId]] = (),
    roles: Mapping[EdgeId, str] | None = None,
) -> tuple[Conflict, ...]:
    """Return groups of edges that cannot all hold, in the order of the edges.

    Nothing is decided: both sides stay and both are cited (requirement 4.2). For a relation with one source
    at a time, two edges conflict unless they have different `roles` or offices; for a single-valued relation,
    unless one value lies in the other (`nested_pairs`).
    """
    edges_by_target: dict[tuple[NodeId, str], list[Edge]] = defaultdict(list)
    edges_by_source: dict[tuple[NodeId, str], list[Edge]] = defaultdict(list)
    edges_by_pair: dict[tuple[frozenset[NodeId], str], list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.relation_type in single_valued_relations:
            edges_by_source[edge.from_node_id, edge.relation_type].append(edge)
        if edge.relation_type in single_source_relations:
            edges_by_target[edge.to_node_id, edge.relation_type].append(edge)
        if edge.relation_type in ONE_WAY_RELATIONS:
            edges_by_pair[frozenset((edge.from_node_id, edge.to_node_id)), edge.relation_type].append(edge)
    contradictions = [
        *find_single_valued_conflicts(
            edges_by_source.values(),
            lambda edge, other_edge: _have_exclusive_values(edge, other_edge, nested_pairs),
        ),
        *find_single_valued_conflicts(
            edges_by_target.values(),
            lambda edge, other_edge: _have_rival_sources(edge, other_edge, roles or {}),
        ),
    ]
    for group in edges_by_pair.values():
        if len({edge.from_node_id for edge in group}) > 1:
            contradictions.append(Conflict("opposite", tuple(edge.id for edge in group)))
    return tuple(contradictions)


def find_single_valued_conflicts(
    groups: Iterable[Sequence[Edge]], exclude_each_other: Callable[[Edge, Edge], bool]
) -> Iterator[Conflict]:
    """Yield, for each group, the edges that another edge of the group excludes."""
    for group in groups:
        rivals = [edge for edge in group if any(exclude_each_other(edge, other_edge) for other_edge in group)]
        if rivals:
            yield Conflict("single_valued", tuple(edge.id for edge in rivals))


def _have_exclusive_values(edge: Edge, other_edge: Edge, nested_pairs: Collection[frozenset[NodeId]]) -> bool:
    value_pair = frozenset((edge.to_node_id, other_edge.to_node_id))
    return len(value_pair) > 1 and value_pair not in nested_pairs


def _have_rival_sources(edge: Edge, other_edge: Edge, roles: Mapping[EdgeId, str]) -> bool:
    role_statements = [
        RoleStatement(either_edge.quote or "", roles.get(either_edge.id))
        for either_edge in (edge, other_edge)
    ]
    return edge.from_node_id != other_edge.from_node_id and may_have_succeeded(
        edge.relation_type, *role_statements
    )


def build_explanation_with_contradicting_edges(
    space: SpaceSession,
    explanation: Explanation,
    as_of: datetime | None,
) -> Explanation:
    """Return the explanation with the edges that contradict its facts, each with its citation."""
    single_valued_relations = space.settings.single_valued_relations
    contestable_edges = select_edges_of_single_valued_relations(explanation.edges, single_valued_relations)
    explained_edge_ids = {edge.id for edge in explanation.edges}
    nodes = {node.id: node for node in explanation.nodes}
    rivals = []
    if contestable_edges:
        for edge, node in repository.list_edges_with_other_values(space, contestable_edges, as_of=as_of):
            # An edge without evidence contradicts nothing.
            if edge.id not in explained_edge_ids and edge.evidence is not None:
                nodes.setdefault(node.id, node)
                rivals.append(edge)
    edges = (*explanation.edges, *rivals)
    conflicts = _find_conflicts(space, [edge for edge in edges if edge.evidence is not None])
    contested_ids = {edge_id for conflict in conflicts for edge_id in conflict.edge_ids}
    edges_with_rivals = tuple(
        edge for edge in edges if edge.id in explained_edge_ids or edge.id in contested_ids
    )
    if not conflicts:
        return explanation
    return replace(
        explanation,
        nodes=tuple(
            nodes[node_id]
            for node_id in dict.fromkeys(
                [*(node.id for node in explanation.nodes), *(edge.to_node_id for edge in edges_with_rivals)]
            )
        ),
        edges=edges_with_rivals,
        citations=extend_citations(explanation.citations, edges_with_rivals),
        contested=conflicts,
    )


def _find_conflicts(space: SpaceSession, edges: Sequence[Edge]) -> tuple[Conflict, ...]:
    """Return groups of these edges that cannot all hold, according to the space's settings."""
    single_valued_relations = space.settings.single_valued_relations
    single_source_relations = space.settings.single_source_relations
    value_node_ids = {edge.to_node_id for edge in edges if edge.relation_type in single_valued_relations}
    single_source_edge_ids = [edge.id for edge in edges if edge.relation_type in single_source_relations]
    return group_conflicting_edges(
        edges,
        single_valued_relations,
        single_source_relations,
        nested_pairs=repository.find_nested_node_pairs(space, value_node_ids),
        # A single edge has no rival whose role could differ.
        roles=repository.get_roles_of_edges(space, single_source_edge_ids)
        if len(single_source_edge_ids) > 1
        else {},
    )


def fetch_denials_and_reports(
    space: SpaceSession, anchors: Iterable[Anchor], *, as_of: datetime | None
) -> Pending[list[Denial | ReportedClaim]]:
    """Send the query for denials, ends and reports about these nodes at `as_of` or now; `.result()`
    waits for it.

    They come strongest first, reports last, so that reports crowd out none of the others. A denial is omitted
    if a later source asserts the claim again, a report if any source does.
    """
    node_ids = sorted({anchor.node.id for anchor in anchors})
    if not node_ids:
        return Pending.completed([])
    pending_rows = repository.fetch_denials_and_reports(
        space, node_ids, as_of=as_of, max_scanned_edges=MAX_SCANNED_EDGES, limit=MAX_DENIALS
    )
    return pending_rows.then(lambda rows: _build_denials_and_reports(space, rows))


def _build_denials_and_reports(
    space: SpaceSession, rows: Sequence[repository.DenialRow]
) -> list[Denial | ReportedClaim]:
    edge_ids = {edge_id for row in rows for edge_id in (row.edge_id, row.asserted_id) if edge_id is not None}
    edges = {edge.id: edge for edge in repository.get_edges(space, sorted(edge_ids))} if edge_ids else {}
    never_held_edge_ids = {
        edge_id for edge_id, edge in edges.items() if denies_that_ever_held(edge.quote or "")
    }
    denials_and_reports: dict[tuple[object, ...], Denial | ReportedClaim] = {}
    # A denial that it ever held goes before the date of an end: someone who was never there cannot have left.
    for row in sorted(rows, key=lambda denial_row: denial_row.edge_id not in never_held_edge_ids):
        if row.edge_id not in edges or _does_claim_hold_by_other_source(row):
            continue
        claim_key = (row.from_node_id, row.relation_type, row.to_node_id)
        if row.polarity == Polarity.REPORTED:
            # A report of a claim that a source states adds nothing.
            if not row.asserted_holds:
                denials_and_reports.setdefault(
                    (*claim_key, row.said_by), _build_reported_claim_from_row(row, edges[row.edge_id])
                )
            continue
        denial = _build_denial_from_row(row, edges, denies_ever_held=row.edge_id in never_held_edge_ids)
        denials_and_reports.setdefault(claim_key, denial)
    return list(denials_and_reports.values())


def _does_claim_hold_by_other_source(row: repository.DenialRow) -> bool:
    """Return whether a claim holds because a later source states it, or another one than a person ended."""
    if not row.asserted_holds:
        return False
    return row.is_ended_by_person or (
        row.dated_at is not None and row.asserted_at is not None and row.asserted_at > row.dated_at
    )


def _build_denial_from_row(
    row: repository.DenialRow, edges: Mapping[EdgeId, Edge], *, denies_ever_held: bool
) -> Denial:
    asserted_edge = edges.get(row.asserted_id) if row.asserted_id is not None else None
    return Denial(
        edges[row.edge_id],
        format_claim_of_names(row.from_name, row.relation_type, row.to_name),
        Polarity(row.polarity),
        _format_start_of_denial(row),
        # What a person ended has no source for and against.
        None if row.is_ended_by_person else asserted_edge,
        bool(row.asserted_holds) or (denies_ever_held and asserted_edge is not None),
        row.is_ended_by_person,
        not contains_denial(edges[row.edge_id].quote or ""),
    )


def _build_reported_claim_from_row(row: repository.DenialRow, edge: Edge) -> ReportedClaim:
    claim = format_claim_of_names(row.from_name, row.relation_type, row.to_name)
    return ReportedClaim(edge, claim, row.said_by or "", _format_start_of_denial(row))


def _format_start_of_denial(row: repository.DenialRow) -> str | None:
    return None if row.dated_at is None else format_date(row.dated_at, row.date_precision)


def list_edges_of_denials(denials_and_reports: Sequence[Denial | ReportedClaim]) -> list[Edge]:
    """Return the edges whose quotes an answer that uses these denials and reports cites."""
    edge_pairs = [
        (entry.edge, entry.asserted if isinstance(entry, Denial) else None) for entry in denials_and_reports
    ]
    return [edge for pair in edge_pairs for edge in pair if edge is not None]


def format_denial_or_report(denial: Denial | ReportedClaim) -> str:
    """Return the denial or report as a sentence: "No longer, since 2024: Bob works for Acme"."""
    if isinstance(denial, ReportedClaim):
        since_text = f" (since {denial.since})" if denial.since else ""
        return f"Only reported, by “{denial.said_by}”: {denial.claim}{since_text}"
    if denial.contested:
        denied_text = f" (denied{format_since(denial.since)})" if denial.since else ""
        return f"Sources contradict one another on this{denied_text}: {denial.claim}"
    return f"{denial.opening}: {denial.claim}"


def build_explanation_with_denials_and_reports(
    explanation: Explanation,
    denials_and_reports: Sequence[Denial | ReportedClaim],
    *,
    only_between_anchors: bool = False,
) -> Explanation:
    """Return the explanation with denials and reports about its anchors, each with its citation.

    With `only_between_anchors`, only those between the two anchors that were asked about.
    """
    anchor_node_ids = {anchor.node.id for anchor in explanation.anchors}
    if only_between_anchors:
        denials_and_reports = [
            denial
            for denial in denials_and_reports
            if {denial.edge.from_node_id, denial.edge.to_node_id} <= anchor_node_ids
        ]
    if not denials_and_reports:
        return explanation
    reports = tuple(report for report in denials_and_reports if isinstance(report, ReportedClaim))
    plain_denials = tuple(denial for denial in denials_and_reports if isinstance(denial, Denial))
    denials_and_reports = [*plain_denials, *reports]
    citations = extend_citations(explanation.citations, list_edges_of_denials(denials_and_reports))
    number_by_edge_id = {edge_id: citation.number for citation in citations for edge_id in citation.edge_ids}
    denials_text = "\n".join(
        f"{format_denial_or_report(denial)} [{number_by_edge_id[denial.edge.id]}]"
        for denial in denials_and_reports
    )
    conflicts = [
        Conflict(DENIAL_REASON, (denial.asserted.id, denial.edge.id))
        for denial in plain_denials
        if denial.contested and denial.asserted is not None
    ]
    return replace(
        explanation,
        citations=citations,
        narrative=f"{explanation.narrative}\n\n{denials_text}" if explanation.narrative else denials_text,
        contested=(*explanation.contested, *conflicts),
        denials=plain_denials,
        reported=reports,
    )
