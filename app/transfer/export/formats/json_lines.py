"""JSON Lines: every row of the space as one object per line; the only format that an import restores."""

from collections.abc import Sequence

import orjson

from app.transfer.export.formats.writer import Writer
from app.transfer.export.shapes import EndLine, Row, RowKind, SpaceLine


class JsonLines(Writer):
    """A line about the space, each row with its `kind`, and a last line that marks the file as complete."""

    media_type = "application/x-ndjson"
    extension = "jsonl"
    kinds = tuple(RowKind)

    def format_head(self, space: SpaceLine) -> bytes:
        """Return the line about the space."""
        return _format_json_line(space)

    def format_rows(self, kind: RowKind, rows: Sequence[Row]) -> bytes:  # noqa: ARG002
        """Return one line for each row."""
        return b"".join(map(_format_json_line, rows))

    def format_tail(self, space_at_start: SpaceLine, space_at_end: SpaceLine) -> bytes:
        """Return the last line, without which the file is truncated; `changed`: the rows are from
        different moments.
        """
        return _format_json_line(
            EndLine(kind="end", changed=space_at_start.graph_revision != space_at_end.graph_revision)
        )


def _format_json_line(line: Row) -> bytes:
    # The values come from the database and are not validated again.
    options = orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(line.__dict__, default=vars, option=options)
