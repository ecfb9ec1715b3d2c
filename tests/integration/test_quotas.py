"""Quotas of a tenant (issue 9, point 6): counted with each change, checked at submit and by jobs, and
named.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from app.db.database import Database
from app.db.models import Document
from app.documents import service as documents
from app.errors import InvalidInput, QuotaExceeded, TooManyJobs
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import quotas
from tests.conftest import Home
from tests.integration.test_queue import read
from tests.support.ingest import make_runner, submit, text

ALL = "documents", "bytes", "chunks", "nodes"


def held(database: Database, home: Home) -> dict[str, int]:
    with database.open_tenant(home.tenant_id) as tenant:
        return dict(quotas.get_quota_usage(tenant).used)


def counted(database: Database, home: Home) -> dict[str, int]:
    """What stands in the space, counted row by row."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        row = space.connection.execute(
            "SELECT (SELECT count(*) FROM document), (SELECT coalesce(sum(byte_size), 0)::int FROM document),"
            " (SELECT count(*) FROM knowledge_chunk), (SELECT count(*) FROM graph_node),"
            " (SELECT count(*) FROM space_size WHERE knowledge_space_id = %s)",
            [home.space_id],
        ).fetchone()
    assert row is not None
    return dict(zip((*ALL, "rows"), row, strict=True))


def allow(database: Database, home: Home, **limits: int | None) -> None:
    with database.open_platform() as platform:
        quotas.change_quotas_and_unpark_jobs(platform, home.tenant_id, limits, actor="test")


def matches(database: Database, home: Home) -> bool:
    used, found = held(database, home), counted(database, home)
    assert {name: used[name] for name in ALL} == {name: found[name] for name in ALL}
    return True


class TestCounting:
    def test_what_is_held_is_known_after_ingest_replacement_and_deletion(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        assert held(database, home) == dict.fromkeys((*ALL, "spaces"), 0) | {"spaces": 1}
        results, _ = submit(
            database, home, *[text(f"Ada{n} created Engine{n}.", source_uri=f"doc{n}") for n in range(5)]
        )
        make_runner(database, settings).drain()
        assert matches(database, home)
        assert held(database, home)["documents"] == 5
        assert held(database, home)["nodes"] >= 5
        submit(database, home, text("Ada0 created Engine0 and much, much more.", source_uri="doc0"))
        make_runner(database, settings).drain()
        assert matches(database, home)
        with database.open_space(home.tenant_id, home.space_id) as space:
            ingest.delete_document_with_all_its_words(space, DocumentId(results[1].document.id), prune=True)
        assert matches(database, home)
        assert held(database, home)["documents"] == 4
        # Nothing of it is the neighbour's.
        assert {name: held(database, twin)[name] for name in ALL} == dict.fromkeys(ALL, 0)

    def test_a_deleted_space_gives_back_what_it_held(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        submit(database, home, text("IBM created Db2."))
        make_runner(database, settings).drain()
        with database.open_tenant(home.tenant_id) as tenant:
            tenant.connection.execute("DELETE FROM knowledge_space WHERE id = %s", [home.space_id])
        assert held(database, home) == dict.fromkeys((*ALL, "spaces"), 0)

    @pytest.mark.soak
    def test_rows_are_put_together_while_writers_go_on(self, database: Database, home: Home) -> None:
        def hand_in(number: int) -> None:
            submit(database, home, text(f"Note number {number}.", source_uri=f"note{number}"))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(hand_in, range(150)))
        assert matches(database, home)
        assert counted(database, home)["rows"] < 100


class TestSubmitting:
    def test_documents_and_bytes_beyond_the_limit_are_refused_by_name(
        self, database: Database, home: Home, twin: Home
    ) -> None:
        allow(database, home, documents=2)
        results, _ = submit(database, home, text("One.", source_uri="1"), text("Two.", source_uri="2"))
        with pytest.raises(QuotaExceeded) as refused:
            submit(database, home, text("Three.", source_uri="3"))
        error = refused.value
        assert (error.status, error.code, error.quota, error.used, error.limit) == (
            429,
            "quota_exceeded",
            "documents",
            2,
            2,
        )
        # What is known already, or takes the place of another, is no document more; the neighbour has its
        # own.
        assert submit(database, home, text("One.", source_uri="1"))[1] is None
        assert submit(database, home, text("Won.", source_uri="1"))[1] is not None
        submit(database, twin, text("Three.", source_uri="3"))
        allow(database, home, documents=None, bytes=held(database, home)["bytes"] + 4)
        with pytest.raises(QuotaExceeded, match="bytes"):
            submit(database, home, text("Three.", source_uri="3"))
        with pytest.raises(QuotaExceeded, match="bytes"):
            submit(database, home, text("One, grown.", source_uri="1"))
        submit(database, home, text("4444", source_uri="4"))
        assert results

    def test_submissions_at_once_do_not_overrun_it_together(self, database: Database, home: Home) -> None:
        """Two spaces of one tenant: a lock of the space alone would let both in."""
        allow(database, home, documents=5)
        with database.open_tenant(home.tenant_id) as tenant:
            other = spaces.create_space(
                tenant,
                name="second",
                embedding_model="hashed-ngrams-256",
                embedding_dimensions=256,
                actor="t",
            )
        homes = [home.space_id, other.id]

        def hand_in(number: int) -> bool:
            try:
                with database.open_space(home.tenant_id, homes[number % 2]) as space:  # type: ignore[arg-type]
                    documents.submit_documents(space, [text(f"Note {number}.", source_uri=f"{number}")])
            except QuotaExceeded:
                return False
            return True

        with ThreadPoolExecutor(4) as pool:
            accepted = list(pool.map(hand_in, range(24)))
        assert sum(accepted) == 5
        assert held(database, home)["documents"] == 5

    def test_spaces_and_waiting_jobs_have_limits_too(self, database: Database, home: Home) -> None:
        allow(database, home, spaces=1, queued_jobs=2)
        with (
            database.open_tenant(home.tenant_id) as tenant,
            pytest.raises(QuotaExceeded, match="1 space and"),
        ):
            spaces.create_space(
                tenant,
                name="second",
                embedding_model="hashed-ngrams-256",
                embedding_dimensions=256,
                actor="t",
            )
        for number in range(2):
            ingest.check_room_for_ingest_job(database, home.tenant_id)
            submit(database, home, text(f"Note {number}.", source_uri=f"{number}"))
        with pytest.raises(TooManyJobs) as refused:
            ingest.check_room_for_ingest_job(database, home.tenant_id)
        assert (refused.value.code, refused.value.used, refused.value.limit) == ("too_many_jobs", 2, 2)
        found = {
            quota.quota: (quota.used, quota.limit)
            for quota in ingest.list_quota_uses(database, home.tenant_id)
        }
        assert found["queued_jobs"] == (2, 2)
        assert found["spaces"] == (1, 1)
        assert found["documents"] == (2, 100_000)

    def test_limits_are_whole_numbers_of_known_names(self, database: Database, home: Home) -> None:
        with pytest.raises(InvalidInput, match="Quotas are"):
            allow(database, home, pages=4)
        with pytest.raises(InvalidInput, match="whole number"):
            allow(database, home, nodes=-1)


class TestWorking:
    def failures(self, database: Database, home: Home) -> dict[str, str | None]:
        with database.open_space(home.tenant_id, home.space_id) as space:
            found: list[Document] = list(documents.list_documents(space))
        return {str(document.source_uri): document.failure_code for document in found}

    def test_a_document_that_finds_no_room_fails_and_the_job_goes_on(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        large = "\n\n".join(f"# Part {n}\n\nAda{n} created Engine{n}." for n in range(12))
        allow(database, home, chunks=6)
        _, job_id = submit(
            database,
            home,
            text("IBM created Db2.", source_uri="first"),
            text(large, source_uri="large"),
            text("Sun created Java.", source_uri="last"),
        )
        make_runner(database, settings.model_copy(update={"chunk_tokens": 16})).drain()
        assert self.failures(database, home) == {"first": None, "large": "quota_exceeded", "last": None}
        assert job_id is not None
        job = read(database, home, job_id)
        assert job.state == "done"
        assert (job.counts["documents"], job.counts["failed_documents"]) == (2, 1)
        assert held(database, home)["chunks"] == 2
        allow(database, home, chunks=2)
        with pytest.raises(QuotaExceeded, match="2 chunks"):
            submit(database, home, text("One more.", source_uri="more"))

    def test_nodes_are_bounded_for_the_tenant_and_for_a_document(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        allow(database, home, nodes=1)
        submit(database, home, text("IBM created Db2.", source_uri="first"))
        submit(database, home, text("Sun created Java.", source_uri="second"))
        make_runner(database, settings).drain()
        assert sorted(self.failures(database, home).items()) == [
            ("first", None),
            ("second", "quota_exceeded"),
        ]
        many = text(" ".join(f"Ada{n} created Engine{n}." for n in range(10)), source_uri="many")
        submit(database, twin, text("Sun created Java.", source_uri="few"), many)
        make_runner(database, settings.model_copy(update={"max_document_nodes": 8})).drain()
        assert self.failures(database, twin) == {"few": None, "many": "too_many_nodes"}
        assert held(database, twin)["nodes"] == 2
