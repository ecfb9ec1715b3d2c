"""A range of characters of a text."""

CharRange = tuple[int, int]
"""Position of the first character, and position after the last one: `text[start:end]`."""
