"""The result of an import."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.ids import JobId


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The number of imported rows by kind, and the job that computes their vectors."""

    rows: Mapping[str, int]
    job_id: JobId
