"""The outcome of an import."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.ids import JobId


@dataclass(frozen=True, slots=True)
class Imported:
    """The rows that came in, by kind, and the job that gives them vectors."""

    rows: Mapping[str, int]
    job_id: JobId
