"""Answers: a question answered from what retrieval found, with every citation checked (requirement 10)."""
