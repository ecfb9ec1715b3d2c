"""Reads and writes of communities for display: lists, members, reports."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select

from app.db.models import CommunityRun
from app.db.session import SpaceSession
from app.derived.communities.report_writers import build_title_of_central_names
from app.derived.communities.shapes import (
    MAX_CENTRAL_NODES,
    Claim,
    Community,
    CommunityEvent,
    CommunityId,
    CommunityMember,
    CommunityRunReport,
    NamingDocument,
    NodeCommunity,
    Report,
    ReportMaterial,
    RunEvent,
    build_finding_from_json,
)
from app.domain.relation_types import ADDRESSES
from app.ids import NodeId

MAX_CORE_MEMBERS, EDGES_PER_NODE = 60, 100
MAX_DOCUMENTS, MENTIONS_PER_NODE = 2, 100
"""Number of members among which claims are searched, and of each one's strongest edges: limits for hubs."""


def build_community_from_row(row: Sequence[Any]) -> Community:
    """Return a community from its twelve columns."""
    (
        id,
        level,
        parent_id,
        member_count,
        title,
        summary,
        findings,
        reported_by,
        reported_at,
        is_stale,
        created_at,
        updated_at,
    ) = row[:12]
    parsed_findings = tuple(build_finding_from_json(finding) for finding in findings)
    return Community(
        id,
        level,
        parent_id,
        member_count,
        title,
        summary,
        parsed_findings,
        reported_by,
        reported_at,
        is_stale,
        created_at,
        updated_at,
    )


CommunityCursor = tuple[int, int, UUID]
"""Level, member count and id of the last community of a page."""


def list_communities(
    space: SpaceSession,
    *,
    level: int | None,
    parent_id: CommunityId | None,
    after: CommunityCursor | None,
    limit: int,
) -> list[Community]:
    """Return a page of communities; `after` is (level, member_count, id) of the last one before."""
    after_level, after_members, after_id = after or (None, None, None)
    rows = space.run(
        "derived.communities.list_communities",
        {
            "level": level,
            "parent": parent_id,
            "after_level": after_level,
            "after_members": after_members,
            "after_id": after_id,
            "limit": limit,
        },
        should_prepare=False,
    )
    return [build_community_from_row(row) for row in rows]


def list_largest_subcommunities(
    space: SpaceSession, community_ids: Sequence[UUID], *, limit: int
) -> list[Community]:
    """Return the largest parts of each of these communities."""
    rows = space.run(
        "derived.communities.list_largest_subcommunities",
        {"ids": list(community_ids), "limit": limit},
        should_prepare=False,
    )
    return [build_community_from_row(row) for row in rows]


class LevelCounts(NamedTuple):
    """The numbers of communities of a level, and of the nodes in them."""

    community_count: int
    node_count: int


def count_communities_and_nodes(space: SpaceSession, level: int) -> LevelCounts:
    """Return the numbers of communities of the level and of the nodes in them."""
    ((community_count, member_count),) = space.run(
        "derived.communities.count_communities_and_nodes", {"level": level}, should_prepare=False
    )
    return LevelCounts(community_count, member_count)


def find_latest_run(space: SpaceSession) -> CommunityRun | None:
    """Return the current run; None before the first."""
    query = select(CommunityRun).where(CommunityRun.knowledge_space_id == space.space_id)
    return space.orm.scalar(query.order_by(CommunityRun.id.desc()).limit(1))


def list_community_runs(space: SpaceSession, *, limit: int = 20) -> list[CommunityRunReport]:
    """Return the newest runs, each with its numbers of new, split, merged and deleted communities."""
    rows = space.run("derived.communities.list_runs", {"limit": limit}, should_prepare=False)
    return [CommunityRunReport(*row) for row in rows]


def is_run_stored(space: SpaceSession, run_id: UUID) -> bool:
    """Return whether the run is still stored."""
    query = select(CommunityRun.id).where(
        CommunityRun.knowledge_space_id == space.space_id, CommunityRun.id == run_id
    )
    return space.orm.scalar(query) is not None


def list_events_of_run(
    space: SpaceSession, run_id: UUID, *, after: UUID | None, limit: int
) -> list[RunEvent]:
    """Return a page of the run's events."""
    rows = space.run(
        "derived.communities.list_events_of_run",
        {"run": run_id, "after": after, "limit": limit},
        should_prepare=False,
    )
    return [
        RunEvent(id, change, CommunityId(community), level, title, tuple(other_ids), still_exists)
        for id, change, community, level, title, other_ids, still_exists in rows
    ]


class HashedCommunity(NamedTuple):
    """A community, and the hash of the content that its report rests on."""

    community: Community
    content_hash: UUID


def get_communities_with_content_hashes(
    space: SpaceSession, community_ids: Sequence[UUID]
) -> dict[UUID, HashedCommunity]:
    """Return the communities with these ids that the space has, each with its content hash."""
    rows = space.run("derived.communities.get_communities", {"ids": list(community_ids)})
    return {row[0]: HashedCommunity(build_community_from_row(row), row[12]) for row in rows}


def list_central_members(
    space: SpaceSession, community_ids: Sequence[UUID], *, limit: int
) -> dict[UUID, list[CommunityMember]]:
    """Return the most central nodes of each community, at most `limit`, in order."""
    members_by_community: dict[UUID, list[CommunityMember]] = defaultdict(list)
    rows = space.run(
        "derived.communities.list_central_members",
        {"ids": list(community_ids), "limit": limit},
        should_prepare=False,
    )
    for community_id, *member in rows:
        members_by_community[community_id].append(CommunityMember(*member))
    return members_by_community


def get_report_materials(
    space: SpaceSession, community_ids: Sequence[UUID], *, max_members: int, max_claims: int
) -> list[ReportMaterial]:
    """Return the material for reports on these communities, in order; deleted ones are omitted."""
    communities = get_communities_with_content_hashes(space, community_ids)
    core_members_by_community = list_central_members(space, community_ids, limit=MAX_CORE_MEMBERS)
    communities_and_nodes = [
        (community, member.node_id)
        for community in core_members_by_community
        for member in core_members_by_community[community]
    ]
    core_nodes = {
        "communities": [community for community, _ in communities_and_nodes],
        "nodes": [node for _, node in communities_and_nodes],
    }
    claims_by_community: dict[UUID, list[Claim]] = defaultdict(list)
    rows = space.run(
        "derived.communities.list_strongest_claims",
        {
            **core_nodes,
            "per_node": EDGES_PER_NODE,
            "limit": max_claims,
            "addresses": list(ADDRESSES),
        },
        should_prepare=False,
    )
    for community, from_name, relation_type, to_name, weight, edge_ids, quote in rows:
        claims_by_community[community].append(
            Claim(from_name, relation_type, to_name, weight, tuple(edge_ids), quote)
        )
    documents_by_community: dict[UUID, list[NamingDocument]] = defaultdict(list)
    rows = space.run(
        "derived.communities.list_documents_of_communities",
        {**core_nodes, "per_node": MENTIONS_PER_NODE, "limit": MAX_DOCUMENTS},
        should_prepare=False,
    )
    for community, title, node_count in rows:
        documents_by_community[community].append(NamingDocument(title, node_count))
    materials = []
    for community_id in community_ids:
        if community_id in communities:
            community, content_hash = communities[community_id]
            materials.append(
                ReportMaterial(
                    community.id,
                    content_hash,
                    community.title
                    or build_title_of_central_names(
                        [
                            member.canonical_name
                            for member in core_members_by_community[community_id][:MAX_CENTRAL_NODES]
                        ]
                    ),
                    community.reported_by is not None,
                    community.member_count,
                    tuple(core_members_by_community[community_id][:max_members]),
                    tuple(claims_by_community[community_id]),
                    len(core_members_by_community[community_id]),
                    tuple(documents_by_community[community_id]),
                )
            )
    return materials


def delete_reports_of_communities_with_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete titles and reports of communities that contain one of these nodes, and titles of former ones."""
    space.run(
        "derived.communities.delete_reports_of_communities_with_nodes",
        {"nodes": list(node_ids)},
        should_prepare=False,
    )
    space.run("derived.communities.delete_titles_of_deleted_communities", should_prepare=False)


def delete_all_change_notes(space: SpaceSession) -> None:
    """Delete all change notes; the next run must be a whole one."""
    space.run("derived.communities.delete_all_change_notes")


def list_ids_of_communities_with_stale_reports(space: SpaceSession) -> list[UUID]:
    """Return communities whose members or facts changed since their report, coarsest and largest first."""
    return [row[0] for row in space.run("derived.communities.list_communities_with_stale_reports")]


MaterialAndReport = tuple[ReportMaterial, Report]
"""The material of a report, and the report written from it."""


def store_reports(space: SpaceSession, reports: Sequence[MaterialAndReport]) -> None:
    """Store reports with the content hashes that they were written from."""
    space.run(
        "derived.communities.write_reports",
        {
            "ids": [material.community_id for material, _ in reports],
            "titles": [report.title for _, report in reports],
            "summaries": [report.summary for _, report in reports],
            "findings": [_dump_community_findings_as_json(report) for _, report in reports],
            "contents": [material.content_hash for material, _ in reports],
            "authors": [report.by for _, report in reports],
        },
        should_prepare=False,
    )


def list_communities_of_nodes(
    space: SpaceSession, node_ids: Sequence[NodeId]
) -> dict[NodeId, list[NodeCommunity]]:
    """Return each node's communities, finest first; [] for a node without one."""
    communities: dict[NodeId, list[NodeCommunity]] = {node_id: [] for node_id in node_ids}
    rows = space.run("derived.communities.list_communities_of_nodes", {"nodes": list(node_ids)})
    for node_id, community_id, level, title in rows:
        communities[NodeId(node_id)].append(NodeCommunity(CommunityId(community_id), level, title))
    return communities


def list_events_of_community(
    space: SpaceSession, community_id: CommunityId, *, limit: int
) -> list[CommunityEvent]:
    """Return the events of the community, newest first."""
    rows = space.run(
        "derived.communities.list_events_of_community", {"community": community_id, "limit": limit}
    )
    return [CommunityEvent(change, tuple(other_ids), happened_at) for change, other_ids, happened_at in rows]


def _dump_community_findings_as_json(report: Report) -> str:
    return json.dumps(
        [
            {"text": finding.text, "edge_ids": [str(edge) for edge in finding.edge_ids]}
            for finding in report.findings
        ]
    )
