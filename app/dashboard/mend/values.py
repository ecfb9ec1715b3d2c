"""A person's decisions on values of a node: end a wrong value, restore it, or uphold one of several."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form
from fastapi.responses import Response

from app.dashboard.deps import OfSpace, Renderer, WritableSpace
from app.dashboard.routing import PageRoute
from app.errors import InvalidInput
from app.graph.narrative import format_value
from app.graph.shapes import Attribute, Evidence
from app.graph.write.curation import values
from app.http.authentication import DASHBOARD_PATH
from app.ids import NodeId

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/mend/nodes/{node_id}/values",
    route_class=PageRoute,
    include_in_schema=False,
)

Reason = Annotated[str, Form(max_length=4_000)]


def _parse_named_value(
    name: Annotated[str, Form(max_length=300)] = "", value: Annotated[str, Form(max_length=8_000)] = ""
) -> tuple[str, values.Value]:
    """Return the attribute and the value sent by one of our forms. Raises InvalidInput."""
    try:
        parsed_value = json.loads(value)
    except ValueError:
        parsed_value = None
    if not isinstance(parsed_value, str | float | int):
        raise InvalidInput("This is no value of an attribute.", code="bad_value")
    return name, parsed_value


Decided = Annotated[tuple[str, values.Value], Depends(_parse_named_value)]


@dataclass(frozen=True, slots=True)
class StatedValue:
    """One value of an attribute with the passages that state it; forms send it back as `form_value`."""

    name: str
    text: str
    form_value: str
    holds: bool
    contested: bool
    stated_at: datetime | None
    ended_at: datetime | None
    ended_by: str | None
    ended_reason: str | None
    evidence: tuple[Evidence, ...]


def group_stated_values(attributes: Iterable[Attribute]) -> list[StatedValue]:
    """Return each distinct value, by attribute, holding ones first; contested if several are current."""
    values_by_statement: dict[tuple[str, str], list[Attribute]] = {}
    for attribute in attributes:
        values_by_statement.setdefault((attribute.name, json.dumps(attribute.value)), []).append(attribute)
    current_names = [
        name for (name, _), rows in values_by_statement.items() if any(row.ended_at is None for row in rows)
    ]
    listed_values = [
        StatedValue(
            name,
            format_value(name, rows[0].value),
            value_json,
            any(row.holds for row in rows),
            current_names.count(name) > 1,
            max((row.stated_at for row in rows if row.stated_at), default=None),
            None if any(row.ended_at is None for row in rows) else rows[0].ended_at,
            rows[0].ended_by,
            rows[0].ended_reason,
            tuple(row.evidence for row in rows),
        )
        for (name, value_json), rows in values_by_statement.items()
    ]
    return sorted(
        listed_values,
        key=lambda stated_value: (
            stated_value.name,
            not stated_value.holds,
            stated_value.ended_at is not None,
        ),
    )


@router.post("/end")
def end_value(
    page: Renderer,
    page_space: OfSpace,
    space: WritableSpace,
    node_id: UUID,
    named_value: Decided,
    reason: Reason = "",
) -> Response:
    """End the value, with every passage that states it."""
    values.end_attribute_value(
        space, NodeId(node_id), *named_value, reason=reason, actor=page_space.caller.actor
    )
    return _redirect_to_values(page, page_space, node_id)


@router.post("/uphold")
def uphold_value(
    page: Renderer,
    page_space: OfSpace,
    space: WritableSpace,
    node_id: UUID,
    named_value: Decided,
    reason: Reason = "",
) -> Response:
    """Uphold this value and end the other current ones."""
    values.uphold_attribute_value(
        space, NodeId(node_id), *named_value, reason=reason, actor=page_space.caller.actor
    )
    return _redirect_to_values(page, page_space, node_id)


@router.post("/restore")
def restore_value(
    page: Renderer, page_space: OfSpace, space: WritableSpace, node_id: UUID, named_value: Decided
) -> Response:
    """Withdraw the decision that ended the value."""
    values.restore_attribute_value(space, NodeId(node_id), *named_value, actor=page_space.caller.actor)
    return _redirect_to_values(page, page_space, node_id)


def _redirect_to_values(page: Renderer, page_space: OfSpace, node_id: UUID) -> Response:
    return page.redirect(f"{page_space.path}/mend/nodes/{node_id}#values")
