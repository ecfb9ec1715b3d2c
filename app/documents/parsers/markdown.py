"""Markdown: readable plain text without the markup, under its headings."""

import re
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.documents.parsers.assembly import Assembly, clean_text
from app.documents.parsers.html import visible_text
from app.documents.parsers.text import decode
from app.documents.shapes import ParsedDocument

_FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n((?:[^\n]{0,1000}\n){0,100}?)(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)")
_ENTRY = re.compile(r"([A-Za-z][\w.-]{0,60}):[^\S\n]+(\S[^\n]*)")
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def parse_markdown(raw: bytes) -> ParsedDocument:
    """The text as a reader sees it: links as their text, tables as rows, headings as sections.

    The title is that of the front matter, else the first heading; plain front matter entries
    become metadata.
    """
    source = clean_text(decode(raw))
    metadata: dict[str, str] = {}
    if front := _FRONT_MATTER.match(source):
        found = (_ENTRY.fullmatch(line) for line in front[1].splitlines())
        metadata = {entry[1]: entry[2].strip().strip("\"'") for entry in found if entry}
        source = source[front.end() :]
    reader = _TokenReader()
    for token in _PARSER.parse(source):
        reader.read(token)
    title = metadata.pop("title", None) or reader.assembly.first_heading
    return reader.assembly.build(title=title, metadata=metadata)


@dataclass
class _TokenReader:
    assembly: Assembly = field(default_factory=Assembly)
    _heading: int | None = None
    _numbers: list[int | None] = field(default_factory=list)
    _prefix: str = ""
    _rows: list[str] = field(default_factory=list)
    _cells: list[str] | None = None

    def read(self, token: Token) -> None:
        """Take in the next token of the flat block stream."""
        match token.type:
            case "heading_open":
                self._heading = int(token.tag[1])
            case "heading_close":
                self._heading = None
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                self._numbers.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                self._open_item()
            case "tr_open":
                self._cells = []
            case "tr_close":
                self._rows.append(" | ".join(self._cells or []))
                self._cells = None
            case "table_close":
                self.assembly.block("\n".join(self._rows))
                self._rows = []
            case "fence" | "code_block":
                self._block(token.content)
            case "html_block":
                self._block(visible_text(token.content))
            case "inline":
                self._inline(token)

    def _open_item(self) -> None:
        number = self._numbers[-1]
        mark = "-" if number is None else f"{number}."
        if number is not None:
            self._numbers[-1] = number + 1
        self._prefix = "  " * (len(self._numbers) - 1) + mark + " "

    def _inline(self, token: Token) -> None:
        text = _plain(token.children or [])
        if self._cells is not None:
            self._cells.append(" ".join(text.split()))
        elif self._heading is not None:
            self.assembly.heading(self._heading, text)
        else:
            self._block(text)

    def _block(self, text: str) -> None:
        self.assembly.block(self._prefix + text if text.strip() else "", list_item=bool(self._prefix))
        self._prefix = ""


def _plain(tokens: list[Token]) -> str:
    parts: list[str] = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special", "image"):
            # An image stands for its alternative text.
            parts.append(token.content)
        elif token.type == "softbreak":
            parts.append(" ")
        elif token.type == "hardbreak" or (
            token.type == "html_inline" and token.content[:3].lower() == "<br"
        ):
            parts.append("\n")
    return "".join(parts)
