"""Mailboxes: several mails in one file."""

import re
from collections.abc import Iterator, Sequence

from app.documents.formats.eml import (
    HEADER_END,
    add_mail,
    get_header_field_or_empty,
    get_mail_ids,
    iter_attachments,
    parse_mail,
)
from app.documents.parsers import archive, parse_errors
from app.documents.parsers.assembly import Assembly
from app.documents.parsers.broken_parts import BrokenParts
from app.documents.parsers.file_format import FileContent, TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument
from app.errors import CitegraphError, UnsupportedFormat

_LINE_END_PATTERN = rb"(?:\r\n|\n|\r)"
_TIME_PATTERN = rb"[^\r\n]{1,100}\d\d:\d\d(?::\d\d)?[^\r\n:]{0,20} \d{4}[^\r\n:]{0,20}" + _LINE_END_PATTERN
_FIRST_FIELD_PATTERN = rb"[A-Za-z-]{1,60}:"
# A mail begins at a "From " line that ends with a time or is followed by a header field, below an empty line;
# with both, also below another line.
_MAIL_START = re.compile(
    rb"(?:\A|"
    + _LINE_END_PATTERN * 2
    + rb"|"
    + _LINE_END_PATTERN
    + rb"(?=From \S{0,300}"
    + _TIME_PATTERN
    + _FIRST_FIELD_PATTERN
    + rb"))"
    rb"From (?P<sender>\S{0,300})"
    rb"(?:"
    + _TIME_PATTERN
    + rb"|[^\r\n]{0,500}"
    + _LINE_END_PATTERN
    + rb"(?="
    + _FIRST_FIELD_PATTERN
    + rb"))"
)
_HEADER_FIELD = re.compile(_FIRST_FIELD_PATTERN)
_MAX_HEADER_LENGTH = 65_536
_MESSAGE_ID = re.compile(rb"(?:\A|[\r\n])message-id:\s{0,10}(<[^<>\s]{1,500}>)", re.IGNORECASE)
_ESCAPED_FROM_LINE = re.compile(rb"(\A|[\r\n])>(>*From )")


class Mbox(TextFormat):
    """A mailbox as Unix programs and Thunderbird store it."""

    name = "mbox"
    label = "mailbox (MBOX)"
    description = (
        "Each of its mails as an EML is read, by its own sender and date, with the message that it answers;"
        " citations name the message."
    )
    extensions = ("mbox",)
    media_types = ("application/mbox",)
    holds_files = True
    # A mailbox of 20 MB may have 20,000 mails.
    seconds = 60

    def recognizes(self, content: FileContent) -> bool:
        """Return whether the file begins like a mailbox."""
        return _MAIL_START.match(content.raw[:2_048]) is not None

    def check(self, content: FileContent) -> None:
        """Refuse a file that does not begin like a mailbox."""
        if not self.recognizes(content):
            raise UnsupportedFormat(
                "The file is named as a mailbox, but does not begin as one: save it again as MBOX."
            )

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return the mails in the order of the file."""
        mails = _split_mails(file_bytes)
        if len(mails) > limits.rows:
            raise parse_errors.build_too_many_rows_error(limits.rows, "mails")
        assembly = Assembly()
        broken_parts = BrokenParts("mail")
        title = ""
        place_by_id = _map_message_ids_to_places(mails)
        for number, content in enumerate(mails, start=1):
            with broken_parts.tolerate_failure_of_part(f"message {number}"):
                mail = parse_mail(content)
                answered_place = place_by_id.get(get_mail_ids(mail).in_reply_to or "", "")
                add_mail(assembly, mail, f"message {number}", answered_place=answered_place)
                if number == 1:
                    title = get_header_field_or_empty(mail, "Subject")
        broken_parts.raise_if_most_are_broken()
        broken_parts.note_failures_on_document(assembly)
        return assembly.build(title=title if len(mails) == 1 else None)

    def iter_inner_files(self, file_bytes: bytes, budget: archive.InnerBudget) -> Iterator[archive.InnerFile]:
        """Yield the attachments of all mails, each below the number of its message."""
        for number, content in enumerate(_split_mails(file_bytes), start=1):
            try:
                for name, attachment in iter_attachments(parse_mail(content), budget):
                    yield archive.InnerFile(f"message {number}/{name}", attachment)
            except CitegraphError as error:
                if error.code == archive.ARCHIVE_BOMB:
                    raise
                # The mailbox itself names the mail.


def _map_message_ids_to_places(mails: Sequence[bytes]) -> dict[str, str]:
    """Return the place of each mail by its message id; of two mails with one id, that of the first."""
    place_by_id: dict[str, str] = {}
    for number, mail_bytes in enumerate(mails, start=1):
        header = HEADER_END.split(mail_bytes[:_MAX_HEADER_LENGTH], maxsplit=1)[0]
        if id_match := _MESSAGE_ID.search(header):
            place_by_id.setdefault(id_match[1].decode("ascii", "replace"), f"message {number}")
    return place_by_id


def _split_mails(file_bytes: bytes) -> list[bytes]:
    """Return the bytes of each mail, without the mailbox's separators and escapes."""
    separators = list(_MAIL_START.finditer(file_bytes))
    if not separators:
        raise parse_errors.build_damaged_document_error("The mailbox holds no mail")
    mail_ends = [separator.start() for separator in separators[1:]] + [len(file_bytes)]
    return [
        _restore_mail(separator, file_bytes[separator.end() : mail_end])
        for separator, mail_end in zip(separators, mail_ends, strict=True)
    ]


def _restore_mail(separator: re.Match[bytes], mail_bytes: bytes) -> bytes:
    """Return the mail after this separator; one without a header gets the separator's sender."""
    header = b"" if _HEADER_FIELD.match(mail_bytes) else b"From: " + separator["sender"] + b"\n\n"
    return header + _ESCAPED_FROM_LINE.sub(rb"\1\2", mail_bytes)
