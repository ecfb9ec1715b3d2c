"""Files built byte by byte for the tests of this folder, and a check that they are sound."""

import io
import zipfile
import zlib

from pypdf import PdfReader, PdfWriter

CONTENT_TYPES = (
    b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    b'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    b'<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    b'wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    b'<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
    b'officeDocument" Target="word/document.xml"/></Relationships>'
)


def pdf_of(*pages: list[str]) -> bytes:
    """A PDF whose pages hold these lines."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        shown = b"".join(b"(" + line.encode() + b") Tj T* " for line in lines)
        stream = b"BT /F1 12 Tf 14 TL 50 700 Td " + shown + b"ET"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (size, table, size, len(out))
    )


def locked_pdf(password: str) -> bytes:
    """A PDF that opens with this password; an empty one only forbids changes."""
    writer = PdfWriter(clone_from=io.BytesIO(pdf_of(["Secret text."])))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    stored = io.BytesIO()
    writer.write(stored)
    return stored.getvalue()


def zip_of(entries: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip container with these entries."""
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", method) as container:
        for name, content in entries.items():
            container.writestr(name, content)
    return stored.getvalue()


def docx_of(document_xml: bytes, **more: bytes) -> bytes:
    """The smallest Word document around this text part; `more` are entries beside it."""
    parts = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": RELATIONS,
        "word/document.xml": document_xml,
    }
    return zip_of(parts | more)


def understating_zip(content: bytes) -> bytes:
    """A Word document whose directory declares one entry far smaller than it unpacks to."""
    raw = bytearray(docx_of(b"<x/>", **{"word/media.xml": content}))
    declared = len(content).to_bytes(4, "little")
    at = raw.find(declared)
    while at >= 0:
        raw[at : at + 4] = (1000).to_bytes(4, "little")
        at = raw.find(declared, at)
    return bytes(raw)


def word_body(text: str, *, before: str = "") -> bytes:
    """A text part with one paragraph; `before` stands ahead of its root element."""
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return (
        f'<?xml version="1.0"?>{before}<w:document xmlns:w="{namespace}"><w:body><w:p><w:r><w:t>{text}</w:t>'
        f"</w:r></w:p></w:body></w:document>"
    ).encode()


def test_the_samples_are_what_they_claim() -> None:
    assert PdfReader(io.BytesIO(pdf_of(["Hello."]))).pages[0].extract_text().strip() == "Hello."
    assert PdfReader(io.BytesIO(locked_pdf("pw"))).is_encrypted
    with zipfile.ZipFile(io.BytesIO(understating_zip(bytes(5_000_000)))) as container:
        entry = container.getinfo("word/media.xml")
        assert entry.file_size == 1000
        assert entry.compress_size == len(zlib.compress(bytes(5_000_000), wbits=-15))


def book_of(*chapters: str, package: str = "", navigation: str = "", ncx: str = "") -> bytes:
    """An EPUB of these chapters; `package` stands ahead of the root of its package file.

    `navigation` is the body of its navigation page, `ncx` the table of contents of older books.
    """
    items = "".join(
        f'<item id="c{at}" href="c{at}.xhtml" media-type="application/xhtml+xml"/>'
        for at in reversed(range(len(chapters)))
    )
    contents = {"nav.xhtml": f"<html><body>{navigation}</body></html>" if navigation else "", "toc.ncx": ncx}
    if navigation:
        items += '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    if ncx:
        items += '<item id="x" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    opf = (
        f'{package}<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<metadata><dc:title>My Book</dc:title><dc:creator>Ada</dc:creator></metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    pages = {
        f"OEBPS/c{at}.xhtml": f'<?xml version="1.0"?><!DOCTYPE html><html><body>{chapter}</body></html>'
        for at, chapter in enumerate(chapters)
    }
    pages |= {f"OEBPS/{name}": content for name, content in contents.items() if content}
    entries = {"META-INF/container.xml": container, "OEBPS/book.opf": opf, **pages}
    return zip_of({name: content.encode() for name, content in entries.items()})
