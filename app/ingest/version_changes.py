"""The difference between the chunks of two versions of a document, in reading order; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

MAX_COMPARED_WORDS = 1_200
"""Maximum number of words of a chunk for which word differences are computed."""


class ChangeKind(StrEnum):
    """The fate of a stretch of chunks in the new version."""

    SAME = "same"
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True)
class ChunkChange:
    """A pair of chunks that differ, by their indexes in the two versions; or a run of `count` equal
    chunks.
    """

    kind: ChangeKind
    old_index: int | None
    new_index: int | None
    count: int = 1


def diff_chunks(old_texts: Sequence[str], new_texts: Sequence[str]) -> list[ChunkChange]:
    """Return the changes from the old chunks to the new ones, both given by their hashes."""
    chunk_changes: list[ChunkChange] = []
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(
        None, old_texts, new_texts, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            chunk_changes.append(ChunkChange(ChangeKind.SAME, old_start, new_start, old_end - old_start))
            continue
        for old_index, new_index in zip_longest(range(old_start, old_end), range(new_start, new_end)):
            kind = ChangeKind.CHANGED
            if old_index is None or new_index is None:
                kind = ChangeKind.ADDED if old_index is None else ChangeKind.REMOVED
            chunk_changes.append(ChunkChange(kind, old_index, new_index))
    return chunk_changes


@dataclass(frozen=True)
class Words:
    """Some words of a text, and whether the other version lacks them."""

    text: str
    differs: bool


class WordDiff(NamedTuple):
    """The runs of words of two texts."""

    old: list[Words]
    new: list[Words]


def diff_words(old_text: str, new_text: str) -> WordDiff:
    """Return both texts as runs of words, marked if the other text lacks them; each as one run if they are
    long.
    """
    old_words, new_words = _split_words_and_blanks(old_text), _split_words_and_blanks(new_text)
    if max(len(old_words), len(new_words)) > 2 * MAX_COMPARED_WORDS:
        return WordDiff([Words(old_text, True)], [Words(new_text, True)])
    old_runs: list[Words] = []
    new_runs: list[Words] = []
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(
        None, old_words, new_words, autojunk=False
    ).get_opcodes():
        if old_end > old_start:
            old_runs.append(Words("".join(old_words[old_start:old_end]), tag != "equal"))
        if new_end > new_start:
            new_runs.append(Words("".join(new_words[new_start:new_end]), tag != "equal"))
    return WordDiff(old_runs, new_runs)


def _split_words_and_blanks(text: str) -> list[str]:
    """Return the words and the white space between them; joined they are the text."""
    words_and_blanks: list[str] = []
    word = ""
    for character in text:
        if word and character.isspace() != word[-1].isspace():
            words_and_blanks.append(word)
            word = ""
        word += character
    return [*words_and_blanks, word] if word else words_and_blanks
