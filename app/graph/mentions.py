"""Who is named where, as columns: for what other domains derive from mentions."""

from app.graph.mention_repository import count_chunks_naming, mentions_in_shared_chunks

__all__ = ["count_chunks_naming", "mentions_in_shared_chunks"]
