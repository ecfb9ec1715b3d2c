"""Markdown: plain text without markup, under its headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from app.documents.formats.html import extract_visible_text
from app.documents.parsers.assembly import Assembly, clean_text
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.emphasis import END_STRONG, STRONG, strip_marks_and_break_after_run_in_headings
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.lines import format_line_range, locate_lines, number_lines
from app.documents.parsers.table_lines import format_row
from app.documents.sentences import are_lines_labels_with_values, is_each_line_an_entry
from app.documents.shapes import ParsedDocument, Place
from app.lazy import LazyModule

if TYPE_CHECKING:
    import markdown_it
    import markdown_it.rules_block.table as markdown_tables
    from markdown_it import MarkdownIt, rules_block
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token
else:
    markdown_it = LazyModule("markdown_it")
    rules_block = LazyModule("markdown_it.rules_block")
    markdown_tables = LazyModule("markdown_it.rules_block.table")

_FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n((?:[^\n]{0,1000}\n){0,100}?)(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)")
_FRONT_MATTER_ENTRY = re.compile(r"([A-Za-z][\w.-]{0,60}):[^\S\n]+(\S[^\n]*)")
# A line of front matter: a key with or without a value, or a continuation of the line before.
_FRONT_MATTER_KEY = re.compile(r"[\w\"'][^:\n]{0,100}:(?:\s.*)?")
_FRONT_MATTER_CONTINUATION = re.compile(r"\s.*|-\s.*|#.*|[\]})].*|")
# Openings in HTML that hide everything after them if they are not closed.
_HIDDEN_BLOCK_START = re.compile(r"<(script\b|style\b|!--|\?|!\[CDATA\[)", re.IGNORECASE)
_HIDDEN_BLOCK_ENDS = {
    opening: re.compile(re.escape(end), re.IGNORECASE)
    for opening, end in {
        "script": "</script", "style": "</style", "!--": "-->", "?": "?>", "![cdata[": "]]>"
    }.items()
}  # fmt: skip
# What looks like a link reference definition, and what a real link target contains.
_LINK_DEFINITION = re.compile(r"\[(\^)?[^\[\]\n]{1,300}\]:[^\S\n]*+(\S*)")
_LINK_ADDRESS = re.compile(r"[./:#?]|\A<|\A\Z")
# The alternative text of an image, and a number in front of it ("Image 7", "Image 7: A crane").
_IMAGE = re.compile(r"!\[([^\[\]\n]{1,1000})\]\(")
_IMAGE_NUMBER = re.compile(r"([^\W\d]{1,30}) (\d{1,6})(?:\Z|:\s*)")
_LINE_BREAKING_TOKENS = frozenset(("hardbreak", "image", "html_inline"))
"""Tokens that may begin a line of the text."""
# The parser omits text nested deeper than its limit; a quote or list adds at most two levels.
_MAX_DEPTH = 16


def _read_deep_text_as_code(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Read text that is nested too deeply as a code block, instead of omitting it."""
    if silent or state.level < _MAX_DEPTH:
        return False
    line = start
    while line < end and (
        state.isEmpty(line) or state.sCount[line] < 0 or state.sCount[line] >= state.blkIndent
    ):
        line += 1
    token = state.push("code_block", "code", 0)
    token.content = state.getLines(start, line, state.blkIndent, False)
    token.map = [start, line]
    state.line = line
    return True


def _read_notes_as_text(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Read "[^1]: Ibid" and "[Key]: stone" as text: only an address is a link target."""
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    note = _LINK_DEFINITION.match(line)
    if note is None or (note[1] is None and _LINK_ADDRESS.search(note[2]) is not None):
        return False
    return rules_block.paragraph(state, start, end, silent)


@cache
def _get_parser() -> "MarkdownIt":
    # Inline content is parsed when it is read: keeping the tokens of all lines took a quarter more memory.
    parser = markdown_it.MarkdownIt("commonmark")
    parser.enable(["table", "strikethrough"]).disable(["inline", "text_join"])
    parser.block.ruler.before("reference", "notes", _read_notes_as_text)
    parser.block.ruler.before("table", "deep_text", _read_deep_text_as_code)
    return parser


class Markdown(TextFormat):
    """Markdown with or without front matter."""

    name = "markdown"
    label = "Markdown"
    description = (
        "The text without markup: links as their text, a table's rows as lines, headings as sections;"
        " citations name the line."
    )
    extensions = ("md", "markdown", "mdown", "mkd")
    media_types = ("text/markdown", "text/x-markdown")
    libraries = ("chardet", "markdown_it", "markdown_it.rules_block.table")

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text without markup."""
        return parse_markdown(file_bytes)


def parse_markdown(file_bytes: bytes) -> ParsedDocument:
    """Return the text as shown to a reader: links as their text, tables as rows, headings as sections.

    The title is that of the front matter, else the first heading. Front matter is also part of the text, and
    its plain entries become metadata.
    """
    file_text = decode_with_detected_encoding(file_bytes)
    source = clean_text(file_text)
    metadata: dict[str, str] = {}
    reader = _TokenReader(line_numbers=number_lines(file_text))
    front_matter = _match_front_matter(source)
    if front_matter is not None:
        entries = (_FRONT_MATTER_ENTRY.fullmatch(line) for line in front_matter[1].splitlines())
        metadata = {entry[1]: entry[2].strip().strip("\"'") for entry in entries if entry}
        line = 1
        for entry in re.split(r"\n(?=[\w\"'])", front_matter[1]):
            reader.assembly.add_block(entry, places=reader.locate_lines(entry, line))
            line += entry.count("\n") + 1
        reader.first_line = front_matter[0].count("\n")
        source = source[front_matter.end() :]
    reader.read_all(source)
    title = metadata.pop("title", None) or reader.assembly.first_heading
    return reader.assembly.build(title=title, metadata=metadata)


def add_text_of_markdown(assembly: Assembly, source: str) -> None:
    """Add the text of the Markdown as shown to a reader."""
    _TokenReader(assembly).read_all(clean_text(source))


def _find_word_numbering_images(source: str) -> str | None:
    """Return the word with which each alternative text begins before a number that counts the images.

    Programs that convert web pages write `![Image 7: A crane](…)`; the label is theirs, and names nothing.
    None if an image has none, another word, or a number that does not count.
    """
    labels = [_IMAGE_NUMBER.match(image[1]) for image in _IMAGE.finditer(source)]
    image_words = {label[1] if label else None for label in labels}
    image_numbers = [int(label[2]) for label in labels if label]
    # The first ones are often icons without a text.
    if (
        len(image_words) != 1
        or image_numbers != sorted(image_numbers)
        or not image_numbers
        or image_numbers[0] > len(set(image_numbers))
    ):
        return None
    return image_words.pop()


def _remove_numbered_label_of_image(text: str, image_word: str) -> str:
    """Return an alternative text without its label, if that is the word and a number."""
    label = _IMAGE_NUMBER.match(text)
    return text[label.end() :] if label is not None and label[1] == image_word else text


def _match_front_matter(source: str) -> re.Match[str] | None:
    """Return the front matter; None if the lines between two rules are ordinary text."""
    front_matter = _FRONT_MATTER.match(source)
    if front_matter is None:
        return None
    first_line, *further_lines = front_matter[1].splitlines() or [""]
    begins_with_key = (
        _FRONT_MATTER_KEY.fullmatch(first_line) or first_line.startswith("#") or not front_matter[1].strip()
    )
    has_only_keys = all(
        _FRONT_MATTER_KEY.fullmatch(line) or _FRONT_MATTER_CONTINUATION.fullmatch(line)
        for line in further_lines
    )
    return front_matter if begins_with_key and has_only_keys else None


def _extract_visible_text(content: str) -> str:
    """Return the visible text of a block of HTML; an unclosed comment, script or style tag hides nothing."""
    position = 0
    while (hiding_mark := _HIDDEN_BLOCK_START.search(content, position)) is not None:
        end_mark = _HIDDEN_BLOCK_ENDS[hiding_mark[1].lower()].search(content, hiding_mark.end())
        if end_mark is None:
            return (
                f"{extract_visible_text(content[: hiding_mark.start()])}\n\n{content[hiding_mark.start() :]}"
            )
        position = end_mark.end()
    return extract_visible_text(content)


@dataclass
class _TokenReader:
    assembly: Assembly = field(default_factory=Assembly)
    lines: list[str] = field(default_factory=list)
    # Line numbers of the file, and the index of the first line read; None inside other formats.
    line_numbers: Sequence[int] | None = None
    first_line: int = 0
    # Link targets, which the parser collects before the lines that refer to them are read.
    link_targets: dict[str, Any] = field(default_factory=dict)
    _image_word: str | None = None
    _heading_level: int | None = None
    _list_numbers: list[int | None] = field(default_factory=list)
    _item_prefix: str = ""
    _rows: list[tuple[str, int | None]] = field(default_factory=list)
    _cells: list[str] | None = None
    _row_line: int | None = None

    def read_all(self, source: str) -> None:
        """Read the whole text."""
        self.lines = source.split("\n")
        self._image_word = _find_word_numbering_images(source)
        for token in _get_parser().parse(source, self.link_targets):
            self.read_token(token)

    def read_token(self, token: "Token") -> None:
        """Read the next token of the flat block stream."""
        match token.type:
            case "heading_open":
                self._heading_level = int(token.tag[1])
            case "heading_close":
                self._heading_level = None
            case "bullet_list_open":
                self._list_numbers.append(None)
            case "ordered_list_open":
                self._list_numbers.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self._list_numbers.pop()
            case "list_item_open":
                self._open_item()
            case "tr_open":
                self._cells = []
                self._row_line = token.map[0] if token.map else None
            case "tr_close":
                cells = [*(self._cells or []), *self._list_extra_cells()]
                if line := clean_text(format_row(cells, has_columns=True)):
                    self._rows.append((line, self._row_line))
                self._cells = None
            case "table_close":
                self._add_table()
            case "fence" | "code_block":
                # An info string of several words is text, not the name of a language.
                info = token.info.strip()
                is_info_text = " " in info
                content = f"{info}\n{token.content}" if is_info_text else token.content
                first_line = token.map[0] + (token.type == "fence" and not is_info_text) if token.map else 0
                self._add_block(content, places=self.locate_lines(content, first_line))
            case "html_block":
                self._set_place_of_next_block(token)
                self._add_block(_extract_visible_text(token.content))
            case "inline":
                self._add_inline(token)

    def locate_lines(self, text: str, first: int) -> tuple[Place, ...]:
        """Return the place of each line of a text that is unchanged in the source from line `first` on."""
        return (
            ()
            if self.line_numbers is None
            else locate_lines(text, self.line_numbers, self.first_line + first)
        )

    def _set_place_of_next_block(self, token: "Token") -> None:
        """Set the place of the next block to the token's lines."""
        if self.line_numbers is not None and token.map is not None:
            first_line, next_line = (self.first_line + line for line in token.map)
            self.assembly.set_next_place(
                format_line_range(
                    self.line_numbers[first_line], self.line_numbers[max(first_line, next_line - 1)]
                )
            )

    def _locate_paragraph_lines(self, token: "Token", children: list["Token"], length: int) -> list[Place]:
        """Return the place of each line of a paragraph whose text has this length.

        Return [] if lines cannot be told apart, because of an image or of code that spans a line break.
        """
        starts, end = _find_line_bounds(children)
        if self.line_numbers is None or token.map is None or end != length:
            return []
        first_line, next_line = (self.first_line + line for line in token.map)
        if len(starts) != next_line - first_line:
            return []
        paragraph_line_numbers = self.line_numbers[first_line:next_line]
        return [
            Place(start, format_line_range(line_number, line_number))
            for start, line_number in zip(starts, paragraph_line_numbers, strict=True)
        ]

    def _add_table(self) -> None:
        places: list[Place] = []
        start = 0
        for row, line in self._rows:
            if self.line_numbers is not None and line is not None:
                places.append(Place(start, f"line {self.line_numbers[self.first_line + line]}"))
            start += len(row) + 1
        self.assembly.add_block("\n".join(row for row, _ in self._rows), places=places)
        self._rows = []

    def _list_extra_cells(self) -> list[str]:
        """Return the row's cells beyond those of the table's head, which the parser omits."""
        if self._row_line is None or self._cells is None:
            return []
        cells = markdown_tables.escapedSplit(self.lines[self._row_line].strip(" \t>"))
        cells = cells[1:] if cells and not cells[0] else cells
        return [" ".join(cell.split()) for cell in cells[len(self._cells) :] if cell.strip()]

    def _open_item(self) -> None:
        number = self._list_numbers[-1]
        mark = "-" if number is None else f"{number}."
        if number is not None:
            self._list_numbers[-1] = number + 1
        self._item_prefix = "  " * (len(self._list_numbers) - 1) + mark + " "

    def _add_inline(self, token: "Token") -> None:
        children: list[Token] = []
        _get_parser().inline.parse(token.content, _get_parser(), self.link_targets, children)
        if self._image_word is not None:
            for child in children:
                if child.type == "image":
                    child.content = _remove_numbered_label_of_image(child.content, self._image_word)
        is_paragraph = self._cells is None and self._heading_level is None
        text = _format_plain_text(children, is_paragraph=is_paragraph)
        if self._cells is not None:
            self._cells.append(" ".join(text.split()))
            return
        if self._heading_level is not None:
            self._set_place_of_next_block(token)
            self.assembly.add_heading(self._heading_level, text)
            return
        text = clean_text(strip_marks_and_break_after_run_in_headings(text))
        token_types = {token.type for token in children}
        if "softbreak" in token_types and _LINE_BREAKING_TOKENS.isdisjoint(token_types):
            lines = clean_text(
                strip_marks_and_break_after_run_in_headings(
                    _format_plain_text(children, is_paragraph=True, soft_break="\n")
                )
            )
            text = lines if are_lines_labels_with_values(lines) or is_each_line_an_entry(lines) else text
        places = self._locate_paragraph_lines(token, children, len(text))
        if not places:
            self._set_place_of_next_block(token)
        self._add_block(text, places=places)

    def _add_block(self, text: str, *, places: Sequence[Place] = ()) -> None:
        is_item = bool(self._item_prefix)
        self.assembly.add_block(
            self._item_prefix + text if text.strip() else "",
            list_item=is_item,
            # An item's mark is on the line of its first words.
            places=[
                replace(place, start=place.start and place.start + len(self._item_prefix)) for place in places
            ],
        )
        self._item_prefix = ""


class _LineBounds(NamedTuple):
    """Where the text of each source line begins in a paragraph's text, and where the last one ends."""

    starts: list[int]
    end: int


def _find_line_bounds(tokens: list["Token"]) -> _LineBounds:
    starts = [0]
    end = 0
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            end += 1
            starts.append(end)
        elif token.type == "html_inline":
            end += token.content[:3].lower() == "<br"
        else:
            end += len(token.content)
    return _LineBounds(starts, end)


def _format_plain_text(tokens: list["Token"], *, is_paragraph: bool, soft_break: str = " ") -> str:
    """Return the text of the tokens, with images as their alternative text.

    In a paragraph strong words are marked, and images are on lines of their own. A line break of the source
    becomes `soft_break`.
    """
    text_pieces: list[str] = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            text_pieces.append(token.content)
        elif token.type == "image":
            text_pieces.append(f"\n{token.content}\n" if is_paragraph and token.content else token.content)
        elif token.type in ("strong_open", "strong_close") and is_paragraph:
            text_pieces.append(STRONG if token.type == "strong_open" else END_STRONG)
        elif token.type == "softbreak":
            text_pieces.append(soft_break)
        elif token.type == "hardbreak" or (
            token.type == "html_inline" and token.content[:3].lower() == "<br"
        ):
            text_pieces.append("\n")
    text = "".join(text_pieces)
    has_image = is_paragraph and any(token.type == "image" and token.content for token in tokens)
    return "\n".join(filter(None, map(str.strip, text.split("\n")))) if has_image else text
