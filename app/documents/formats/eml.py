"""Mails: header, new text by its sender, and quoted text apart."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import NamedTuple

from app.documents.document_dates import DATE_KEY
from app.documents.formats.html import extract_visible_text
from app.documents.formats.ics import format_calendar
from app.documents.parsers import archive, parse_errors
from app.documents.parsers.assembly import (
    Assembly,
    collapse_whitespace,
    is_blank,
    remove_characters_refused_in_texts,
)
from app.documents.parsers.decoding import decode_with_detected_encoding, detect_unicode_encoding
from app.documents.parsers.file_format import FileContent, TextFormat
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import IN_REPLY_TO, MESSAGE_ID, MailIds, ParsedDocument
from app.errors import UnsupportedFormat
from app.limits import MAIL_DEPTH, MAIL_PARTS

# Recognises a mail without a declared format: header fields, one of which only mails have.
_CODED_HEADER = re.compile(
    rb"(?:[A-Za-z][A-Za-z-]{0,60}:[^\r\n]{0,2000}\r?\n(?:[ \t][^\r\n]{0,2000}\r?\n){0,50}){1,100}?"
    rb"(?:mime-version|content-transfer-encoding):",
    re.IGNORECASE,
)
_SAMPLE_BYTES = 8_192
# Old programs wrote boundaries with an equals sign and without quotation marks.
_UNQUOTED_BOUNDARY = re.compile(rb"(?i)(\bboundary=)(-{2,}=[^\s\";]{1,100})")
HEADER_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_MAX_FIELD_LENGTH = 1_000
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")
_MAX_NAME_LENGTH = 200
_HEADER_NAMES = ("From", "To", "Cc", "Date", "Subject")
# The line above a quotation as common programs write it, or the start of a mail copied as a whole.
_QUOTED_BELOW = re.compile(
    r"(?:on\b.{5,200}\bwrote:|am\b.{5,200}\bschrieb.{0,80}:|le\b.{5,200}\bécrit\s?:"
    r"|-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|forwarded message)\s*-{2,})\s*",
    re.IGNORECASE,
)


class Eml(TextFormat):
    """A mail as saved by a mail program."""

    name = "eml"
    label = "mail (EML)"
    description = (
        "Header and new text by its sender, quoted text apart; attachments are documents of their own;"
        " citations name the message."
    )
    extensions = ("eml",)
    media_types = ("message/rfc822",)
    holds_files = True

    def recognizes(self, content: FileContent) -> bool:
        """Return whether undeclared bytes begin with a mail header that names their encoding."""
        return (
            content.declared_format is None
            and _CODED_HEADER.match(content.raw) is not None
            and not is_mail_of_saved_page(content.raw)
        )

    def check(self, content: FileContent) -> None:
        """Refuse a file without a header; the parts may contain any bytes."""
        if b":" not in content.raw[:2_048]:
            raise UnsupportedFormat(
                "The file is named as a mail, but has no header: save the mail again as EML."
            )

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the mail and the mails attached to it."""
        assembly = Assembly()
        mail = parse_mail(file_bytes)
        add_mail(assembly, mail, "message 1")
        sent_at, mail_ids = get_sent_date(mail), get_mail_ids(mail)
        properties = {
            DATE_KEY: sent_at.isoformat() if sent_at else None,
            MESSAGE_ID: mail_ids.message_id,
            IN_REPLY_TO: mail_ids.in_reply_to,
        }
        return assembly.build(
            title=get_header_field_or_empty(mail, "Subject") or None,
            metadata={name: value for name, value in properties.items() if value},
        )

    def iter_inner_files(self, file_bytes: bytes, budget: archive.InnerBudget) -> Iterator[archive.InnerFile]:
        """Yield the attachments, including those of attached mails."""
        return iter_attachments(parse_mail(file_bytes), budget)


def is_mail_of_saved_page(file_bytes: bytes) -> bool:
    """Return whether the bytes have the header of a mail, and below it a page with its address."""
    if _CODED_HEADER.match(file_bytes) is None:
        return False
    message = message_from_bytes(file_bytes[:_SAMPLE_BYTES], policy=policy.default)
    parts = _list_child_parts(message)
    return (
        message.get_content_type() == "multipart/related" and bool(parts) and "Content-Location" in parts[0]
    )


def iter_attachments(mail: EmailMessage, budget: archive.InnerBudget) -> Iterator[archive.InnerFile]:
    """Yield the attachments of the mail and of the attached mails that are read.

    Names that occur again are numbered: mails often carry several files of one name.
    """
    used_names: set[str] = set()
    last_numbers: Counter[str] = Counter()
    waiting_mails = [(mail, 0)]
    while waiting_mails:
        message, depth = waiting_mails.pop(0)
        _, nested_mails, other_parts = _classify_parts(message)
        if depth < MAIL_DEPTH.maximum:
            waiting_mails += [(inner_mail, depth + 1) for inner_mail in nested_mails]
        for part in other_parts:
            budget.count_file()
            payload = part.get_payload(decode=True)
            file_bytes = payload if isinstance(payload, bytes) else b""
            budget.count_bytes(len(file_bytes))
            file_name = name = get_file_name_or_media_type(part)
            while name in used_names:
                last_numbers[file_name] += 1
                name = _insert_number_into_file_name(file_name, last_numbers[file_name] + 1)
            used_names.add(name)
            yield archive.InnerFile(name, file_bytes)


def _insert_number_into_file_name(name: str, number: int) -> str:
    """Return the name with a number: "scan (2).pdf"."""
    stem, point, extension = name.rpartition(".")
    return f"{stem} ({number}){point}{extension}" if stem else f"{name} ({number})"


def get_file_name_or_media_type(mail_part: EmailMessage) -> str:
    """Return the last part of the attachment's name, else its media type."""
    name = (
        collapse_whitespace(remove_characters_refused_in_texts(mail_part.get_filename() or ""))
        .replace("\\", "/")
        .rpartition("/")[2]
    )
    return name[-_MAX_NAME_LENGTH:] if name.strip(".") else mail_part.get_content_type().replace("/", "-")


def parse_mail(file_bytes: bytes) -> EmailMessage:
    """Parse a mail. Raises InvalidInput `damaged_document` if it has no header."""
    if detect_unicode_encoding(file_bytes) is not None:
        # Saved by a text editor, with a byte order mark or as UTF-16; mail programs do neither.
        file_bytes = decode_with_detected_encoding(file_bytes).encode()
    file_bytes = _convert_header_to_utf8(file_bytes)
    mail = message_from_bytes(_UNQUOTED_BOUNDARY.sub(rb'\1"\2"', file_bytes), policy=policy.default)
    if not mail.keys():
        raise parse_errors.build_damaged_document_error(
            "The mail has no header", "save it again from the program that has it"
        )
    return mail


def _convert_header_to_utf8(file_bytes: bytes) -> bytes:
    """Return the mail with its header as UTF-8, where a program wrote it in another encoding undeclared."""
    header_end = HEADER_END.search(file_bytes)
    header = file_bytes[: header_end.start()] if header_end else file_bytes
    try:
        header.decode()
    except UnicodeDecodeError:
        with suppress(UnsupportedFormat):
            return decode_with_detected_encoding(header).encode() + file_bytes[len(header) :]
    return file_bytes


def get_header_field_or_empty(mail: EmailMessage, name: str) -> str:
    """Return the field in one line; "" if it is missing or damaged."""
    try:
        return collapse_whitespace(remove_characters_refused_in_texts(str(mail.get(name, ""))))[
            :_MAX_FIELD_LENGTH
        ]
    except (ValueError, TypeError, AttributeError, IndexError, LookupError):
        return ""


def get_mail_ids(mail: EmailMessage) -> MailIds:
    """Return the id by which answers name the mail, and the id of the mail that it answers.

    That is in In-Reply-To, or is the last of References, which begin with the first mail of the thread.
    """
    message_ids = _MESSAGE_ID.findall(get_header_field_or_empty(mail, "Message-ID"))
    answered_ids = (
        _MESSAGE_ID.findall(get_header_field_or_empty(mail, "In-Reply-To"))[:1]
        or _MESSAGE_ID.findall(_read_end_of_references_field(mail))[-1:]
    )
    return MailIds(
        collapse_whitespace(message_ids[0]) if message_ids else None,
        collapse_whitespace(answered_ids[0]) if answered_ids else None,
    )


def _read_end_of_references_field(mail: EmailMessage) -> str:
    """Return the end of the field References, which may be long in a long thread."""
    try:
        return remove_characters_refused_in_texts(str(mail.get("References", "")))[-_MAX_FIELD_LENGTH:]
    except (ValueError, TypeError, AttributeError, IndexError, LookupError):
        return ""


def get_sent_date(mail: EmailMessage) -> datetime | None:
    """Return the time at which the mail was sent, by its header."""
    try:
        sent_at = mail["Date"].datetime
        return None if sent_at is None else sent_at.replace(tzinfo=sent_at.tzinfo or UTC).astimezone(UTC)
    except (AttributeError, ValueError, TypeError, OverflowError, IndexError):
        return None


def add_mail(
    assembly: Assembly, mail: EmailMessage, place: str, depth: int = 0, *, answered_place: str = ""
) -> None:
    """Add the mail's header, its new text by its sender, its quotations, and the mails attached to it.

    `place` names the mail in its file, `answered_place` the one that it answers, if that is in the file too.
    Its quotations and attached mails have places below its own.
    """
    assembly.set_next_place(place)
    assembly.set_ids_of_next_mail(get_mail_ids(mail))
    header = [
        f"{name}: {value}" for name in _HEADER_NAMES if (value := get_header_field_or_empty(mail, name))
    ]
    if answered_place:
        header.append(f"In reply to: {answered_place}")
    assembly.add_unsplittable_section("\n".join(header))
    if _is_encrypted(mail):
        assembly.note_omission("The mail is encrypted: save it decrypted for its text.")
    bodies, nested_mails, _ = _classify_parts(mail)
    new_text, quoted_text = _split_new_and_quoted_text("\n\n".join(bodies))
    sender, sent_at = _get_sender_name(mail), get_sent_date(mail)
    assembly.add_unsplittable_section(new_text, speaker=sender or None, said_at=sent_at)
    assembly.set_next_place(f"{place}, quoted text")
    assembly.add_unsplittable_section(quoted_text, heading=None)
    for number, inner_mail in enumerate(nested_mails, start=1):
        if depth < MAIL_DEPTH.maximum:
            add_mail(assembly, inner_mail, f"{place}, attached mail {number}", depth + 1)
        else:
            assembly.note_omission(
                f"A mail more than {MAIL_DEPTH.maximum} mails deep is not part of the text."
            )


def _get_sender_name(mail: EmailMessage) -> str:
    """Return the sender's name, else the address."""
    try:
        addresses = mail["From"].addresses
        return collapse_whitespace(
            remove_characters_refused_in_texts(addresses[0].display_name or addresses[0].addr_spec)
        )[:200]
    except (AttributeError, ValueError, TypeError, IndexError, LookupError):
        return get_header_field_or_empty(mail, "From")[:200]


class _MailParts(NamedTuple):
    """The texts of a mail, the mails attached to it, and its other attachments."""

    texts: list[str]
    nested_mails: list[EmailMessage]
    attachments: list[EmailMessage]


def _classify_parts(mail: EmailMessage) -> _MailParts:
    """Return the texts of the mail, the mails attached to it, and its other attachments."""
    texts: list[str] = []
    nested_mails: list[EmailMessage] = []
    other_parts: list[EmailMessage] = []
    waiting_parts: list[EmailMessage] = [mail]
    part_count = 0
    while waiting_parts:
        part = waiting_parts.pop(0)
        part_count += 1
        if part_count > MAIL_PARTS.maximum:
            raise parse_errors.build_damaged_document_error(
                f"The mail has more than {MAIL_PARTS.maximum:,} parts", "send its attachments by themselves"
            )
        content_type = part.get_content_type()
        children = _list_child_parts(part)
        if _is_encrypted(part):
            continue
        if content_type == "message/rfc822":
            nested_mails.extend(children)
        elif content_type == "multipart/alternative" and children:
            waiting_parts[:0] = _choose_alternatives(children)
        elif children:
            waiting_parts[:0] = children
        elif part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text":
            if not part.is_multipart():
                other_parts.append(part)
        else:
            texts.append(_get_visible_text(part, content_type))
    return _MailParts([text for text in texts if not is_blank(text)], nested_mails, other_parts)


def _is_encrypted(mail_part: EmailMessage) -> bool:
    content_type = mail_part.get_content_type()
    return content_type == "multipart/encrypted" or (
        content_type in ("application/pkcs7-mime", "application/x-pkcs7-mime")
        and mail_part.get_param("smime-type") in (None, "enveloped-data")
    )


def _choose_alternatives(alternatives: list[EmailMessage]) -> list[EmailMessage]:
    """Choose among alternative parts: the first plain text with words, else the last part.

    Invitations are always included, since the text beside them need not repeat time and place.
    """
    invitations = [part for part in alternatives if part.get_content_type() == "text/calendar"]
    text_parts = [part for part in alternatives if part not in invitations]
    plain_text_parts = [
        part
        for part in text_parts
        if part.get_content_type() == "text/plain" and not is_blank(_decode_part(part))
    ]
    return (plain_text_parts[:1] or text_parts[-1:]) + invitations


def _list_child_parts(mail_part: EmailMessage) -> list[EmailMessage]:
    payload = mail_part.get_payload() if mail_part.is_multipart() else []
    return (
        [child for child in payload if isinstance(child, EmailMessage)] if isinstance(payload, list) else []
    )


def _decode_part(mail_part: EmailMessage) -> str:
    payload = mail_part.get_payload(decode=True)
    file_bytes = payload if isinstance(payload, bytes) else b""
    try:
        return remove_characters_refused_in_texts(
            file_bytes.decode(mail_part.get_content_charset() or "utf-8")
        )
    except (LookupError, UnicodeDecodeError):
        return remove_characters_refused_in_texts(decode_with_detected_encoding(file_bytes, is_markup=True))


def _get_visible_text(mail_part: EmailMessage, content_type: str) -> str:
    """Return the text of the part as a mail program shows it."""
    text = _decode_part(mail_part)
    if content_type == "text/html":
        return extract_visible_text(text, marks_quotes=True)
    if content_type == "text/calendar":
        return format_calendar(text)
    if str(mail_part.get_param("format", "")).lower() == "flowed":
        return _join_flowed_lines(text, deletes_space=str(mail_part.get_param("delsp", "")).lower() == "yes")
    return text


def _join_flowed_lines(text: str, *, deletes_space: bool) -> str:
    """Join the lines that a program broke after a space (RFC 3676, format=flowed)."""
    # Each line is a list of parts, joined once at the end.
    lines: list[list[str]] = []
    line_continues = False
    for line in text.replace("\r\n", "\n").split("\n"):
        quote_marks = line[: len(line) - len(line.lstrip(">"))]
        is_signature = line == "-- "
        line_text = line[len(quote_marks) :].removeprefix(" ")
        if line_continues and not is_signature and bool(quote_marks) == lines[-1][0].startswith(">"):
            if deletes_space:
                lines[-1][-1] = lines[-1][-1].removesuffix(" ")
            lines[-1].append(line_text)
        else:
            lines.append([f"{quote_marks} {line_text}" if quote_marks else line_text])
        line_continues = line.endswith(" ") and not is_signature
    return "\n".join("".join(parts) for parts in lines)


class _NewAndQuotedText(NamedTuple):
    new_text: str
    quoted_text: str


def _split_new_and_quoted_text(text: str) -> _NewAndQuotedText:
    """Return the new text, and the quoted text without quotation marks."""
    new_lines: list[str] = []
    quoted_lines: list[str] = []
    is_quoted_below = False
    for line in text.replace("\r\n", "\n").split("\n"):
        is_quoted_below = is_quoted_below or _QUOTED_BELOW.fullmatch(line.strip()) is not None
        if is_quoted_below or line.startswith(">"):
            quoted_lines.append(line.lstrip("> ") if line.startswith(">") else line)
        else:
            new_lines.append(line)
    return _NewAndQuotedText("\n".join(new_lines), "\n".join(quoted_lines))
