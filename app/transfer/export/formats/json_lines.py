"""JSON Lines: every row of the space as one object a line, with all that brings it back row for row."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson

from app.transfer.export.formats.writer import Writer
from app.transfer.export.shapes import Exported, ExportedSpace, Kind

VERSION = 1


class JsonLines(Writer):
    """A line about the space, each row with its `kind`, and a last line that says the file is whole."""

    media_type = "application/x-ndjson"
    extension = "jsonl"
    kinds = tuple(Kind)

    def head(self, space: ExportedSpace) -> bytes:
        """The line about the space."""
        return _line({"kind": "space", "version": VERSION, **asdict(space)})

    def rows(self, kind: Kind, rows: Sequence[Exported]) -> bytes:
        """A line for each row."""
        return b"".join(_line({"kind": kind.value, **asdict(row)}) for row in rows)

    def tail(self, before: ExportedSpace, after: ExportedSpace) -> bytes:
        """The last line: without it the file is cut; `changed` says that rows are of different moments."""
        return _line({"kind": "end", "changed": before.graph_revision != after.graph_revision})


def _line(row: dict[str, Any]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)
