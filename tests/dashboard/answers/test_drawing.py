"""The drawing of a part of the graph: columns by hops, nothing twice, nothing on top of another."""

from datetime import UTC, datetime
from itertools import combinations
from uuid import uuid4

import pytest

from app.dashboard.answers.drawing import (
    BOX_HEIGHT,
    MAX_ROWS,
    NARROW_SHEET,
    WIDE_SHEET,
    Drawing,
    Sheet,
    draw_graph,
    draw_graph_for_wide_and_narrow_windows,
)
from app.dashboard.answers.labels import Area, measure_area
from app.graph.shapes import Edge, Evidence, Node
from app.ids import ChunkId, DocumentId, EdgeId, NodeId

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def node(name: str) -> Node:
    return Node(NodeId(uuid4()), name, "Thing", 1, 1, 1, 0.9, False, "rules", NOW, NOW)


def edge(source: Node, target: Node, relation: str = "uses", *, ended: bool = False) -> Edge:
    evidence = Evidence(ChunkId(uuid4()), DocumentId(uuid4()), "Title", "quote", 0, 5)
    return Edge(
        EdgeId(uuid4()),
        source.id,
        target.id,
        relation,
        1.0,
        0.9,
        "active",
        evidence,
        invalidated_at=NOW if ended else None,
    )


def test_nothing_to_draw() -> None:
    assert draw_graph([node("a")], [], []) is None


def test_columns_follow_the_hops() -> None:
    a, b, c = node("a"), node("b"), node("c")
    drawn = draw_graph([a, b, c], [edge(a, b), edge(c, b)], [a.id])
    assert drawn is not None
    x = {box.name: box.x for box in drawn.boxes}
    assert x["b"] - x["a"] == x["c"] - x["b"] == WIDE_SHEET.width + WIDE_SHEET.gap
    assert [box.name for box in drawn.boxes if box.is_anchor] == ["a"]


def test_ends_stand_beyond_what_is_between() -> None:
    a, b, c = node("a"), node("b"), node("c")
    drawn = draw_graph([a, b, c], [edge(a, c), edge(a, b), edge(b, c)], [a.id], end_ids=[c.id])
    assert drawn is not None
    x = {box.name: box.x for box in drawn.boxes}
    assert x["a"] < x["b"] < x["c"]
    y = {box.name: box.y for box in drawn.boxes}
    # The direct line passes above what stands between.
    assert y["b"] > min(line.spot.y for line in drawn.lines if line.spot)


def test_parallel_edges_are_one_line_with_all_their_relations() -> None:
    a, b = node("a"), node("b")
    drawn = draw_graph([a, b], [edge(a, b, "uses"), edge(a, b, "owns"), edge(a, b, "uses")], [a.id])
    assert drawn is not None
    (line,) = drawn.lines
    assert line.label == "uses, owns"


def test_how_a_claim_stands_is_drawn() -> None:
    a, b, c = node("a"), node("b"), node("c")
    gone, disputed = edge(a, b, ended=True), edge(a, c)
    drawn = draw_graph([a, b, c], [gone, disputed], [a.id], contested_ids=[disputed.id])
    assert drawn is not None
    assert {line.edge_id: line.state for line in drawn.lines} == {gone.id: "ended", disputed.id: "contested"}


def test_boxes_never_overlap_and_what_has_no_place_is_counted() -> None:
    hub = node("hub")
    leaves = [node(f"leaf {number} " * 20) for number in range(30)]
    drawn = draw_graph([hub, *leaves], [edge(hub, leaf) for leaf in leaves], [hub.id])
    assert drawn is not None
    assert len(drawn.boxes) == 1 + MAX_ROWS
    assert drawn.left_out == 30 - MAX_ROWS
    for one, other in combinations(drawn.boxes, 2):
        assert abs(one.x - other.x) >= WIDE_SHEET.width or abs(one.y - other.y) >= BOX_HEIGHT
    assert all(0 <= box.y <= drawn.height - BOX_HEIGHT for box in drawn.boxes)


def areas_of(drawn: Drawing) -> list[Area]:
    """The room of every label and of every box."""
    labels = [measure_area(line.label, line.spot) for line in drawn.lines if line.spot is not None]
    return labels + [Area(box.x, box.y, box.x + drawn.sheet.width, box.y + BOX_HEIGHT) for box in drawn.boxes]


def assert_nothing_meets(drawn: Drawing) -> None:
    for one, other in combinations(areas_of(drawn), 2):
        assert not one.overlaps(other), (one, other)


def test_labels_of_parallel_relations_do_not_touch() -> None:
    """Both ways between two nodes, and past a third: the labels stood on one another before."""
    a, b, c = node("PostGIS"), node("TimescaleDB"), node("PostgreSQL")
    edges = [
        edge(b, a, "integrates_with"),
        edge(b, c, "depends_on"),
        edge(b, c, "part_of"),
        edge(c, b, "integrates_with"),
        edge(a, c, "depends_on"),
        edge(c, a, "is_superseded_by"),
    ]
    drawn = draw_graph([a, b, c], edges, [a.id], end_ids=[c.id])
    assert drawn is not None
    assert_nothing_meets(drawn)
    assert all(line.spot is not None for line in drawn.lines)


@pytest.mark.parametrize("sheet", [WIDE_SHEET, NARROW_SHEET], ids=lambda sheet: str(sheet.name))
def test_labels_of_a_crowd_do_not_touch_and_most_have_room(sheet: Sheet) -> None:
    left, right = (
        [node(f"left {number}") for number in range(8)],
        [node(f"right {number}") for number in range(8)],
    )
    start = node("start")
    edges = [edge(start, node_id, "names") for node_id in left]
    edges += [edge(one, other, "depends_on") for one in left for other in right[:3]]
    drawn = draw_graph([start, *left, *right], edges, [start.id], sheet=sheet)
    assert drawn is not None
    assert_nothing_meets(drawn)
    assert sum(line.spot is not None for line in drawn.lines) > len(drawn.lines) / 2


def test_in_a_narrow_window_every_column_begins_above() -> None:
    start, middle = node("start"), node("middle")
    ends = [node(f"end {number}") for number in range(6)]
    edges = [edge(start, middle), *(edge(middle, end) for end in ends)]
    drawn = draw_graph([start, middle, *ends], edges, [start.id], sheet=NARROW_SHEET)
    assert drawn is not None
    highest = {box.x: box.y for box in sorted(drawn.boxes, key=lambda box: -box.y)}
    assert len(highest) == 3
    assert len(set(highest.values())) == 1


def test_two_columns_fit_into_the_window_of_a_telephone() -> None:
    """390 pixels less the rims of the page and of the figure; a claim within the last column stands aside."""
    a, b, c = node("a"), node("b"), node("c")
    wide, narrow = draw_graph_for_wide_and_narrow_windows([a, b], [edge(a, b, "integrates_with")], [a.id])
    assert narrow.width <= 340 < wide.width
    aside = draw_graph([a, b, c], [edge(a, b), edge(a, c), edge(b, c)], [a.id], sheet=NARROW_SHEET)
    assert aside is not None
    assert aside.width > narrow.width
    assert all(area.right <= aside.width for area in areas_of(aside))
