"""Summaries and reports, which are written out of the words of documents and go with these."""

from collections.abc import Sequence

from app.db.session import SpaceSession
from app.derived.communities import scheduling as communities
from app.derived.summaries import scheduling as summaries
from app.ids import NodeId


def delete_derived_texts(space: SpaceSession, nodes: Sequence[NodeId]) -> None:
    """Delete what was written about these nodes; jobs write it anew. Under the graph's lock."""
    summaries.delete_summaries(space, nodes)
    communities.delete_reports_of_nodes(space, nodes)
