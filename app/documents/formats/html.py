"""HTML: its visible text, block by block."""

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.documents.parsers.assembly import Assembly, scrub
from app.documents.parsers.decoding import decode
from app.documents.parsers.emphasis import END_STRONG, STRONG, without_marks
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.table_lines import table_line
from app.documents.shapes import ParsedDocument

_UNSEEN = ["script", "style", "noscript", "template", "svg", "math", "iframe", "object", "head", "select"]


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = _set_of(
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hr html li main nav ol p pre section summary table tbody tfoot thead tr ul"
)
_CELLS = frozenset({"td", "th"})
# A paragraph inside a table's cell stays on the line of its row.
_CELL_BLOCKS = frozenset({"p", "div"})
# Stands for <br> while the white space around it is folded; no text holds a NUL at this point.
_BREAK = "\x00\n"
# Stands before each cell of a row until the row is a line.
_CELL = "\x00|"
# Columns that one cell may take, and characters that a page may have repeated by cells that span rows: a few
# bytes must not become megabytes. Past them no cell is repeated.
_MOST_COLUMNS_OF_CELL = 20
_MOST_REPEATED_CHARACTERS = 200_000
_UNDISPLAYED = re.compile(r"\bdisplay\s*:\s*none\b", re.IGNORECASE)
_STRONG_TAGS = frozenset({"b", "strong"})


class Html(TextFormat):
    """A page of the web."""

    name = "html"
    label = "HTML"
    reads = (
        "The visible text: a paragraph a block, headings as sections, a table's rows as lines; citations name"
        " the section."
    )
    extensions = ("html", "htm", "xhtml")
    media_types = ("text/html", "application/xhtml+xml")

    def parse(self, raw: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """The visible text."""
        return parse_html(raw)


def parse_html(raw: bytes) -> ParsedDocument:
    """The visible text: a paragraph per block element, headings as sections, table rows as lines."""
    tree = LexborHTMLParser(decode(raw, is_markup=True))
    title_node = tree.css_first("title")
    title = title_node.text() if title_node is not None else ""
    reader = _PageReader(Assembly(sections_are_places=True))
    reader.read(tree)
    return reader.assembly.build(title=title.strip() or reader.assembly.first_heading)


def read_page(assembly: Assembly, page: LexborHTMLParser) -> None:
    """Add the visible text of the page."""
    _PageReader(assembly).read(page)


def visible_text(fragment: str) -> str:
    """The text that a reader would see of a piece of HTML; empty where there is none."""
    reader = _PageReader()
    reader.read(LexborHTMLParser(fragment))
    return "\n\n".join(reader.blocks)


def _is_hidden(tag: str, node: LexborNode) -> bool:
    """Return whether nobody who looks at the page sees what is below the node."""
    if tag.startswith("-"):
        return False
    attributes = node.attributes
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    return _UNDISPLAYED.search(attributes.get("style") or "") is not None


def _span(node: LexborNode, name: str) -> int:
    """Return how many columns or rows the cell takes; 1 where its attribute says no such number."""
    written = (node.attributes.get(name) or "").strip()
    return (
        max(1, min(int(written), 65_534))
        if written.isascii() and written.isdigit() and len(written) < 6
        else 1
    )


@dataclass
class _Table:
    """The columns that cells of earlier rows still take: the text, and in how many further rows."""

    spanning: dict[int, tuple[str, int]] = field(default_factory=dict)


@dataclass
class _Row:
    """The row that is being read: cells of earlier rows by column, its next column, and its open cell."""

    table: _Table
    carried: dict[int, tuple[str, int]]
    column: int = 0
    has_cells: bool = False
    empty: int = 0
    """Columns that the last cell spans besides its own: empty cells, where another cell follows."""
    begin: int = 0
    columns: int = 1
    rows: int = 1


@dataclass
class _PageReader:
    """Walks the tree without recursion: a hostile page is nested deeper than Python's stack."""

    assembly: Assembly = field(default_factory=Assembly)
    blocks: list[str] = field(default_factory=list)
    _inline: list[str] = field(default_factory=list)
    _rows: list[str] = field(default_factory=list)
    _preformatted: int = 0
    _prefix: str = ""
    _heading: int | None = None
    _lists: int = 0
    _tables: list[_Table] = field(default_factory=list)
    _open_rows: list[_Row] = field(default_factory=list)
    _repeatable: int = _MOST_REPEATED_CHARACTERS

    def read(self, tree: LexborHTMLParser) -> None:
        """Read the whole tree into `assembly` and `blocks`."""
        tree.strip_tags(_UNSEEN, recursive=True)
        node = tree.root
        if node is None:
            return
        open_tags: list[str] = []
        while node is not None:
            tag = node.tag or ""
            self._enter(tag, node)
            child = None if _is_hidden(tag, node) else node.first_child
            if child is not None:
                open_tags.append(tag)
                node = child
                continue
            self._leave(tag)
            while node is not None and node.next is None and open_tags:
                self._leave(open_tags.pop())
                node = node.parent
            node = node.next if node is not None and open_tags else None
        self._flush()

    def _enter(self, tag: str, node: LexborNode) -> None:
        if tag == "-text":
            text = node.text_content or ""
            self._inline.append(text if self._preformatted else " ".join(f"|{text}|".split())[1:-1])
        elif tag == "br":
            self._inline.append(_BREAK)
        elif tag in _STRONG_TAGS and not self._preformatted and not self._open_rows:
            self._inline.append(STRONG)
        elif tag in _HEADINGS:
            self._flush()
            self._heading = _HEADINGS[tag]
        elif self._open_rows and tag in _CELL_BLOCKS:
            self._inline.append(" ")
        elif tag in _BLOCKS:
            self._flush()
            if tag == "table":
                self._tables.append(_Table())
            elif tag == "tr":
                table = self._tables[-1] if self._tables else _Table()
                self._open_rows.append(_Row(table, carried=table.spanning))
                table.spanning = {}
            self._preformatted += tag == "pre"
            self._lists += tag in ("ul", "ol")
            if tag == "li":
                self._prefix = "  " * max(0, self._lists - 1) + "- "
        elif tag in _CELLS and self._open_rows:
            self._begin_cell(self._open_rows[-1], node)

    def _leave(self, tag: str) -> None:
        if self._open_rows and tag in _CELL_BLOCKS:
            self._inline.append(" ")
        elif tag in _CELLS:
            if self._open_rows:
                self._end_cell(self._open_rows[-1])
        elif tag in _STRONG_TAGS and not self._preformatted and not self._open_rows:
            self._inline.append(END_STRONG)
        elif tag in _HEADINGS or tag in _BLOCKS:
            if tag == "tr" and self._open_rows:
                self._end_row(self._open_rows[-1])
            self._flush(row=tag == "tr")
            if tag == "tr" and self._open_rows:
                self._open_rows.pop()
            if tag in _HEADINGS:
                self._heading = None
            if tag == "li":
                self._prefix = ""
            self._preformatted -= tag == "pre"
            self._lists -= tag in ("ul", "ol")
            if tag == "table":
                self._flush_rows()
                if self._tables:
                    self._tables.pop()

    def _begin_cell(self, row: _Row, node: LexborNode) -> None:
        self._repeat_spanning(row)
        row.has_cells = True
        self._inline.append(_CELL * (row.empty + 1))
        row.empty = 0
        row.begin = len(self._inline)
        row.columns = min(_span(node, "colspan"), _MOST_COLUMNS_OF_CELL)
        row.rows = _span(node, "rowspan")

    def _end_cell(self, row: _Row) -> None:
        if row.rows > 1:
            text = " ".join("".join(self._inline[row.begin :]).replace(_BREAK, " ").split())
            row.table.spanning[row.column] = (text, row.rows - 1)
            # A cell over several columns and rows is written in the first of its columns alone.
            for column in range(row.column + 1, row.column + row.columns):
                row.table.spanning[column] = ("", row.rows - 1)
        row.column += row.columns
        row.empty += row.columns - 1

    def _repeat_spanning(self, row: _Row) -> None:
        """Write the cells of earlier rows that take the next columns of this one."""
        while self._repeatable > 0 and row.column in row.carried:
            text, rows = row.carried.pop(row.column)
            if rows > 1:
                row.table.spanning[row.column] = (text, rows - 1)
            self._repeatable -= len(text) + 1
            self._inline.append(_CELL * (row.empty + 1) + text)
            row.empty = 0
            row.column += 1

    def _end_row(self, row: _Row) -> None:
        """Write what still spans the row, and keep what spans the next. A row without cells is no line."""
        if row.has_cells:
            self._repeat_spanning(row)
        if self._repeatable > 0:
            self._repeatable -= len(row.carried)
            row.table.spanning |= {
                column: (text, rows - 1) for column, (text, rows) in row.carried.items() if rows > 1
            }

    def _flush(self, *, row: bool = False) -> None:
        joined_text = "".join(self._inline)
        self._inline.clear()
        if row:
            cells = [" ".join(cell.split()) for cell in joined_text.replace(_BREAK, " ").split(_CELL)]
            # Before the first mark stands nothing but what a nested table left of the row.
            joined_text = table_line(cells if cells[0] else cells[1:])
        else:
            joined_text = joined_text.replace(_CELL, " ")
        if not self._preformatted:
            joined_text = "\n".join(" ".join(line.split()) for line in joined_text.split(_BREAK))
        joined_text = without_marks(joined_text.replace(_BREAK, "\n"), is_heading=self._heading is not None)
        text = scrub(joined_text).strip("\n")
        if not text.strip():
            return
        if row:
            self._rows.append(text.replace("\n", " "))
            return
        self._flush_rows()
        heading, prefix = self._heading, self._prefix
        self._heading, self._prefix = None, ""
        self.blocks.append(prefix + text)
        if heading is not None:
            self.assembly.heading(heading, text)
        else:
            self.assembly.block(prefix + text, list_item=bool(prefix))

    def _flush_rows(self) -> None:
        if self._rows:
            table = "\n".join(self._rows)
            self._rows.clear()
            self.blocks.append(table)
            self.assembly.block(table, noun="table")
