"""Files that are read, changed, unreadable or unknown; waiting for the jobs to end."""

import json
import os
import threading
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from app.cli import submitting
from app.cli.files import SkippedFile, find_files, read_file
from app.cli.output import print_note
from app.db.database import Database
from app.documents.shapes import Submission
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home
from tests.support.ingest import make_runner
from workers.presence import WorkerPresence


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with three readable files, hidden ones and one of no known format."""
    folder = tmp_path / "corpus"
    (folder / "below").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "engines.md").write_text("# Engines\n\nAda Lovelace created Analytical Engine Notes.\n")
    (folder / "works.txt").write_text("Charles Babbage founded Difference Engine Works.\n")
    (folder / "below" / "more.html").write_text(
        "<title>More</title><p>Ada Lovelace knows Charles Babbage.</p>"
    )
    (folder / ".hidden" / "secret.txt").write_text("Never read.")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, citegraph: Call) -> Iterator[str]:
    """The address of a broker of this test's own, of which no worker knows."""
    server = EmbeddedValkey(tmp_path / "valkey")
    server.start()
    monkeypatch.setenv("CITEGRAPH_REDIS_URL", server.url())
    yield server.url()
    server.stop(discard=True)


@pytest.fixture
def working(database: Database, settings: Settings) -> Iterator[None]:
    """A worker in a thread, which looks for jobs all the time."""
    stop = threading.Event()

    def work() -> None:
        runner = make_runner(database, settings)
        while not stop.wait(0.05):
            runner.drain()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_reads_a_folder_and_finds_the_same_content_unchanged(
    citegraph: Call, home: Home, corpus: Path, working: None
) -> None:
    first = read_json(citegraph("ingest", corpus, "--space", "library", "--wait", "--json"))
    assert [document["source_uri"] for document in first["documents"]] == [
        "file:corpus/engines.md",
        "file:corpus/works.txt",
        "file:corpus/below/more.html",
    ]
    assert {document["outcome"] for document in first["documents"]} == {"created"}
    assert [job["state"] for job in first["jobs"]] == ["done"]
    again = read_json(citegraph("ingest", corpus, "--space", "library", "--wait", "--json"))
    assert {document["outcome"] for document in again["documents"]} == {"unchanged"}
    assert again["jobs"] == []
    (corpus / "works.txt").write_text("Charles Babbage founded Analytical Engine Works.\n")
    shown = citegraph("ingest", corpus, "--space", "library", "--wait")
    assert "3 documents: 0 new, 1 changed, 2 unchanged." in shown.stdout
    assert "Passed over: 2 files or folders." in shown.stdout
    assert f"{corpus / 'picture.png'}: Pictures have no text: run text recognition" in shown.stdout
    assert {(Path(file["path"]).name, file["code"]) for file in again["passed_over"]} == {
        (".hidden", "hidden"),
        ("picture.png", "unknown_format"),
    }


def test_what_was_set_aside_is_named_by_its_file(
    citegraph: Call, home: Home, tmp_path: Path, working: None
) -> None:
    """Not by an id that nobody knows; what was read in part is taken in."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    nested = EmailMessage()
    nested.set_content("The innermost words.")
    for _ in range(8):
        outer = EmailMessage()
        outer["Subject"] = "Fwd"
        outer.set_content("See below.")
        outer.add_attachment(nested)
        nested = outer
    (folder / "deep.eml").write_bytes(bytes(nested))
    shown = citegraph("ingest", folder, "--space", "library", "--wait")
    assert "Read in part file:mixed/deep.eml: A mail more than 5 mails deep" in " ".join(shown.stdout.split())
    assert shown.exit_code == 0
    (folder / "broken.xml").write_text("<a><b></a>")
    failed = citegraph("ingest", folder, "--space", "library", "--wait")
    set_aside = "Set aside file:mixed/broken.xml: The XML is not well formed: correct it."
    assert set_aside in " ".join(failed.stdout.split())
    assert "file:mixed/broken.xml" in citegraph("documents", "list", "--space", "library").stdout
    assert failed.exit_code == 1


def test_a_file_without_an_extension_is_text_where_it_is_text(corpus: Path) -> None:
    (corpus / "README").write_text("Ada Lovelace wrote this.\n")
    (corpus / "program").write_bytes(b"\x7fELF" + bytes(range(256)))
    (corpus / "letter.sxw").write_bytes(b"PK")
    found_files = find_files([corpus])
    files = {path.name: read_file(path, address, max_bytes=10_000) for path, address in found_files.files}
    readme, program = files["README"], files["program"]
    assert isinstance(readme, Submission)
    assert readme.format == "text"
    assert isinstance(program, SkippedFile)
    assert program.code == "unknown_format"
    assert "Save it as DOCX or PDF." in [skipped.reason for skipped in found_files.passed_over_files]


def test_the_same_folder_by_another_way_has_the_same_addresses(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = [address for _, address in find_files([corpus]).files]
    monkeypatch.chdir(corpus)
    assert [address for _, address in find_files([Path(".")]).files] == addresses
    assert [address for _, address in find_files([Path("engines.md")]).files] == addresses[:1]
    assert [address for _, address in find_files([corpus, Path("."), Path("engines.md")]).files] == addresses


def test_what_cannot_be_read_is_said_and_the_others_go_on(
    citegraph: Call, home: Home, corpus: Path, working: None
) -> None:
    (corpus / "binary.txt").write_bytes(bytes(range(256)))
    (corpus / "empty.md").write_text("  \n")
    (corpus / "gone.txt").symlink_to(corpus / "nowhere")
    os.mkfifo(corpus / "pipe.txt")
    failed = citegraph(
        "ingest", corpus, corpus / "missing.txt", corpus / "picture.png", "--space", "library", "--wait"
    )
    assert failed.exit_code == 1
    assert "3 documents: 3 new" in failed.stdout
    for name in ("binary.txt", "empty.md", "missing.txt", "picture.png"):
        assert name in failed.stderr
    assert "pipe.txt: It is not a regular file." in failed.stdout
    assert "pipe.txt" not in failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("Claire Besson dirige une filiale de la société à Nantes depuis le mois de juin.", "names_only"),
        ("Spółka została założona przez dwóch inżynierów, którzy mieszkają w Krakowie.", "other_language"),
    ],
)
def test_a_text_in_another_language_is_taken_in_and_its_note_told(
    citegraph: Call, home: Home, tmp_path: Path, working: None, body: str, code: str
) -> None:
    path = tmp_path / "note.txt"
    path.write_text(body)
    shown = citegraph("ingest", path, "--space", "library", "--wait", "--json")
    assert shown.exit_code == 0
    assert [file["code"] for file in read_json(shown)["set_aside"]] == [code]


def test_a_file_over_the_limit_is_named(
    citegraph: Call, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEGRAPH_MAX_UPLOAD_BYTES", "1000")
    (tmp_path / "large.txt").write_text("word " * 1000)
    (tmp_path / "small.txt").write_text("word")
    failed = citegraph("ingest", tmp_path / "large.txt", tmp_path / "small.txt", "--space", "library")
    assert failed.exit_code == 1
    assert "large.txt" in failed.stderr
    assert "1 document: 1 new" in failed.stdout


def test_two_files_of_one_address_do_not_replace_each_other(tmp_path: Path) -> None:
    for parent in ("one", "two"):
        (tmp_path / parent / "docs").mkdir(parents=True)
        (tmp_path / parent / "docs" / "a.txt").write_text(parent)
    found = find_files([tmp_path / "one" / "docs", tmp_path / "two" / "docs"])
    assert [address for _, address in found.files] == ["file:docs/a.txt"]
    assert [file.code for file in found.skipped_files] == ["same_address"]


def test_a_name_that_is_no_text_is_stored_as_text(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("word")
    [(path, address)] = find_files([tmp_path]).files
    assert path.is_file()
    address.encode()


def test_more_documents_than_a_job_takes_become_several(
    citegraph: Call, home: Home, tmp_path: Path, working: None
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(51):
        (folder / f"{number:02}.txt").write_text(f"Note number {number}.")
    handed = read_json(citegraph("ingest", folder, "--space", "library", "--wait", "--json"))
    assert len(handed["jobs"]) == 2
    assert sum(job["counts"]["documents"] for job in handed["jobs"]) == 51


def test_takes_extractions_in_line_by_line_and_skips_a_broken_line(
    citegraph: Call, home: Home, tmp_path: Path, working: None
) -> None:
    """docs/importing.md."""
    good = (
        '{"title":"A","source_uri":"urn:a","chunks":[{"text":"Ada knows'
        ' Bob.","triples":[["Ada","knows","Bob"]]}]}'
    )
    path = tmp_path / "given.jsonl"
    path.write_text(f"{good}\n{{broken\n")
    answer = citegraph("ingest", path, "--extractions", "--space", "library", "--wait", "--json")
    assert answer.exit_code == 1
    shown = json.loads(answer.stdout)
    assert [document["source_uri"] for document in shown["documents"]] == ["urn:a"]
    assert [file["code"] for file in shown["skipped"]] == ["damaged_document"]
    assert shown["jobs"][0]["counts"]["edges"] == 1


def test_says_what_was_left_out_and_why(citegraph: Call, home: Home, tmp_path: Path, working: None) -> None:
    """Review E6."""
    chunk = {"text": "Ada knows Bob.", "triples": [["Ada", "knows", "Bob"], ["Ada", "knows", "Zoe"]]}
    path = tmp_path / "given.jsonl"
    path.write_text(json.dumps({"title": "A", "source_uri": "urn:a", "chunks": [chunk]}) + "\n")
    shown = citegraph("ingest", path, "--extractions", "--space", "library", "--wait").stdout
    words = " ".join(shown.split())
    assert "1 edge." in words
    assert "1 names that their text lacks" in words
    assert "1 claims with an end that the text does not name" in words


def test_says_that_no_worker_runs_and_which_command_starts_one(
    citegraph: Call,
    database: Database,
    settings: Settings,
    home: Home,
    corpus: Path,
    broker: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At once where it does not wait, else after some seconds; not while a worker is at the job."""
    note = "No worker runs, so the job waits: `citegraph up` or `citegraph worker` starts one."
    submitted = citegraph("ingest", corpus / "works.txt", "--space", "library")
    assert note in " ".join(submitted.stderr.split())
    monkeypatch.setattr(submitting, "_CHECK_SECONDS", 0.3)
    has_noted = threading.Event()

    def note_and_tell(text: str) -> None:
        print_note(text)
        has_noted.set()

    monkeypatch.setattr("app.cli.submitting.print_note", note_and_tell)

    def work() -> None:
        has_noted.wait(60)
        make_runner(database, settings).drain()

    worker = threading.Thread(target=work)
    worker.start()
    waited = citegraph("ingest", corpus, "--space", "library", "--wait")
    worker.join()
    assert waited.exit_code == 0, waited.stderr
    assert " ".join(waited.stderr.split()).count(note) == 1


def test_says_how_many_workers_are_busy(broker: str) -> None:
    """A worker that reports itself is counted, and none is asked to be started."""
    waiting = [{"state": "queued", "stage": "queued", "error_message": None}]
    running = [{"state": "running", "stage": "extracting", "error_message": None}]
    presence = WorkerPresence(broker)
    presence.report_alive("host:1")
    try:
        assert (
            submitting.explain_wait(waiting, presence.count_alive())
            == "1 worker process runs, and none has taken the job yet."
        )
        assert submitting.explain_wait(running, presence.count_alive()) == ""
    finally:
        presence.report_end("host:1")
        presence.close()
    # Of a worker that was killed the job still says that it runs.
    assert submitting.explain_wait(running, 0).startswith("No worker runs")
    assert "`citegraph worker` runs one" in submitting.explain_wait(waiting, None)
