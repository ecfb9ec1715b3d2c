"""Titles that only women or only men have."""

from app.domain.scoring.stop_words import split_into_word_set

TITLES_OF_WOMEN = split_into_word_set(
    "mrs ms miss dame lady queen princess empress duchess baroness countess sister"
)
TITLES_OF_MEN = split_into_word_set(
    "mr sir lord king prince emperor duke baron count father brother earl pope"
)
"""Titles before a name, which are more certain than the name."""
