"""Counters and traces of one process: numbers and ids only, never text of a document."""
