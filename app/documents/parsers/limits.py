"""How much one document may hold: enough for a book, too little to keep a worker from everybody else."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Characters of text once read, records of a CSV or JSON lines file, and values of JSON."""

    characters: int = 5_000_000
    rows: int = 50_000
    values: int = 100_000


DEFAULT_LIMITS = ParseLimits()
EXTRACTION_VALUES = 10
"""How many times the values an import of extracted passages may hold: each passage brings its findings
along.
"""
