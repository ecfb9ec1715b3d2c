"""Retrieval: from a question to the passages, facts and paths of one space that answer it (requirement 9)."""
