"""Who is named where, as columns: for what other domains derive from mentions."""

from app.graph.mention_repository import around, counts

__all__ = ["around", "counts"]
