"""The worker as it is shipped, reading through the model server of its settings; a poison document kills it.

The chunk that begins with POISON is never sent: it stands for a bug in what we do with a document.
"""

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from app.extraction.shapes import AskingExtractor, ChunkText, Extractor, Vocabulary
from app.ingest.extractor_choice import Extractors, JobExtraction
from app.jobs.shapes import Lease
from app.settings import Settings
from app.wiring import Citegraph, build_citegraph
from workers.main import run_workers


def make_deadly(extractor: Extractor) -> Extractor:
    """The same extractor, which kills its process on poison."""
    assert isinstance(extractor, AskingExtractor)
    ask = extractor.ask_entities

    def deadly(chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> Extractor:
        if any(chunk.text.startswith("POISON") for chunk in chunks):
            os.kill(os.getpid(), signal.SIGKILL)
        return ask(chunks, vocabulary)

    extractor.ask_entities = deadly  # type: ignore[method-assign]
    return extractor


class DeadlyExtractors(Extractors):
    """The extractors of the settings, each deadly."""

    def __init__(self, extractors: Extractors) -> None:
        self.extractors = extractors

    def create_job_extraction(
        self, lease: Lease, is_stop_requested: Callable[[], bool], **models: Any
    ) -> JobExtraction:
        """The extraction of this job."""
        extraction = self.extractors.create_job_extraction(lease, is_stop_requested, **models)
        return replace(extraction, new_extractor=lambda: make_deadly(extraction.new_extractor()))

    def close(self) -> None:
        """Give back connections and threads."""
        self.extractors.close()


def assemble(settings: Settings) -> Citegraph:
    """The usual parts with deadly extractors."""
    parts = build_citegraph(settings)
    parts.extractors = DeadlyExtractors(parts.extractors)
    return parts


if __name__ == "__main__":
    run_workers(Settings(), assemble=assemble)
