"""Changes of a space that other domains follow: marked by the service that makes one, and followed when it
commits.
"""

from enum import Enum


class Change(Enum):
    """The kinds of changes, in the order in which they are followed."""

    GRAPH = "graph"
    """Nodes, edges or their evidence: communities and summaries look again."""
    GROWTH = "growth"
    """Content that came, or other settings: the space may have more now than its policy keeps."""
