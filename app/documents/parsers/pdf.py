"""PDF: the text of its pages."""

import io
import re

from pypdf import PdfReader
from pypdf.errors import FileNotDecryptedError, LimitReachedError

from app.documents.parsers import faults
from app.documents.parsers.assembly import Assembly, is_blank, scrub
from app.documents.parsers.detect import check_pdf_ends
from app.documents.shapes import ParsedDocument
from app.errors import CitegraphError

MAX_PAGES = 2_000
# A word cut at the end of a line: a letter, a hyphen, and a small letter on the next line.
_CUT_WORD = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
_SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’)\]]*\Z")


def parse_pdf(raw: bytes) -> ParsedDocument:
    """The text of the pages, joined where a sentence runs on; metadata holds `page_count`.

    Raises InvalidInput: `encrypted_document`, `too_many_pages` beyond 2,000, `damaged_document`,
    or `empty_document` for a scan without text.
    """
    check_pdf_ends(raw)
    try:
        return _read(raw)
    except (CitegraphError, MemoryError):
        raise
    except FileNotDecryptedError:
        raise faults.encrypted_document() from None
    except LimitReachedError:
        raise faults.too_large_to_parse() from None
    except Exception:
        # pypdf lets nearly any exception through on a broken file; their texts quote the file.
        raise faults.damaged_document("The PDF is damaged and cannot be read.") from None


def _read(raw: bytes) -> ParsedDocument:
    reader = PdfReader(io.BytesIO(raw), strict=False)
    if reader.is_encrypted:
        _open_without_password(reader)
    if len(reader.pages) > MAX_PAGES:
        raise faults.too_many_pages(MAX_PAGES)
    text = ""
    parts: list[str] = []
    for page in reader.pages:
        page_text = _tidy(page.extract_text())
        if is_blank(page_text):
            continue
        if parts:
            runs_on = not _SENTENCE_END.search(text) and page_text[:1].islower()
            parts.append("\n" if runs_on else "\n\n")
        parts.append(page_text)
        text = page_text
    assembly = Assembly()
    assembly.block("".join(parts))
    title = reader.metadata.title if reader.metadata is not None else None
    return assembly.build(
        title=scrub(str(title)) if title else None, metadata={"page_count": str(len(reader.pages))}
    )


def _open_without_password(reader: PdfReader) -> None:
    """Many PDFs are locked against changes only and open for reading with an empty password."""
    try:
        opened = reader.decrypt("")
    except Exception:
        # Includes ciphers that pypdf reads only with an extra package.
        raise faults.encrypted_document() from None
    if not opened:
        raise faults.encrypted_document()


def _tidy(text: str) -> str:
    lines = (line.rstrip() for line in scrub(text).replace("\r\n", "\n").split("\n"))
    return _CUT_WORD.sub("", "\n".join(lines)).strip()
