"""MHTML: a web page that a browser saved with its pictures in one file."""

from contextlib import suppress
from email.message import EmailMessage

from app.documents.formats.eml import is_mail_of_saved_page, parse_mail
from app.documents.formats.html import parse_html
from app.documents.parsers import parse_errors
from app.documents.parsers.file_format import FileContent, TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument
from app.errors import UnsupportedFormat

_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_UTF8_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Mhtml(TextFormat):
    """A web page as browsers save it in one file."""

    name = "mhtml"
    label = "web page (MHTML)"
    description = "The page in it as an HTML file is read; citations name the section."
    extensions = ("mhtml", "mht")
    media_types = ("multipart/related", "application/x-mimearchive")

    def recognizes(self, content: FileContent) -> bool:
        """Return whether undeclared bytes begin like a saved page, as documents named .doc may."""
        return content.declared_format is None and is_mail_of_saved_page(content.raw)

    def check(self, content: FileContent) -> None:
        """Refuse a file without a header; the parts may contain any bytes."""
        if b":" not in content.raw[:2_048]:
            raise UnsupportedFormat(
                "The file is named as a saved page, but has no header: save the page again."
            )

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the visible text of the page; its frames and pictures are left out."""
        page = _find_page(parse_mail(file_bytes))
        if page is None:
            raise parse_errors.build_damaged_document_error(
                "There is no page in the file", "save the page again"
            )
        payload = page.get_payload(decode=True)
        page_bytes = payload if isinstance(payload, bytes) else b""
        charset = page.get_content_charset()
        if charset:
            # If the named encoding is unknown, the page or its bytes tell the encoding.
            with suppress(LookupError):
                page_bytes = _UTF8_BYTE_ORDER_MARK + page_bytes.decode(charset, "replace").encode()
        return parse_html(page_bytes)


def _find_page(message: EmailMessage) -> EmailMessage | None:
    """Return the part that the header names as the page, else the first that is a page."""
    pages = [mail_part for mail_part in message.walk() if mail_part.get_content_type() in _PAGE_TYPES]
    content_type = message.get("Content-Type")
    start_id = content_type.params.get("start") if content_type is not None else None
    return next((page for page in pages if start_id and page.get("Content-ID") == start_id), None) or next(
        iter(pages), None
    )
