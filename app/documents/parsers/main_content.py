"""Find the parts of a web page that are not its content: navigation, banners, footers, lists of other pages.

Pure: no names of classes and no words are read. Three signs are, in this order:

1. Landmarks: the elements and roles by which a page itself names its navigation, dialogs and footers.
2. Prose: the smallest element that holds nearly all of the page's sentences is its main part. What lies
   beside it is left out if it holds hardly any text that is not a link.
3. Links: a block of links alone beside the main part leads to other pages.

Within the main part a list of links may be a list of people. There it is left out only above the title or
all text, below all prose if nothing introduces it, or if its links are as long as headlines and it is no
neighbour of prose.

Each sign is ignored where it would take much of the page. Measured on public sets of saved pages with their
main text, in docs/decisions/0161-main-text-of-web-pages.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.documents.parsers.page_tree import BLOCK_TAGS, HEADING_TAGS
from app.domain.scoring.stop_words import split_into_word_set

_LANDMARK_TAGS = split_into_word_set("dialog nav search")
_LANDMARK_ROLES = split_into_word_set("alertdialog dialog menu menubar navigation search tablist toolbar")
# Also parts of an article, where they belong to its content.
_OUTER_TAGS = split_into_word_set("aside footer header")
_OUTER_ROLES = split_into_word_set("banner complementary contentinfo")
_CONTENT_TAGS = split_into_word_set("article main")
_CONTENT_ROLES = split_into_word_set("article main")
_MAIN_TAGS = split_into_word_set("main")
_FORM_NAMES = split_into_word_set("form")
_ROLES = _LANDMARK_ROLES | _OUTER_ROLES | _CONTENT_ROLES | _FORM_NAMES
_MEASURED_TAGS = BLOCK_TAGS | HEADING_TAGS | split_into_word_set("button head search td th")
# A heading or a term may be a button that opens its text.
_TAGS_HOLDING_BUTTONS = HEADING_TAGS | split_into_word_set("dt summary")

_LINE_TAGS = HEADING_TAGS | split_into_word_set("blockquote caption dd dt figcaption li p pre summary")
"""Blocks that are part of a text, and never the whole of it."""
_MIN_PROSE_LENGTH = 60
"""A line with so many characters outside of links is prose."""
_MAX_LANDMARK_SHARE = 0.5
"""A landmark with more of the page's prose is no landmark: some pages wrap everything in one."""
_MIN_MAIN_SHARE, _MIN_REGION_SHARE = 0.7, 0.9
"""The share of the prose that the element <main>, or any other, must hold to be the main part."""
_MAX_OUTSIDE_SHARE = 0.05
"""Beside the main part an element is left out if it holds at most this share of prose and of text."""
_MIN_CONTENT_SHARE = 0.25
"""If the main part holds a smaller share of the text than this, the links are what the page is about."""
_MAX_BLOCKS = 100_000
"""A page with more of them is read whole: it is a document, or is meant to take long."""
_MIN_LINK_SHARE, _MIN_LINKS = 0.7, 2
"""A block with so many links, and so much of its text in them, holds links alone."""
_MIN_HEADLINE_LENGTH = 30
"""Links of so many characters on average are headlines of other pages; names of people are shorter."""
_MAX_LINK_LIST_SHARE = 0.5
"""If the lists of links within the main part are more of its text than this, they are what it is about."""
_MAX_FORM_SHARE = 0.25
"""A form with at most this share of the prose and of the text is a control; some pages wrap all in one."""


@dataclass(slots=True)
class _Measure:
    """Numbers of characters, and of links."""

    text_length: int = 0
    linked_length: int = 0
    prose_length: int = 0
    link_count: int = 0

    @property
    def unlinked_length(self) -> int:
        """The number of characters outside of links."""
        return self.text_length - self.linked_length

    def add(self, other: "_Measure") -> None:
        """Add another measure to this one."""
        self.text_length += other.text_length
        self.linked_length += other.linked_length
        self.prose_length += other.prose_length
        self.link_count += other.link_count


@dataclass(slots=True, eq=False)
class _Block:
    """An element that begins a line of its own."""

    index: int
    tag: str
    role: str
    node_id: int
    parent: "_Block | None" = None
    in_content: bool = False
    in_table: bool = False
    in_heading: bool = False
    children: list["_Block"] = field(default_factory=list)
    end: int = 0
    """The index after that of the last block in it."""
    own_measure: _Measure = field(default_factory=_Measure)
    """What is in it and in no block within it."""
    total_measure: _Measure = field(default_factory=_Measure)
    """What is in it and in the blocks within it that are not dropped."""
    has_title: bool = False
    has_heading: bool = False
    is_dropped: bool = False


def find_ids_of_nodes_beside_content(tree: LexborHTMLParser, hidden_nodes: frozenset[int]) -> frozenset[int]:
    """Return the memory ids of the outermost nodes that are not content; empty if nothing else would remain.

    `hidden_nodes` are not looked at.
    """
    blocks = _measure_blocks(tree, hidden_nodes)
    if not blocks or len(blocks) > _MAX_BLOCKS:
        return frozenset()
    page = blocks[0]
    _set_total_measures_of_blocks(blocks)
    _drop_landmarks(blocks)
    _set_total_measures_of_blocks(blocks)
    if not page.total_measure.text_length:
        return frozenset()
    region = page
    if page.total_measure.prose_length:
        region = _find_main_block(blocks)
        if region.total_measure.text_length >= _MIN_CONTENT_SHARE * page.total_measure.text_length:
            sections = _find_indexes_of_sections_below(blocks, region)
            _drop_blocks_beside_main_part(region, page, sections)
            _drop_nested_blocks_and_outer_link_lists(blocks, region, sections)
    _drop_link_lists_within_main_part(blocks, region)
    return frozenset(
        block.node_id
        for block in blocks
        if block.is_dropped and block.parent is not None and not block.parent.is_dropped
    )


class _BlockReader:
    """Walks the tree without recursion, because a hostile page may be nested deeper than Python's stack."""

    def __init__(self, hidden_nodes: frozenset[int]) -> None:
        self.blocks: list[_Block] = []
        self._hidden_nodes = hidden_nodes
        self._open_block: _Block | None = None
        self._link_depth = 0
        self._line_length = 0

    def read(self, root: LexborNode) -> None:
        """Read the element and everything in it into `blocks`."""
        node: LexborNode | None = root
        open_nodes: list[tuple[LexborNode, bool]] = []
        while node is not None and len(self.blocks) <= _MAX_BLOCKS:
            is_read = node.tag == "-text" or node.mem_id not in self._hidden_nodes
            is_block = is_read and self._open_node(node)
            child = node.first_child if is_read else None
            if child is not None:
                open_nodes.append((node, is_block))
                node = child
                continue
            self._close_node(node, is_block)
            while node.next is None and open_nodes:
                node, is_block = open_nodes.pop()
                self._close_node(node, is_block)
            node = node.next if open_nodes else None

    def _open_node(self, node: LexborNode) -> bool:
        """Read the node without its children, and return whether it is a block."""
        tag = node.tag or ""
        if tag == "-text":
            self._measure_text(" ".join((node.text_content or "").split()))
        elif tag == "a":
            self._link_depth += 1
            if self._open_block is not None:
                self._open_block.own_measure.link_count += 1
        elif tag == "br":
            self._end_line()
        elif tag in _MEASURED_TAGS or self._open_block is None or _get_role(node) in _ROLES:
            self._begin_block(node)
            return True
        return False

    def _close_node(self, node: LexborNode, is_block: bool) -> None:
        if is_block:
            self._close_innermost_block()
        elif node.tag == "a" and node.mem_id not in self._hidden_nodes:
            self._link_depth -= 1

    def _begin_block(self, node: LexborNode) -> None:
        self._end_line()
        parent = self._open_block
        block = _Block(len(self.blocks), node.tag or "", _get_role(node), node.mem_id, parent)
        block.has_title = block.tag == "h1"
        block.has_heading = block.tag in HEADING_TAGS
        if parent is not None:
            block.in_content = parent.in_content or _has_tag_or_role(parent, _CONTENT_TAGS, _CONTENT_ROLES)
            block.in_table = parent.in_table or parent.tag == "table"
            block.in_heading = parent.in_heading or parent.tag in _TAGS_HOLDING_BUTTONS
            parent.children.append(block)
        self.blocks.append(block)
        self._open_block = block

    def _measure_text(self, text: str) -> None:
        if self._open_block is None or not text:
            return
        length = len(text)
        self._open_block.own_measure.text_length += length
        if self._link_depth:
            self._open_block.own_measure.linked_length += length
        else:
            self._line_length += length

    def _end_line(self) -> None:
        if self._open_block is not None and self._line_length >= _MIN_PROSE_LENGTH:
            self._open_block.own_measure.prose_length += self._line_length
        self._line_length = 0

    def _close_innermost_block(self) -> None:
        self._end_line()
        block = self._open_block
        if block is None:
            return
        block.end = len(self.blocks)
        self._open_block = block.parent
        if block.parent is not None:
            block.parent.has_title |= block.has_title
            block.parent.has_heading |= block.has_heading


def _get_role(node: LexborNode) -> str:
    return (node.attributes.get("role") or "").strip().lower()


def _has_tag_or_role(block: _Block, tags: frozenset[str], roles: frozenset[str]) -> bool:
    return block.tag in tags or block.role in roles


def _measure_blocks(tree: LexborHTMLParser, hidden_nodes: frozenset[int]) -> list[_Block]:
    reader = _BlockReader(hidden_nodes)
    if tree.root is not None:
        reader.read(tree.root)
    return reader.blocks


def _set_total_measures_of_blocks(blocks: Sequence[_Block]) -> None:
    """Set what each block holds as a whole, without what is dropped within it."""
    for block in blocks:
        own_measure = block.own_measure
        block.total_measure = _Measure(
            own_measure.text_length,
            own_measure.linked_length,
            own_measure.prose_length,
            own_measure.link_count,
        )
    for block in reversed(blocks):
        if block.parent is not None and not block.is_dropped:
            block.parent.total_measure.add(block.total_measure)


def _drop_landmarks(blocks: Sequence[_Block]) -> None:
    page_measure = blocks[0].total_measure
    max_prose_length = _MAX_LANDMARK_SHARE * page_measure.prose_length
    for block in blocks[1:]:
        parent = block.parent
        if parent is not None and parent.is_dropped:
            block.is_dropped = True
        elif block.tag == "button":
            # Within a line of text a button may be one of its words.
            has_line = parent is not None and parent.own_measure.unlinked_length > 0
            block.is_dropped = not (block.total_measure.prose_length or block.in_heading or has_line)
        elif _has_tag_or_role(block, _LANDMARK_TAGS, _LANDMARK_ROLES) or (
            not block.in_content and _has_tag_or_role(block, _OUTER_TAGS, _OUTER_ROLES)
        ):
            block.is_dropped = block.total_measure.prose_length <= max_prose_length and not block.has_title
        elif _has_tag_or_role(block, _FORM_NAMES, _FORM_NAMES):
            is_large = (
                block.total_measure.prose_length > _MAX_FORM_SHARE * page_measure.prose_length
                or block.total_measure.unlinked_length > _MAX_FORM_SHARE * page_measure.unlinked_length
            )
            block.is_dropped = not is_large and not block.has_title


def _find_main_block(blocks: Sequence[_Block]) -> _Block:
    """Return the smallest block with nearly all of the prose, or within <main> if that holds the prose."""
    page_prose_length = blocks[0].total_measure.prose_length
    region = blocks[0]
    for block in blocks:
        if (
            _has_tag_or_role(block, _MAIN_TAGS, _MAIN_TAGS)
            and not block.is_dropped
            and block.total_measure.prose_length >= _MIN_MAIN_SHARE * page_prose_length
        ):
            region = block
            break
    inner_block: _Block | None = region
    while inner_block is not None:
        region = inner_block
        inner_block = next(
            (
                child
                for child in region.children
                if not child.is_dropped
                and child.tag not in _LINE_TAGS
                and child.total_measure.prose_length >= _MIN_REGION_SHARE * page_prose_length
            ),
            None,
        )
    return region


def _find_indexes_of_sections_below(blocks: Sequence[_Block], region: _Block) -> frozenset[int]:
    """Return the indexes of the blocks of sections below the main part: a heading of the second level, where
    the main part has that of the first, and links as short as names.
    """
    if not region.has_title:
        return frozenset()
    section_by_index = {
        heading.parent.index: heading.parent
        for heading in blocks[region.end :]
        if heading.tag == "h2" and heading.parent is not None and heading.parent.index > region.index
    }
    section_indexes: set[int] = set()
    last_section_end = 0
    for _, section in sorted(section_by_index.items()):
        if section.index < last_section_end or not _is_list_of_links(section) or _has_headlines(section):
            continue
        last_section_end = section.end
        section_indexes.update(range(section.index, last_section_end))
        ancestor = section.parent
        while ancestor is not None and ancestor.index not in section_indexes:
            section_indexes.add(ancestor.index)
            ancestor = ancestor.parent
    return frozenset(section_indexes)


def _drop_blocks_beside_main_part(region: _Block, page: _Block, sections: frozenset[int]) -> None:
    max_prose_length = _MAX_OUTSIDE_SHARE * page.total_measure.prose_length
    max_unlinked_length = _MAX_OUTSIDE_SHARE * page.total_measure.unlinked_length
    block = region
    while block.parent is not None:
        for sibling in block.parent.children:
            if (
                sibling is not block
                and not sibling.has_title
                and sibling.index not in sections
                and sibling.total_measure.prose_length <= max_prose_length
                and sibling.total_measure.unlinked_length <= max_unlinked_length
            ):
                sibling.is_dropped = True
        block = block.parent


def _drop_nested_blocks_and_outer_link_lists(
    blocks: Sequence[_Block], region: _Block, sections: frozenset[int]
) -> None:
    """Drop what is in dropped blocks, and the lists of links beside the main part."""
    for block in blocks[1:]:
        is_inside_dropped = block.parent is not None and block.parent.is_dropped
        is_around_region = block.index < region.index < block.end
        is_in_region = region.index <= block.index < region.end
        if is_inside_dropped or (
            not is_in_region
            and not is_around_region
            and block.index not in sections
            and _is_list_of_links(block)
        ):
            block.is_dropped = True


def _drop_link_lists_within_main_part(blocks: Sequence[_Block], region: _Block) -> None:
    """Drop the lists of links within the main part that lead to other pages, unless it is about them."""
    link_lists = _MainPart(blocks, region).find_link_lists()
    if (
        sum(block.total_measure.text_length for block in link_lists)
        <= _MAX_LINK_LIST_SHARE * region.total_measure.text_length
    ):
        for block in link_lists:
            block.is_dropped = True


class _MainPart:
    """Reads the main part from top to bottom for lists of links that are no part of its text."""

    def __init__(self, blocks: Sequence[_Block], region: _Block) -> None:
        self._region = region
        self._blocks = [block for block in blocks[region.index + 1 : region.end] if not block.is_dropped]
        prose_blocks = [block for block in self._blocks if block.own_measure.prose_length]
        self._last_prose_index = prose_blocks[-1].index if prose_blocks else None
        self._prose_parent_indexes = {
            block.parent.index for block in prose_blocks if block.parent is not None
        }
        self._title_index = next((block.index for block in self._blocks if block.tag == "h1"), None)
        self._unlinked_length_above = 0
        self._has_heading_above = False
        self._line_above: _Block | None = None

    def find_link_lists(self) -> list[_Block]:
        """Return the outermost blocks that hold links to other pages alone."""
        link_lists: list[_Block] = []
        last_list_end = 0
        for block in self._blocks:
            if block.index < last_list_end:
                continue
            if _is_list_of_links(block) and self._leads_elsewhere(block):
                link_lists.append(block)
                last_list_end = block.end
                continue
            self._unlinked_length_above += block.own_measure.unlinked_length
            self._has_heading_above |= block.tag in HEADING_TAGS
            if block.own_measure.text_length:
                self._line_above = block
        return link_lists

    def _leads_elsewhere(self, block: _Block) -> bool:
        if not block.has_heading and self._is_block_above_title_or_text(block):
            return True
        if self._last_prose_index is None:
            return False
        if self._is_next_to_prose(block):
            return self._is_block_last_line_of_links(block)
        if self._has_paragraph_above(block):
            return False
        return _has_headlines(block) or (
            block.index > self._last_prose_index and not block.has_heading and not self._is_introduced()
        )

    def _is_block_above_title_or_text(self, block: _Block) -> bool:
        """Return whether the block is above the title, or above all other text."""
        if self._title_index is not None:
            return block.end <= self._title_index
        return (
            self._last_prose_index is not None
            and self._unlinked_length_above < _MIN_PROSE_LENGTH
            and not self._has_heading_above
            and (block.parent is self._region or not self._is_next_to_prose(block))
        )

    def _is_block_last_line_of_links(self, block: _Block) -> bool:
        """Return whether the block is a line of links that ends the page, in no element that is for text."""
        return (
            block.tag == "div"
            and block.own_measure.link_count >= _MIN_LINKS
            and not self._is_introduced()
            and block.end == self._region.end
        )

    def _is_next_to_prose(self, block: _Block) -> bool:
        return block.parent is not None and block.parent.index in self._prose_parent_indexes

    def _has_paragraph_above(self, block: _Block) -> bool:
        """Return whether the line above is a paragraph of the same element."""
        line_block = self._line_above
        return (
            line_block is not None
            and line_block.tag == "p"
            and line_block.parent is block.parent
            and line_block.own_measure.unlinked_length > 0
        )

    def _is_introduced(self) -> bool:
        line_block = self._line_above
        return line_block is not None and (line_block.tag in HEADING_TAGS or line_block.in_heading)


def _is_list_of_links(block: _Block) -> bool:
    measure = block.total_measure
    return (
        measure.link_count >= _MIN_LINKS
        and measure.linked_length >= _MIN_LINK_SHARE * measure.text_length
        and not measure.prose_length
        and not block.in_table
        and block.tag != "table"
    )


def _has_headlines(block: _Block) -> bool:
    return block.total_measure.linked_length >= _MIN_HEADLINE_LENGTH * block.total_measure.link_count
