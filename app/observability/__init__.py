"""Counters and traces of one process: numbers and ids alone, never a word of a document."""
