"""The map of communities: the positions of blocks, parts and labels. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.dashboard.insight.treemap import Rect, compute_treemap_rectangles
from app.derived.communities.shapes import Block, Community

HUE_COUNT = 8
HEADING_HEIGHT = 24.0
_BORDER_WIDTH, _GAP = 3.0, 1.0
_LINE_HEIGHT, _TWO_LINES_HEIGHT, _CHARACTER_WIDTH, _DIGIT_WIDTH, _MARGIN = 18.0, 44.0, 7.6, 7.0, 16.0
_MIN_LABEL_CHARACTERS = 8
"""The least number of characters of a truncated name that is worth showing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A rectangle with its community; None for the small communities that are not drawn."""

    rect: Rect
    community: Community | None
    members: int

    @property
    def label(self) -> str:
        """The name in the rectangle; empty if too little of it would fit."""
        name = self.community.title if self.community else "others"
        label_fits = (
            self.rect.width - 12 >= _CHARACTER_WIDTH * min(len(name), _MIN_LABEL_CHARACTERS)
            and self.rect.height >= _LINE_HEIGHT
        )
        return name if label_fits else ""

    @property
    def shows_count(self) -> bool:
        """Return whether there is room for the number of its nodes, below the name or instead of it."""
        min_height = _TWO_LINES_HEIGHT if self.label else _LINE_HEIGHT
        return self.rect.height >= min_height and self.rect.width >= _MARGIN + _DIGIT_WIDTH * len(
            f"{self.members:,}"
        )


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A community with its parts; `hue` is one of `HUE_COUNT` colours, by its index in the list."""

    cell: Cell
    parts: tuple[Cell, ...]
    hue: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The map at one size."""

    name: str
    width: int
    height: int
    blocks: tuple[DrawnBlock, ...]


def draw_community_map(name: str, blocks: Sequence[Block], *, width: int, height: int) -> Picture:
    """Draw the map of these communities, which are sorted by descending size."""
    populated_blocks = [block for block in blocks if block.community.member_count > 0]
    rects = compute_treemap_rectangles(
        [block.community.member_count for block in populated_blocks], Rect(0, 0, width, height)
    )
    drawn_blocks = (
        _draw_block(block, rect.inset(_GAP), block_number % HUE_COUNT)
        for block_number, (block, rect) in enumerate(zip(populated_blocks, rects, strict=True))
    )
    return Picture(name, width, height, tuple(drawn_blocks))


def _draw_block(block: Block, rect: Rect, hue: int) -> DrawnBlock:
    community = block.community
    has_room = rect.width >= 60 and rect.height >= 2 * HEADING_HEIGHT
    cell = Cell(rect, community, community.member_count)
    if not block.parts or not has_room:
        return DrawnBlock(cell, (), hue)
    inner_rect = rect.inset(_BORDER_WIDTH, heading_height=HEADING_HEIGHT - _BORDER_WIDTH)
    member_counts = [subcommunity.member_count for subcommunity in block.parts]
    other_member_count = community.member_count - sum(member_counts)
    sized_subcommunities: list[tuple[Community | None, int]] = list(
        zip(block.parts, member_counts, strict=True)
    )
    if other_member_count > 0:
        # Sorted by size they might come first if they are many; placed last, they fill the remaining area.
        sized_subcommunities.append((None, other_member_count))
    sized_subcommunities = [(subcommunity, size) for subcommunity, size in sized_subcommunities if size > 0]
    cells = []
    for (subcommunity, size), cell_rect in zip(
        sized_subcommunities,
        compute_treemap_rectangles([size for _, size in sized_subcommunities], inner_rect),
        strict=True,
    ):
        cell_rect = cell_rect.inset(_GAP)
        cells.append(Cell(cell_rect, subcommunity, size))
    return DrawnBlock(cell, tuple(cells), hue)
