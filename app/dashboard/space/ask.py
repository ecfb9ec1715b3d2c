"""Asking a space: the answer in sentences, each with the passages that it cites, and the facts behind it."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.answers.shapes import Answered, ContextFound, NeedsCommunities, Question, Scope
from app.dashboard.deps import Page, Parts, Place
from app.dashboard.routing import PageRoute
from app.edge.admission import DASHBOARD
from app.edge.bulkheads import bulkheads_of
from app.edge.hang_up import run_unless_hung_up
from app.ids import NodeId
from app.retrieval.shapes import ScoredFact

router = APIRouter(prefix=DASHBOARD + "/spaces/{space_id}", route_class=PageRoute, include_in_schema=False)

LONGEST = 2_000
SHOWN_FACTS = 12


def _claims(facts: Sequence[ScoredFact]) -> list[ScoredFact]:
    """The best edge of each claim, the first few."""
    best: dict[tuple[NodeId, str, NodeId], ScoredFact] = {}
    for each in facts:
        best.setdefault((each.edge.from_node_id, each.edge.relation_type, each.edge.to_node_id), each)
    return list(best.values())[:SHOWN_FACTS]


@router.get("/ask")
async def ask(
    request: Request,
    page: Page,
    parts: Parts,
    place: Place,
    q: Annotated[str, Query(max_length=LONGEST)] = "",
    scope: Annotated[Scope, Query()] = Scope.LOCAL,
) -> Response:
    """The form, and the answer where something was asked: its address asks the same again."""
    asked = " ".join(q.split())
    if not asked:
        return page.show(
            "space/ask.html", place=place, active="ask", q="", scope=scope, answered=None, refused=None
        )
    limits = bulkheads_of(request)

    def work() -> tuple[Answered | None, ContextFound | None]:
        answered, context = None, None
        for event in parts.answerer.ask(place.tenant_id, place.id, Question(asked, scope=scope)):
            if isinstance(event, Answered):
                answered = event
            elif isinstance(event, ContextFound):
                context = event
        return answered, context

    answered, context, refused = None, None, None
    async with limits.questions.slot(place.tenant_id):
        try:
            answered, context = await run_unless_hung_up(request, limits.questions, work)
        except NeedsCommunities as error:
            refused = error.message
    return page.show(
        "space/ask.html",
        place=place,
        active="ask",
        q=asked,
        scope=scope,
        answered=answered,
        refused=refused,
        facts=_claims(context.retrieved.facts) if context else [],
        names={each.id: each.canonical_name for each in context.retrieved.nodes} if context else {},
    )
