"""Files inside of archives and mails: documents of their own, hostile ones refused, all within limits."""

import io
import random
import zipfile
from email.message import EmailMessage

import pytest

from app.documents.format_detection import detect_format_or_refuse
from app.documents.parsers import archive
from app.documents.shapes import RefusedFile, Submission
from app.documents.unpacking import iter_submission_and_files_inside
from app.errors import InvalidInput
from app.limits import ARCHIVE_DEPTH, ARCHIVE_ENTRIES, MAIL_PARTS
from app.sandbox.process_sandbox import InProcessSandbox

NOTE = b"Ada Lovelace created Notes."


def zipped(*entries: tuple[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as container:
        for name, raw in entries:
            container.writestr(name, raw)
    return target.getvalue()


def mail(*attachments: tuple[str, bytes], subject: str = "Hello") -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "ada@example.org", subject
    message.set_content("See what is attached.")
    for name, raw in attachments:
        message.add_attachment(raw, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def taken(name: str, raw: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """The documents with their formats by address, and what is refused with its code."""
    submission = Submission(raw, detect_format_or_refuse(name, None, raw), "", source_uri=f"file:{name}")
    documents, refused = {}, {}
    for inner in iter_submission_and_files_inside(submission, InProcessSandbox, max_bytes=1_000_000):
        if isinstance(inner, RefusedFile):
            refused[inner.name] = inner.code
        else:
            documents[str(inner.source_uri)] = inner.format
    return documents, refused


def test_an_archive_is_as_many_documents_as_it_holds() -> None:
    documents, refused = taken(
        "a.zip",
        zipped(
            ("one.txt", NOTE), ("below/two.md", b"# Two"), ("picture.raw", b"\0"), ("__MACOSX/x.txt", NOTE)
        ),
    )
    assert documents == {"file:a.zip/one.txt": "text", "file:a.zip/below/two.md": "markdown"}
    assert refused == {"picture.raw": "unknown_format", "__MACOSX/x.txt": "hidden"}


def test_names_are_read_as_the_archiver_of_macos_writes_them() -> None:
    said = zipped(("Grüße.txt", NOTE), ("plain.txt", NOTE))
    unsaid = said.replace(b"PK\3\4\x14\0\0\x08", b"PK\3\4\x14\0\0\0")
    unsaid = unsaid.replace(b"PK\1\2\x14\3\x14\0\0\x08", b"PK\1\2\x14\3\x14\0\0\0")
    assert zipfile.ZipFile(io.BytesIO(unsaid)).namelist()[0] != "Grüße.txt"
    assert taken("a.zip", unsaid) == taken("a.zip", said)


def test_attachments_are_documents_beside_their_mail_also_in_archives() -> None:
    inner = zipped(("deep.txt", NOTE))
    documents, refused = taken("a.zip", zipped(("m.eml", mail(("n.txt", NOTE), ("z.zip", inner)))))
    assert documents == {
        "file:a.zip/m.eml": "eml",
        "file:a.zip/m.eml/n.txt": "text",
        "file:a.zip/m.eml/z.zip/deep.txt": "text",
    }
    assert refused == {}


def test_attachments_of_a_mailbox_name_their_message() -> None:
    box = b"".join(b"From ada@example.org\n" + mail(("n.txt", NOTE)) + b"\n\n" for _ in range(2))
    documents, _ = taken("in.mbox", box)
    assert list(documents) == ["file:in.mbox", "file:in.mbox/message 1/n.txt", "file:in.mbox/message 2/n.txt"]


def test_what_lies_too_deep_is_refused_by_name() -> None:
    raw = zipped(("note.txt", NOTE))
    for level in range(ARCHIVE_DEPTH.maximum):
        raw = zipped((f"level{level}.zip", raw), ("note.txt", NOTE))
    documents, refused = taken("a.zip", raw)
    assert len(documents) == ARCHIVE_DEPTH.maximum
    assert refused == {"level2.zip/level1.zip/level0.zip": "archive_refused"}


BOMB = b"a" * 30_000_000
TOO_MANY = tuple((f"{number}.txt", b"a") for number in range(ARCHIVE_ENTRIES.maximum + 1))
LARGE = b"".join(random.Random(number).randbytes(120) + b"a" * 20_000 for number in range(700))
"""Fourteen megabytes that shrink to less than the ratio."""
TOO_LARGE = zipped(*((f"{number}.txt", LARGE) for number in range(8)))


@pytest.mark.parametrize(
    ("entry", "refused"),
    [
        (("bomb.txt", BOMB), {"bomb.txt": "archive_refused"}),
        (("../../etc/passwd.txt", NOTE), {"../../etc/passwd.txt": "archive_refused"}),
        (("/etc/passwd.txt", NOTE), {"etc/passwd.txt": "archive_refused"}),
        (("C:\\passwd.txt", NOTE), {"C:/passwd.txt": "archive_refused"}),
        (("b.zip", zipped(("../x.txt", NOTE), ("y.txt", NOTE))), {"b.zip/../x.txt": "archive_refused"}),
        (("b.zip", zipped(("bomb.txt", BOMB))), {"b.zip/bomb.txt": "archive_refused"}),
        (("b.zip", zipped(*TOO_MANY)), {"b.zip": "archive_bomb"}),
        (("b.zip", TOO_LARGE), {"b.zip": "archive_bomb"}),
        (("b.zip", zipped(("a.txt", NOTE))[:-30]), {"b.zip": "damaged_document"}),
        (("m.eml", mail(("b.zip", zipped(*TOO_MANY)))), {"m.eml/b.zip": "archive_bomb"}),
        (
            ("in.mbox", b"From a@x.org\n" + mail(*(("n.txt", NOTE),) * (MAIL_PARTS.maximum + 1))),
            {},
        ),
    ],
    ids=[
        *("ratio", "path", "root", "drive", "path inside", "ratio inside", "count inside", "size inside"),
        *("cut off inside", "attached", "parts of a mail"),
    ],
)
def test_a_hostile_file_is_refused_alone(entry: tuple[str, bytes], refused: dict[str, str]) -> None:
    """Issue 28: what a file makes go wrong stays with that file."""
    documents, refused_files = taken("a.zip", zipped(("first.txt", NOTE), entry, ("last.txt", NOTE)))
    assert {"file:a.zip/first.txt", "file:a.zip/last.txt"} <= documents.keys()
    assert refused_files == refused


def test_a_mail_is_read_without_the_files_of_a_bomb_or_too_many_attachments() -> None:
    assert taken("m.eml", mail(("n.txt", NOTE), ("b.zip", zipped(*TOO_MANY)))) == (
        {"file:m.eml": "eml", "file:m.eml/n.txt": "text"},
        {"b.zip": "archive_bomb"},
    )
    box = (b"From a@x.org\n" + mail(*(("n.txt", NOTE),) * 700) + b"\n\n") * 3
    assert taken("in.mbox", box) == ({"file:in.mbox": "mbox"}, {"attachments": "archive_bomb"})


def test_an_archive_over_the_limits_or_of_bombs_is_refused_whole() -> None:
    bombs = [(f"{number}.zip", TOO_LARGE) for number in range(11)]
    for entries in (TOO_MANY, bombs):
        with pytest.raises(InvalidInput) as refusal:
            taken("a.zip", zipped(*entries))
        assert refusal.value.code == archive.ARCHIVE_BOMB


def test_an_encrypted_a_broken_and_a_second_entry_of_a_name_are_refused_alone() -> None:
    raw = bytearray(zipped(("good.txt", NOTE), ("locked.txt", NOTE), ("broken.docx", b"no zip")))
    at = raw.rindex(b"PK\x01\x02", 0, raw.rindex(b"locked.txt"))
    raw[at + 8] |= 0x1
    documents, refused = taken("a.zip", bytes(raw))
    assert documents == {"file:a.zip/good.txt": "text"}
    assert refused == {"locked.txt": "encrypted_document", "broken.docx": "unsupported_format"}
    with pytest.warns(UserWarning, match="Duplicate"):
        raw = bytearray(zipped(("a.txt", NOTE), ("a.txt", b"Other.")))
    assert taken("a.zip", bytes(raw)) == ({"file:a.zip/a.txt": "text"}, {"a.txt": "archive_refused"})


def test_a_link_is_passed_over_and_its_target_is_no_text() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as container:
        container.writestr("good.txt", NOTE)
        link = zipfile.ZipInfo("link.txt")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        container.writestr(link, "/etc/passwd")
    assert taken("a.zip", target.getvalue()) == (
        {"file:a.zip/good.txt": "text"},
        {"link.txt": "symbolic_link"},
    )


def test_names_are_written_as_addresses_are() -> None:
    """A folder and an archive of it have like addresses, and no control reaches a terminal."""
    documents, refused = taken(
        "a.zip",
        zipped(
            ("./one.txt", NOTE),
            ("\x1b[31m\nred.txt", NOTE),
            ("gnp\u202efdp.txt", NOTE),
            ("u\u0308.txt", NOTE),
            ("\u00fc.txt", NOTE),
            (f"{'n' * 4_000}.txt", NOTE),
        ),
    )
    assert list(documents) == [
        "file:a.zip/one.txt",
        "file:a.zip/\ufffd[31m\ufffdred.txt",
        "file:a.zip/gnpfdp.txt",
        "file:a.zip/\u00fc.txt",
    ]
    assert refused == {f"{'n' * 100}…": "invalid_address", "\u00fc.txt": "archive_refused"}


def test_a_word_document_that_is_called_an_archive_is_no_archive() -> None:
    word = zipped(("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>"))
    assert detect_format_or_refuse("a.zip", None, word) == "docx"
