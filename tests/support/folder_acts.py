"""Random acts of somebody who works in a folder, and what a space says that followed them."""

import io
import json
import os
import random
import shutil
import zipfile
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from html import escape
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx

from app.db.database import Database
from app.documents.format_detection import detect_format_or_refuse
from app.documents.parsing import parse_document
from app.errors import CitegraphError
from app.transfer.export import service as exports
from app.transfer.export.shapes import ExportFormat
from tests.conftest import Home
from tests.support.document_samples import book_of, zip_of
from tests.support.opendocument_files import opendocument

PEOPLE = ("Ada Lovelace", "Charles Babbage", "Grace Hopper", "Alan Turing", "Edgar Codd")
FIRMS = ("Analytix Corporation", "Difference Works Ltd", "Bombe Machines", "Relay Calculators", "Zuse")

# Whoever reads these knows a type, a sense or a title, and forgets it with the file.
DESCRIPTIONS = (
    "Zuse is a company based in Berlin.",
    "Analytix Corporation acquired Zuse.",
    "Professor Ada Lovelace was born in London in 1815.",
    "Dr. Grace Hopper lives in New York.",
)
# Sentences that tie two names, which part again with the last such sentence, or names in other spellings.
ALIASES = (
    "Zuse, also known as Relay Calculators, opened in Berlin.",
    "Bombe Machines, formerly Difference Works Ltd, met Ada Lovelace.",
    "Analytix Corporation (AXC) acquired Zuse.",
    "AXC acquired Bombe Machines.",
    "Edgar Codd joined AXC.",
    "Analytix Corp. hired Alan Turing.",
    "Difference Works Inc. hired Grace Hopper.",
    "Difference Works met Zuse.",
    "Prof. Ada Lovelace, also known as Countess Lovelace, founded Zuse.",
    "Countess Lovelace met Edgar Codd.",
    "Relay Calculators was renamed Bombe Machines.",
    "Bombe Machines acquired Relay Calculators.",
    "Alan Turing, also known as Edgar Codd, created Zuse.",
)
# Some forty of these fill a chunk, so that a text with several runs of them has several chunks.
FILLER = "The weather was dull and the streets were empty."
SUFFIXES = (
    *(".txt", ".md", ".html", ".eml", ".mbox", ".ics", ".vcf", ".csv", ".tsv"),
    *(".docx", ".xlsx", ".pptx", ".epub", ".ipynb", ".py", ".json", ".jsonl", ".rst", ".xml", ".odt", ".rtf"),
)
UNREADABLE = bytes(range(256))
# Some verbs show that the second is an organization, some a product, some nothing: then a type is assumed.
VERBS = ("founded", "works for", "created", "met")


def exported(database: Database, home: Home) -> list[tuple[str, ...]]:
    """Documents, chunks, nodes that are named, mentions and claims that hold, without ids and times.

    Claims that ended are the history of the folder, which a fresh ingest does not know.
    """

    def read(work: Callable[[Any], Any]) -> Any:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return work(space)

    lines = [
        json.loads(line)
        for line in b"".join(exports.export_space(read, ExportFormat.JSON_LINES)).splitlines()
    ]
    return sorted(_picture(lines))


def _picture(lines: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    names = {
        line["id"]: f"{line['canonical_name']}/{line['node_type']}" for line in lines if _is(line, "node")
    }
    titles = {line["id"]: line["source_uri"] for line in lines if _is(line, "document")}
    chunks = {
        line["id"]: (titles[line["document_id"]], line["char_start"], line["text"])
        for line in lines
        if _is(line, "chunk")
    }
    for line in lines:
        if _is(line, "document"):
            yield "document", line["source_uri"], line["title"]
        elif _is(line, "chunk"):
            yield "chunk", *map(str, chunks[line["id"]])
        elif _is(line, "node") and line["mention_count"]:
            votes = {key: value for key, value in line["metadata"].items() if key != "firstSeenChunkId"}
            yield "node", names[line["id"]], str(line["names"]), json.dumps(votes, sort_keys=True)
        elif _is(line, "mention"):
            yield "mention", names[line["node_id"]], str(chunks[line["chunk_id"]]), line["surface_form"]
        elif _is(line, "edge") and line["invalidated_at"] is None:
            # Of files with the same content any may be the one that is cited.
            evidence = chunks[line["evidence_chunk_id"]][2]
            ends = names[line["from_node_id"]], line["relation_type"], names[line["to_node_id"]]
            yield "edge", *ends, evidence, str(line["metadata"].get("quote"))


def _is(line: dict[str, Any], kind: str) -> bool:
    return bool(line["kind"] == kind)


def act_in_folder(folder: Path, drawn: random.Random, pasts: list[Path]) -> None:
    """One act of somebody who works in the folder."""
    acts = [_add, _add, _change, _rename, _swap, _copy, _remove, _spoil, _link, _pack, _ignore, _convert]
    drawn.choice(acts)(folder, drawn)
    if drawn.random() < 0.15:
        past = folder.parent / f"past-{len(pasts)}"
        shutil.copytree(folder, past, symlinks=True)
        pasts.append(past)
    elif pasts and drawn.random() < 0.1:
        shutil.rmtree(folder)
        shutil.copytree(drawn.choice(pasts), folder, symlinks=True)


def text_files(folder: Path) -> list[Path]:
    """The files that may be read, links and what was spoilt among them."""
    return sorted(path for path in folder.rglob("*.*") if path.suffix.lower() in SUFFIXES)


def _some_file(folder: Path, drawn: random.Random) -> Path:
    files = text_files(folder)
    return drawn.choice(files) if files else _add(folder, drawn)


def _new_path(folder: Path, drawn: random.Random, suffix: str | None = None) -> Path:
    below = folder / drawn.choice([".", ".", "below", "below/deeper", "b e.low"])
    below.mkdir(parents=True, exist_ok=True)
    if suffix is None:
        suffix = drawn.choice(SUFFIXES[:2] if drawn.random() < 0.6 else SUFFIXES)
    return below / f"{drawn.choice(['note', 'Note', 'nöte'])}-{drawn.randint(0, 5)}{suffix}"


def _add(folder: Path, drawn: random.Random) -> Path:
    path = _new_path(folder, drawn)
    path.unlink(missing_ok=True)
    _write(path, drawn)
    return path


def _change(folder: Path, drawn: random.Random) -> None:
    """Write the whole file anew, or remove, replace or add one paragraph of a text."""
    path = _some_file(folder, drawn)
    if path.is_symlink():
        return
    paragraphs = path.read_bytes().split(b"\n\n")
    if path.suffix.lower() not in SUFFIXES[:2] or len(paragraphs) < 2 or drawn.random() < 0.3:
        _write(path, drawn)
        return
    place = drawn.randrange(len(paragraphs))
    replacement = [] if drawn.random() < 0.4 else [_line(drawn).encode()]
    paragraphs[place : place + drawn.randint(0, 1)] = replacement
    path.write_bytes(b"\n\n".join(paragraphs))


def _rename(folder: Path, drawn: random.Random) -> None:
    """To another name or folder, or to the same name in other letters."""
    path = _some_file(folder, drawn)
    new_path = _new_path(folder, drawn, path.suffix)
    path.replace(drawn.choice([new_path, path.with_name(path.name.swapcase())]))


def _swap(folder: Path, drawn: random.Random) -> None:
    one, other = _some_file(folder, drawn), _some_file(folder, drawn)
    if one != other and one.suffix == other.suffix:
        one.rename(folder / "spare")
        other.rename(one)
        (folder / "spare").rename(other)


def _copy(folder: Path, drawn: random.Random) -> None:
    source = _some_file(folder, drawn)
    text = source.read_bytes() if source.is_file() else b"Ada Lovelace met Zuse."
    path = _new_path(folder, drawn, source.suffix if source.is_file() else ".txt")
    path.unlink(missing_ok=True)
    path.write_bytes(text)


def _remove(folder: Path, drawn: random.Random) -> None:
    path = _some_file(folder, drawn)
    if drawn.random() < 0.2 and path.parent != folder:
        shutil.rmtree(path.parent)
    else:
        path.unlink()


def _spoil(folder: Path, drawn: random.Random) -> None:
    """Make a file empty, or bytes that are no text."""
    path = _some_file(folder, drawn)
    path.unlink()
    path.write_bytes(drawn.choice([b"", b" \n", UNREADABLE]))
    os.utime(path, (1, 1))


def _link(folder: Path, drawn: random.Random) -> None:
    """A link to a file of the folder, out of it, to nothing, or to itself."""
    path = _new_path(folder, drawn, ".txt")
    outside, nothing = folder.parent / "outside.txt", folder / "nothing.txt"
    target = drawn.choice([_some_file(folder, drawn), outside, nothing, path])
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def _pack(folder: Path, drawn: random.Random) -> None:
    """An archive of some files, a mail with its attachment among them; two may have the same content."""
    with zipfile.ZipFile(folder / f"old-{drawn.randint(0, 1)}.zip", "w") as archive:
        for number in range(drawn.randint(1, 2)):
            archive.writestr(f"inner-{number}.txt", _text(drawn))
        if drawn.random() < 0.3:
            archive.writestr("mail.eml", _mail(drawn).as_bytes())
        if drawn.random() < 0.3:
            archive.writestr("more/inner.zip", zip_of({"deep.txt": _text(drawn).encode()}))


def _convert(folder: Path, drawn: random.Random) -> None:
    """Save a file in another format, under its old name or with the new extension beside it."""
    path = _some_file(folder, drawn)
    converted_path = path.with_suffix(drawn.choice(SUFFIXES))
    converted_path.unlink(missing_ok=True)
    _write(converted_path, drawn)
    if drawn.random() < 0.7 and converted_path != path:
        path.unlink(missing_ok=True)
        shutil.copyfile(converted_path, path)


def _ignore(folder: Path, drawn: random.Random) -> None:
    (folder / ".gitignore").write_text(drawn.choice(["", "*.md\n", "below/\n", "note-1.*\n"]))


def _write(path: Path, drawn: random.Random) -> None:
    """Write some sentences as a file of the kind that the name says."""
    lines = _text(drawn).split("\n\n")
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        content = _TABLES[suffix](_table(drawn, lines), lines)
    elif suffix in _TEXTS:
        content = _TEXTS[suffix](lines)
    elif suffix == ".eml":
        content = _mail(drawn).as_bytes()
    elif suffix == ".mbox":
        mails = [_mail(drawn).as_bytes() for _ in range(drawn.randint(1, 2))]
        content = b"".join(b"From ann@x.org Mon Jan  1 10:00:00 2024\n" + mail for mail in mails)
    else:
        content = "\n\n".join(lines)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def _page(lines: list[str]) -> str:
    first, *more = map(escape, lines)
    return f'<img src="a.png" alt="{first}">' + "".join(f"<p>{line}</p>" for line in more)


def _calendar(lines: list[str]) -> str:
    events = "".join(f"BEGIN:VEVENT\nSUMMARY:{line.strip()}\nEND:VEVENT\n" for line in lines)
    return f"BEGIN:VCALENDAR\n{events}END:VCALENDAR\n"


def _cards(lines: list[str]) -> str:
    return "".join(f"BEGIN:VCARD\nFN:Ann Lee\nNOTE:{line.strip()}\nEND:VCARD\n" for line in lines)


def _slides(lines: list[str]) -> bytes:
    presentation = pptx.Presentation()
    for line in lines:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.placeholders[1].text = line
    return _saved(presentation)


def _word_document(lines: list[str]) -> bytes:
    document = docx.Document()
    for line in lines:
        document.add_paragraph(line.strip())
    return _saved(document)


def _notebook(lines: list[str]) -> str:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [line]} for line in lines]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _workbook(table: list[list[str]], lines: list[str]) -> bytes:
    workbook = openpyxl.Workbook(write_only=True)
    rows, notes = workbook.create_sheet("Rows"), workbook.create_sheet("More")
    for row in table:
        rows.append(row)
    notes.append(lines)
    return _saved(workbook)


def _records(table: list[list[str]]) -> list[dict[str, str]]:
    head, *rows = table
    return [dict(zip(head, row, strict=True)) for row in rows]


def _saved(document: Any) -> bytes:
    stored = io.BytesIO()
    document.save(stored)
    return stored.getvalue()


_TEXTS: dict[str, Callable[[list[str]], str | bytes]] = {
    ".html": _page,
    ".ics": _calendar,
    ".vcf": _cards,
    ".pptx": _slides,
    ".docx": _word_document,
    ".ipynb": _notebook,
    ".epub": lambda lines: book_of(*(f"<p>{escape(line)}</p>" for line in lines)),
    ".py": lambda lines: "".join(f'def f{at}():\n    """{line}"""\n\n' for at, line in enumerate(lines)),
    ".rst": lambda lines: "\n\n".join(f"Part {at}\n======\n\n{line}" for at, line in enumerate(lines)),
    ".xml": lambda lines: (
        f"<notes>{''.join(f'<note><day>1</day><text>{escape(line)}</text></note>' for line in lines)}</notes>"
    ),
    ".odt": lambda lines: opendocument(
        "odt", "".join(f"<text:p>{escape(line.strip())}</text:p>" for line in lines)
    ),
    ".rtf": lambda lines: "{\\rtf1\\ansi " + "\\par\n".join(line.strip() for line in lines) + "}",
}
_TABLES: dict[str, Callable[[list[list[str]], list[str]], str | bytes]] = {
    ".csv": lambda table, _: "".join(",".join(row) + "\n" for row in table),
    ".tsv": lambda table, _: "".join("\t".join(row) + "\n" for row in table),
    ".json": lambda table, _: json.dumps(_records(table)),
    ".jsonl": lambda table, _: "".join(json.dumps(row) + "\n" for row in _records(table)),
    ".xlsx": _workbook,
}


def _mail(drawn: random.Random, *, depth: int = 0) -> EmailMessage:
    """A mail, with a text or another mail attached to some."""
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ann@x.org", drawn.choice(["Notes", "More"])
    mail.set_content(_text(drawn))
    if drawn.random() < 0.5:
        mail.add_attachment(_text(drawn), filename=f"inner-{drawn.randint(0, 1)}.txt")
    if drawn.random() < 0.3 and depth < 2:
        mail.add_attachment(_mail(drawn, depth=depth + 1))
    for part in mail.walk():
        if part.is_multipart() and part.get_content_type() == "multipart/mixed":
            # A boundary drawn by the library would differ from run to run.
            part.set_boundary(f"part-{drawn.getrandbits(32)}")
    return mail


def _table(drawn: random.Random, lines: list[str]) -> list[list[str]]:
    """A table of notes, or one whose rows say where people work."""
    if drawn.random() < 0.5:
        return [["Day", "Note"], *(["Monday", line.strip()] for line in lines)]
    return [["Name", "Employer"], *([drawn.choice(PEOPLE), drawn.choice(FIRMS)] for _ in lines)]


def _text(drawn: random.Random) -> str:
    lines = [_line(drawn) for _ in range(drawn.randint(1, 3))]
    if drawn.random() < 0.25:
        # A text of several chunks.
        lines += [
            part for _ in range(drawn.randint(1, 2)) for part in (" ".join([FILLER] * 40), _line(drawn))
        ]
    return "\n\n".join(lines) + "\n"


def _line(drawn: random.Random) -> str:
    if drawn.random() < 0.7:
        return f"{drawn.choice(PEOPLE)} {drawn.choice(VERBS)} {drawn.choice(FIRMS)}."
    return drawn.choice(DESCRIPTIONS + ALIASES)


def remove_unreadable(folder: Path) -> None:
    """What cannot be read keeps the document of before, which a fresh ingest does not know.

    That is a file that was spoilt, or one saved in another format whose content does not fit its name.
    """
    for path in text_files(folder):
        raw = path.read_bytes() if path.is_file() else b""
        try:
            if raw.strip():
                parse_document(raw, detect_format_or_refuse(path.name, None, raw))
        except CitegraphError:
            path.unlink()
