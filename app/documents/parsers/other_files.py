"""Advice for files that are not read, by extension: how their owner can convert them."""

from types import MappingProxyType

OFFICE_ADVICE = "Save a document of an office program as DOCX, XLSX, PPTX or PDF."
"""Advice for an office container whose name does not tell the program."""
_ADVICE = (
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
    ("mht mhtml", "Save the page as HTML."),
    ("7z rar tar gz tgz bz2 xz zst", "Unpack it, or pack its files as ZIP."),
    (
        "png jpg jpeg gif tif tiff bmp webp heic svg",
        "Pictures have no text: run text recognition (OCR) and save the result as PDF.",
    ),
    ("mp3 wav m4a ogg flac mp4 mov mkv avi webm", "Recordings are not read: submit a transcript."),
)
_BY_EXTENSION = MappingProxyType(
    {extension: advice for extensions, advice in _ADVICE for extension in extensions.split()}
)


def get_conversion_advice(file_name: str) -> str | None:
    """Return how to convert a file of this name; None if there is no advice."""
    return _BY_EXTENSION.get(file_name.rpartition(".")[2].lower())
