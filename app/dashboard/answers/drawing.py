"""Draw nodes and claims in columns, by their hops from the nodes where an answer entered the graph. Pure."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from app.dashboard.answers.labels import LETTER_WIDTH, Area, Spot, place_names
from app.graph.narrative import format_verb_of_edge
from app.graph.shapes import Edge, Node
from app.ids import EdgeId, NodeId

BOX_HEIGHT = 40
ROW_HEIGHT = 62
MARGIN = 12
MAX_ROWS = 8
MAX_COLUMNS = 3
_LINE_DISTANCE, _MIN_LINE_DISTANCE = 17, 7
_BULGE_DISTANCE = 46
"""The distance by which a line between two boxes of one column extends beside the column."""


@dataclass(frozen=True)
class Sheet:
    """Measures of a drawing: a box's width, the gap between columns, the most letters of a line's label; and
    whether columns are aligned at the top or centred."""

    name: str
    width: int
    gap: int
    max_label_letters: int
    is_top_aligned: bool = False


WIDE_SHEET = Sheet("wide", width=176, gap=168, max_label_letters=25)
NARROW_SHEET = Sheet("narrow", width=112, gap=76, max_label_letters=10, is_top_aligned=True)
"""Two columns fit into the window of a telephone; they are aligned at the top, however long the third is."""


class _JoinedNodes(NamedTuple):
    """The nodes that a line joins."""

    from_id: NodeId
    to_id: NodeId


class _Corner(NamedTuple):
    """The upper left corner of a box."""

    x: float
    y: float


@dataclass(frozen=True)
class Box:
    """A node as it is drawn: the position of its box, and its name, which the browser truncates."""

    id: NodeId
    x: float
    y: float
    name: str
    node_type: str
    is_anchor: bool


@dataclass(frozen=True)
class Line:
    """All edges between two nodes as one line, with the strongest of them and the `state` of its claims.

    `spot` is the position of its label; None if there is no room for it: then only the title shows it.
    """

    edge_id: EdgeId
    path: str
    label: str
    spot: Spot | None
    title: str
    state: str


@dataclass(frozen=True)
class Drawing:
    """Boxes and lines on a sheet; `left_out` is the number of nodes for which there was no room."""

    sheet: Sheet
    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    left_out: int


def draw_graph(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    anchor_ids: Sequence[NodeId],
    *,
    end_ids: Collection[NodeId] = (),
    contested_ids: Collection[EdgeId] = (),
    moment: datetime | None = None,
    sheet: Sheet = WIDE_SHEET,
) -> Drawing | None:
    """Return the drawing of these edges, which are in order of relevance; None if there is nothing to draw.

    `end_ids` are the nodes to which the paths lead; they are drawn in the last column.
    """
    node_by_id = {node.id: node for node in nodes}
    drawable_edges = [
        edge for edge in edges if edge.from_node_id in node_by_id and edge.to_node_id in node_by_id
    ]
    start_ids = [anchor_id for anchor_id in dict.fromkeys(anchor_ids) if anchor_id in node_by_id]
    start_ids = start_ids or ([drawable_edges[0].from_node_id] if drawable_edges else [])
    if not drawable_edges:
        return None
    columns, left_out_count = _assign_nodes_to_columns(drawable_edges, start_ids, frozenset(end_ids))
    corner_by_node, column_by_node, height = _place_boxes(columns, drawable_edges, sheet)
    boxes = tuple(
        Box(
            node_id,
            *corner,
            node_by_id[node_id].canonical_name,
            node_by_id[node_id].node_type,
            node_id in start_ids,
        )
        for node_id, corner in corner_by_node.items()
    )
    lines = _draw_lines(
        drawable_edges,
        column_by_node,
        _Canvas(corner_by_node, node_by_id, frozenset(contested_ids), moment, sheet),
    )
    # Lines between two boxes of the last column bulge to its right.
    last_column = len(columns) - 1
    has_bulge = any(
        column_by_node.get(edge.from_node_id) == column_by_node.get(edge.to_node_id) == last_column
        for edge in drawable_edges
    )
    width = 2.0 * MARGIN + len(columns) * sheet.width + (len(columns) - 1) * sheet.gap
    width += _BULGE_DISTANCE + LETTER_WIDTH * sheet.max_label_letters if has_bulge else 0
    return Drawing(sheet, width, height + 2 * MARGIN, boxes, lines, left_out_count)


def draw_graph_for_wide_and_narrow_windows(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    anchor_ids: Sequence[NodeId],
    *,
    end_ids: Collection[NodeId] = (),
    contested_ids: Collection[EdgeId] = (),
    moment: datetime | None = None,
) -> list[Drawing]:
    """Return the drawings for wide and for narrow windows; an empty list if there is nothing to draw."""
    drawings = (
        draw_graph(
            nodes, edges, anchor_ids, end_ids=end_ids, contested_ids=contested_ids, moment=moment, sheet=sheet
        )
        for sheet in (WIDE_SHEET, NARROW_SHEET)
    )
    return [drawing for drawing in drawings if drawing is not None]


class _Layout(NamedTuple):
    """The upper left corner of each box, its column, and the height of the whole drawing."""

    corner_by_node: dict[NodeId, _Corner]
    column_by_node: dict[NodeId, int]
    height: float


def _place_boxes(columns: Sequence[Sequence[NodeId]], edges: Sequence[Edge], sheet: Sheet) -> _Layout:
    """Return where the boxes of the columns stand on the sheet."""
    # Lines that pass a column take a row above it.
    has_passing_line = len(columns) == MAX_COLUMNS and any(
        {edge.from_node_id, edge.to_node_id} & set(columns[0])
        and {edge.from_node_id, edge.to_node_id} & set(columns[2])
        for edge in edges
    )
    row_counts = [
        len(column) + (has_passing_line and column_number == 1)
        for column_number, column in enumerate(columns)
    ]
    height = max(row_counts) * ROW_HEIGHT
    corner_by_node: dict[NodeId, _Corner] = {}
    column_by_node: dict[NodeId, int] = {}
    for column_number, column in enumerate(columns):
        ordered_nodes = column if column_number == 0 else _sort_column(column, edges, corner_by_node)
        column_top = 0.0 if sheet.is_top_aligned else (height - row_counts[column_number] * ROW_HEIGHT) / 2
        column_top += ROW_HEIGHT if has_passing_line and column_number == 1 else 0
        for row, node_id in enumerate(ordered_nodes):
            x = MARGIN + column_number * (sheet.width + sheet.gap)
            corner_by_node[node_id] = _Corner(
                x,
                MARGIN + column_top + row * ROW_HEIGHT + (ROW_HEIGHT - BOX_HEIGHT) / 2,
            )
            column_by_node[node_id] = column_number
    return _Layout(corner_by_node, column_by_node, height)


class _NodeColumns(NamedTuple):
    """The nodes of a drawing by column, and the number of those that have no room."""

    columns: list[list[NodeId]]
    left_out_count: int


def _assign_nodes_to_columns(
    edges: Sequence[Edge], start_ids: Sequence[NodeId], end_ids: frozenset[NodeId]
) -> _NodeColumns:
    """Return columns of nodes by hops from the starts, each of limited length, and the count of the rest."""
    neighbours_by_node: dict[NodeId, list[NodeId]] = {}
    for edge in edges:
        neighbours_by_node.setdefault(edge.from_node_id, []).append(edge.to_node_id)
        neighbours_by_node.setdefault(edge.to_node_id, []).append(edge.from_node_id)
    depth_by_node = dict.fromkeys(start_ids, 0)
    node_queue = deque(start_ids)
    while node_queue:
        node = node_queue.popleft()
        for neighbour in neighbours_by_node.get(node, ()):
            if neighbour not in depth_by_node:
                depth_by_node[neighbour] = depth_by_node[node] + 1
                node_queue.append(neighbour)
    # If other nodes lie between starts and ends, the ends go into a column beyond them.
    if depth_by_node.keys() - end_ids - set(start_ids):
        depth_by_node |= {end: MAX_COLUMNS - 1 for end in end_ids if end not in start_ids}
    ordered_nodes = dict.fromkeys(
        [*start_ids, *(end for edge in edges for end in (edge.from_node_id, edge.to_node_id))]
    )
    columns: list[list[NodeId]] = [[] for _ in range(MAX_COLUMNS)]
    left_out_count = 0
    for node in ordered_nodes:
        # Nodes that no start reaches go into the last column.
        column = columns[min(depth_by_node.get(node, MAX_COLUMNS), MAX_COLUMNS - 1)]
        if len(column) < MAX_ROWS:
            column.append(node)
        else:
            left_out_count += 1
    return _NodeColumns([column for column in columns if column], left_out_count)


def _sort_column(
    column: Sequence[NodeId], edges: Sequence[Edge], corner_by_node: Mapping[NodeId, _Corner]
) -> list[NodeId]:
    """Return the column sorted by the mean height of each node's placed neighbours: fewer lines cross."""
    heights_by_node: dict[NodeId, list[float]] = {node: [] for node in column}
    for edge in edges:
        for node_id, neighbour_id in (
            (edge.from_node_id, edge.to_node_id),
            (edge.to_node_id, edge.from_node_id),
        ):
            if node_id in heights_by_node and neighbour_id in corner_by_node:
                heights_by_node[node_id].append(corner_by_node[neighbour_id].y)
    return sorted(
        column,
        key=lambda node: (
            sum(heights_by_node[node]) / len(heights_by_node[node]) if heights_by_node[node] else 1e9
        ),
    )


@dataclass(frozen=True)
class _Canvas:
    """The boxes between which lines are drawn: their upper left corners by node id."""

    corner_by_node: Mapping[NodeId, _Corner]
    node_by_id: Mapping[NodeId, Node]
    contested_edge_ids: frozenset[EdgeId]
    moment: datetime | None
    sheet: Sheet


def _draw_lines(
    edges: Sequence[Edge], column_by_node: Mapping[NodeId, int], canvas: _Canvas
) -> tuple[Line, ...]:
    corner_by_node = canvas.corner_by_node
    edges_by_ends: dict[_JoinedNodes, list[Edge]] = {}
    for edge in edges:
        if (
            edge.from_node_id in corner_by_node
            and edge.to_node_id in corner_by_node
            and edge.from_node_id != edge.to_node_id
        ):
            edges_by_ends.setdefault(_JoinedNodes(edge.from_node_id, edge.to_node_id), []).append(edge)
    # Lines that enter a box from the same side are spread over its height.
    ends_by_right_end: dict[NodeId, list[_JoinedNodes]] = {}
    for ends in edges_by_ends:
        ends_by_right_end.setdefault(_find_right_end(ends, column_by_node), []).append(ends)
    offset_by_ends = {}
    for right_end, ends_of_lines in ends_by_right_end.items():
        # They are a label's height apart if there is room.
        line_distance = max(
            _MIN_LINE_DISTANCE, min(_LINE_DISTANCE, (BOX_HEIGHT - 6) / max(len(ends_of_lines) - 1, 1))
        )
        for line_number, ends in enumerate(
            sorted(ends_of_lines, key=lambda ends: corner_by_node[_get_node_at_other_end(ends, right_end)].y)
        ):
            offset_by_ends[ends] = (line_number - (len(ends_of_lines) - 1) / 2) * line_distance
    drawn_lines = [
        _draw_line(ends, edges_of_line, offset_by_ends[ends], canvas)
        for ends, edges_of_line in edges_by_ends.items()
    ]
    boxes = [Area(x, y, x + canvas.sheet.width, y + BOX_HEIGHT) for x, y in corner_by_node.values()]
    label_spots = place_names(
        [line.label for line, _ in drawn_lines],
        [candidate_spots for _, candidate_spots in drawn_lines],
        boxes,
    )
    return tuple(
        replace(line, spot=label_spot) for (line, _), label_spot in zip(drawn_lines, label_spots, strict=True)
    )


def _find_right_end(ends: _JoinedNodes, column_by_node: Mapping[NodeId, int]) -> NodeId:
    return max(ends, key=lambda node_id: (column_by_node[node_id], node_id == ends.to_id))


def _get_node_at_other_end(ends: _JoinedNodes, end: NodeId) -> NodeId:
    return ends.to_id if ends.from_id == end else ends.from_id


class _DrawnLine(NamedTuple):
    """A line, and the possible positions of its label."""

    line: Line
    label_spots: list[Spot]


def _draw_line(
    ends: _JoinedNodes,
    edges: Sequence[Edge],
    slot_offset: float,
    canvas: _Canvas,
) -> _DrawnLine:
    """Return the line, and the possible positions of its label, best first."""
    start_corner, end_corner = canvas.corner_by_node[ends.from_id], canvas.corner_by_node[ends.to_id]
    is_forward = start_corner.x <= end_corner.x
    left_corner, right_corner = (start_corner, end_corner) if is_forward else (end_corner, start_corner)
    half_height = BOX_HEIGHT / 2
    sheet = canvas.sheet
    if left_corner.x == right_corner.x:
        x, top, bottom = (
            left_corner.x + sheet.width,
            start_corner.y + half_height,
            end_corner.y + half_height,
        )
        path = f"M {x} {top} C {x + _BULGE_DISTANCE} {top}, {x + _BULGE_DISTANCE} {bottom}, {x + 5} {bottom}"
        label_y = (top + bottom) / 2 + 4
        candidate_spots = [Spot(x + 40, label_y + offset, "start") for offset in (0, -14, 14, -28, 28)]
    else:
        x1, y1, x2, y2 = (
            left_corner.x + sheet.width,
            left_corner.y + half_height,
            right_corner.x,
            right_corner.y + half_height + slot_offset,
        )
        x1, x2 = (x1, x2 - 5) if is_forward else (x1 + 5, x2)
        if right_corner.x - left_corner.x > sheet.width + sheet.gap:
            path, candidate_spots = _route_line_past_column((x1, y1, x2, y2), sheet.gap, forward=is_forward)
        else:
            path, candidate_spots = _route_line_between_columns(
                (x1, y1, x2, y2), sheet.gap, forward=is_forward
            )
    relations = list(dict.fromkeys(format_verb_of_edge(edge) for edge in edges))
    from_name, to_name = (canvas.node_by_id[node_id].canonical_name for node_id in ends)
    line = Line(
        edge_id=edges[0].id,
        path=path,
        label=_truncate_label(", ".join(relations), sheet.max_label_letters),
        spot=None,
        title="; ".join(f"{from_name} {relation} {to_name}" for relation in relations),
        state=_get_state_of_edges(edges, canvas.contested_edge_ids, canvas.moment),
    )
    return _DrawnLine(line, candidate_spots)


_Ends = tuple[float, float, float, float]
"""The left and the right end of a line: x, y, x, y."""


class _LineRoute(NamedTuple):
    """The path of a line, and the possible positions of its label."""

    path: str
    label_spots: list[Spot]


def _route_line_past_column(line_ends: _Ends, gap: float, *, forward: bool) -> _LineRoute:
    """Return the path of a line that passes above a column, and the possible positions of its label."""
    x1, y1, x2, y2 = line_ends
    lane_y, half_gap = MARGIN + ROW_HEIGHT / 2, gap / 2
    if forward:
        path = f"M {x1} {y1} C {x1 + half_gap} {y1}, {x1 + half_gap} {lane_y}, {x1 + gap} {lane_y}"
        path += f" L {x2 - gap} {lane_y} C {x2 - half_gap} {lane_y}, {x2 - half_gap} {y2}, {x2} {y2}"
    else:
        path = f"M {x2} {y2} C {x2 - half_gap} {y2}, {x2 - half_gap} {lane_y}, {x2 - gap} {lane_y}"
        path += f" L {x1 + gap} {lane_y} C {x1 + half_gap} {lane_y}, {x1 + half_gap} {y1}, {x1} {y1}"
    centre = (x1 + x2) / 2
    return _LineRoute(
        path, [Spot(centre + offset, lane_y - 5, "middle") for offset in (0, -0.7 * gap, 0.7 * gap)]
    )


def _route_line_between_columns(line_ends: _Ends, gap: float, *, forward: bool) -> _LineRoute:
    """Return the path of a line between adjacent columns; its label may be at either end or along it."""
    x1, y1, x2, y2 = line_ends
    control_distance = gap * 0.45
    path = f"M {x1} {y1} C {x1 + control_distance} {y1}, {x2 - control_distance} {y2}, {x2} {y2}"
    if not forward:
        path = f"M {x2} {y2} C {x2 - control_distance} {y2}, {x1 + control_distance} {y1}, {x1} {y1}"
    candidate_spots = [Spot(x2 - 10, y2 - 4, "end"), Spot(x1 + 14, y1 - 4, "start")]
    for curve_share in (0.5, 0.62, 0.38, 0.74, 0.26):
        other_share = 1 - curve_share
        x = (
            other_share**3 * x1
            + 3 * other_share**2 * curve_share * (x1 + control_distance)
            + 3 * other_share * curve_share**2 * (x2 - control_distance)
            + curve_share**3 * x2
        )
        y = (other_share**3 + 3 * other_share**2 * curve_share) * y1 + (
            3 * other_share * curve_share**2 + curve_share**3
        ) * y2
        candidate_spots += [Spot(x, y - 4, "middle"), Spot(x, y + 12, "middle")]
    return _LineRoute(path, candidate_spots)


def _get_state_of_edges(
    edges: Sequence[Edge], contested_edge_ids: Collection[EdgeId], moment: datetime | None
) -> str:
    """Return the state of a line at a moment; it holds if at least one of its claims holds undisputed."""
    states = {
        "unsupported"
        if edge.evidence is None
        else "contested"
        if edge.id in contested_edge_ids
        else "ended"
        if not edge.holds(moment)
        else "holds"
        for edge in edges
    }
    return next(state for state in ("contested", "holds", "ended", "unsupported") if state in states)


def _truncate_label(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else text[: max_length - 1].rstrip() + "…"
