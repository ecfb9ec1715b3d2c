"""The words by which a sentence places something without a verb of its own."""

from app.domain.scoring.stop_words import word_set

DIRECTIONS = word_set("""
    north south east west northern southern eastern western central northeast northwest southeast southwest
    northeastern northwestern southeastern southwestern upper lower
""")
"""Between "in" and a name these say in which part of the place."""
EDGES = word_set("point tip end cape")
"""Of a place these, the northernmost or largest of all, have names."""
SHORES = word_set("shore shores bank banks coast edge border side foot slope slopes")
"""Who lies on one of these lies beside the name behind it, and not in it."""
EXAMPLES = frozenset({("such", "as"), ("including",), ("like",)})
"""Between "museums in Lusaka" and names these say that the names are such."""
