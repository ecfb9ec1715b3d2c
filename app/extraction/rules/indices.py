"""Types that say what an index of the rules counts."""

from typing import TypeAlias

WordIndex: TypeAlias = int
"""The index of a word in its sentence."""
EntityIndex: TypeAlias = int
"""The index of an entity in the list of those found in the chunk."""
