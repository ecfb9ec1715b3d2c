"""Tags: one word in lower case, at most eight to a node, reused by prefix (requirement 11.1). Pure."""

import unicodedata
from collections.abc import Iterable, Mapping

MAX_TAGS = 8
"""Past this the most relevant stay; no node has more, though a space may want fewer (requirement 11.1)."""
SHORTEST_PREFIX = 3
"""Shorter candidates would be taken for the beginning of almost anything."""
LONGEST_TAG = 40


def normalise_tag(text: str) -> str:
    """The text as a tag: lower case, what is no letter or digit as one hyphen, at most 40 characters; may be
    "".
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(character if character.isalnum() else " " for character in folded).split()
    return "-".join(words)[:LONGEST_TAG].strip("-")


def reuse_existing_tag(candidate: str, existing: Mapping[str, int]) -> str:
    """The existing tag that the candidate is or begins, the most used, then the shortest; else the candidate.

    `existing` counts the nodes of each tag.
    """
    if candidate in existing or len(candidate) < SHORTEST_PREFIX:
        return candidate
    matching = [tag for tag in existing if tag.startswith(candidate)]
    return min(matching, key=lambda tag: (-existing[tag], len(tag), tag), default=candidate)


def choose_tags(
    candidates: Iterable[str], existing: Mapping[str, int], *, max_tags: int = MAX_TAGS
) -> list[str]:
    """At most `max_tags` tags out of candidates in the order of their relevance, each once, existing ones
    reused.
    """
    chosen_tags: dict[str, None] = {}
    for candidate in candidates:
        tag = normalise_tag(candidate)
        if tag:
            chosen_tags.setdefault(reuse_existing_tag(tag, existing))
    return list(chosen_tags)[:max_tags]
