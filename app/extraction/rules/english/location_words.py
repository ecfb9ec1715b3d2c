"""Words that locate something without a verb."""

from app.domain.scoring.stop_words import split_into_word_set

DIRECTIONS = split_into_word_set("""
    north south east west northern southern eastern western central northeast northwest southeast southwest
    northeastern northwestern southeastern southwestern upper lower
""")
"""Words between "in" and a name for a part of the place."""
EXTREME_POINTS = split_into_word_set("point tip end cape")
"""Extreme points of a place, which have names: the northernmost, the largest."""
SHORES = split_into_word_set("shore shores bank banks coast edge border side foot slope slopes")
"""Nouns for a location beside the named place, not in it."""
EXAMPLE_PHRASES = frozenset({("such", "as"), ("including",), ("like",)})
"""Words between "museums in Lusaka" and names that are examples."""
