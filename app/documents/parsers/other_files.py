"""Files that are not read, by their extension: what their owner can do to have them read."""

from types import MappingProxyType

OFFICE_ADVICE = "Save a document of an office program as DOCX, XLSX, PPTX or PDF."
"""Where the bytes are a container of such a program, and the name does not say of which."""
_ADVICE = (
    ("doc dot fodt sxw wpd wps pages", "Save it as DOCX or PDF."),
    ("xls xlt xlsb fods sxc numbers", "Save it as XLSX or CSV."),
    ("ppt pps pot fodp sxi key", "Save it as PPTX or PDF."),
    ("fb2 mobi azw azw3 djvu", "Save it as EPUB or PDF."),
    ("ps eps xps", "Save it as PDF."),
    ("msg pst ost", "Save its mails as EML or MBOX."),
    (
        "dat",
        "Where it is Outlook's winmail.dat, ask who sent it for a mail of plain text or HTML.",
    ),
    ("mht mhtml", "Save the page as HTML."),
    ("7z rar tar gz tgz bz2 xz zst", "Unpack it, or pack its files as ZIP."),
    (
        "png jpg jpeg gif tif tiff bmp webp heic svg",
        "Of a picture no text is read: run text recognition (OCR) over it and save it as PDF.",
    ),
    ("mp3 wav m4a ogg flac mp4 mov mkv avi webm", "Of a recording nothing is read: hand in its transcript."),
)
_BY_EXTENSION = MappingProxyType(
    {extension: advice for extensions, advice in _ADVICE for extension in extensions.split()}
)


def get_conversion_advice(file_name: str) -> str | None:
    """Return what to do to have a file of this name read; None where its name says nothing of that."""
    return _BY_EXTENSION.get(file_name.rpartition(".")[2].lower())
