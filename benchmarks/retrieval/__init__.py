"""Retrieval: its time, its vectors, its ranking."""
