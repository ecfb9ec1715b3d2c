"""Entries as CSV that a spreadsheet may open: no cell begins what would be read as a formula."""

import csv
import io
import json
from collections.abc import Iterable

from app.db.models import AuditEvent

COLUMNS = (
    "created_at",
    "action",
    "outcome",
    "actor",
    "actor_kind",
    "door",
    "address",
    "space_id",
    "target_id",
    "other_ids",
    "details",
    "request_id",
    "id",
)
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_cell(value: object) -> str:
    """The value as text; what a spreadsheet would run as a formula gets an apostrophe before it."""
    cell = "" if value is None else str(value)
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


def as_csv(entries: Iterable[AuditEvent]) -> str:
    """A line of headings and one for each entry."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(COLUMNS)
    for each in entries:
        row = (
            each.created_at.isoformat(),
            each.action,
            each.outcome,
            each.actor,
            each.actor_kind,
            each.door,
            each.address,
            each.knowledge_space_id,
            each.target_id,
            " ".join(map(str, each.other_ids)),
            json.dumps(each.details, sort_keys=True),
            each.request_id,
            each.id,
        )
        lines.writerow([safe_cell(cell) for cell in row])
    return written.getvalue()
