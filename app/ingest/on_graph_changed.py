"""Jobs that follow a change of the graph, by whichever door: what was written about it is looked at again."""

from app.communities import scheduling as communities
from app.db.session import SpaceSession
from app.settings import Settings
from app.summaries import scheduling as summaries


def graph_changed(space: SpaceSession, settings: Settings) -> None:
    """In the transaction of the change: communities and summaries look once the graph has rested, where
    wanted.
    """
    communities.note_change(space, settings)
    summaries.note_change(space, settings)
