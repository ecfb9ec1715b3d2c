"""Duplicate nodes: candidate pairs, merging and unmerging, names, and pairs kept apart."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from app.api.key_scopes import Writer
from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import PrimarySpace, ReadableSpace, WritableSpace
from app.api.shapes import Body, Listing
from app.graph import service as graph
from app.graph.resolution.shapes import NameAndType
from app.graph.write import merges, near_duplicates
from app.graph.write.curation import service as curation
from app.http.input_text import Id, SearchText, TypeName
from app.ids import NodeId
from app.ingest import service as ingest
from app.limits import PAGE
from app.views.merges import (
    DuplicateAnswer,
    DuplicatesAnswer,
    KeptApartAnswer,
    KeptApartListAnswer,
    MergeAnswer,
    MergePreviewAnswer,
)
from app.views.nodes import NodeAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["merges"], route_class=ApiRoute)


class MergeBody(Body):
    """Two nodes that are the same thing: the winner stays, the loser becomes part of it."""

    winner_id: Id
    loser_id: Id


class KeepApartBody(Body):
    """Two nodes that are not the same thing."""

    node_ids: list[Id] = Field(min_length=2, max_length=2)


class NameAndTypeBody(Body):
    """A node as decisions identify it: by its normalised name and its type."""

    name: SearchText
    node_type: TypeName


class ReconsiderBody(Body):
    """A pair that was kept apart, as `kept-apart` lists it."""

    a: NameAndTypeBody
    b: NameAndTypeBody


class NameBody(Body):
    """The new name of a node."""

    name: SearchText = Field(description="At most 300 characters.")


PageSize = Annotated[int, Query(ge=1, le=PAGE.maximum)]


@router.get("/duplicates")
def list_duplicates(space: PrimarySpace, limit: PageSize = 50) -> DuplicatesAnswer:
    """List pairs of nodes that may be one thing under two spellings and about which nobody has decided."""
    pairs = near_duplicates.list_doubtful_pairs(space, limit=limit)
    return DuplicatesAnswer(items=[DuplicateAnswer.model_validate(pair) for pair in pairs])


@router.post("/merges", status_code=201)
def merge_nodes(space: WritableSpace, caller: Writer, body: MergeBody) -> MergeAnswer:
    """Merge two nodes and record it in the ledger; `undo` reverses it exactly. 404, 422."""
    merge = merges.merge_nodes_by_person(
        space, NodeId(body.winner_id), NodeId(body.loser_id), actor=caller.actor
    )
    return MergeAnswer.model_validate(merge)


@router.get("/merges")
def list_merges(space: ReadableSpace, page: RequestedPage) -> Listing[MergeAnswer]:
    """List the ledger of merges, those of ingests and of persons, newest first."""
    scope = ("merges", space.space_id)
    rows = merges.list_merges(space, after=page.decode_id(scope), limit=page.fetch_limit)
    return page.build_page_with_next_cursor(
        rows, MergeAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.post("/merges/preview")
def preview_merge(space: ReadableSpace, body: MergeBody) -> MergePreviewAnswer:
    """Return the changes that a merge would make, without making it. 404, 422."""
    merge_preview = curation.preview_merge(space, NodeId(body.winner_id), NodeId(body.loser_id))
    return MergePreviewAnswer.model_validate(merge_preview)


@router.post("/merges/{merge_id}/undo")
def undo_merge(space: WritableSpace, caller: Writer, merge_id: Id) -> NodeAnswer:
    """Undo a merge, and record that the two nodes are different; return the restored node.

    404, 409 already_undone, nothing_left, merged_again, winner_gone, name_taken.
    """
    node_id = merges.unmerge_nodes_by_person(space, merge_id, actor=caller.actor)
    return NodeAnswer.model_validate(graph.get_node(space, node_id))


@router.get("/kept-apart")
def list_kept_apart(space: ReadableSpace, limit: PageSize = 50) -> KeptApartListAnswer:
    """List the pairs that somebody decided are not the same thing, the newest first."""
    return KeptApartListAnswer(
        items=[
            KeptApartAnswer.model_validate(pair)
            for pair in curation.list_pairs_kept_apart(space, limit=limit)
        ]
    )


@router.post("/kept-apart", status_code=204)
def keep_apart(space: WritableSpace, caller: Writer, body: KeepApartBody) -> None:
    """Record that two nodes are different: no ingest merges them, and they are not listed as duplicates. 404,
    422.
    """
    first_id, second_id = (NodeId(node_id) for node_id in body.node_ids)
    curation.keep_nodes_apart(space, first_id, second_id, actor=caller.actor)


@router.post("/kept-apart/reconsider", status_code=204)
def reconsider(space: WritableSpace, caller: Writer, body: ReconsiderBody) -> None:
    """Withdraw the decision that two names are different nodes. 404 if there is none."""
    names_and_types = (NameAndType(side.name, side.node_type) for side in (body.a, body.b))
    curation.withdraw_decision_to_keep_apart(space, *names_and_types, actor=caller.actor)


@router.put("/nodes/{node_id}/name")
def rename_node(space: WritableSpace, caller: Writer, node_id: Id, body: NameBody) -> NodeAnswer:
    """Rename the node, whatever texts call it; its former name becomes an alias. 404, 409 name_taken,
    same_name.
    """
    ingest.rename_node(space, NodeId(node_id), body.name, actor=caller.actor)
    return NodeAnswer.model_validate(graph.get_node(space, NodeId(node_id)))


@router.delete("/nodes/{node_id}/name")
def restore_name(space: WritableSpace, caller: Writer, node_id: Id) -> NodeAnswer:
    """Restore the name that texts give the node. 404, 409 no_given_name, name_taken."""
    ingest.restore_node_name(space, NodeId(node_id), actor=caller.actor)
    return NodeAnswer.model_validate(graph.get_node(space, NodeId(node_id)))
