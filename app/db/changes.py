"""Changes of a space that other domains react to: services mark them, followers run before the commit."""

from enum import Enum


class Change(Enum):
    """The kinds of changes, in the order in which followers run."""

    GRAPH = "graph"
    """Nodes, edges or their evidence changed: communities and summaries are checked."""
    GROWTH = "growth"
    """Content was added or settings changed: the space may hold more than its policy keeps."""
    DUE = "due"
    """Claims begin or end at a later moment: a job waits for it."""
