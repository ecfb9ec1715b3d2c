"""The mentions of nodes as arrays, for other domains that derive data from them."""

from app.graph.mention_repository import count_chunks_naming, list_mentions_in_chunks_naming

__all__ = ["count_chunks_naming", "list_mentions_in_chunks_naming"]
