"""The graph as a small picture for the home of a space, drawn without a script."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fastapi import APIRouter
from fastapi.responses import Response

from app.dashboard.deps import PageSpaceDep, ReadableSpace, Renderer
from app.dashboard.routing import PageRoute
from app.graph.layout import service as graph_view
from app.graph.layout.shapes import SIZE, Circle, DrawnNode, GraphView
from app.http.authentication import DASHBOARD_PATH
from app.ids import NodeId

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/graph", route_class=PageRoute, include_in_schema=False
)

HUE_COUNT = 12
_MAX_NODES, _MAX_LINES, _MAX_LABELS = 600, 500, 7
_MAX_NAME_LENGTH = 24
# For names in bold letters 34 high, as in narrow windows: the width of a letter, the height of a line, a gap.
_LETTER_WIDTH, _LINE_HEIGHT, _LABEL_GAP = 22.0, 46.0, 14.0
# Smaller communities lie around the others, where a small picture has no room.
_MIN_FAR_LABELS, _RIM_WIDTH = 5, 12.0
# The distance by which a node's disc may extend beyond the square.
_DISC_OVERHANG = 40.0
_NO_HUE = "none"


@dataclass(frozen=True)
class Dot:
    """A node or a community as a disc of the picture."""

    x: float
    y: float
    radius: float
    hue: int | str


@dataclass(frozen=True)
class Label:
    """A name beside its node."""

    x: float
    y: float
    text: str
    side: str

    @property
    def width(self) -> float:
        """Its width as home.css renders it, or slightly more."""
        return len(self.text) * _LETTER_WIDTH


Box = tuple[float, float, float, float]
"""Left, top, width and height; of a line, the coordinates of both ends."""


@dataclass
class Preview:
    """The shapes of the picture, in a square of 1000; lines are x1, y1, x2, y2."""

    discs: list[Dot] = field(default_factory=list)
    lines: list[Box] = field(default_factory=list)
    dots: list[Dot] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    nodes: int = 0
    box: Box = (0.0, 0.0, SIZE, SIZE)


@router.get("/preview")
def show_preview(page: Renderer, page_space: PageSpaceDep, space: ReadableSpace) -> Response:
    """Answer the script of the home with the picture, and other requests with a page that contains it."""
    preview = build_preview(graph_view.build_graph_view(space))
    template_name = "explorer/preview.html" if page.is_fragment else "explorer/preview_page.html"
    return page.show(template_name, page_space=page_space, active="graph", preview=preview)


def build_preview(view: GraphView) -> Preview:
    """Return the best known part of a drawing: nodes with claims, or communities."""
    node_count_by_group = Counter(node.group for node in view.nodes if node.group >= 0)
    group_indices_by_size = [group for group, _ in node_count_by_group.most_common()] or list(
        range(len(view.groups))
    )
    hue_by_group = {group: rank % HUE_COUNT for rank, group in enumerate(group_indices_by_size)}
    preview = Preview(nodes=view.nodes_in_space)
    large_circles = [group.circle for group in view.groups if group.members >= _MIN_FAR_LABELS]
    preview.box = _compute_bounding_box(large_circles)
    drawn_nodes = _choose_nodes(view, large_circles, preview.box)
    # The rim would cut discs around the picture in half, and a disc without a dot carries no information.
    empty_groups = node_count_by_group.keys() - {node.group for node in drawn_nodes}
    preview.discs = [
        Dot(group.circle.x, group.circle.y, group.circle.radius, hue_by_group.get(index, _NO_HUE))
        for index, group in enumerate(view.groups)
        if index not in empty_groups and _is_in_box(group.circle, preview.box, group.circle.radius)
    ]
    node_by_id = {node.id: node for node in drawn_nodes}
    max_mentions = max((node.mentions for node in drawn_nodes), default=1)
    preview.dots = [
        Dot(
            node.x,
            node.y,
            round(node.spacing * (0.2 + 0.5 * (node.mentions / max_mentions) ** 0.5), 1),
            hue_by_group.get(node.group, _NO_HUE),
        )
        for node in drawn_nodes
    ]
    preview.lines = _draw_lines(view, node_by_id)
    preview.labels = _choose_labels(drawn_nodes)
    return preview


def _draw_lines(view: GraphView, node_by_id: Mapping[NodeId, DrawnNode]) -> list[Box]:
    """Return lines for the heaviest claims that hold between drawn nodes."""
    node_pairs = [
        (node_by_id.get(claim.from_id), node_by_id.get(claim.to_id))
        for claim in view.claims
        if claim.holds_on(None)
    ]
    segments = [
        (start.x, start.y, end.x, end.y) for start, end in node_pairs if start is not None and end is not None
    ]
    return segments[:_MAX_LINES]


def _compute_bounding_box(circles: Sequence[Circle]) -> Box:
    """Return left, top, width and height of the box around these discs; without discs, of the whole area."""
    if not circles:
        return -_DISC_OVERHANG, -_DISC_OVERHANG, SIZE + 2 * _DISC_OVERHANG, SIZE + 2 * _DISC_OVERHANG
    min_x, min_y = (min(circle[axis] - circle.radius for circle in circles) for axis in (0, 1))
    max_x, max_y = (max(circle[axis] + circle.radius for circle in circles) for axis in (0, 1))
    return (
        min_x - _RIM_WIDTH,
        min_y - _RIM_WIDTH,
        max_x - min_x + 2 * _RIM_WIDTH,
        max_y - min_y + 2 * _RIM_WIDTH,
    )


def _choose_nodes(view: GraphView, large_circles: Sequence[Circle], box: Box) -> list[DrawnNode]:
    """Return the nodes with claims that lie in the large discs, if there are any; else all that lie there.

    Some nodes beside those discs would lie outside of the box, and half of a pair carries no information.
    Where no claim ties the large communities, their nodes are only named together.
    """
    nodes = [
        node
        for node in view.nodes
        if _is_in_box((node.x, node.y), box, _RIM_WIDTH)
        and (not large_circles or any(_is_in_circle(node, circle) for circle in large_circles))
    ]
    return ([node for node in nodes if node.degree] or nodes)[:_MAX_NODES]


def _is_in_circle(node: DrawnNode, circle: Circle) -> bool:
    return (node.x - circle.x) ** 2 + (node.y - circle.y) ** 2 <= circle.radius**2


def _is_in_box(point: Sequence[float], box: Box, radius: float) -> bool:
    """Return whether a disc at this point lies completely in the box."""
    box_x, box_y, width, height = box
    x, y = point[0], point[1]
    return box_x + radius <= x <= box_x + width - radius and box_y + radius <= y <= box_y + height - radius


def _choose_labels(nodes: list[DrawnNode]) -> list[Label]:
    """Return labels for the most mentioned nodes, one of each community, that do not overlap."""
    labels: list[Label] = []
    labelled_groups: set[int] = set()
    for node in nodes:
        if node.group in labelled_groups or len(node.name) > _MAX_NAME_LENGTH or len(labels) == _MAX_LABELS:
            continue
        text_anchor = "end" if node.x > SIZE * 0.62 else "start"
        label = Label(node.x + (-16 if text_anchor == "end" else 16), node.y + 9, node.name, text_anchor)
        if any(_labels_overlap(label, placed_label) for placed_label in labels):
            continue
        labelled_groups.add(node.group)
        labels.append(label)
    return labels


def _labels_overlap(other_label: Label, label: Label) -> bool:
    """Return whether the labels would overlap, by an upper estimate of the mean width of their letters."""
    (first_left, first_right), (second_left, second_right) = (
        (caption.x - caption.width, caption.x)
        if caption.side == "end"
        else (caption.x, caption.x + caption.width)
        for caption in (other_label, label)
    )
    return (
        abs(other_label.y - label.y) < _LINE_HEIGHT
        and first_left < second_right + _LABEL_GAP
        and second_left < first_right + _LABEL_GAP
    )
