"""Figures of taking documents in, by rules and through a model double, while one space grows."""

import logging
from collections.abc import Iterator, Sequence

import structlog

from benchmarks.growth.calls import in_process
from benchmarks.growth.figures import Figure
from benchmarks.ingest import model, rules


def figures_by_rules(sizes: Sequence[int]) -> Iterator[tuple[int, list[Figure]]]:
    """What a passage cost since the size before, by one worker as it is set unless told otherwise."""
    marks = sorted(sizes)
    for step in rules.ingest(marks[-1], marks):
        yield (
            max(mark for mark in marks if mark <= step.passages),
            [
                Figure("rules: worker", "ms of processor a passage", step.worker_ms),
                Figure("rules: Postgres", "ms of processor a passage", step.postgres_ms),
                Figure("rules: both", "ms of processor a passage", step.worker_ms + step.postgres_ms),
                Figure("rules: rate", "passages a second", step.rate),
                Figure("rules: memory of the worker", "MB", step.megabytes),
            ],
        )


def figures_by_model(sizes: Sequence[int]) -> Iterator[tuple[int, list[Figure]]]:
    """What a passage of ever new names cost since the size before; the double answers at once."""
    for step in in_process(_grow, sorted(sizes)):
        yield (
            step.passages,
            [
                Figure("model: nodes", "nodes", step.nodes),
                Figure("model: edges", "edges", step.edges),
                Figure("model: ours", "ms of processor a passage", step.ours_ms),
                Figure("model: Postgres", "ms of processor a passage", step.postgres_ms),
                Figure("model: both", "ms of processor a passage", step.ours_ms + step.postgres_ms),
                Figure("model: memory of the process", "MB", step.megabytes),
            ],
        )


def _grow(marks: Sequence[int]) -> list[model.Step]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    return list(model.grow(marks))
