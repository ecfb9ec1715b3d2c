"""ZIP archives: each readable file inside is a document."""

from collections.abc import Iterator

from app.documents.parsers import archive, parse_errors
from app.documents.parsers.file_format import FileContent, FileFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument
from app.errors import UnsupportedFormat


class Zip(FileFormat):
    """An archive of files, without text of its own."""

    name = "zip"
    label = "archive (ZIP)"
    description = "Each file in it that can be read is a document of its own, also in archives inside of it."
    extensions = ("zip",)
    media_types = ("application/zip", "application/x-zip-compressed")
    holds_files = True
    is_container = True

    def check(self, content: FileContent) -> None:
        """Refuse a file that is not an archive."""
        if not archive.is_zip(content.raw):
            raise parse_errors.build_misnamed_file_error("ZIP")

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Raise UnsupportedFormat: archives are unpacked on submission, never parsed."""
        raise UnsupportedFormat("An archive is not a document; submit it where files are uploaded.")

    def iter_inner_files(self, file_bytes: bytes, budget: archive.InnerBudget) -> Iterator[archive.InnerFile]:
        """Yield the entries in the order of the archive."""
        return archive.iter_members(file_bytes, budget)
