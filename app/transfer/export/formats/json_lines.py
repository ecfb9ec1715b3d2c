"""JSON Lines: every row of the space as one object a line, with all that brings it back row for row."""

from collections.abc import Sequence

import orjson

from app.transfer.export.formats.writer import Writer
from app.transfer.export.shapes import EndLine, Kind, Row, SpaceLine


class JsonLines(Writer):
    """A line about the space, each row with its `kind`, and a last line that says the file is whole."""

    media_type = "application/x-ndjson"
    extension = "jsonl"
    kinds = tuple(Kind)

    def head(self, space: SpaceLine) -> bytes:
        """The line about the space."""
        return _json_line(space)

    def rows(self, kind: Kind, rows: Sequence[Row]) -> bytes:  # noqa: ARG002
        """A line for each row."""
        return b"".join(map(_json_line, rows))

    def tail(self, before: SpaceLine, after: SpaceLine) -> bytes:
        """The last line: without it the file is cut; `changed` says that rows are of different moments."""
        return _json_line(EndLine(kind="end", changed=before.graph_revision != after.graph_revision))


def _json_line(line: Row) -> bytes:
    # The models' own values: they came out of the database, and are not looked at once more.
    options = orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(line.__dict__, default=vars, option=options)
