"""Parse the lines of calendars and address books, `NAME;PARAMETER=VALUE:VALUE` (RFC 5545, RFC 6350)."""

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE = re.compile(
    r"(?:[\w-]+\.)?(?P<name>[A-Za-z-]+)(?P<parameters>(?:;(?:\"[^\"]*\"|[^\":])*)?):(?P<value>.*)",
    re.DOTALL,
)
_FOLDED_LINE_BREAK = re.compile(r"\r?\n[ \t]")
_QUOTED_PRINTABLE_PARAMETER = re.compile(r"(?:ENCODING=)?QUOTED-PRINTABLE", re.IGNORECASE)
_PARAMETER = re.compile(r';(?P<name>[A-Za-z-]+)=(?:"(?P<quoted>[^"]*)"|(?P<value>[^;"]*))')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_VALUE_SEPARATOR = re.compile(r"(?<!\\);")


@dataclass(frozen=True)
class ContentLine:
    """A property: its name and parameter names in upper case, and its value as written."""

    name: str
    parameters: dict[str, str]
    value: str

    @property
    def text(self) -> str:
        """The value without escapes."""
        return _unescape_value(self.value).strip()

    @property
    def parts(self) -> list[str]:
        """The non-empty values between semicolons."""
        return [
            text
            for field_text in _VALUE_SEPARATOR.split(self.value)
            if (text := _unescape_value(field_text).strip())
        ]


@dataclass
class Component:
    """The properties between BEGIN and END of one name, without those of nested components."""

    name: str
    lines: list[ContentLine] = field(default_factory=list)


def iter_components(text: str) -> Iterator[Component]:
    """Yield the components in the order in which they begin, including nested ones.

    Lines outside all components belong to a first one without a name.
    """
    components = [Component("")]
    open_components = [components[0]]
    for line in iter_content_lines(text):
        if line.name == "BEGIN":
            components.append(Component(line.value.strip().upper()))
            open_components.append(components[-1])
        elif line.name != "END":
            open_components[-1].lines.append(line)
        elif len(open_components) > 1:
            open_components.pop()
    yield from components


def iter_content_lines(text: str) -> Iterator[ContentLine]:
    """Yield the properties; skip other lines."""
    for written_line in _iter_whole_lines(text):
        match = _LINE.fullmatch(written_line)
        if match is None:
            continue
        parameters = {
            parameter["name"].upper(): parameter["quoted"] or parameter["value"] or ""
            for parameter in _PARAMETER.finditer(match["parameters"])
        }
        value = match["value"]
        if _QUOTED_PRINTABLE_PARAMETER.search(match["parameters"]):
            value = _decode_quoted_printable(value, parameters.get("CHARSET", "utf-8"))
        yield ContentLine(match["name"].upper(), parameters, value)


def _iter_whole_lines(text: str) -> Iterator[str]:
    """Yield the lines, unfolded: continued by white space, or by "=" in quoted-printable values."""
    line_parts: list[str] = []
    for line in re.split(r"\r\n|\n|\r", _FOLDED_LINE_BREAK.sub("", text)):
        line_parts.append(line)
        if line.endswith("=") and _QUOTED_PRINTABLE_PARAMETER.search(line_parts[0].partition(":")[0]):
            line_parts[-1] = line[:-1]
        else:
            yield "".join(line_parts)
            line_parts = []
    yield "".join(line_parts)


def _decode_quoted_printable(value: str, encoding: str) -> str:
    decoded_bytes = quopri.decodestring(value.encode())
    try:
        return decoded_bytes.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        return decoded_bytes.decode("utf-8", "replace")


def _unescape_value(value: str) -> str:
    return _ESCAPE.sub(lambda escape: "\n" if escape[1] in "nN" else escape[1], value)
