"""Walks in the graph, and its communities."""
