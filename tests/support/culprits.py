"""The parts of a worker that reads with rules which go wrong; see culprit_rules.py."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.ingest.extractor_choice import Extractors, JobExtraction
from app.jobs.shapes import Lease
from app.settings import Settings
from app.wiring import Citegraph, build_citegraph
from tests.support.culprit_rules import CulpritExtractor


class CulpritExtractors(Extractors):
    """The extractors of these parts, in their sandbox, with that extractor in place of the rules."""

    def __init__(self, parts: Citegraph) -> None:
        self._parts = parts

    def create_job_extraction(
        self, lease: Lease, is_stop_requested: Callable[[], bool], **models: Any
    ) -> JobExtraction:
        """The extraction of this job."""
        extractors = Extractors(
            self._parts.database, embedders=self._parts.embedders, sandbox=self._parts.sandbox
        )
        extraction = extractors.create_job_extraction(lease, is_stop_requested, **models)
        return replace(extraction, new_extractor=CulpritExtractor)

    def close(self) -> None:
        """Nothing is open."""


def assemble(settings: Settings) -> Citegraph:
    """The usual parts of a worker, which read with the culprit in the usual sandbox."""
    parts = build_citegraph(settings)
    parts.extractors = CulpritExtractors(parts)
    return parts
