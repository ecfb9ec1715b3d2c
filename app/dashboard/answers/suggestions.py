"""Suggested questions that a space can answer, built from the claims about its best known nodes."""

from collections.abc import Sequence

from app.domain.relation_types import RELATION_TYPE_BY_NAME
from app.graph.shapes import AggregatedRelation

MAX_SUGGESTIONS = 4
_MAX_NAME_LENGTH = 40


def suggest_questions(relations_by_node: Sequence[Sequence[AggregatedRelation]]) -> list[str]:
    """Return at most four questions about these nodes' claims, each of a different kind, node by node."""
    questions: list[str] = []
    asked_kinds: set[str] = set()
    waiting_relations = [list(relations) for relations in relations_by_node]
    while any(waiting_relations) and len(questions) < MAX_SUGGESTIONS:
        for relations in waiting_relations:
            question = _pop_relations_until_new_question(relations, asked_kinds)
            if question and question not in questions and len(questions) < MAX_SUGGESTIONS:
                questions.append(question)
    return questions


def _pop_relations_until_new_question(relations: list[AggregatedRelation], asked_kinds: set[str]) -> str:
    """Return a question of a kind that is not in `asked_kinds`, and add its kind; empty if there is none.

    Removes the examined relations from `relations`.
    """
    while relations:
        relation = relations.pop(0)
        relation_type = RELATION_TYPE_BY_NAME.get(relation.relation_type)
        question = relation_type.question if relation_type is not None else ""
        name = relation.from_name if "{start}" in question else relation.to_name
        if question and question not in asked_kinds and len(name) <= _MAX_NAME_LENGTH:
            asked_kinds.add(question)
            return question.format(start=name, end=name)
    return ""
