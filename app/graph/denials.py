"""Denials and stated ends of claims about the nodes that a question names, beside who asserts them."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from app.db.session import SpaceSession
from app.graph import repository
from app.graph.explanation_builder import citations_of
from app.graph.narrative import claimed
from app.graph.shapes import Conflict, Denial, Explanation
from app.graph.validity import Polarity, date_in_words
from app.ids import NodeId

DENIED = "denied"
"""The reason of a contradiction between a claim and its denial."""
SCAN, MOST = 1_000, 20
"""Strongest edges of a node that are looked through in each direction, and denials that are told at most."""


def denials_of(space: SpaceSession, node_ids: Iterable[NodeId], *, as_of: datetime | None) -> list[Denial]:
    """The denials and stated ends about these nodes, at a moment or now, those of most weight first.

    One is left out where a later source asserts the claim again.
    """
    rows = repository.denials_of(space, sorted(set(node_ids)), as_of=as_of, scan=SCAN, limit=MOST)
    ids = {edge_id for row in rows for edge_id in (row.edge_id, row.asserted_id) if edge_id is not None}
    edges = {edge.id: edge for edge in repository.get_edges(space, sorted(ids))} if ids else {}
    found: dict[tuple[object, ...], Denial] = {}
    for row in rows:
        later = row.at is not None and row.asserted_at is not None and row.asserted_at > row.at
        if row.edge_id not in edges or (row.holds and later):
            continue
        found.setdefault(
            (row.from_node_id, row.relation_type, row.to_node_id),
            Denial(
                edges[row.edge_id],
                claimed(row.from_name, row.relation_type, row.to_name),
                Polarity(row.polarity),
                None if row.at is None else date_in_words(row.at, row.precision),
                edges.get(row.asserted_id) if row.asserted_id is not None else None,
                bool(row.holds),
            ),
        )
    return list(found.values())


def in_words(denial: Denial) -> str:
    """The denial as a sentence: "No longer, since 2024: Bob works for Acme"."""
    since = f", since {denial.since}" if denial.since else ""
    if denial.contested:
        return f"Sources contradict one another on this{since and f' (denied{since})'}: {denial.claim}"
    return f"{'No longer' if denial.held else 'Not so'}{since}: {denial.claim}"


def with_denials(
    space: SpaceSession, found: Explanation, as_of: datetime | None, *, pair: bool = False
) -> Explanation:
    """The explanation with what sources deny of its anchors, each with its citation.

    Of a `pair` that was asked about, what is denied between the two.
    """
    if not found.anchors:
        return found
    anchors = {anchor.node.id for anchor in found.anchors}
    denials = denials_of(space, anchors, as_of=as_of)
    if pair:
        denials = [each for each in denials if {each.edge.from_node_id, each.edge.to_node_id} <= anchors]
    if not denials:
        return found
    numbered = [edge for each in denials for edge in (each.edge, each.asserted) if edge is not None]
    citations = citations_of({edge.id: edge for edge in (*found.edges, *numbered)}.values())
    numbers = {edge_id: citation.number for citation in citations for edge_id in citation.edge_ids}
    told = "\n".join(f"{in_words(each)} [{numbers[each.edge.id]}]" for each in denials)
    contested = [
        Conflict(DENIED, (each.asserted.id, each.edge.id))
        for each in denials
        if each.contested and each.asserted is not None
    ]
    return replace(
        found,
        citations=citations,
        narrative=f"{found.narrative}\n\n{told}" if found.narrative else told,
        contested=(*found.contested, *contested),
        denials=tuple(denials),
    )
