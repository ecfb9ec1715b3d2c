"""Tags: lower-case words, at most eight per node, reused by prefix (requirement 11.1). Pure."""

import unicodedata
from collections.abc import Iterable, Mapping

MAX_TAGS = 8
"""Maximum number of tags per node, by relevance; a space may set a lower limit (requirement 11.1)."""
MIN_PREFIX_LENGTH = 3
"""Minimum length of a candidate that is compared by prefix; shorter ones would match almost anything."""
MAX_TAG_LENGTH = 40


def normalise_tag(text: str) -> str:
    """Return the text as a tag: lower case, hyphens for other characters, at most 40 characters;
    may be "".
    """
    folded_text = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(character if character.isalnum() else " " for character in folded_text).split()
    return "-".join(words)[:MAX_TAG_LENGTH].strip("-")


def reuse_existing_tag(candidate: str, existing_tag_counts: Mapping[str, int]) -> str:
    """Return the existing tag that equals or begins with the candidate, else the candidate.

    The most used tag is preferred, then the shortest. `existing_tag_counts` maps tags to their numbers of
    nodes.
    """
    if candidate in existing_tag_counts or len(candidate) < MIN_PREFIX_LENGTH:
        return candidate
    matching_tags = [tag for tag in existing_tag_counts if tag.startswith(candidate)]
    return min(matching_tags, key=lambda tag: (-existing_tag_counts[tag], len(tag), tag), default=candidate)


def choose_tags(
    candidates: Iterable[str], existing_tag_counts: Mapping[str, int], *, max_tags: int = MAX_TAGS
) -> list[str]:
    """Return at most `max_tags` distinct tags from candidates in order of relevance, reusing
    existing ones.
    """
    chosen_tags: dict[str, None] = {}
    for candidate in candidates:
        tag = normalise_tag(candidate)
        if tag:
            chosen_tags.setdefault(reuse_existing_tag(tag, existing_tag_counts))
    return list(chosen_tags)[:max_tags]
