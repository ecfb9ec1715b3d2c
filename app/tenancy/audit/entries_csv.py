"""Entries of the audit as CSV."""

import json
from collections.abc import Iterable

from app.db.models import AuditEvent
from app.spreadsheet import csv_lines

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


def as_csv(entries: Iterable[AuditEvent]) -> str:
    """A line of headings and one for each entry."""
    rows = (
        (
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
        for each in entries
    )
    return csv_lines([COLUMNS, *rows])
