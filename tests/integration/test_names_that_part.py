"""Names that a chunk tied part when it goes: the graph is that of a fresh ingest of what is there."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.shapes import Submission
from app.graph import service as graph
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from app.transfer.export import service as exports
from app.transfer.export.shapes import ExportFormat
from app.transfer.space_import import service as imports
from tests.conftest import Home, make_home
from tests.support.document_samples import docx_of, word_body
from tests.support.folder_acts import ALIASES, DESCRIPTIONS, FIRMS, PEOPLE, VERBS, exported
from tests.support.ingest import make_runner, submit
from tests.support.sampling import sampled
from tests.support.trials import begin, promote, trial_runner

TIE = "Zuse, also known as Relay Calculators, opened in Berlin."
ONE = "Ada Lovelace founded Zuse."
OTHER = "Grace Hopper works for Relay Calculators."
BOTH = "Zuse acquired Relay Calculators."


class Folder:
    """The documents of a space, by address, read by rules."""

    def __init__(self, database: Database, settings: Settings, home: Home) -> None:
        self.database, self.settings, self.home = database, settings, home
        self.texts: dict[str, str] = {}

    def put(self, address: str, body: str, *, format: str = "text") -> None:
        self.texts[address] = body
        raw = docx_of(word_body(body)) if format == "docx" else body.encode()
        submit(self.database, self.home, Submission(raw, format, address, source_uri=address))

    def remove(self, address: str) -> None:
        del self.texts[address]
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            (found,) = [
                document for document in documents.list_documents(space) if document.source_uri == address
            ]
            ingest.delete_document_with_all_its_words(space, DocumentId(found.id), prune=True)

    def drain(self) -> None:
        make_runner(self.database, self.settings).drain()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            return space.connection.execute(query.encode(), [self.home.space_id]).fetchall()

    def nodes(self) -> set[str]:
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            return {node.canonical_name for node in graph.list_nodes(space)}

    def copy_by_export(self, name: str) -> "Folder":
        """The same documents in another space, which has imported an export of this one."""
        copy = Folder(self.database, self.settings, make_home(self.database, name))
        copy.texts = dict(self.texts)
        file = b"".join(
            exports.export_space(lambda work: _read(self.database, self.home, work), ExportFormat.JSON_LINES)
        )
        with self.database.open_space(copy.home.tenant_id, copy.home.space_id) as space:
            imports.import_space(space, file.splitlines(), actor="test")
        copy.drain()
        return copy

    def compare_with_fresh_ingest(self, name: str, *, format: str = "text") -> None:
        fresh = Folder(self.database, self.settings, make_home(self.database, name))
        for address, body in sorted(self.texts.items()):
            fresh.put(address, body, format=format)
        fresh.drain()
        assert exported(self.database, self.home) == exported(self.database, fresh.home)


def _read(database: Database, home: Home, work: Callable[[SpaceSession], Any]) -> Any:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return work(space)


@pytest.fixture
def folder(database: Database, settings: Settings, home: Home) -> Folder:
    return Folder(database, settings, home)


def test_names_part_with_the_document_that_tied_them(folder: Folder) -> None:
    for address, body in (("a", ONE), ("b", OTHER), ("c", BOTH), ("tie", TIE)):
        folder.put(address, body)
    folder.drain()
    assert not {"Zuse", "Relay Calculators"} <= folder.nodes()
    folder.remove("tie")
    folder.drain()
    assert {"Zuse", "Relay Calculators"} <= folder.nodes()
    folder.compare_with_fresh_ingest("fresh")


def test_names_part_with_the_text_that_tied_them(folder: Folder) -> None:
    for address, body in (("tie", TIE), ("a", ONE), ("b", OTHER), ("c", BOTH)):
        folder.put(address, body)
        folder.drain()
    folder.put("tie", "Edgar Codd met Ada Lovelace.")
    folder.drain()
    folder.compare_with_fresh_ingest("fresh")


def test_names_part_where_the_only_text_that_names_them_tells_them_apart(folder: Folder) -> None:
    folder.put("tie", TIE)
    folder.drain()
    folder.put("tie", f"{ONE}\n\n{OTHER}")
    folder.drain()
    assert {"Zuse", "Relay Calculators"} <= folder.nodes()
    folder.compare_with_fresh_ingest("fresh")


def test_names_stay_tied_while_another_document_ties_them(folder: Folder) -> None:
    for address, body in (("a", ONE), ("b", OTHER), ("tie", TIE), ("again", f"{TIE} {ONE}")):
        folder.put(address, body)
    folder.drain()
    before = folder.rows("SELECT id FROM graph_node WHERE knowledge_space_id = %s ORDER BY id")
    folder.remove("tie")
    folder.drain()
    after = folder.rows("SELECT id FROM graph_node WHERE knowledge_space_id = %s ORDER BY id")
    assert set(after) <= set(before)
    assert folder.rows("SELECT kind FROM job WHERE knowledge_space_id = %s AND kind = 'chunks.reread'") == []
    folder.compare_with_fresh_ingest("fresh")


def test_a_merge_that_lost_its_text_counts_as_undone(folder: Folder) -> None:
    for address, body in (("a", ONE), ("b", OTHER), ("tie", TIE)):
        folder.put(address, body)
        folder.drain()
    query = "SELECT count(*) FROM node_merge WHERE knowledge_space_id = %s AND undone_at IS NULL"
    assert folder.rows(query) == [(1,)]
    folder.remove("tie")
    folder.drain()
    assert folder.rows(query) == [(0,)]


@pytest.mark.parametrize("format", ["text", "docx"])
def test_an_imported_space_parts_names_like_the_original(folder: Folder, format: str) -> None:
    """An import has no files: what a Word document says is read again by the text of its chunks."""
    for address, body in (("a", ONE), ("b", f"{OTHER} {BOTH}"), ("tie", TIE)):
        folder.put(address, body, format=format)
    folder.drain()
    copy = folder.copy_by_export("copy")
    assert exported(copy.database, copy.home) == exported(folder.database, folder.home)
    copy.remove("tie")
    copy.drain()
    assert {"Zuse", "Relay Calculators"} <= copy.nodes()
    copy.compare_with_fresh_ingest("fresh", format=format)


def test_chunks_of_an_earlier_version_tie_until_a_promoted_trial_reads_them_again(
    folder: Folder, database: Database, settings: Settings, home: Home
) -> None:
    for address, body in (("a", ONE), ("b", OTHER), ("tie", TIE)):
        folder.put(address, body)
    folder.drain()
    folder.rows(
        "UPDATE knowledge_chunk SET name_ties = NULL, extracted_by = 'rules/rules-1'"
        " WHERE knowledge_space_id = %s RETURNING id"
    )
    runner = trial_runner(database, settings)
    trial = begin(database, settings, home, model="rules")
    runner.drain()
    promote(database, settings, home, trial)
    runner.drain()
    folder.remove("tie")
    folder.drain()
    folder.compare_with_fresh_ingest("fresh")


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(40), every=40))
def test_random_acts_after_an_import_end_in_what_a_fresh_ingest_makes(
    database: Database, settings: Settings, seed: int
) -> None:
    drawn = random.Random(seed)
    folder = Folder(database, settings, make_home(database, "acts"))
    for name in ("acts", "copy-1", "copy-2"):
        if name != "acts":
            folder = folder.copy_by_export(name)
        act_at_random(folder, drawn, acts=8)
    folder.compare_with_fresh_ingest("fresh")


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(200), every=200))
def test_random_acts_end_in_what_a_fresh_ingest_makes(
    database: Database, settings: Settings, seed: int
) -> None:
    drawn = random.Random(seed)
    folder = Folder(database, settings, make_home(database, "acts"))
    act_at_random(folder, drawn, acts=20)
    folder.compare_with_fresh_ingest("fresh")


def act_at_random(folder: Folder, drawn: random.Random, *, acts: int) -> None:
    """Remove and put texts, some of them read together, and at the end read all."""
    for _ in range(acts):
        act = drawn.random()
        if folder.texts and act < 0.4:
            folder.remove(drawn.choice(sorted(folder.texts)))
        else:
            folder.put(f"{drawn.randint(0, 7)}.txt", draw_text(drawn))
        if drawn.random() < 0.6:
            folder.drain()
    folder.put("last.txt", draw_text(drawn))
    folder.drain()


def draw_text(drawn: random.Random) -> str:
    """Some sentences about few names, some of which tie two."""
    return "\n\n".join(
        f"{drawn.choice(PEOPLE)} {drawn.choice(VERBS)} {drawn.choice(FIRMS)}."
        if drawn.random() < 0.6
        else drawn.choice(ALIASES + DESCRIPTIONS)
        for _ in range(drawn.randint(1, 3))
    )
