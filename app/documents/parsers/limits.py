"""Limits of one document: enough for a book, too little to occupy a worker for long."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Maximum numbers of characters, of records in CSV or JSON lines, and of values in JSON."""

    characters: int = 5_000_000
    rows: int = 50_000
    values: int = 100_000


DEFAULT_LIMITS = ParseLimits()
EXTRACTION_VALUES = 10
"""Factor of the limit of values for imported extractions, since each passage includes its findings."""
