"""Rules that go wrong on a word of a text, as a fault of ours would; see sandboxed.py for the words.

Apart from what wires them: a child of a sandbox imports this, and what it needs is imported there already.
"""

from collections.abc import Sequence

from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity, Vocabulary
from tests.support.sandboxed import go_wrong


class CulpritExtractor(RulesExtractor):
    """The rules, which go wrong on a word."""

    prompt_version = "culprit-1"

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """As the rules do, unless a text says otherwise."""
        for chunk in chunks:
            go_wrong(chunk.text)
        return super().extract_entities(chunks, vocabulary)


class MendedExtractor(RulesExtractor):
    """The rules of a next version, in which the fault is mended."""

    prompt_version = "rules-next"


class SilentExtractor(RulesExtractor):
    """Finds nothing, where what is measured is all else."""

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """Nothing."""
        return [() for _ in chunks]
