"""Audit entries as CSV."""

import json
from collections.abc import Iterable

from app.db.models import AuditEvent
from app.spreadsheet import format_csv_lines

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


def format_entries_as_csv(entries: Iterable[AuditEvent]) -> str:
    """Return a header line and one line for each entry."""
    rows = (
        (
            entry.created_at.isoformat(),
            entry.action,
            entry.outcome,
            entry.actor,
            entry.actor_kind,
            entry.door,
            entry.address,
            entry.knowledge_space_id,
            entry.target_id,
            " ".join(map(str, entry.other_ids)),
            json.dumps(entry.details, sort_keys=True),
            entry.request_id,
            entry.id,
        )
        for entry in entries
    )
    return format_csv_lines([COLUMNS, *rows])
