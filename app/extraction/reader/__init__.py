"""Reads sentences: parts of speech, lemmas, heads and names, by a small trained network."""
