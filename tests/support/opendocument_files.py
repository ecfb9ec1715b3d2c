"""OpenDocument files, written by hand."""

from tests.support.document_samples import zip_of

KINDS = {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}
_URN = "urn:oasis:names:tc:opendocument:xmlns:"
_PREFIXES = {
    "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style",
    "presentation": "presentation", "fo": "xsl-fo-compatible", "svg": "svg-compatible",
}  # fmt: skip
NAMES = " ".join(
    [
        *(f'xmlns:{prefix}="{_URN}{name}:1.0"' for prefix, name in _PREFIXES.items()),
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"',
    ]
)


def opendocument(format: str, body: str, *, styles: str = "", prologue: str = "", **parts: str) -> bytes:
    """A file of that format with this in its body; `parts` are other entries."""
    kind = KINDS[format]
    content = (
        f"{prologue}<office:document-content {NAMES}>"
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    entries = {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content, **parts}
    return zip_of({name: text.encode() for name, text in entries.items()})


def rows_of(*rows: tuple[str, ...]) -> str:
    """The rows of a table of these cells."""
    cell = "<table:table-cell office:value-type='string'><text:p>{}</text:p></table:table-cell>"
    return "".join(f"<table:table-row>{''.join(map(cell.format, cells))}</table:table-row>" for cells in rows)
