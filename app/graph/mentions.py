"""The mentions of nodes as arrays, for other domains that derive data from them."""

from app.graph.mention_repository import MentionColumns, count_chunks_naming, list_mentions_in_chunks_naming

__all__ = ["MentionColumns", "count_chunks_naming", "list_mentions_in_chunks_naming"]
