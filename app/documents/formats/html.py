"""HTML: its visible text, block by block."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.drawings import MATHML_MARKS, MAX_FORMULA_DEPTH, extract_alternative_text
from app.documents.parsers.emphasis import END_STRONG, STRONG, strip_marks_and_break_after_run_in_headings
from app.documents.parsers.file_format import FileContent, TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.main_content import find_ids_of_nodes_beside_content
from app.documents.parsers.page_tree import BLOCK_TAGS, build_page_tree
from app.documents.parsers.table_lines import format_row, format_table_as_lines, join_cell
from app.documents.sentences import are_lines_labels_with_values
from app.documents.shapes import ParsedDocument

_PAGE_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\b[^>]{0,200}>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_INVISIBLE_TAGS = [
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "iframe",
    "object",
    "head",
    "select",
    "annotation",
    "annotation-xml",
    # Of ruby annotations only the base text is read.
    "rp",
    "rt",
]


_LEVEL_BY_HEADING_TAG = {f"h{level}": level for level in range(1, 7)}
_CELL_TAGS = frozenset({"td", "th"})
# Row groups: no cell spans from one into the next.
_ROW_GROUP_TAGS = frozenset({"tbody", "tfoot", "thead"})
_MAX_ROW_SPAN = 65_534
_LIST_TAGS = frozenset({"ul", "ol", "li", "dl", "dt", "dd"})
# A paragraph inside a table cell stays on the line of its row.
_CELL_BLOCK_TAGS = frozenset({"p", "div"})
# Blocks that the lines "Owner: Ann Lee" of a description list cannot hold.
_TAGS_NOT_IN_FIELDS = frozenset({"blockquote", "dl", "li", "pre", "table"})
# Stands for <br> while white space is collapsed; no text contains NUL at this point.
_BREAK_MARK = "\x00\n"
# Marks the beginning of a list item in a cell.
_ITEM_MARK = "\x00-"
# Marks the beginning of a value of a term in a cell.
_VALUE_MARK = "\x00:"
_MARKS_IN_CELL = {"li": _ITEM_MARK, "dt": _ITEM_MARK, "dd": _VALUE_MARK}
# Limits of columns per cell, and of characters per page that cells spanning rows may repeat, so that a few
# bytes cannot become megabytes. Beyond them no cell is repeated.
_MAX_COLUMNS_OF_CELL = 20
_MAX_REPEATED_CHARACTERS = 200_000
_MAYBE_HIDDEN_SELECTOR = '[hidden], [style*="none" i], [style*="visibility" i]'
_DISPLAY_NONE_STYLE = re.compile(r"(?<![-\w])display\s*:\s*none\b", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"(?<![-\w])visibility\s*:\s*(?:hidden|collapse)\b", re.IGNORECASE)
# A descendant of an invisible element may be visible again.
_VISIBLE_STYLE_SELECTOR = '[style*="visible" i]'
_STRONG_TAGS = frozenset({"b", "strong"})


class Html(TextFormat):
    """A web page."""

    name = "html"
    label = "HTML"
    description = (
        "The visible main text, without navigation, banners and footers: a paragraph a block, headings as"
        " sections, a table's rows as lines; citations name the section."
    )
    extensions = ("html", "htm", "xhtml")
    media_types = ("text/html", "application/xhtml+xml")

    def recognizes(self, content: FileContent) -> bool:
        """Return whether undeclared bytes begin like a web page, as tables named .xls may."""
        return content.declared_format is None and _PAGE_START.match(content.raw[:1_024]) is not None

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the visible text."""
        return parse_html(file_bytes)


def parse_html(file_bytes: bytes) -> ParsedDocument:
    """Return the visible text: a paragraph per block element, headings as sections, table rows as lines."""
    tree = build_page_tree(decode_with_detected_encoding(file_bytes, is_markup=True))
    title_node = tree.css_first("title")
    title = title_node.text() if title_node is not None else ""
    reader = _PageReader(Assembly(sections_are_places=True), leaves_out_boilerplate=True)
    # Each frame of a frameset shows a page of its own.
    frame_count = len(tree.css("frame[src]"))
    reader.read(tree)
    reader.assembly.note_unread_objects("frame", frame_count)
    return reader.assembly.build(title=title.strip() or reader.assembly.first_heading)


def add_visible_text_of_page(assembly: Assembly, page: LexborHTMLParser) -> None:
    """Add the visible text of the page."""
    _PageReader(assembly).read(page)


def extract_visible_text(fragment: str, *, marks_quotes: bool = False) -> str:
    """Return the visible text of a piece of HTML; "" if there is none.

    With `marks_quotes` the lines of a block quotation begin with ">", as in a mail in plain text.
    """
    reader = _PageReader(marks_quotes=marks_quotes)
    reader.read(build_page_tree(fragment))
    return "\n\n".join(reader.blocks)


def _find_ids_of_hidden_nodes(tree: LexborHTMLParser) -> frozenset[int]:
    """Return the memory ids of nodes whose content a browser does not show."""
    is_shown_again = tree.css_first(_VISIBLE_STYLE_SELECTOR) is not None
    return frozenset(
        node.mem_id
        for node in tree.css(_MAYBE_HIDDEN_SELECTOR)
        if _is_not_displayed(node.attributes)
        or (not is_shown_again and _has_hidden_visibility(node.attributes))
    )


def _has_hidden_visibility(attributes: Mapping[str, str | None]) -> bool:
    return _HIDDEN_STYLE.search(attributes.get("style") or "") is not None


def _is_not_displayed(attributes: Mapping[str, str | None]) -> bool:
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    return _DISPLAY_NONE_STYLE.search(attributes.get("style") or "") is not None


def _format_formula(node: LexborNode, depth: int = 0) -> str:
    """Return the formula on one line: "a/b", "x^2"."""
    if depth > MAX_FORMULA_DEPTH:
        return node.text()
    formula_parts = []
    child = node.first_child
    while child is not None:
        is_text = child.tag == "-text"
        formula_parts.append(
            "".join((child.text_content or "").split()) if is_text else _format_formula(child, depth + 1)
        )
        child = child.next
    return MATHML_MARKS.get(node.tag or "", "").join(filter(None, formula_parts))


def _parse_cell_span(attribute_text: str | None) -> int | None:
    """Parse a span attribute; None if it is not a number."""
    digits = (attribute_text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None


@dataclass
class _Table:
    """The columns occupied by cells of earlier rows: their text, and the number of further rows."""

    spanning_cells: dict[int, tuple[str, int]] = field(default_factory=dict)


@dataclass
class _Row:
    """The row being read."""

    table: _Table
    carried_cells: dict[int, tuple[str, int]]
    """Columns of this row that cells of earlier rows occupy."""
    flushed_count: int = 0
    """Number of columns whose text was already written as blocks, because a cell contains a list or table."""
    cells: list[str] = field(default_factory=list)
    """The texts of the following columns, without those that the last cell spans."""
    empty_cell_count: int = 0
    """Number of further columns that the last cell spans; they become empty cells if another cell follows."""
    column_span: int = 1
    row_span: int = 1
    flushed_texts: list[str] = field(default_factory=list)
    """Text of the open cell that was already written, needed if the cell spans rows."""

    @property
    def column(self) -> int:
        """The index of the next column."""
        return self.flushed_count + len(self.cells) + self.empty_cell_count

    def add_cell(self, text: str) -> None:
        """Add a cell."""
        if self.empty_cell_count:
            self.cells += [""] * self.empty_cell_count
            self.empty_cell_count = 0
        self.cells.append(text)


@dataclass
class _Field:
    """A term of a description list with its values, "Owner" and "Ann Lee"; each is a block otherwise."""

    terms: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def format(self) -> str:
        """Return the line "Owner: Ann Lee"; "" if there is not one term with values."""
        is_pair = len(self.terms) == 1 and self.values
        return f"{self.terms[0].rstrip(' :')}: {'; '.join(self.values)}" if is_pair else ""


def _format_term_with_values(item_text: str) -> str:
    """Return the item of a list in a cell, a term with its values as "Owner: Ann Lee, Bo Dahl"."""
    term, *values = map(str.strip, item_text.split(_VALUE_MARK))
    joined_values = ", ".join(filter(None, values))
    return f"{term.rstrip(' :')}: {joined_values}" if term and values else term or joined_values


@dataclass
class _PageReader:
    """Walks the tree without recursion, because a hostile page may be nested deeper than Python's stack."""

    assembly: Assembly = field(default_factory=Assembly)
    blocks: list[str] = field(default_factory=list)
    marks_quotes: bool = False
    leaves_out_boilerplate: bool = False
    _quote_depth: int = 0
    _inline_texts: list[str] = field(default_factory=list)
    _table_rows: list[list[str]] = field(default_factory=list)
    _preformatted_depth: int = 0
    _item_prefix: str = ""
    _heading_level: int | None = None
    _list_depth: int = 0
    _list_depth_in_cell: int = 0
    _fields: list[_Field] | None = None
    """Those of the open description list so far; None outside of one, or if it holds other blocks."""
    _is_term: bool = False
    _tables: list[_Table] = field(default_factory=list)
    _open_rows: list[_Row] = field(default_factory=list)
    _repeatable_characters: int = _MAX_REPEATED_CHARACTERS

    def read(self, tree: LexborHTMLParser) -> None:
        """Read the whole tree into `assembly` and `blocks`."""
        tree.strip_tags(_INVISIBLE_TAGS, recursive=True)
        node = tree.root
        if node is None:
            return
        skipped_nodes = _find_ids_of_hidden_nodes(tree)
        if self.leaves_out_boilerplate:
            skipped_nodes |= find_ids_of_nodes_beside_content(tree, skipped_nodes)
        open_tags: list[str] = []
        while node is not None:
            tag = node.tag or ""
            self._open_tag(tag, node)
            skips_children = tag == "math" or (skipped_nodes and node.mem_id in skipped_nodes)
            child = None if skips_children else node.first_child
            if child is not None:
                open_tags.append(tag)
                node = child
                continue
            self._close_tag(tag)
            while node is not None and node.next is None and open_tags:
                self._close_tag(open_tags.pop())
                node = node.parent
            node = node.next if node is not None and open_tags else None
        self._flush_inline_text()

    def _open_tag(self, tag: str, node: LexborNode) -> None:
        if tag == "-text":
            text = node.text_content or ""
            self._inline_texts.append(
                text if self._preformatted_depth else " ".join(f"|{text}|".split())[1:-1]
            )
        elif tag == "math":
            self._inline_texts.append(_format_formula(node))
        elif tag == "br":
            self._inline_texts.append(_BREAK_MARK)
        elif tag == "img":
            self._add_picture_description(extract_alternative_text(node.attributes.get("alt")))
        elif tag in _STRONG_TAGS and not self._preformatted_depth and not self._open_rows:
            self._inline_texts.append(STRONG)
        elif tag in _LEVEL_BY_HEADING_TAG:
            self._flush_inline_text()
            self._flush_description_list()
            self._heading_level = _LEVEL_BY_HEADING_TAG[tag]
        elif self._open_rows and tag in _CELL_BLOCK_TAGS:
            self._inline_texts.append(" ")
        elif tag in _LIST_TAGS and self._is_list_inline_in_cell(tag):
            self._list_depth_in_cell += tag not in _MARKS_IN_CELL
            self._inline_texts.append(_MARKS_IN_CELL.get(tag, " "))
        elif tag in BLOCK_TAGS:
            self._flush_inline_text()
            self._open_block(tag)
        elif tag in _CELL_TAGS and self._open_rows:
            self._begin_cell(self._open_rows[-1], node)

    def _open_block(self, tag: str) -> None:
        if tag in _TAGS_NOT_IN_FIELDS:
            self._flush_description_list()
        if tag == "dl":
            self._fields = []
        elif tag == "dt" and self._fields is not None and (not self._fields or self._fields[-1].values):
            self._fields.append(_Field())
        self._is_term = tag == "dt" or (self._is_term and tag != "dd")
        if tag == "table":
            self._tables.append(_Table())
        elif tag == "tr":
            table = self._tables[-1] if self._tables else _Table()
            self._open_rows.append(_Row(table, carried_cells=table.spanning_cells))
            table.spanning_cells = {}
        elif tag in _ROW_GROUP_TAGS and self._tables:
            self._tables[-1].spanning_cells = {}
        self._preformatted_depth += tag == "pre"
        self._quote_depth += tag == "blockquote"
        self._list_depth += tag in ("ul", "ol")
        if tag == "li":
            self._item_prefix = "  " * max(0, self._list_depth - 1) + "- "

    def _add_picture_description(self, description: str) -> None:
        """Add a picture's alternative text: a phrase as its own line, a word or formula inline."""
        is_line = (
            " " in description
            and "\\" not in description
            and not self._open_rows
            and self._heading_level is None
        )
        self._inline_texts += [_BREAK_MARK, description, _BREAK_MARK] if is_line else [description]

    def _close_tag(self, tag: str) -> None:
        if self._open_rows and tag in _CELL_BLOCK_TAGS:
            self._inline_texts.append(" ")
        elif self._list_depth_in_cell and tag in _LIST_TAGS:
            self._list_depth_in_cell -= tag not in _MARKS_IN_CELL
        elif tag in _CELL_TAGS:
            self._list_depth_in_cell = 0
            if self._open_rows:
                self._end_cell(self._open_rows[-1])
        elif tag in _STRONG_TAGS and not self._preformatted_depth and not self._open_rows:
            self._inline_texts.append(END_STRONG)
        elif tag in _LEVEL_BY_HEADING_TAG or tag in BLOCK_TAGS:
            if tag == "tr" and self._open_rows:
                self._end_row(self._open_rows.pop())
            else:
                self._flush_inline_text()
            if tag in _LEVEL_BY_HEADING_TAG:
                self._heading_level = None
            if tag == "li":
                self._item_prefix = ""
            self._preformatted_depth -= tag == "pre"
            self._quote_depth -= tag == "blockquote"
            self._list_depth -= tag in ("ul", "ol")
            if tag == "dl":
                self._flush_description_list()
            if tag == "table":
                self._flush_rows()
                if self._tables:
                    self._tables.pop()

    def _is_list_inline_in_cell(self, tag: str) -> bool:
        """Return whether a list or item is the value of a cell after another ("Branches | Ulm; Bonn").

        In the first cell of a row it is text that the table only arranges.
        """
        if self._list_depth_in_cell or tag in _MARKS_IN_CELL or not self._open_rows:
            return self._list_depth_in_cell > 0
        return any(self._open_rows[-1].cells)

    def _begin_cell(self, row: _Row, node: LexborNode) -> None:
        if row.carried_cells:
            self._repeat_spanning_cells(row)
        row.column_span = row.row_span = 1
        attributes = node.attributes
        if "colspan" in attributes:
            row.column_span = min(_parse_cell_span(attributes["colspan"]) or 1, _MAX_COLUMNS_OF_CELL)
        if "rowspan" in attributes:
            row_span = _parse_cell_span(attributes["rowspan"])
            row.row_span = 1 if row_span is None else min(row_span or _MAX_ROW_SPAN, _MAX_ROW_SPAN)
            row.flushed_texts = []

    def _end_cell(self, row: _Row) -> None:
        remaining_text = self._get_cell_text()
        self._inline_texts.clear()
        if row.row_span > 1:
            cell_text = " ".join(filter(None, [*row.flushed_texts, remaining_text]))
            row.table.spanning_cells[row.column] = (cell_text, row.row_span - 1)
            # The text of a cell over several columns and rows is in the first column only.
            for column in range(row.column + 1, row.column + row.column_span):
                row.table.spanning_cells[column] = ("", row.row_span - 1)
        row.add_cell(remaining_text)
        row.empty_cell_count = row.column_span - 1

    def _get_cell_text(self) -> str:
        """Return the unwritten text of the open cell on one line."""
        first_text, *item_texts = "".join(self._inline_texts).replace(_BREAK_MARK, " ").split(_ITEM_MARK)
        return join_cell(
            [
                (_format_term_with_values(first_text), _VALUE_MARK in first_text),
                *((_format_term_with_values(item_text), True) for item_text in item_texts),
            ]
        )

    def _repeat_spanning_cells(self, row: _Row) -> None:
        """Add the cells of earlier rows that occupy the next columns of this one."""
        while self._repeatable_characters > 0 and row.column in row.carried_cells:
            column = row.column
            cell_text, remaining_rows = row.carried_cells.pop(column)
            if remaining_rows > 1:
                row.table.spanning_cells[column] = (cell_text, remaining_rows - 1)
            self._repeatable_characters -= len(cell_text) + 1
            row.add_cell(cell_text)

    def _end_row(self, row: _Row) -> None:
        """Finish a row: add cells that span it, and remember those that span the next. Skip an empty row."""
        if row.column:
            self._repeat_spanning_cells(row)
        if self._repeatable_characters > 0:
            self._repeatable_characters -= len(row.carried_cells)
            row.table.spanning_cells |= {
                column: (text, remaining_rows - 1)
                for column, (text, remaining_rows) in row.carried_cells.items()
                if remaining_rows > 1
            }
        if any(row.cells):
            self._table_rows.append(
                [*[""] * row.flushed_count, *(remove_characters_refused_in_texts(cell) for cell in row.cells)]
            )

    def _pass_row_so_far_to_next_block(self, row: _Row) -> None:
        """Pass the cells of the row so far to the next block, when a list or a table begins in a cell."""
        unwritten_text = self._get_cell_text() if row.cells or row.row_span > 1 else ""
        if row.row_span > 1:
            row.flushed_texts.append(unwritten_text)
        if row.cells:
            self._inline_texts = [format_row([*row.cells, unwritten_text] if unwritten_text else row.cells)]
            row.flushed_count += len(row.cells)
            row.cells.clear()

    def _flush_inline_text(self) -> None:
        if self._open_rows:
            self._pass_row_so_far_to_next_block(self._open_rows[-1])
        joined_text = (
            "".join(self._inline_texts).replace(_ITEM_MARK, _BREAK_MARK).replace(_VALUE_MARK, _BREAK_MARK)
        )
        self._inline_texts.clear()
        if not self._preformatted_depth:
            joined_text = "\n".join(" ".join(line.split()) for line in joined_text.split(_BREAK_MARK))
        joined_text = strip_marks_and_break_after_run_in_headings(
            joined_text.replace(_BREAK_MARK, "\n"), is_heading=self._heading_level is not None
        )
        block_text = remove_characters_refused_in_texts(joined_text).strip("\n")
        if not block_text.strip():
            return
        self._flush_rows()
        if self._fields and "\n" not in block_text:
            (self._fields[-1].terms if self._is_term else self._fields[-1].values).append(block_text)
            return
        self._flush_description_list()
        heading_level, item_prefix = self._heading_level, self._item_prefix
        self._heading_level, self._item_prefix = None, ""
        self._append_block(item_prefix + block_text)
        if heading_level is not None:
            self.assembly.add_heading(heading_level, block_text)
        else:
            self.assembly.add_block(item_prefix + block_text, list_item=bool(item_prefix))

    def _flush_description_list(self) -> None:
        """Add a description list as lines "Owner: Ann Lee", or its terms and descriptions as blocks."""
        fields, self._fields = self._fields or [], None
        field_lines = "\n".join(map(_Field.format, fields))
        block_texts = [block_text for field in fields for block_text in (*field.terms, *field.values)]
        for block_text in [field_lines] if are_lines_labels_with_values(field_lines) else block_texts:
            self._append_block(block_text)
            self.assembly.add_block(block_text)

    def _flush_rows(self) -> None:
        if self._table_rows:
            table = "\n".join(format_table_as_lines(self._table_rows))
            self._table_rows.clear()
            self._append_block(table)
            self.assembly.add_block(table, noun="table")

    def _append_block(self, text: str) -> None:
        is_quoted = self.marks_quotes and self._quote_depth > 0
        self.blocks.append("\n".join(f"> {line}" for line in text.split("\n")) if is_quoted else text)
