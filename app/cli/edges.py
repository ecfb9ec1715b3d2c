"""Commands about edges: list and show them, end a claim, restore it, list contradictions."""

from datetime import datetime
from typing import Annotated

import typer
from rich.text import Text

from app.cli.context import ACTOR, Operator, start_servers_and_connect_operator
from app.cli.explanation import map_node_names, show_claim, show_edges, show_heading
from app.cli.graph import Layers, find_node
from app.cli.options import TIME_FORMATS, AsJson, Space, Tenant, convert_to_utc, make_group, parse_id
from app.cli.output import format_one_line, print_indented, print_line, print_note, show_json, show_table
from app.cli.seen_versions import IfMatch, build_version_field, lock_and_check_seen_version
from app.db.session import SpaceSession
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.invalidation.shapes import Invalidation, InvalidationScope, StatedValue
from app.graph.shapes import Edge
from app.graph.validity import Polarity
from app.http.edit_versions.shapes import Kind
from app.ids import EdgeId, NodeId
from app.number_words import pluralise
from app.views.edges import ConflictSetAnswer, EdgeAnswer, EdgeDetailAnswer, LedgerRowAnswer

edge_app = make_group("edges", "List and show edges; end a claim that does not hold, or restore it.")
EdgeArgument = Annotated[str, typer.Argument(help="Its id, as `citegraph edges list` shows it.")]


@edge_app.command("list")
def list_edges(
    space: Space,
    node: Annotated[str | None, typer.Option(help="Only edges that touch this node.")] = None,
    relation_type: Annotated[str | None, typer.Option(help="Only this relation type.")] = None,
    layer: Layers = None,
    ended: Annotated[bool, typer.Option("--ended", help="List decisions that ended edges instead.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of rows to list.")] = 30,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List edges that hold, oldest first; with --ended the decisions that ended edges, newest first."""
    if ended and (node or relation_type or layer):
        raise typer.BadParameter('"--ended" lists the decisions of the whole space; it takes no filter.')
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        if ended:
            _show_invalidations(invalidation.list_endings(session, limit=limit), as_json=as_json)
            return
        node_id = NodeId(find_node(session, node).id) if node else None
        edges = graph.list_edges(
            session, node_id=node_id, relation_type=relation_type, layers=layer or (), limit=limit
        )
        name_by_node = _get_node_names(session, edges)
    if as_json:
        show_json([EdgeAnswer.model_validate(edge) for edge in edges])
        return
    show_table(
        ["FROM", "RELATION", "TO", "LAYER", "CONFIDENCE#", "STATUS", "ID"],
        (
            [
                name_by_node.get(edge.from_node_id),
                edge.relation_type,
                name_by_node.get(edge.to_node_id),
                edge.layer,
                f"{edge.confidence:.2f}",
                edge.status,
                edge.id,
            ]
            for edge in edges
        ),
        empty_message="No matching edges.",
    )


@edge_app.command("show")
def show_edge(edge: EdgeArgument, space: Space, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Show an edge, even if it has ended, with its sentence and the decisions about it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        edge_id = EdgeId(parse_id(edge, "edge"))
        version = build_version_field(session, Kind.EDGE, edge_id)
        stored_edge, history = invalidation.get_edge_with_ledger(session, edge_id)
        extraction = graph.get_extractors_of_edges(session, [edge_id]).get(edge_id)
        name_by_node = _get_node_names(session, [stored_edge])
    if as_json:
        edge_detail = EdgeDetailAnswer.from_value(stored_edge, extraction=extraction, history=history)
        show_json({**dict(edge_detail), **version})
        return
    show_edges([stored_edge], name_by_node)
    print_line(f"  {_describe_edge_state(stored_edge)}")
    for decision in history:
        undone_note = (
            f"; undone {decision.undone_at:%Y-%m-%d %H:%M} by {decision.undone_by}"
            if decision.undone_at
            else ""
        )
        print_indented(
            Text(
                f"{decision.created_at:%Y-%m-%d %H:%M} {decision.decided_by}:"
                f" {format_one_line(decision.reason)}{undone_note}"
            ),
            2,
        )


@edge_app.command("invalidate")
def invalidate_edge(
    edge: EdgeArgument,
    space: Space,
    reason: Annotated[str, typer.Option(help="Why the claim does not hold; kept with the decision.")],
    at: Annotated[
        datetime | None,
        typer.Option(formats=TIME_FORMATS, help="Since when, in UTC unless it has a zone; by default now."),
    ] = None,
    only_this: Annotated[
        bool, typer.Option("--only-this", help="End only this edge, not every edge that states the claim.")
    ] = False,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """End a claim; `edges restore` undoes it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        edge_id = _parse_edge_id_and_check_version(session, edge, if_match)
        decisions = invalidation.end_claim_by_person(
            session,
            edge_id,
            reason=reason,
            actor=ACTOR,
            ended_at=convert_to_utc(at),
            scope=InvalidationScope.EDGE if only_this else InvalidationScope.CLAIM,
        )
    if as_json:
        show_json([LedgerRowAnswer.model_validate(decision) for decision in decisions])
    else:
        print_line(
            f"{_format_claim(decisions[0])} no longer holds: {pluralise(len(decisions), 'edge')} ended."
        )
        print_line(f"To undo it: citegraph edges restore {decisions[0].edge_id} --space {space}")


@edge_app.command("uphold")
def uphold_edge(
    edge: EdgeArgument,
    space: Space,
    reason: Annotated[str, typer.Option(help="Why this value holds; kept with the decision.")],
    at: Annotated[
        datetime | None,
        typer.Option(
            formats=TIME_FORMATS, help="Since when the others do not hold, in UTC unless it has a zone."
        ),
    ] = None,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Keep this value of a single-valued relation and end the others; `edges restore` undoes it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        edge_id = _parse_edge_id_and_check_version(session, edge, if_match)
        decisions = invalidation.uphold_value_and_end_others(
            session, edge_id, reason=reason, actor=ACTOR, ended_at=convert_to_utc(at)
        )
    _show_invalidations(decisions, as_json=as_json)


@edge_app.command("restore")
def restore_edge(
    edge: EdgeArgument,
    space: Space,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Undo the decision that ended an edge, for all edges that it ended."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        edge_id = _parse_edge_id_and_check_version(session, edge, if_match)
        decisions = invalidation.undo_ending_decision(session, edge_id, actor=ACTOR)
    if as_json:
        show_json([LedgerRowAnswer.model_validate(decision) for decision in decisions])
    else:
        print_line(
            f"{_format_claim(decisions[0])} holds again: {pluralise(len(decisions), 'edge')} restored."
        )


def _parse_edge_id_and_check_version(
    session: SpaceSession, edge_argument: str, if_match: str | None
) -> EdgeId:
    """Return the edge's id if its version is the one the caller has seen. Raises NotFound, Stale."""
    edge_id = EdgeId(parse_id(edge_argument, "edge"))
    lock_and_check_seen_version(session, Kind.EDGE, edge_id, if_match)
    return edge_id


def show_conflicts(
    space: Space,
    relation_type: Annotated[str | None, typer.Option(help="Only this relation type.")] = None,
    contested: Annotated[bool, typer.Option("--contested", help="Only if several values hold.")] = False,
    settle: Annotated[
        bool, typer.Option("--settle", help="First end by date what can be, after declaring a relation.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of conflicts to list.")] = 30,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List contradictions: nodes with several values of a relation that the space declares single-valued."""
    with start_servers_and_connect_operator(tenant) as operator:
        if settle:
            _end_conflicts_by_date(operator, space)
        _list_conflicts(operator, space, relation_type, contested=contested, limit=limit, as_json=as_json)


def _end_conflicts_by_date(operator: Operator, space: str) -> None:
    """End conflicts page by page, each in its own transaction, to lock the graph only briefly."""
    total_ended_count, next_position, has_more = 0, None, True
    while has_more:
        with operator.open_space(space) as session:
            ended_count, next_position = invalidation.end_conflicts_by_date(session, after=next_position)
        total_ended_count += ended_count
        has_more = next_position is not None
    print_note(f"{pluralise(total_ended_count, 'edge')} ended by date.")


def _list_conflicts(
    operator: Operator, space: str, relation_type: str | None, *, contested: bool, limit: int, as_json: bool
) -> None:
    with operator.open_space(space) as session:
        single_valued_relations = session.settings.single_valued_relations
        conflict_sets = invalidation.list_conflicts(
            session, relation_type=relation_type, only_contested=contested, limit=limit
        )
    if as_json:
        show_json([ConflictSetAnswer.model_validate(conflict_set) for conflict_set in conflict_sets])
        return
    if not conflict_sets:
        print_line(
            "No conflicts." if single_valued_relations else "This space declares no relation single-valued."
        )
    for conflict in conflict_sets:
        show_heading(f"{format_one_line(conflict.from_name)} {conflict.relation_type}: {conflict.status}")
        for value in conflict.values:
            print_line(f"  {format_one_line(value.name)}: {value.status}")
            for stated_value in value.rows:
                _show_stated_value(
                    stated_value, {conflict.from_node_id: conflict.from_name, value.node_id: value.name}
                )


def _show_stated_value(stated_value: StatedValue, name_by_node: dict[NodeId, str]) -> None:
    show_claim([stated_value.edge], name_by_node, {})
    date_note = f"dated {stated_value.claim_dated_at:%Y-%m-%d}" if stated_value.claim_dated_at else "undated"
    ended_note = (
        f"; ended {stated_value.edge.invalidated_at:%Y-%m-%d} by {stated_value.decided_by}"
        if stated_value.edge.invalidated_at
        else ""
    )
    reason_note = f": {format_one_line(stated_value.reason)}" if stated_value.reason else ""
    print_indented(Text(f"{date_note}{ended_note}{reason_note} [{stated_value.edge.id}]", style="dim"), 6)


def _show_invalidations(invalidations: list[Invalidation], *, as_json: bool) -> None:
    if as_json:
        show_json([LedgerRowAnswer.model_validate(decision) for decision in invalidations])
        return
    show_table(
        ["CLAIM", "ENDED", "BY", "REASON", "EDGE"],
        (
            [
                _format_claim(decision),
                f"{decision.invalidated_at:%Y-%m-%d %H:%M}",
                decision.decided_by,
                decision.reason,
                decision.edge_id,
            ]
            for decision in invalidations
        ),
        empty_message="No edge has been ended.",
    )


def _describe_edge_state(edge: Edge) -> str:
    if edge.polarity is Polarity.DENIED:
        return "denied by its quote"
    if edge.polarity is Polarity.REPORTED:
        return "only reported by its quote"
    return f"ended {edge.invalidated_at:%Y-%m-%d %H:%M}" if edge.invalidated_at else "holds"


def _get_node_names(space: SpaceSession, edges: list[Edge]) -> dict[NodeId, str]:
    return map_node_names(
        graph.get_nodes(space, [end for edge in edges for end in (edge.from_node_id, edge.to_node_id)])
    )


def _format_claim(decision: Invalidation) -> str:
    return format_one_line(
        f"{decision.from_name or '?'} {decision.relation_type or '?'} {decision.to_name or '?'}"
    )
