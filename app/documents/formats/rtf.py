"""RTF: paragraphs, headings and tables in reading order, then notes, comments, headers and footers."""

import codecs
import re
from dataclasses import dataclass, field, replace

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.file_format import FileContent, FileFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.table_lines import format_table_as_lines
from app.documents.shapes import ParsedDocument

_RTF_START = b"{\\rtf"
_TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?\ ?|\\'(?P<byte>[0-9a-fA-F]{2})|\\(?P<mark>[^a-zA-Z])"
    r"|(?P<brace>[{}])|[\r\n]+|(?P<text>[^\\{}\r\n]+)"
)
_MAX_DEPTH = 500
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
# Code pages by the character set number of a font.
_CODE_PAGE_BY_CHARSET = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip
_TEXT_BY_CONTROL_WORD = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ", "qmspace": " ",
    "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "nestcell": " ",
    "nestrow": " ",
}  # fmt: skip
_TEXT_BY_CONTROL_SYMBOL = {"~": "\N{NO-BREAK SPACE}", "_": "-", "-": ""}
_SKIPPED_DESTINATIONS = frozenset((
    "colortbl", "pict", "nonshppict", "sp", "shprslt", "filetbl", "revtbl", "listtable",
    "listoverridetable", "xe", "tc", "txe", "rxe", "fldinst", "objdata", "objclass", "objname", "datafield",
    "formfield", "generator", "themedata", "datastore", "latentstyles", "operator", "keywords", "company",
    "comment", "doccomm", "creatim", "revtim", "printim", "buptim", "subject", "category", "hlinkbase",
    "background",
))  # fmt: skip
# Starred groups are for programs that know them and are skipped, except for these, which hold text.
_READ_STARRED_DESTINATIONS = frozenset(("shpinst", "footnote", "annotation", "atnauthor"))
# Programs without lists write the bullet as text.
_BULLET = re.compile(r"[•·▪◦]\s+")
_MARGIN_NOUN_BY_WORD = {
    f"{noun}{kind}": noun for noun in ("header", "footer") for kind in ("", "l", "r", "f")
}


class Rtf(FileFormat):
    """Rich text as saved by Word, WordPad and TextEdit."""

    name = "rtf"
    label = "RTF"
    description = (
        "The text of a rich text in reading order under its headings, a table's rows as lines; beside it"
        " notes, comments by their authors, headers and footers; citations name the section."
    )
    extensions = ("rtf",)
    media_types = ("application/rtf", "text/rtf")
    seconds = 60

    def recognizes(self, content: FileContent) -> bool:
        """Return whether the bytes begin like rich text."""
        return content.raw.startswith(_RTF_START)

    def check(self, content: FileContent) -> None:
        """Refuse a file that does not begin like rich text."""
        if not content.raw.startswith(_RTF_START):
            raise parse_errors.build_misnamed_file_error(self.label)

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the text; pictures and embedded objects are ignored."""
        return _Interpreter(file_bytes).read()


@dataclass
class _Flow:
    """One stream of text: the body, a note, a comment, a header."""

    noun: str = ""
    speaker: str | None = None
    paragraphs: list[str] = field(default_factory=list)
    text_pieces: list[str] = field(default_factory=list)

    def end_paragraph(self) -> None:
        """Store the collected words as a paragraph."""
        text = _join_surrogate_pairs("".join(self.text_pieces)).strip()
        self.text_pieces.clear()
        if text:
            self.paragraphs.append(text)


@dataclass(frozen=True, slots=True)
class _Group:
    """The state that applies up to the closing brace."""

    flow: _Flow
    codec: str
    is_skipped: bool = False
    is_hidden: bool = False
    destination: str = ""
    fallback_count: int = 1


class _Interpreter:
    """Reads the control words and text of a rich text once."""

    def __init__(self, file_bytes: bytes) -> None:
        self._source = file_bytes.decode("latin-1")
        self._assembly = Assembly(sections_are_places=True)
        self._body = _Flow()
        self._aside_flows: list[_Flow] = []
        self._group = _Group(self._body, "cp1252")
        self._outer_groups: list[_Group] = []
        self._bytes = bytearray()
        self._bytes_to_skip = 0
        self._is_starred = False
        self._codec_by_font: dict[int, str] = {}
        self._font_number = 0
        self._default_codec = "cp1252"
        self._style_name_by_number: dict[int, str] = {}
        self._style_number = 0
        self._author = ""
        self._properties: dict[str, str] = {}
        self._heading_level: int | None = None
        self._is_item = False
        self._in_table = False
        self._cells: list[str] = []
        self._column_merges: list[str] = []
        self._next_column_merge = ""
        self._rows: list[list[str]] = []
        self._picture_count = 0

    def read(self) -> ParsedDocument:
        """Return the document. Raises InvalidInput `too_deep`, `empty_document`."""
        position = 0
        while match := _TOKEN.search(self._source, position):
            position = match.end()
            if match["text"]:
                self._collect_bytes_without_fallbacks(match["text"].encode("latin-1"))
            elif match["byte"]:
                self._collect_bytes_without_fallbacks(bytes((int(match["byte"], 16),)))
            elif match["brace"]:
                self._decode_and_append_collected_bytes()
                self._open_group() if match["brace"] == "{" else self._close_group()
            elif match["mark"]:
                self._apply_mark(match["mark"])
            elif match["word"] == "bin":
                position += max(int(match["number"] or 0), 0)
            elif match["word"]:
                self._apply_control_word(match["word"], int(match["number"]) if match["number"] else None)
        self._decode_and_append_collected_bytes()
        self._end_paragraph()
        self._end_table()
        return self._build_document()

    def _build_document(self) -> ParsedDocument:
        assembly = self._assembly
        self._add_notes()
        self._add_headers_and_footers()
        assembly.note_unread_objects("picture", self._picture_count)
        author = self._properties.get("author", "")
        return assembly.build(
            title=self._properties.get("title") or assembly.first_heading,
            metadata={"author": author} if author else {},
        )

    def _add_notes(self) -> None:
        assembly = self._assembly
        for noun in ("footnote", "endnote", "comment"):
            notes = (flow for flow in self._aside_flows if flow.noun == noun)
            for number, flow in enumerate(notes, start=1):
                flow.end_paragraph()
                assembly.begin_aside(f"{noun} {number}")
                if noun == "comment":
                    assembly.add_unsplittable_section("\n".join(flow.paragraphs), speaker=flow.speaker)
                for text in flow.paragraphs if noun != "comment" else ():
                    assembly.add_block(text)

    def _add_headers_and_footers(self) -> None:
        for noun in ("header", "footer"):
            flows = [flow for flow in self._aside_flows if flow.noun == noun]
            for flow in flows:
                flow.end_paragraph()
            texts = dict.fromkeys(text for flow in flows for text in flow.paragraphs)
            if worded_texts := [text for text in texts if any(map(str.isalpha, text))]:
                self._assembly.begin_aside(noun)
                for text in worded_texts:
                    self._assembly.add_block(text)

    def _open_group(self) -> None:
        if len(self._outer_groups) >= _MAX_DEPTH:
            raise parse_errors.build_too_deep_error(_MAX_DEPTH)
        self._outer_groups.append(self._group)
        self._is_starred = False

    def _close_group(self) -> None:
        if self._outer_groups:
            if self._group.destination and self._group.destination != self._outer_groups[-1].destination:
                self._store_group_text()
            self._group = self._outer_groups.pop()

    def _store_group_text(self) -> None:
        """Store the text of a finished group of names, such as styles or the title."""
        destination = self._group.destination
        text = _join_surrogate_pairs("".join(self._group.flow.text_pieces)).strip().rstrip(";").strip()
        self._group.flow.text_pieces.clear()
        if destination == "style":
            self._style_name_by_number[self._style_number] = text
        elif destination in ("title", "author"):
            self._properties[destination] = text
        elif destination == "commenter":
            self._author = text

    def _apply_mark(self, mark: str) -> None:
        if mark == "*":
            self._is_starred = True
        elif mark in "\r\n":
            self._apply_control_word("par", None)
        else:
            self._decode_and_append_collected_bytes()
            self._append_text(_TEXT_BY_CONTROL_SYMBOL.get(mark, mark if mark in "\\{}" else ""))

    def _apply_control_word(self, word: str, number: int | None) -> None:
        self._decode_and_append_collected_bytes()
        is_starred, self._is_starred = self._is_starred, False
        if word == "pict":
            self._picture_count += not self._group.is_skipped
        if word in _SKIPPED_DESTINATIONS or (is_starred and word not in _READ_STARRED_DESTINATIONS):
            self._group = replace(self._group, is_skipped=True)
        elif word == "u" and number is not None:
            self._bytes_to_skip = 0
            self._append_text(chr(number % 65_536))
            self._bytes_to_skip = self._group.fallback_count
        elif word in _TEXT_BY_CONTROL_WORD:
            self._append_text(_TEXT_BY_CONTROL_WORD[word])
        elif not self._start_special_group(word, number):
            self._apply_format_word(word, number)

    def _start_special_group(self, word: str, number: int | None) -> bool:
        """Start a group with a text stream or meaning of its own; return whether the word starts one."""
        group = self._group
        if group.is_skipped:
            return False
        if word in ("footnote", "annotation", *_MARGIN_NOUN_BY_WORD):
            noun = "comment" if word == "annotation" else _MARGIN_NOUN_BY_WORD.get(word, word)
            flow = _Flow(noun, self._author if word == "annotation" and self._author else None)
            self._aside_flows.append(flow)
            self._group = replace(group, flow=flow)
        elif word == "ftnalt" and group.flow.noun == "footnote":
            group.flow.noun = "endnote"
        elif word in ("fonttbl", "stylesheet"):
            self._group = replace(group, flow=_Flow(), destination=word)
        elif group.destination == "stylesheet":
            self._style_number = number or 0 if word == "s" else 0
            self._group = replace(group, destination="style")
        elif word in ("title", "author", "atnauthor"):
            destination = "commenter" if word == "atnauthor" else word
            self._group = replace(group, flow=_Flow(), destination=destination)
        elif word == "info":
            self._group = replace(group, flow=_Flow(), destination="info")
        elif word in ("listtext", "pntext"):
            self._is_item = True
            self._group = replace(group, is_skipped=True)
        else:
            return False
        return True

    def _apply_format_word(self, word: str, number: int | None) -> None:
        """Apply a control word that formats text or ends a paragraph or cell."""
        group = self._group
        if word == "ansicpg" and number is not None:
            self._default_codec = _find_codec(f"cp{number}")
            self._group = replace(group, codec=self._default_codec)
        elif word in ("mac", "pc", "pca"):
            self._default_codec = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
            self._group = replace(group, codec=self._default_codec)
        elif word == "f" and number is not None:
            if group.destination == "fonttbl":
                self._font_number = number
            self._group = replace(self._group, codec=self._codec_by_font.get(number, self._default_codec))
        elif word == "fcharset" and group.destination == "fonttbl" and number in _CODE_PAGE_BY_CHARSET:
            self._codec_by_font[self._font_number] = _CODE_PAGE_BY_CHARSET[number]
        elif word == "uc":
            self._group = replace(group, fallback_count=min(max(number or 0, 0), 10))
        elif word in ("v", "deleted"):
            self._group = replace(group, is_hidden=number != 0)
        elif word == "plain":
            self._group = replace(group, is_hidden=False)
        elif group.destination or group.is_skipped:
            return
        elif word in ("par", "sect", "page"):
            self._end_paragraph()
        elif group.flow is self._body:
            self._apply_layout_word(word, number)
        elif word in ("cell", "row"):
            group.flow.text_pieces.append("\t" if word == "cell" else "\n")

    def _apply_layout_word(self, word: str, number: int | None) -> None:
        """Apply a control word for paragraphs and tables of the body."""
        if word == "pard":
            self._heading_level, self._is_item, self._in_table = None, False, False
        elif word == "s" and number is not None:
            style_name = self._style_name_by_number.get(number, "")
            heading_match = _HEADING.match(style_name)
            self._heading_level = (
                int(heading_match[1])
                if heading_match
                else 0
                if style_name.lower() == "title"
                else self._heading_level
            )
        elif word == "outlinelevel" and number is not None and 0 <= number <= 8:
            self._heading_level = number + 1
        elif word == "ls":
            self._is_item = True
        elif word == "intbl":
            self._in_table = True
        elif word == "trowd":
            self._column_merges.clear()
        elif word in ("clvmrg", "clmrg"):
            self._next_column_merge = word
        elif word == "cellx":
            self._column_merges.append(self._next_column_merge)
            self._next_column_merge = ""
        elif word == "cell":
            self._cells.append(" ".join(_join_surrogate_pairs("".join(self._body.text_pieces)).split()))
            self._body.text_pieces.clear()
        elif word == "row":
            self._end_row()

    def _end_row(self) -> None:
        row_above = self._rows[-1] if self._rows else []
        for column, merge in enumerate(self._column_merges[: len(self._cells)]):
            if merge == "clvmrg" and column < len(row_above):
                # Vertically merged: the text of the cell above is repeated in each row.
                self._cells[column] = row_above[column]
        if self._cells:
            self._rows.append(self._cells)
            self._cells = []
        self._in_table = False

    def _end_table(self) -> None:
        if self._cells:
            self._end_row()
        if self._rows:
            self._assembly.add_block("\n".join(format_table_as_lines(self._rows)), noun="table")
            self._rows = []

    def _end_paragraph(self) -> None:
        flow = self._group.flow
        if flow is not self._body:
            flow.end_paragraph()
            return
        if self._in_table or self._cells:
            # The paragraph is inside a cell, which continues.
            flow.text_pieces.append(" ")
            return
        text = _join_surrogate_pairs("".join(flow.text_pieces)).strip()
        flow.text_pieces.clear()
        if not text:
            return
        self._end_table()
        if bullet := _BULLET.match(text):
            self._is_item, text = True, text[bullet.end() :]
        if self._heading_level is not None:
            self._assembly.add_heading(self._heading_level, text)
        else:
            self._assembly.add_block(f"- {text}" if self._is_item else text, list_item=self._is_item)

    def _collect_bytes_without_fallbacks(self, text_bytes: bytes) -> None:
        """Collect bytes in the font's code page, without fallbacks for a character already written."""
        skipped_length = min(self._bytes_to_skip, len(text_bytes))
        self._bytes_to_skip -= skipped_length
        self._bytes += text_bytes[skipped_length:]

    def _decode_and_append_collected_bytes(self) -> None:
        """Decode and append the collected bytes, and end the skipping of fallbacks."""
        self._bytes_to_skip = 0
        if self._bytes:
            text = self._bytes.decode(self._group.codec, "replace")
            self._bytes.clear()
            self._append_text(text)

    def _append_text(self, text: str) -> None:
        if not self._group.is_skipped and not self._group.is_hidden:
            self._group.flow.text_pieces.append(text)


def _find_codec(codec_name: str) -> str:
    try:
        return codecs.lookup(codec_name).name
    except LookupError:
        return "cp1252"


def _join_surrogate_pairs(text: str) -> str:
    """Return the text with surrogate pairs joined to characters."""
    return remove_characters_refused_in_texts(
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    )
