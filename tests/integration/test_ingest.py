"""The main job on real Postgres: documents become a cited graph, the same however often and in what order."""

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import Submission, SubmissionOutcome
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity, Vocabulary
from app.ids import DocumentId
from app.ingest import service as ingest
from app.jobs import queue
from app.settings import Settings
from tests.conftest import Home, make_home
from tests.support.ingest import corpus, ingest_now, make_runner, picture, submit, text

A = "Michael Stonebraker created Ingres. Ingres was based on the relational model."
B = "Michael Stonebraker created Ingres at Berkeley. Eugene Wong created Ingres too."
ABOUT_IBM = "IBM created System R."
EXPANDED = "International Business Machines created Db2."
BOTH = "International Business Machines (IBM) acquired Informix."


class Typed(RulesExtractor):
    """The rules, with each document's title for the type of OpenAI: a stand-in for a model that can tell."""

    separates_homonyms = True

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        found = super().extract_entities(chunks, vocabulary)
        return [
            tuple(
                replace(entity, node_type=chunk.document_title) if entity.name == "OpenAI" else entity
                for entity in entities
            )
            for chunk, entities in zip(chunks, found, strict=True)
        ]


class TestTheCorpus:
    def test_every_quote_stands_in_its_document_at_its_range(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Requirement 4.4, over every edge of the whole corpus, read back through SQL alone."""
        ingest_now(database, settings, home, corpus())
        with database.open_space(home.tenant_id, home.space_id) as space:
            rows = space.connection.execute(
                "SELECT b.text, e.metadata ->> 'quote', c.char_start + (e.metadata ->> 'charStart')::int,"
                " c.char_start + (e.metadata ->> 'charEnd')::int FROM graph_edge e JOIN knowledge_chunk c ON"
                " c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id JOIN"
                " document_body b ON b.knowledge_space_id = c.knowledge_space_id AND b.document_id ="
                " c.document_id WHERE e.knowledge_space_id = %s",
                [home.space_id],
            ).fetchall()
            ungrounded = space.connection.execute("SELECT count(*) FROM inspect_ungrounded_edges").fetchone()
        assert len(rows) > 300
        assert [quote for body, quote, start, end in rows if body[start:end] != quote] == []
        assert ungrounded == (0,)

    @pytest.mark.soak
    def test_a_second_time_changes_no_count_and_no_weight(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Requirement 2.3: the same content is recognised; and even read again it adds nothing (5.4)."""
        ingest_now(database, settings, home, corpus())
        before = picture(database, home)
        results, job_id = submit(database, home, *corpus())
        assert {entry.outcome for entry in results} == {SubmissionOutcome.UNCHANGED}
        assert job_id is None
        with database.open_space(home.tenant_id, home.space_id) as space:
            space.connection.execute(
                "UPDATE knowledge_chunk SET extracted_by = NULL WHERE knowledge_space_id = %s",
                [home.space_id],
            )
            job = queue.list_jobs(space)[-1]
            space.connection.execute(
                "UPDATE document SET state = 'queued' WHERE knowledge_space_id = %s AND job_id = %s",
                [home.space_id, job.id],
            )
            space.connection.execute(
                "UPDATE job SET state = 'queued', finalized_at = NULL WHERE knowledge_space_id = %s",
                [home.space_id],
            )
        assert make_runner(database, settings).drain() == 1
        assert picture(database, home) == before

    @pytest.mark.soak
    def test_order_and_number_of_workers_do_not_matter(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        """One worker with one job, or three workers with a job for each document in another order."""
        ingest_now(database, settings, home, corpus())
        shuffled = corpus()
        random.Random(7).shuffle(shuffled)
        for submission in shuffled:
            submit(database, twin, submission)
        with database.open_platform() as platform:
            platform.connection.execute("UPDATE tenant SET max_running_jobs = 10")
        with ThreadPoolExecutor(3) as pool:
            ran = list(pool.map(lambda _: make_runner(database, settings).drain(), range(3)))
        assert sum(ran) == len(shuffled)
        one, other = picture(database, home), picture(database, twin)
        for part in one:
            assert other[part] == one[part], part


class TestResolution:
    @pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]])
    def test_an_alias_joins_nodes_whichever_document_comes_first(
        self, database: Database, settings: Settings, home: Home, order: list[int]
    ) -> None:
        """Requirement 5.1: exact, normalised and alias match across documents, independent of order."""
        bodies = [ABOUT_IBM, EXPANDED, BOTH]
        for index in order:
            ingest_now(database, settings, home, [text(bodies[index], title=f"d{index}")])
        with database.open_space(home.tenant_id, home.space_id) as space:
            rows = space.connection.execute(
                "SELECT canonical_name, mention_count, out_degree FROM graph_node WHERE knowledge_space_id ="
                " %s AND (metadata -> 'aliases' ? 'IBM' OR canonical_name = 'IBM')",
                [home.space_id],
            ).fetchall()
        assert rows == [("International Business Machines", 3, 3)]

    def test_homonyms_of_different_types_stay_apart_for_an_extractor_that_tells_them(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Requirement 3.1: "OpenAI/Organization" and "OpenAI/Product" are two nodes, in any order of
        documents.
        """
        for number, title in enumerate(("Product", "Organization", "Product")):
            submit(database, home, text(f"Ada Byron created OpenAI. Part {number}.", title=title))
            make_runner(database, settings, extractor=Typed()).drain()
        with database.open_space(home.tenant_id, home.space_id) as space:
            rows = space.connection.execute(
                "SELECT node_type, mention_count, in_degree FROM graph_node"
                " WHERE knowledge_space_id = %s AND canonical_name = 'OpenAI' ORDER BY 1",
                [home.space_id],
            ).fetchall()
        assert rows == [("Organization", 1, 1), ("Product", 2, 2)]

    def test_a_likely_type_is_the_type_of_a_node_until_texts_show_another(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Requirement 3.1: without a type in the text a node has the likely one, and texts outvote it."""
        likely = text("Ferrant visited the village twice, and Ferrant's wife agreed.", title="a")
        stated = [
            text(f"Ferrant Ltd, known as Ferrant, is a company in Leeds. Part {number}.", title=f"b{number}")
            for number in range(2)
        ]
        types = []
        for documents_of_round in ([likely], stated):
            ingest_now(database, settings, home, documents_of_round)
            with database.open_space(home.tenant_id, home.space_id) as space:
                types += space.connection.execute(
                    "SELECT node_type FROM graph_node JOIN node_name ON node_id = id"
                    " AND node_name.knowledge_space_id = graph_node.knowledge_space_id"
                    " WHERE graph_node.knowledge_space_id = %s AND normalised_name = 'ferrant'",
                    [home.space_id],
                ).fetchall()
        assert types == [("Person",), ("Organization",)]

    def test_two_documents_confirm_a_claim(self, database: Database, settings: Settings, home: Home) -> None:
        ingest_now(database, settings, home, [text(A, title="a"), text(B, title="b")])
        with database.open_space(home.tenant_id, home.space_id) as space:
            rows = space.connection.execute(
                "SELECT from_name, status FROM inspect_edges WHERE knowledge_space_id = %s"
                " AND relation_type = 'created' AND to_name = 'Ingres' ORDER BY 1",
                [home.space_id],
            ).fetchall()
        assert rows == [
            ("Eugene Wong", "staged"),
            ("Michael Stonebraker", "confirmed"),
            ("Michael Stonebraker", "confirmed"),
        ]


class TestReplacingAndRemoving:
    def test_new_content_at_an_address_replaces_the_old(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Requirement 2.3: unchanged chunks keep their rows, the others are read again."""
        old = "\n\n".join(["# One", A, "# Two", "SQLite was created by Richard Hipp."])
        new = "\n\n".join(["# One", A, "# Two", "DuckDB was created by Hannes Mühleisen."])
        submissions = [Submission(body.encode(), "markdown", "x", source_uri="x.md") for body in (old, new)]
        ingest_now(database, settings, home, submissions[:1])
        first = picture(database, home)
        results, _ = submit(database, home, submissions[1])
        make_runner(database, settings).drain()
        second = picture(database, home)
        assert results[0].outcome == SubmissionOutcome.REPLACED
        assert results[0].document.version == 2
        assert second["chunks"][0][2] == first["chunks"][0][2]
        assert len(second["chunks"]) == len(first["chunks"])
        assert any("SQLite" in row for row in second["edges"] if row[0] is None), (
            "the old edge stays, unlinked"
        )
        assert any("DuckDB" in row for row in second["edges"] if row[0] is not None)

    def test_one_address_twice_in_a_submission_ends_as_its_later_content(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        pair = [text(A, source_uri="x"), text(B, source_uri="x")]
        results, _ = submit(database, home, *pair)
        assert [entry.outcome for entry in results] == [SubmissionOutcome.CREATED, SubmissionOutcome.REPLACED]
        make_runner(database, settings).drain()
        with database.open_space(home.tenant_id, home.space_id) as space:
            (document,) = documents.list_documents(space)
            assert documents.read_document_text(space, DocumentId(document.id)) == B

    def test_deleting_a_document_leaves_its_edges_without_evidence(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Requirement 2.4; and handing it in again restores the citation instead of counting twice."""
        ingest_now(database, settings, home, [text(A, title="a")])
        before = picture(database, home)
        self._remove(database, home)
        gone = picture(database, home)
        assert gone["chunks"] == gone["mentions"] == []
        assert len(gone["edges"]) == len(before["edges"])
        assert all(row[0] is None for row in gone["edges"])
        assert {row[2] for row in gone["nodes"]} == {0}
        ingest_now(database, settings, home, [text(A, title="a")])
        assert picture(database, home) == before

    def test_prune_removes_what_only_that_document_supported(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(database, settings, home, [text(B, title="b")])
        before = picture(database, home)
        ingest_now(database, settings, home, [text(A + " Ingres uses QUEL.", title="a")])
        removal = self._remove(database, home, title="a", prune=True)
        after = picture(database, home)
        assert removal.pruned_edges > 0
        assert [row[0] for row in after["nodes"]] == [row[0] for row in before["nodes"]]
        assert [row[2:6] for row in after["edges"]] == [row[2:6] for row in before["edges"]]

    def test_evidence_moves_to_another_chunk_of_the_same_text(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        shared = [
            Submission(f"# Shared\n\n{A}\n\n# Own\n\nNothing of {title}.".encode(), "markdown", title)
            for title in ("a", "copy")
        ]
        ingest_now(database, settings, home, shared)
        self._remove(database, home, title="a")
        assert {row[0] for row in picture(database, home)["edges"]} == {"copy"}

    @staticmethod
    def _remove(
        database: Database, home: Home, *, title: str | None = None, prune: bool = False
    ) -> ingest.Removal:
        with database.open_space(home.tenant_id, home.space_id) as space:
            (document,) = [
                document
                for document in documents.list_documents(space)
                if title is None or document.title == title
            ]
            return ingest.delete_document_with_all_its_words(space, DocumentId(document.id), prune=prune)


class TestSettingAside:
    def test_a_bad_document_is_failed_with_a_reason_and_the_others_go_on(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        broken = Submission(b"%PDF-1.7\n1 0 obj\n<<", "pdf", "broken")
        job_id = ingest_now(database, settings, home, [broken, text(A, title="good")])
        assert job_id is not None
        with database.open_space(home.tenant_id, home.space_id) as space:
            states = {
                document.title: (document.state, document.failure_code)
                for document in documents.list_documents(space)
            }
            errors = queue.list_job_errors(space, job_id)
            job = queue.get_job(space, job_id)
        assert states["good"] == ("ready", None)
        assert states["broken"][0] == "failed"
        assert states["broken"][1] == errors[0].code == "damaged_document"
        assert job.state == "done"
        assert job.counts["documents"] == 1
        assert job.counts["failed_documents"] == 1

    @pytest.mark.soak
    def test_a_large_document_is_written_in_bounded_transactions(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        body = "\n\n".join(
            f"# Part {number}\n\nAda Number{number} created Engine{number}. Engine{number} uses"
            f" Part{number % 7}."
            for number in range(1200)
        )
        ingest_now(database, settings, home, [Submission(body.encode(), "markdown", "large")])
        graph = picture(database, home)
        assert len(graph["chunks"]) == 1200
        assert len([row for row in graph["edges"] if row[3] == "created"]) >= 1100


def test_twin_spaces_have_the_same_graph_and_share_no_row(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    """Requirement 1.1."""
    third = make_home(database, "tenant-c")
    for owner in (home, twin):
        ingest_now(database, settings, owner, [text(A), text(B)])
    assert picture(database, home) == picture(database, twin)
    assert all(rows == [] for rows in picture(database, third).values())
