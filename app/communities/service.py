"""Communities as doors and other domains use them (requirements 7 and 8.4)."""

from collections.abc import Sequence
from uuid import UUID

from app.communities import report_repository, repository
from app.communities.shapes import Community, CommunityDetail, CommunityId
from app.db.models import CommunityRun
from app.db.session import SpaceSession
from app.errors import NotFound
from app.ids import NodeId

MAX_MEMBERS, MAX_PARTS, MAX_HISTORY = 100, 100, 50


def list_communities(
    space: SpaceSession,
    *,
    level: int | None = None,
    after: tuple[int, int, UUID] | None = None,
    limit: int = 50,
) -> list[Community]:
    """A page of communities, coarsest and largest first; go on after (level, member_count, id) of the
    last.
    """
    return report_repository.list_communities(space, level=level, parent_id=None, after=after, limit=limit)


def get_community(space: SpaceSession, community_id: CommunityId) -> CommunityDetail:
    """The community with its hundred most central members, its parts and its history. Raises NotFound."""
    found = report_repository.get_communities(space, [community_id]).get(community_id)
    if found is None:
        raise NotFound("community")
    members = report_repository.central_members(space, [community_id], limit=MAX_MEMBERS)
    parts = report_repository.list_communities(
        space, level=None, parent_id=community_id, after=None, limit=MAX_PARTS
    )
    history = report_repository.history(space, community_id, limit=MAX_HISTORY)
    return CommunityDetail(found[0], tuple(members[community_id]), tuple(parts), tuple(history))


def communities_of_nodes(
    space: SpaceSession, node_ids: Sequence[NodeId]
) -> dict[NodeId, list[tuple[CommunityId, int, str]]]:
    """For each node (community, level, title) of those that hold it, finest first; [] for one in none."""
    found: dict[NodeId, list[tuple[CommunityId, int, str]]] = {each: [] for each in node_ids}
    for node, community, level, title in report_repository.communities_of_nodes(space, node_ids):
        found[node].append((community, level, title))
    return found


def latest_run(space: SpaceSession) -> CommunityRun | None:
    """The run in force; None before the first."""
    return repository.latest_run(space)
