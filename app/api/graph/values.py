"""A person's decisions about values of nodes: ending or restoring a value, or upholding one of several."""

from fastapi import APIRouter
from pydantic import Field

from app.api.key_scopes import Writer
from app.api.protocol.route import ApiRoute
from app.api.sessions import WritableSpace
from app.api.shapes import Body
from app.graph.shapes import Attribute
from app.graph.write.curation import values
from app.http.input_text import Id, Moment, SearchText, TypeName
from app.ids import NodeId
from app.views.nodes import AttributeAnswer
from app.views.view import View

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["contradictions"], route_class=ApiRoute)


class ValueBody(Body):
    """A value of an attribute of the node, as the answer about the node has it."""

    name: TypeName = Field(description="The attribute.")
    value: str | float | bool


class UpholdValueBody(ValueBody):
    """The value that holds, and why."""

    reason: SearchText = Field(description="Kept with the decision; at most 1,000 bytes.")


class EndValueBody(UpholdValueBody):
    """The value that does not hold, why, and since when; the default is now."""

    at: Moment | None = Field(None, description="Since when it does not hold; the default is now.")


class ValuesAnswer(View):
    """All values that chunks state for this attribute of the node, the one that holds first."""

    items: list[AttributeAnswer]


def _build_values_answer(attributes: list[Attribute]) -> ValuesAnswer:
    return ValuesAnswer(items=[AttributeAnswer.model_validate(attribute) for attribute in attributes])


@router.post("/nodes/{node_id}/values/end")
def end_value(space: WritableSpace, caller: Writer, node_id: Id, body: EndValueBody) -> ValuesAnswer:
    """End a value of the node in every chunk that states it; of the others, the latest holds. 404, 409
    already_ended.
    """
    attributes = values.end_attribute_value_and_list_rows(
        space,
        NodeId(node_id),
        body.name,
        body.value,
        reason=body.reason,
        actor=caller.actor,
        ended_at=body.at,
    )
    return _build_values_answer(attributes)


@router.post("/nodes/{node_id}/values/uphold")
def uphold_value(space: WritableSpace, caller: Writer, node_id: Id, body: UpholdValueBody) -> ValuesAnswer:
    """Decide that this value holds: all other values end now. 404, 409 nothing_to_decide."""
    attributes = values.uphold_attribute_value_and_end_others(
        space, NodeId(node_id), body.name, body.value, reason=body.reason, actor=caller.actor
    )
    return _build_values_answer(attributes)


@router.post("/nodes/{node_id}/values/restore")
def restore_value(space: WritableSpace, caller: Writer, node_id: Id, body: ValueBody) -> ValuesAnswer:
    """Restore an ended value in every chunk that states it. 404, 409 not_ended."""
    attributes = values.restore_attribute_value_and_list_rows(
        space, NodeId(node_id), body.name, body.value, actor=caller.actor
    )
    return _build_values_answer(attributes)
