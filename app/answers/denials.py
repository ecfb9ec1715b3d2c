"""The denials that a question is about, and whether they answer it; pure."""

import re
from collections.abc import Sequence

from app.graph.questions import relation_hints
from app.graph.shapes import Denial, Edge
from app.retrieval.shapes import Retrieved

MOST = 3
"""Denials in an answer."""
_YES_OR_NO = re.compile(r"\W*(?:do|does|did|is|are|was|were|has|have|had|can|could|will)\b", re.IGNORECASE)


def asked_denials(retrieved: Retrieved) -> list[Denial]:
    """The denials between two things that the question names, or of a relation that it names."""
    if retrieved.explanation is None:
        return []
    anchors = {anchor.node.id for anchor in retrieved.anchors}
    hints = set(relation_hints(retrieved.query.text))
    found = []
    for denial in retrieved.explanation.denials:
        ends = {denial.edge.from_node_id, denial.edge.to_node_id}
        if ends <= anchors or (denial.edge.relation_type in hints and ends & anchors):
            found.append(denial)
    # What is denied between two things that are named is asked about before all else.
    found.sort(key=lambda each: not {each.edge.from_node_id, each.edge.to_node_id} <= anchors)
    return found[:MOST]


def is_answered(retrieved: Retrieved, denials: Sequence[Denial]) -> bool:
    """Return whether the denials are the whole answer: yes or no was asked, of two things that it names."""
    anchors = {anchor.node.id for anchor in retrieved.anchors}
    return _YES_OR_NO.match(retrieved.query.text) is not None and any(
        {each.edge.from_node_id, each.edge.to_node_id} <= anchors for each in denials
    )


def edges_of(denials: Sequence[Denial]) -> list[Edge]:
    """The rows whose quotes an answer by these denials cites."""
    return [edge for each in denials for edge in (each.edge, each.asserted) if edge is not None]
