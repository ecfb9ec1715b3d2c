"""Rules that go wrong on a word of a text, as a fault of ours would; see sandboxed.py for the words."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity, Vocabulary
from app.ingest.extractors import JobExtraction, RulesExtractors
from app.jobs.leases import Lease
from app.settings import Settings
from app.wiring import Citegraph, connect
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


class CulpritExtractors:
    """The extractors of these parts, in their sandbox, with that extractor in place of the rules."""

    def __init__(self, parts: Citegraph) -> None:
        self._parts = parts

    def for_job(self, lease: Lease, stop_requested: Callable[[], bool], **embedding: Any) -> JobExtraction:
        """The extraction of this job."""
        extractors = RulesExtractors(self._parts.embedders, sandbox=self._parts.sandbox)
        extraction = extractors.for_job(lease, stop_requested, **embedding)
        return replace(extraction, new_extractor=CulpritExtractor)

    def close(self) -> None:
        """Nothing is open."""


def assemble(settings: Settings) -> Citegraph:
    """The usual parts of a worker, which read with the culprit in the usual sandbox."""
    parts = connect(settings)
    parts.extractors = CulpritExtractors(parts)
    return parts
