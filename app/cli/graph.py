"""Commands that read the graph: explain, neighborhood, export."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from app.cli.context import start_servers_and_connect_operator
from app.cli.explanation import (
    map_node_names,
    show_edges,
    show_explanation,
    show_heading,
)
from app.cli.options import AsJson, AsOf, Space, Tenant, convert_to_utc
from app.cli.output import print_note, show_json, show_table
from app.cli.progress_bars import show_write_progress
from app.cli.seen_versions import lock_and_check_seen_version
from app.db.session import SpaceSession
from app.domain.layers import Layer
from app.errors import NotFound
from app.graph import service as graph
from app.graph.shapes import Direction, GraphFilters, Node
from app.http.edit_versions.shapes import Kind
from app.ids import NodeId
from app.transfer.export import service as exports
from app.transfer.export.shapes import ExportFormat
from app.views.explanations import ExplanationAnswer
from app.views.nodes import NeighborhoodAnswer

Value = TypeVar("Value")
RelationTypes = Annotated[
    list[str] | None,
    typer.Option("--relation-type", help="Follow only these relation types; may be given several times."),
]
Layers = Annotated[
    list[Layer] | None,
    typer.Option("--layer", help="Only this layer; may be given several times."),
]


def explain(
    space: Space,
    question: Annotated[str | None, typer.Argument(help="A question that names nodes of the graph.")] = None,
    from_: Annotated[str | None, typer.Option("--from", help="Name or id of the node to start from.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="Name or id of the node to reach.")] = None,
    max_hops: Annotated[int, typer.Option(min=1, max=2, help="Maximum number of edges in a path.")] = 2,
    relation_type: RelationTypes = None,
    layer: Layers = None,
    as_of: AsOf = None,
    limit: Annotated[int | None, typer.Option(min=1, max=500, help="Maximum number of facts.")] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show how things are connected: paths, and for every step the sentence that states it."""
    if (question is None) == (from_ is None and to is None) or (from_ is None) != (to is None):
        raise typer.BadParameter('give either a question, or both "--from" and "--to".')
    filters = GraphFilters(
        relation_types=tuple(relation_type or ()), as_of=convert_to_utc(as_of), layers=tuple(layer or ())
    )
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        explanation = graph.explain_and_record_recall(
            session,
            question=question,
            from_=from_,
            to=to,
            max_hops=max_hops,
            limit=limit,
            filters=filters,
        )
    if as_json:
        show_json(ExplanationAnswer.model_validate(explanation))
    else:
        show_explanation(explanation)


def export(
    space: Space,
    format: Annotated[
        ExportFormat,
        typer.Option("--format", "-f", help="jsonl has everything; the others have nodes and edges."),
    ] = ExportFormat.JSON_LINES,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; by default stdout.")] = None,
    tenant: Tenant = None,
) -> None:
    """Write the space as a file: its graph with all evidence."""
    with start_servers_and_connect_operator(tenant) as operator, ExitStack() as stack:
        space_key = operator.find_space(space)

        def run_in_transaction(work: Callable[[SpaceSession], Value]) -> Value:
            with operator.citegraph.database.open_space(*space_key) as session:
                return work(session)

        pieces = exports.export_space(run_in_transaction, format)
        first_piece = next(pieces)
        file = sys.stdout.buffer if out is None else stack.enter_context(out.open("wb"))
        all_pieces: Iterator[bytes] = chain([first_piece], pieces)
        if out is not None:
            all_pieces = show_write_progress(
                all_pieces, "written", partial(exports.estimate_piece_count, run_in_transaction, format)
            )
        for piece in all_pieces:
            file.write(piece)
    if out is not None:
        print_note(f"Wrote {out}.")


def show_neighborhood(
    node: Annotated[str, typer.Argument(help="Name or id of a node.")],
    space: Space,
    depth: Annotated[int, typer.Option(min=1, max=3, help="Hops from the node.")] = 1,
    direction: Annotated[Direction, typer.Option(help="Which edges to follow.")] = Direction.BOTH,
    relation_type: RelationTypes = None,
    layer: Layers = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show the neighborhood of a node: its neighbors and every edge among them."""
    filters = GraphFilters(relation_types=tuple(relation_type or ()), layers=tuple(layer or ()))
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_neighborhood = graph.fetch_neighborhood_and_record_recall(
            session,
            find_node(session, node).id,
            depth=depth,
            direction=direction,
            filters=filters,
        )
    if as_json:
        show_json(NeighborhoodAnswer.model_validate(node_neighborhood))
        return
    for sentence in node_neighborhood.truncated:
        print_note(sentence)
    show_table(
        ["HOPS#", "NAME", "TYPE", "MENTIONS#"],
        (
            [
                neighbour.distance,
                neighbour.node.canonical_name,
                neighbour.node.node_type,
                neighbour.node.mention_count,
            ]
            for neighbour in sorted(
                node_neighborhood.nodes,
                key=lambda neighbour: (neighbour.distance, -neighbour.node.mention_count),
            )
        ),
    )
    show_heading("EDGES")
    show_edges(
        node_neighborhood.edges, map_node_names([neighbour.node for neighbour in node_neighborhood.nodes])
    )


def find_node(space: SpaceSession, name_or_id: str) -> Node:
    """Return the node with that name, alias or id; of several, the most mentioned. Raises NotFound."""
    nodes = graph.find_nodes(space, name_or_id)
    if not nodes:
        raise NotFound(f"node: {name_or_id} (`citegraph nodes` lists them)")
    return max(nodes, key=lambda node: node.mention_count)


def find_node_of_seen_version(space: SpaceSession, name_or_id: str, if_match: str | None) -> NodeId:
    """Return the node's id if its version is the one the caller has seen. Raises NotFound, Stale."""
    node_id = find_node(space, name_or_id).id
    lock_and_check_seen_version(space, Kind.NODE, node_id, if_match)
    return node_id
