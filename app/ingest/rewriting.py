"""Summaries and reports, which are written out of the words of documents and go with these."""

from collections.abc import Sequence

from app.communities import scheduling as communities
from app.db.session import SpaceSession
from app.ids import NodeId
from app.summaries import scheduling as summaries


def forget_writing(space: SpaceSession, nodes: Sequence[NodeId]) -> None:
    """Delete what was written about these nodes; jobs write it anew. Under the graph's lock."""
    summaries.forget_summaries(space, nodes)
    communities.forget_reports(space, nodes)
