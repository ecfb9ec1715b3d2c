"""The audit on real Postgres: each change has its row in its own transaction, none has words, old ones go."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import URL

from app.cli.database_maintenance import open_database_as_owner
from app.db.database import Database
from app.db.models import AuditEvent
from app.db.session import SpaceSession
from app.documents import service as documents
from app.graph import service as graph
from app.graph.tags import service as node_tags
from app.ids import DocumentId, NodeId, create_id
from app.ingest import service as ingest
from app.settings import Settings
from app.spreadsheet import escape_formula
from app.tenancy.audit import service as audit
from app.tenancy.audit.entries_csv import format_entries_as_csv
from app.tenancy.audit.origin import record_with_origin
from app.tenancy.audit.shapes import ActorKind, AuditFilter, Door, Origin, Outcome
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, make_home
from tests.support.evictions import evict_now, set_policy
from tests.support.ingest import ingest_now, submit, text

SECRET = "Zanzibarium"
ADA = Origin("ada@a.example", ActorKind.ACCOUNT, Door.DASHBOARD, "192.0.2.7")


def entries(database: Database, home: Home, **wanted: Any) -> list[AuditEvent]:
    with database.open_tenant(home.tenant_id) as tenant:
        return list(audit.list_entries(tenant, AuditFilter(**wanted), limit=1_000))


def act(database: Database, home: Home, work: Callable[[SpaceSession], object]) -> AuditEvent:
    """The newest entry, after this was done by Ada."""
    with record_with_origin(ADA), database.open_space(home.tenant_id, home.space_id) as space:
        work(space)
    return entries(database, home)[0]


@pytest.fixture
def filled(database: Database, settings: Settings, home: Home) -> Home:
    entry = text(f"Ada Lovelace created {SECRET}.", title=f"About {SECRET}", source_uri=f"{SECRET}.txt")
    ingest_now(database, settings, home, [entry])
    return home


def a_document(space: SpaceSession) -> DocumentId:
    return DocumentId(documents.list_documents(space)[0].id)


class TestRows:
    def test_a_row_says_who_what_which_and_from_where(self, database: Database, filled: Home) -> None:
        found = act(
            database,
            filled,
            lambda space: ingest.delete_document_with_all_its_words(space, a_document(space)),
        )
        assert (found.action, found.outcome) == ("document.delete", Outcome.DONE)
        assert (found.actor, found.actor_kind) == ("ada@a.example", "account")
        assert (found.door, found.address) == ("dashboard", "192.0.2.7")
        assert found.knowledge_space_id == filled.space_id
        assert found.details["chunks"] == 1
        assert found.details["unlinked_edges"] >= 1

    def test_what_is_rolled_back_leaves_no_row(self, database: Database, filled: Home) -> None:
        before = len(entries(database, filled))
        with (
            pytest.raises(ZeroDivisionError),
            database.open_space(filled.tenant_id, filled.space_id) as space,
        ):
            ingest.delete_document_with_all_its_words(space, a_document(space))
            raise ZeroDivisionError
        assert len(entries(database, filled)) == before

    def test_a_dry_run_leaves_no_row(self, database: Database, filled: Home) -> None:
        before = len(entries(database, filled))
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            ingest.preview_removal(space, a_document(space))
        assert len(entries(database, filled)) == before

    def test_accepted_and_replaced_documents(self, database: Database, home: Home) -> None:
        first = act(
            database, home, lambda space: documents.submit_documents(space, [text("One.", source_uri="a")])
        )
        assert (first.action, first.details["created"], first.details["replaced"]) == (
            "document.accept",
            1,
            0,
        )
        again = act(
            database, home, lambda space: documents.submit_documents(space, [text("Two.", source_uri="a")])
        )
        assert (again.details["created"], again.details["replaced"]) == (0, 1)
        assert again.other_ids == first.other_ids

    def test_what_is_known_already_changes_nothing_and_has_no_row(
        self, database: Database, filled: Home
    ) -> None:
        before = len(entries(database, filled))
        submit(database, filled, text(f"Ada Lovelace created {SECRET}.", source_uri=f"{SECRET}.txt"))
        assert len(entries(database, filled)) == before

    def test_a_workers_eviction(self, database: Database, settings: Settings, filled: Home) -> None:
        set_policy(database, filled, eviction="capacity", eviction_max_chunks=1, eviction_grace_days=0)
        ingest_now(database, settings, filled, [text("Berta Lang is [here].", title="More")])
        evict_now(database, settings, filled, including_last_evidence=True)
        (found,) = entries(database, filled, action="chunk.evict")
        assert (found.actor, found.actor_kind, found.door) == ("worker", "job", "worker")
        assert found.details["chunks"] == len(found.other_ids) == 1

    def test_tags_are_counted_and_not_told(self, database: Database, filled: Home) -> None:
        def tag(space: SpaceSession) -> None:
            node = graph.list_nodes(space, search_text="Ada Lovelace")[0]
            node_tags.choose_and_set_tags(space, NodeId(node.id), ["pioneer", SECRET])

        found = act(database, filled, tag)
        assert (found.action, found.details) == ("node.tags", {"tags": 2})

    def test_settings_by_name_alone(self, database: Database, filled: Home) -> None:
        with database.open_tenant(filled.tenant_id) as tenant:
            spaces.update_space_row(
                tenant, filled.space_id, actor="ada", setting_changes={"single_valued_relations": [SECRET]}
            )
        found = entries(database, filled)[0]
        assert found.details == {
            "renamed": False,
            "described": False,
            "settings": ["single_valued_relations"],
        }

    def test_no_row_holds_a_word_of_a_document(self, database: Database, filled: Home) -> None:
        act(
            database,
            filled,
            lambda space: ingest.delete_document_with_all_its_words(space, a_document(space)),
        )
        assert SECRET.lower() not in format_entries_as_csv(entries(database, filled)).lower()

    @pytest.mark.parametrize("words", ["two words", "naïve", "x" * 81])
    def test_details_that_may_be_words_are_refused(self, database: Database, home: Home, words: str) -> None:
        with database.open_tenant(home.tenant_id) as tenant, pytest.raises(ValueError, match="no code"):
            audit.record(tenant, "key.create", details={"scopes": [words]})

    def test_an_action_without_a_name_is_refused(self, database: Database, home: Home) -> None:
        with database.open_tenant(home.tenant_id) as tenant, pytest.raises(ValueError, match="no action"):
            audit.record(tenant, "key.invent")

    def test_many_ids_are_cut_and_counted(self, database: Database, home: Home) -> None:
        ids = [create_id() for _ in range(audit.MAX_TARGET_IDS + 5)]
        found = act(database, home, lambda space: audit.record(space, "chunk.evict", other_targets=ids))
        assert found.other_ids == ids[: audit.MAX_TARGET_IDS]
        assert found.details == {"ids_in_all": audit.MAX_TARGET_IDS + 5}


class TestReading:
    def test_filters(self, database: Database, filled: Home) -> None:
        node, other = create_id(), create_id()
        act(
            database,
            filled,
            lambda space: audit.record(space, "node.merge", target=node, other_targets=[other]),
        )

        def ids(**wanted: Any) -> set[UUID | None]:
            return {entry.target_id for entry in entries(database, filled, **wanted)}

        assert node in ids(action="node")
        assert node in ids(action="node.merge")
        assert node not in ids(action="no")
        assert ids(object_id=node) == ids(object_id=other) == {node}
        assert ids(actor="ada@a.example") == {node}
        assert node in ids(space_id=filled.space_id)
        assert ids(space_id=create_id()) == set()
        assert ids(outcome=Outcome.REFUSED) == set()
        assert node in ids(since=datetime.now(UTC) - timedelta(minutes=1))
        assert ids(until=datetime.now(UTC) - timedelta(minutes=1)) == set()

    def test_a_page_follows_a_page(self, database: Database, filled: Home) -> None:
        everything = entries(database, filled)
        with database.open_tenant(filled.tenant_id) as tenant:
            first = audit.list_entries(tenant, limit=1)
            rest = audit.list_entries(tenant, after=first[0].id, limit=1_000)
        assert [entry.id for entry in (*first, *rest)] == [entry.id for entry in everything]

    def test_another_tenant_sees_nothing_of_it(self, database: Database, filled: Home) -> None:
        twin = make_home(database, "neighbour")
        shown = entries(database, twin)
        assert {entry.tenant_id for entry in shown} <= {twin.tenant_id}
        with database.open_platform() as platform:
            assert {entry.tenant_id for entry in audit.list_entries(platform)} >= {filled.tenant_id}

    @pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
    def test_no_cell_is_a_formula(self, cell: str) -> None:
        assert escape_formula(cell) == "'" + cell

    def test_csv_has_a_line_for_each(self, database: Database, filled: Home) -> None:
        with database.open_tenant(filled.tenant_id) as tenant:
            audit.record(tenant, "key.sign_in", actor="=HYPERLINK()@a.example")
        lines = format_entries_as_csv(entries(database, filled)).splitlines()
        assert lines[0].startswith("created_at,action")
        assert ",'=HYPERLINK()@a.example," in lines[1]
        assert len(lines) == 1 + len(entries(database, filled))


class TestRetention:
    def test_what_is_old_goes_in_batches_and_says_so(
        self,
        database: Database,
        filled: Home,
        settings: Settings,
        privileged_url: URL,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(audit, "MAX_DELETED_ENTRIES", 2)
        with record_with_origin(ADA), database.open_tenant(filled.tenant_id) as tenant:
            for _ in range(3):
                audit.record(tenant, "key.sign_in")
        before = len(entries(database, filled))
        url = privileged_url.render_as_string(hide_password=False)
        with open_database_as_owner(settings, url) as owner:
            assert audit.delete_old_entries_and_record_count(owner, days=30) == 0
            assert len(entries(database, filled)) == before
            later = datetime.now(UTC) + timedelta(days=31)
            assert audit.delete_old_entries_and_record_count(owner, days=30, now=later) >= before
        assert entries(database, filled) == []
        with database.open_platform() as platform:
            purges = [entry for entry in audit.list_entries(platform) if entry.action == "audit.purge"]
        # The clock of this test is a month ahead: all but the last batch's own row went as well.
        assert [purge.details["removed"] <= 2 for purge in purges] == [True]
        assert {purge.actor_kind for purge in purges} == {"operator"}

    def test_the_application_may_remove_nothing(self, database: Database, filled: Home) -> None:
        later = datetime.now(UTC) + timedelta(days=31)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            audit.delete_old_entries_and_record_count(database, days=30, now=later)
        assert entries(database, filled)
