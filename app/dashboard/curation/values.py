"""A person's decisions on values of a node: end a wrong value, restore it, or uphold one of several."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple
from uuid import UUID

from fastapi import APIRouter, Depends, Form
from fastapi.responses import Response

from app.dashboard.deps import PageSpaceDep, Renderer, WritableSpace
from app.dashboard.routing import PageRoute
from app.errors import InvalidInput
from app.graph.narrative import format_attribute_value
from app.graph.shapes import Attribute, Evidence
from app.graph.write.curation import values
from app.http.authentication import DASHBOARD_PATH
from app.ids import NodeId

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/curation/nodes/{node_id}/values",
    route_class=PageRoute,
    include_in_schema=False,
)

Reason = Annotated[str, Form(max_length=4_000)]


class _NamedValue(NamedTuple):
    """An attribute and one of its values."""

    attribute: str
    value: values.Value


def _parse_named_value(
    name: Annotated[str, Form(max_length=300)] = "", value: Annotated[str, Form(max_length=8_000)] = ""
) -> _NamedValue:
    """Return the attribute and the value sent by one of our forms. Raises InvalidInput."""
    try:
        parsed_value = json.loads(value)
    except ValueError:
        parsed_value = None
    if not isinstance(parsed_value, str | float | int):
        raise InvalidInput("This is no value of an attribute.", code="bad_value")
    return _NamedValue(name, parsed_value)


DecidedValue = Annotated[tuple[str, values.Value], Depends(_parse_named_value)]


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
    attributes_by_value: dict[tuple[str, str], list[Attribute]] = {}
    for attribute in attributes:
        attributes_by_value.setdefault((attribute.name, json.dumps(attribute.value)), []).append(attribute)
    current_names = [
        name
        for (name, _), equal_attributes in attributes_by_value.items()
        if any(attribute.ended_at is None for attribute in equal_attributes)
    ]
    listed_values = [
        StatedValue(
            name,
            format_attribute_value(name, equal_attributes[0].value),
            value_json,
            any(attribute.holds for attribute in equal_attributes),
            current_names.count(name) > 1,
            max(
                (attribute.stated_at for attribute in equal_attributes if attribute.stated_at),
                default=None,
            ),
            None
            if any(attribute.ended_at is None for attribute in equal_attributes)
            else equal_attributes[0].ended_at,
            equal_attributes[0].ended_by,
            equal_attributes[0].ended_reason,
            tuple(attribute.evidence for attribute in equal_attributes),
        )
        for (name, value_json), equal_attributes in attributes_by_value.items()
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
    page_space: PageSpaceDep,
    space: WritableSpace,
    node_id: UUID,
    named_value: DecidedValue,
    reason: Reason = "",
) -> Response:
    """End the value, with every passage that states it."""
    values.end_attribute_value_and_list_rows(
        space, NodeId(node_id), *named_value, reason=reason, actor=page_space.caller.actor
    )
    return _redirect_to_values(page, page_space, node_id)


@router.post("/uphold")
def uphold_value(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    node_id: UUID,
    named_value: DecidedValue,
    reason: Reason = "",
) -> Response:
    """Uphold this value and end the other current ones."""
    values.uphold_attribute_value_and_end_others(
        space, NodeId(node_id), *named_value, reason=reason, actor=page_space.caller.actor
    )
    return _redirect_to_values(page, page_space, node_id)


@router.post("/restore")
def restore_value(
    page: Renderer, page_space: PageSpaceDep, space: WritableSpace, node_id: UUID, named_value: DecidedValue
) -> Response:
    """Withdraw the decision that ended the value."""
    values.restore_attribute_value_and_list_rows(
        space, NodeId(node_id), *named_value, actor=page_space.caller.actor
    )
    return _redirect_to_values(page, page_space, node_id)


def _redirect_to_values(page: Renderer, page_space: PageSpaceDep, node_id: UUID) -> Response:
    return page.redirect(f"{page_space.path}/curation/nodes/{node_id}#values")
