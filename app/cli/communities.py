"""Commands about communities: detect them, list them, show one."""

from typing import Annotated

import typer
from rich.text import Text

from app.cli.context import start_servers_and_connect_operator
from app.cli.explanation import show_heading
from app.cli.job_requests import Wait, request_job
from app.cli.options import AsJson, Limit, Space, Tenant, make_group, parse_id
from app.cli.output import print_indented, print_line, show_json, show_table
from app.derived.communities import scheduling
from app.derived.communities import service as communities
from app.derived.communities.shapes import CommunityId
from app.views.communities import CommunityAnswer, CommunityDetailAnswer

community_app = make_group("communities", "Detect communities, list them, show one with its report.")


@community_app.command("detect")
def start_detection(
    space: Space,
    wait: Wait = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Have a worker detect communities now instead of when the graph next comes to rest."""
    with start_servers_and_connect_operator(tenant) as operator:
        request_job(
            operator,
            space,
            scheduling.enqueue_detection_or_run_waiting_now,
            wait=wait,
            as_json=as_json,
            describe_counts=lambda counts: f"{counts.get('reports', 0)} reports written.",
        )


@community_app.command("list")
def list_communities(
    space: Space,
    level: Annotated[int | None, typer.Option(min=0, max=10, help="Only this level, 0 the coarsest.")] = None,
    limit: Limit = 30,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List communities, coarsest and largest first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        shown_communities = communities.list_communities(session, level=level, limit=limit)
    if as_json:
        show_json([CommunityAnswer.model_validate(community) for community in shown_communities])
        return
    show_table(
        ["LEVEL#", "NODES#", "TITLE", "REPORT", "ID"],
        (
            [
                community.level,
                community.member_count,
                community.title,
                "stale" if community.stale else community.reported_by,
                community.id,
            ]
            for community in shown_communities
        ),
        empty_message="No communities yet: `citegraph communities detect` finds them.",
    )


@community_app.command("show")
def show_community(
    community: Annotated[str, typer.Argument(help="Its id, as `citegraph communities list` shows it.")],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show one community: its report, members, parts and what runs said about it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        detail = communities.get_community(session, CommunityId(parse_id(community, "community")))
    if as_json:
        show_json(
            CommunityDetailAnswer.from_value(
                detail.community, members=detail.members, parts=detail.parts, history=detail.history
            )
        )
        return
    show_heading(detail.community.title)
    print_indented(Text(detail.community.summary), 2)
    for finding in detail.community.findings:
        print_indented(Text(f"- {finding.text}"), 2)
    print_line()
    show_table(
        ["MEMBER", "TYPE", "WEIGHT#"],
        ([member.canonical_name, member.node_type, f"{member.weight:.2f}"] for member in detail.members),
    )
    if detail.parts:
        show_heading("DIVIDES INTO")
        show_table(
            ["NODES#", "TITLE", "ID"],
            (
                [subcommunity.member_count, subcommunity.title, subcommunity.id]
                for subcommunity in detail.parts
            ),
        )
    for event in detail.history:
        print_line(
            f"{event.created_at:%Y-%m-%d %H:%M} {event.change} {' '.join(map(str, event.other_ids))}".rstrip()
        )
