"""Communities for API, CLI, dashboard and other domains (requirements 7 and 8.4)."""

from collections.abc import Sequence
from uuid import UUID

from app.db.session import SpaceSession
from app.derived.communities import report_repository
from app.derived.communities.report_repository import (
    CommunityCursor,
    find_latest_run,
    list_communities_of_nodes,
    list_community_runs,
)
from app.derived.communities.shapes import (
    Block,
    Community,
    CommunityDetail,
    CommunityId,
    CommunityMap,
    RunEvent,
)
from app.errors import NotFound

__all__ = ["find_latest_run", "list_communities_of_nodes", "list_community_runs"]

MAX_MEMBERS, MAX_PARTS, MAX_HISTORY = 100, 100, 50


def list_communities(
    space: SpaceSession,
    *,
    level: int | None = None,
    after: CommunityCursor | None = None,
    limit: int = 50,
) -> list[Community]:
    """Return a page of communities, coarsest and largest first, after (level, member_count, id) of the
    last one.
    """
    return report_repository.list_communities(space, level=level, parent_id=None, after=after, limit=limit)


def get_community(space: SpaceSession, community_id: CommunityId) -> CommunityDetail:
    """Return the community with its hundred most central members, its parts and its history. Raises
    NotFound.
    """
    stored_community = report_repository.get_communities_with_content_hashes(space, [community_id]).get(
        community_id
    )
    if stored_community is None:
        raise NotFound("community")
    members = report_repository.list_central_members(space, [community_id], limit=MAX_MEMBERS)
    subcommunities = report_repository.list_communities(
        space, level=None, parent_id=community_id, after=None, limit=MAX_PARTS
    )
    history = report_repository.list_events_of_community(space, community_id, limit=MAX_HISTORY)
    return CommunityDetail(
        stored_community[0], tuple(members[community_id]), tuple(subcommunities), tuple(history)
    )


def build_community_map(space: SpaceSession, *, max_blocks: int, parts_per_block: int) -> CommunityMap:
    """Return the largest communities of the coarsest level, each with its largest parts; three queries."""
    largest_communities = report_repository.list_communities(
        space, level=0, parent_id=None, after=None, limit=max_blocks
    )
    community_count, member_count = report_repository.count_communities_and_nodes(space, 0)
    return CommunityMap(
        build_blocks_with_largest_parts(space, largest_communities, parts_per_block=parts_per_block),
        community_count,
        member_count,
    )


def build_map_of_community(
    space: SpaceSession, community_detail: CommunityDetail, *, parts_per_block: int
) -> CommunityMap:
    """Return the parts of a community, each with at most `parts_per_block` parts of its own."""
    blocks = build_blocks_with_largest_parts(space, community_detail.parts, parts_per_block=parts_per_block)
    return CommunityMap(blocks, len(blocks), community_detail.community.member_count)


def build_blocks_with_largest_parts(
    space: SpaceSession, communities: Sequence[Community], *, parts_per_block: int
) -> tuple[Block, ...]:
    """Return these communities, each with its `parts_per_block` largest parts."""
    children_by_parent: dict[CommunityId, list[Community]] = {community.id: [] for community in communities}
    if children_by_parent:
        for subcommunity in report_repository.list_largest_subcommunities(
            space, list(children_by_parent), limit=parts_per_block
        ):
            if subcommunity.parent_id is not None:
                children_by_parent[subcommunity.parent_id].append(subcommunity)
    return tuple(Block(community, tuple(children_by_parent[community.id])) for community in communities)


def get_communities(space: SpaceSession, community_ids: Sequence[UUID]) -> dict[UUID, Community]:
    """Return the existing communities among these, by id."""
    return {
        community_id: community
        for community_id, (community, _) in report_repository.get_communities_with_content_hashes(
            space, community_ids
        ).items()
    }


def list_events_of_run(
    space: SpaceSession, run_id: UUID, *, after: UUID | None = None, limit: int = 100
) -> list[RunEvent]:
    """Return a page of one run's events, after the id of the last one.

    Raises NotFound for a run that is not stored.
    """
    events = report_repository.list_events_of_run(space, run_id, after=after, limit=limit)
    if not events and not report_repository.is_run_stored(space, run_id):
        raise NotFound("run")
    return events
