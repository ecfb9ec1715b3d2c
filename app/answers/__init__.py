"""Answers questions from retrieved sources, and checks every citation (requirement 10)."""
