"""Retrieval: find the passages, facts and paths of one space that answer a question (requirement 9)."""
