"""What a space says at one moment, read once and shared by all checks of that moment."""

import json
from functools import cached_property
from typing import Any

from tests.invariants.doors import Doors, Row
from tests.invariants.world import Side, World

_KINDS = ("document", "chunk", "node", "mention", "attribute", "edge", "ending")


def rows_of(export: str) -> dict[str, list[Row]]:
    """The rows of a JSON Lines export by kind, without the first line, which is about the space itself."""
    rows: dict[str, list[Row]] = {kind: [] for kind in (*_KINDS, "end")}
    for line in export.splitlines()[1:]:
        row = json.loads(line)
        rows[row["kind"]].append(row)
    return rows


def content_of(export: str) -> list[str]:
    """The lines of an export, without the space's own and without decisions that were taken back."""
    lines = []
    for line in export.splitlines()[1:]:
        row = json.loads(line)
        if row["kind"] == "ending" and row["undone_at"] is not None:
            continue
        lines.append(json.dumps(row, sort_keys=True, ensure_ascii=False))
    return lines


Graph = dict[str, frozenset[tuple[Any, ...]]]


def graph_of(rows: dict[str, list[Row]]) -> Graph:
    """The graph as sets of words, without ids, times, weights and what is counted."""
    names = {node["id"]: (node["canonical_name"], node["node_type"]) for node in rows["node"]}
    return {
        "nodes": frozenset(
            (node["canonical_name"], node["node_type"], tuple(sorted(_names(node)))) for node in rows["node"]
        ),
        "edges": frozenset(
            (
                names[edge["from_node_id"]],
                edge["relation_type"],
                names[edge["to_node_id"]],
                edge["polarity"],
                edge["invalidated_at"] is None,
                edge["metadata"].get("quote") if edge["evidence_chunk_id"] else None,
            )
            for edge in rows["edge"]
        ),
        "values": frozenset(
            (names[value["node_id"]], value["name"], str(value["value"]), value["quote"], value["ended_at"])
            for value in rows["attribute"]
        ),
    }


def _names(node: Row) -> list[str]:
    return [name["normalised"] for name in node["names"] if name["kind"] != "short"]


class Reading:
    """Lazily read parts of a space. A reading is of one moment: whoever acts makes a new one."""

    def __init__(self, world: World, doors: Doors, side: Side, step: int) -> None:
        self.world, self.doors, self.side = world, doors, side
        self.step = step
        """The number of the act before it: by this, samples differ from one to the next."""

    @cached_property
    def nodes(self) -> list[Row]:
        """All nodes, as the API lists them."""
        return self.doors.api.pages(self.side, "/graph/nodes")

    @cached_property
    def edges(self) -> list[Row]:
        """All edges that hold, as the API lists them."""
        return self.doors.api.pages(self.side, "/graph/edges")

    @cached_property
    def documents(self) -> list[Row]:
        """All documents, as the API lists them."""
        return self.doors.api.pages(self.side, "/documents")

    @cached_property
    def export(self) -> str:
        """The space as JSON Lines."""
        return self.doors.api.export(self.side)

    @cached_property
    def exported(self) -> dict[str, list[Row]]:
        """The rows of the export."""
        return rows_of(self.export)

    @cached_property
    def node_ids(self) -> set[str]:
        """Ids of the nodes that the API lists."""
        return {node["id"] for node in self.nodes}

    def text(self, document_id: str) -> str:
        """The plain text of a document, in which ranges count; in parts of 1,000 characters."""
        if document_id not in self._texts:
            parts, start = [], 0
            while True:
                part = self.doors.api.send(
                    self.side, "GET", f"/documents/{document_id}/text", start=start, length=1_000
                )
                parts.append(part["text"])
                if part["next_start"] is None:
                    break
                start = part["next_start"]
            self._texts[document_id] = "".join(parts)
        return self._texts[document_id]

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {}

    def sample(self, rows: list[Any], count: int) -> list[Any]:
        """Some of the rows, others at each step, the same for the same step."""
        if not rows:
            return []
        stride = max(1, len(rows) // count)
        return [rows[(self.step + index * stride) % len(rows)] for index in range(min(count, len(rows)))]
