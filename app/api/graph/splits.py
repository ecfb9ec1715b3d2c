"""Splits: some mentions of a node are moved to a new node, which can be undone."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from app.api.key_scopes import Writer
from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace, WritableSpace
from app.api.shapes import Body, Listing
from app.graph import service as graph
from app.graph.write import splits
from app.http.input_text import Id, SearchText
from app.ids import ChunkId, DocumentId, NodeId
from app.limits import SPLIT_IDS
from app.views.merges import SplitAnswer
from app.views.nodes import NodeAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["graph"], route_class=ApiRoute)


class SplitBody(Body):
    """The mentions of the other thing, and a sense that names that thing."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [name], "properties": {name: {"minItems": 1}}}
                for name in ("chunk_ids", "document_ids")
            ]
        }
    )

    sense: SearchText = Field(description='A word or two that distinguish it, such as "planet".')
    chunk_ids: Annotated[list[Id], Field(max_length=SPLIT_IDS.maximum)] = Field(default_factory=list)
    document_ids: Annotated[list[Id], Field(max_length=SPLIT_IDS.maximum)] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_not_empty(self) -> "SplitBody":
        if not self.chunk_ids and not self.document_ids:
            raise PydanticCustomError(
                "mentions_nothing", "Give the chunks or documents that mean the other thing."
            )
        return self


@router.post("/nodes/{node_id}/split")
def split_node(space: WritableSpace, caller: Writer, node_id: Id, body: SplitBody) -> SplitAnswer:
    """Move what these chunks and documents say of the node to a new node. 404, 409 name_taken."""
    node_split = splits.split_node_by_person(
        space,
        NodeId(node_id),
        body.sense,
        chunk_ids=[ChunkId(chunk_id) for chunk_id in body.chunk_ids],
        document_ids=[DocumentId(document_id) for document_id in body.document_ids],
        actor=caller.actor,
    )
    return SplitAnswer.model_validate(node_split)


@router.get("/splits")
def list_splits(space: ReadableSpace, page: RequestedPage) -> Listing[SplitAnswer]:
    """List the ledger of splits, those of ingests and of persons, newest first."""
    scope = ("splits", space.space_id)
    rows = splits.list_splits(space, after=page.decode_id(scope), limit=page.fetch_limit)
    return page.build_page_with_next_cursor(
        rows, SplitAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.post("/splits/{split_id}/undo")
def undo_split(space: WritableSpace, caller: Writer, split_id: Id) -> NodeAnswer:
    """Merge the two nodes again; return the one that stays. 404, 409 already_undone, merged_again,
    node_gone.
    """
    node_id = splits.undo_split(space, split_id, actor=caller.actor)
    return NodeAnswer.model_validate(graph.get_node(space, node_id))
