"""Questions that a space can answer, made of what its best known nodes are said to be."""

from collections.abc import Sequence

from app.domain.relation_types import BY_NAME
from app.graph.shapes import AggregatedRelation

MOST = 4
_LONGEST_NAME = 40


def suggestions(of_nodes: Sequence[Sequence[AggregatedRelation]]) -> list[str]:
    """Return questions about these nodes' claims, at most four, each of its own kind, node by node."""
    asked: list[str] = []
    kinds: set[str] = set()
    waiting = [list(relations) for relations in of_nodes]
    while any(waiting) and len(asked) < MOST:
        for relations in waiting:
            question = _next_question(relations, kinds)
            if question and question not in asked and len(asked) < MOST:
                asked.append(question)
    return asked


def _next_question(relations: list[AggregatedRelation], kinds: set[str]) -> str:
    """The question about the first claim of a new kind; claims that were looked at are taken off."""
    while relations:
        each = relations.pop(0)
        known = BY_NAME.get(each.relation_type)
        question = known.question if known is not None else ""
        name = each.from_name if "{start}" in question else each.to_name
        if question and question not in kinds and len(name) <= _LONGEST_NAME:
            kinds.add(question)
            return question.format(start=name, end=name)
    return ""
