"""Advice for files that are not read, by extension or by content: how their owner can convert them."""

import re
from types import MappingProxyType
from typing import NamedTuple

OFFICE_ADVICE = "Save a document of an office program as DOCX, XLSX, PPTX or PDF."
"""Advice for an office container whose name does not tell the program."""
_ADVICE_BY_EXTENSIONS = (
    ("doc dot fodt sxw wpd wps pages", "Save it as DOCX or PDF."),
    ("xls xlt xlsb fods sxc numbers", "Save it as XLSX or CSV."),
    ("ppt pps pot fodp sxi key", "Save it as PPTX or PDF."),
    ("fb2 mobi azw azw3 djvu", "Save it as EPUB or PDF."),
    ("ps eps xps", "Save it as PDF."),
    ("msg pst ost", "Save its mails as EML or MBOX."),
    (
        "dat",
        "If it is Outlook's winmail.dat, ask the sender for a mail in plain text or HTML.",
    ),
    ("parquet feather arrow avro sqlite sqlite3 db mdb accdb sav dta", "Export its tables as CSV or XLSX."),
    ("gdoc gsheet gslides", "It is only a link: download the document as DOCX, XLSX or PPTX."),
    ("url webloc lnk", "It is only a link: save the page or file to which it leads."),
    ("one vsd vsdx ai indd pub", "Export it as PDF."),
    ("7z rar tar gz tgz bz2 xz zst", "Unpack it, or pack its files as ZIP."),
    (
        "png jpg jpeg gif tif tiff bmp webp heic svg",
        "Pictures have no text: run text recognition (OCR) and save the result as PDF.",
    ),
    ("mp3 wav m4a ogg flac mp4 mov mkv avi webm", "Recordings are not read: submit a transcript."),
)
_ADVICE_BY_EXTENSION = MappingProxyType(
    {extension: advice for extensions, advice in _ADVICE_BY_EXTENSIONS for extension in extensions.split()}
)

# The first bytes of files of other formats, what these are, and an extension with their advice.
_KNOWN_STARTS = tuple(
    (re.compile(start, re.DOTALL), description, extension)
    for start, description, extension in (
        (rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|BM.{4}\0{4}|RIFF.{4}WEBP", "a picture", "png"),
        (rb".{4}ftyp(?:heic|heix|mif1|avif)", "a picture", "heic"),
        (
            rb"ID3|\xff[\xfa\xfb\xf3\xf2]|RIFF.{4}(?:WAVE|AVI )|OggS|fLaC|.{4}ftyp|\x1aE\xdf\xa3",
            "a recording",
            "mp4",
        ),
        (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\x1f\x8b|BZh[1-9]|\xfd7zXZ|\x28\xb5\x2f\xfd", "an archive", "gz"),
        (rb"%!PS", "PostScript", "ps"),
        (rb".{60}BOOKMOBI", "an e-book of Kindle", "mobi"),
    )
)


class UnsupportedContent(NamedTuple):
    """The name of a content ("a picture"), and how to convert it."""

    description: str
    advice: str


def describe_unsupported_content(file_bytes: bytes) -> UnsupportedContent | None:
    """Return what the content is ("a picture"), and how to convert it; None if that is not known here."""
    for start_pattern, description, extension in _KNOWN_STARTS:
        if start_pattern.match(file_bytes):
            return UnsupportedContent(description, _ADVICE_BY_EXTENSION[extension])
    return None


def get_conversion_advice(file_name: str) -> str | None:
    """Return how to convert a file of this name; None if there is no advice."""
    return _ADVICE_BY_EXTENSION.get(file_name.rpartition(".")[2].lower())
