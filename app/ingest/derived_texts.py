"""Summaries and reports: texts derived from documents, deleted together with them."""

from collections.abc import Sequence

from app.db.session import SpaceSession
from app.derived.communities import scheduling as communities
from app.derived.summaries import scheduling as summaries
from app.ids import NodeId


def delete_summaries_and_reports(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete the texts about these nodes; jobs rewrite them. The caller holds the graph lock."""
    summaries.delete_summaries_of_nodes(space, node_ids)
    communities.delete_reports_of_communities_with_nodes(space, node_ids)
