"""Erasures that are repeated after a restore (requirement 22.3)."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import URL, create_engine, text
from sqlalchemy.pool import NullPool

from app.answers.golden import service as golden
from app.cli.database_maintenance import open_database_as_owner
from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.documents import ingest_steps
from app.documents import service as documents
from app.errors import ConfigurationError
from app.ids import ApiKeyId, DocumentId, JobId, SpaceId, TenantId, create_id
from app.ingest import service as ingest
from app.ingest.trials import service as trials
from app.jobs.kinds import DeleteSpace
from app.jobs.webhooks import service as webhooks
from app.jobs.webhooks.shapes import EVENTS
from app.runtime.postgres import EmbeddedPostgres
from app.settings import Settings
from app.tenancy.accounts import questions, sign_in
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from app.tenancy.accounts.shapes import SignedIn
from app.tenancy.audit import service as audit
from app.tenancy.audit.actions import ACTIONS
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces import tenant_deletion
from app.tenancy.spaces.job import delete_space_in_steps
from app.tenancy.tenants import api_keys
from app.transfer.erasures.json_lines import format_erasures_as_json_lines, parse_erasures_from_json_lines
from app.transfer.erasures.kinds import ERASURE_KINDS
from app.transfer.erasures.service import _find_prune_option, repeat_erasures
from app.transfer.erasures.shapes import Erasure, Outcome
from tests.cli.conftest import Call, read_json
from tests.conftest import Home, make_home
from tests.support.ingest import ingest_now, make_runner, submit
from tests.support.ingest import text as note
from tests.support.pooler import as_app
from tests.support.schema.catalogue import read_catalogue
from workers.runner import Runner

Restore = Callable[[], URL]
Use = Callable[[URL], None]
NO_CONTENT = {"audit_event", "job", "space_size", "usage_daily", "usage_of_deleted", "budget_reservation"}
SECRET = "Zebulon Quark"


@pytest.fixture
def pg_program(tmp_path: Path) -> Callable[[str], str]:
    """Returns the path of a program that comes with Postgres."""
    embedded = EmbeddedPostgres(tmp_path)
    try:
        embedded.find_program("pg_dump")
    except ConfigurationError:
        pytest.skip("no pg_dump without the embedded server's package")
    return lambda name: str(embedded.find_program(name))


@pytest.fixture
def restored_url(privileged_url: URL) -> Iterator[URL]:
    """The database into which a dump is restored; dropped at the end."""
    name = f"{privileged_url.database}_restored"
    yield privileged_url.set(database=name)
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


@pytest.fixture
def dump(
    pg_program: Callable[[str], str], privileged_url: URL, restored_url: URL, tmp_path: Path
) -> Callable[[], Restore]:
    """Dumps this test's database; what is returned restores the dump and returns its address."""

    def dump_database() -> Restore:
        file = tmp_path / "citegraph.dump"
        run(
            pg_program("pg_dump"),
            "--role=citegraph_backup",
            "--format=custom",
            f"--file={file}",
            convert_to_conninfo(privileged_url),
        )

        def restore() -> URL:
            with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as admin:
                admin.execute(f"DROP DATABASE IF EXISTS {restored_url.database} WITH (FORCE)".encode())
                admin.execute(f"CREATE DATABASE {restored_url.database}".encode())
            run(
                pg_program("pg_restore"),
                "--exit-on-error",
                f"--dbname={convert_to_conninfo(restored_url)}",
                str(file),
            )
            return restored_url

        return restore

    return dump_database


def run(*command: str) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PGCONNECT_TIMEOUT": "5"}, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Has the commands use another database."""

    def use_database(url: URL) -> None:
        monkeypatch.setenv("CITEGRAPH_DATABASE_URL", convert_to_conninfo(as_app(url)))
        monkeypatch.setenv("CITEGRAPH_MIGRATION_DATABASE_URL", convert_to_conninfo(url))

    return use_database


def count_rows(url: URL) -> dict[str, int]:
    """Rows of content, access and settings by table."""
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return {
            relation.name: connection.execute(
                text(f"SELECT count(*) FROM {relation.quoted_name}")
            ).scalar_one()
            for relation in read_catalogue(connection).tables
            if relation.name not in NO_CONTENT
        }


def list_tables_naming(url: URL, words: str) -> list[str]:
    """The tables with a row that has these words anywhere."""
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return [
            relation.name
            for relation in read_catalogue(connection).tables
            if connection.execute(
                text(f"SELECT count(*) FROM {relation.quoted_name} AS stored WHERE stored::text LIKE :words"),
                {"words": f"%{words}%"},
            ).scalar_one()
        ]


def find_documents(database: Database, home: Home) -> dict[str, DocumentId]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return {file.source_uri: file.id for file in documents.list_stored_files_below_address(space, "")}


def outcomes(shown: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Kind: outcomes."""
    found: dict[str, set[str]] = {}
    for repeated in shown:
        found.setdefault(repeated["erasure"]["kind"], set()).add(repeated["outcome"])
    return found


class Estate:
    """Two tenants with an object of every kind that can be erased."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database = database
        self.home, leaving = make_home(database, "tenant-a"), make_home(database, "tenant-leaving")
        self.leaving_tenant_id = leaving.tenant_id
        with database.open_tenant(self.home.tenant_id) as tenant:
            space = spaces.create_space(
                tenant,
                name="second",
                embedding_model="hashed-ngrams-256",
                embedding_dimensions=256,
                actor="test",
            )
            self.second = Home(self.home.tenant_id, SpaceId(space.id))
        for home in (self.home, leaving, self.second):
            ingest_now(
                database,
                settings,
                home,
                [
                    note("Ada Lovelace created Analytical Engine Notes.", source_uri="stays"),
                    note(f"{SECRET} created Analytical Engine Notes.", source_uri="pruned"),
                    note(f"{SECRET} founded Quark Works in London.", source_uri="unpruned"),
                    note(f"{SECRET} lives in Zurich.", source_uri="evicted"),
                ],
            )
        self.documents = find_documents(database, self.home)
        with database.open_tenant(self.home.tenant_id) as tenant:
            self.key_id = ApiKeyId(
                api_keys.create_key(tenant, name="old", scopes=["read"], actor="test")[0].id
            )
            self.webhook_id = webhooks.add_webhook(
                tenant, url="https://8.8.8.8/a", events=[EVENTS[0]], actor="test", allowed_hosts=frozenset()
            ).id
        self.ann, self.bob = (self._join(f"{name}@example.org") for name in ("ann", "bob"))
        with database.open_tenant(self.home.tenant_id) as tenant:
            accounts.create_invitation_link_token(
                tenant, email="carl@example.org", role=Role.VIEWER, actor="test"
            )
            self.invitation_id = accounts.list_invitations(tenant)[0].id
            questions.record_question_and_prune_history(
                tenant, self.ann.session_id, self.home.space_id, question="Who?", scope="local", as_of=None
            )
        with database.open_space(self.home.tenant_id, self.home.space_id) as space_session:
            golden.add_or_replace_questions(space_session, [{"question": f"Who is {SECRET}?"}])
            self.golden_id = golden.list_questions(space_session)[0].id
            self.trial_id = JobId(
                trials.queue_extraction_trial(
                    space_session, settings, model=None, changes={"gleanings": 1}, chunk_count=1
                ).id
            )
            self.chunk_ids = ingest_steps.list_chunk_ids_of_document(space_session, self.documents["evicted"])

    def _join(self, email: str) -> SignedIn:
        with self.database.open_tenant(self.home.tenant_id) as tenant:
            token = accounts.create_invitation_link_token(tenant, email=email, role=Role.ADMIN, actor="test")
        session_token = sign_in.sign_in_or_join_with_link(
            self.database, token, "a long pass phrase of nine words"
        )
        with self.database.open_platform() as platform:
            return sign_in.authenticate_session_and_record_use(platform, session_token)

    def erase_everything(self) -> None:
        """Erase an object of each kind, with each option."""
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            ingest.delete_document_with_all_its_words(space, self.documents["pruned"], prune=True)
            ingest.delete_document_with_all_its_words(space, self.documents["unpruned"], prune=False)
            ingest.evict_chunks_again_after_restore(space, self.chunk_ids)
            golden.remove_question(space, self.golden_id)
            trials.delete_trial(space, self.trial_id)
        with self.database.open_tenant(self.home.tenant_id) as tenant:
            questions.delete_questions(tenant, self.ann.session_id, self.home.space_id)
            api_keys.revoke_key(tenant, self.key_id, actor="test")
            webhooks.delete_webhook(tenant, self.webhook_id, actor="test")
            assert self.bob.account_id is not None
            accounts.change_role_or_remove_member(tenant, self.bob.account_id, None, actor="test")
            accounts.withdraw_invitation(tenant, self.invitation_id, actor="test")
        spaces.delete_space(self.database, self.second.tenant_id, self.second.space_id, actor="test")
        tenant_deletion.delete_tenant(self.database, self.leaving_tenant_id, actor="test")


def is_key_revoked(url: URL, key_id: ApiKeyId) -> bool:
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return bool(
            connection.execute(
                text("SELECT revoked_at IS NOT NULL FROM api_key WHERE id = :id"), {"id": key_id}
            ).scalar_one()
        )


@pytest.mark.usefixtures("steady_roles")
@pytest.mark.one_machine("a cluster is backed up node by node: see docs/citus.md")
class TestErasedDataStaysErasedAfterARestore:
    """Requirement 22.3, with real dumps."""

    def test_every_kind_is_erased_again(
        self,
        citegraph: Call,
        use: Use,
        database: Database,
        settings: Settings,
        privileged_url: URL,
        dump: Callable[[], Restore],
        tmp_path: Path,
    ) -> None:
        """Dump, erase, restore, migrate, apply, doctor; then restore again, and apply the list of that."""
        estate = Estate(database, settings)
        restore = dump()
        estate.erase_everything()
        assert list_tables_naming(privileged_url, SECRET) == []
        exported = citegraph("erasures", "export")
        assert exported.exit_code == 0, exported.stderr
        assert "Zebulon" not in exported.stdout
        assert {json.loads(line)["kind"] for line in exported.stdout.splitlines()} == set(ERASURE_KINDS)
        listed = tmp_path / "erasures.jsonl"
        listed.write_text(exported.stdout)

        restored = restore()
        use(restored)
        assert citegraph("migrate").exit_code == 0
        assert len(list_tables_naming(restored, SECRET)) > 3
        assert not is_key_revoked(restored, estate.key_id)
        before = count_rows(restored)
        foreseen = read_json(citegraph("erasures", "apply", listed, "--dry-run", "--json"))
        assert count_rows(restored) == before
        applied = read_json(citegraph("erasures", "apply", listed, "--yes", "--json"))
        assert outcomes(applied) == outcomes(foreseen) == {kind: {"erased"} for kind in ERASURE_KINDS}
        assert list_tables_naming(restored, SECRET) == []
        assert count_rows(restored) == count_rows(privileged_url)
        assert is_key_revoked(restored, estate.key_id)
        doctor = citegraph("doctor")
        assert doctor.exit_code == 0, doctor.stdout

        again = read_json(citegraph("erasures", "apply", listed, "--yes", "--json"))
        assert outcomes(again) == {kind: {"already_gone"} for kind in ERASURE_KINDS}

        second_list = tmp_path / "second.jsonl"
        second_list.write_text(citegraph("erasures", "export").stdout)
        use(restore())
        assert len(list_tables_naming(restored, SECRET)) > 3
        applied = read_json(citegraph("erasures", "apply", second_list, "--yes", "--json"))
        assert outcomes(applied) == {kind: {"erased"} for kind in ERASURE_KINDS}
        assert list_tables_naming(restored, SECRET) == []


def line(home: Home, kind: str, *ids: UUID, erased_at: datetime | None = None, **options: Any) -> str:
    """A line of a list, of an erasure that this database does not have, as after a restore."""
    erasure = Erasure(
        entry_id=create_id(),
        kind=kind,
        tenant_id=home.tenant_id,
        space_id=home.space_id,
        ids=ids,
        erased_at=erased_at or datetime.now(UTC),
        **options,
    )
    return format_erasures_as_json_lines([erasure])


@pytest.fixture
def two_documents(database: Database, settings: Settings, home: Home) -> dict[str, DocumentId]:
    notes = [note(f"{SECRET} created Notes {name}.", source_uri=name) for name in ("one", "two")]
    ingest_now(database, settings, home, notes)
    return find_documents(database, home)


class TestApplying:
    """Requirement 22.3: nothing is refused silently, and a run that ends early is continued."""

    def test_a_malformed_line_is_named_and_nothing_is_done(
        self,
        citegraph: Call,
        database: Database,
        home: Home,
        two_documents: dict[str, DocumentId],
        tmp_path: Path,
    ) -> None:
        listed = tmp_path / "erasures.jsonl"
        good = line(home, "document", two_documents["one"])
        for bad, reason in (
            ("{", "Invalid JSON"),
            (good.replace("document", "galaxy"), "'galaxy'"),
            (good[:-3], "Invalid JSON"),
            (good.replace("ids", "id"), "ids"),
            (good.replace('Z"', '"'), "erased_at"),
        ):
            listed.write_text(f"{good}\n{bad}")
            for options in (("--yes",), ("--dry-run",)):
                failed = citegraph("erasures", "apply", listed, *options)
                assert failed.exit_code == 1
                assert "erasures.jsonl: Line 3 " in failed.stderr
                assert reason in failed.stderr
        assert find_documents(database, home) == two_documents

    def test_it_asks_before_it_erases(
        self,
        citegraph: Call,
        database: Database,
        home: Home,
        two_documents: dict[str, DocumentId],
        tmp_path: Path,
    ) -> None:
        listed = tmp_path / "erasures.jsonl"
        listed.write_text(line(home, "document", two_documents["one"]))
        assert citegraph("erasures", "apply", listed, input="n\n").exit_code == 1
        assert find_documents(database, home) == two_documents
        shown = citegraph("erasures", "apply", listed, input="y\n")
        assert shown.exit_code == 0
        assert list(find_documents(database, home)) == ["two"]

    def test_a_run_that_ended_early_is_continued(
        self, database: Database, home: Home, two_documents: dict[str, DocumentId]
    ) -> None:
        erasures = parse_erasures_from_json_lines(
            "".join(line(home, "document", id) for id in two_documents.values())
        )
        first = next(repeat_erasures(database, erasures, actor="test"))
        assert first.outcome is Outcome.ERASED
        assert len(find_documents(database, home)) == 1
        rest = [repeated.outcome for repeated in repeat_erasures(database, erasures, actor="test")]
        assert rest == [Outcome.ALREADY_GONE, Outcome.ERASED]
        assert find_documents(database, home) == {}

    def test_a_list_of_another_database_is_reported(
        self, citegraph: Call, home: Home, two_documents: dict[str, DocumentId], tmp_path: Path
    ) -> None:
        listed = tmp_path / "erasures.jsonl"
        stranger = Home(TenantId(create_id()), SpaceId(create_id()))
        strange = line(stranger, "document", create_id()) + line(stranger, "tenant", stranger.tenant_id)
        listed.write_text(strange)
        failed = citegraph("erasures", "apply", listed, "--yes", "--json")
        assert failed.exit_code == 1
        assert "the list belongs to another database" in failed.stderr
        assert outcomes(json.loads(failed.stdout)) == {
            "document": {"unknown_tenant"},
            "tenant": {"unknown_tenant"},
        }
        listed.write_text(strange + line(home, "document", two_documents["one"]))
        shown = citegraph("erasures", "apply", listed, "--yes")
        assert shown.exit_code == 0
        assert "UNKNOWN TENANT" in shown.stdout

    def test_the_document_of_another_tenant_is_never_touched(
        self, database: Database, home: Home, twin: Home, two_documents: dict[str, DocumentId]
    ) -> None:
        """Requirement 1.2: ids of one tenant under another's name are not found."""
        wrong = Home(twin.tenant_id, home.space_id)
        erasures = parse_erasures_from_json_lines(line(wrong, "document", two_documents["one"]))
        (repeated,) = repeat_erasures(database, erasures, actor="test")
        assert repeated.outcome is Outcome.ALREADY_GONE
        assert find_documents(database, home) == two_documents

    def test_a_document_that_was_submitted_again_is_kept_once_it_is_read(
        self,
        citegraph: Call,
        database: Database,
        settings: Settings,
        home: Home,
        two_documents: dict[str, DocumentId],
        tmp_path: Path,
    ) -> None:
        listed = tmp_path / "erasures.jsonl"
        listed.write_text(line(home, "document", two_documents["one"]))
        submit(database, home, note("Ada Lovelace created Notes.", source_uri="one"))
        failed = citegraph("erasures", "apply", listed, "--yes")
        assert failed.exit_code == 1
        assert f"Not erased: document {two_documents['one']}: It was submitted again" in failed.stderr
        make_runner(database, settings).drain()
        shown = citegraph("erasures", "apply", listed, "--yes", "--json")
        assert shown.exit_code == 0
        assert outcomes(json.loads(shown.stdout)) == {"document": {"submitted_again"}}
        assert "Kept: 1 document" in shown.stderr
        assert find_documents(database, home) == two_documents

    def test_a_document_that_an_import_brought_back_is_kept(
        self,
        citegraph: Call,
        database: Database,
        home: Home,
        two_documents: dict[str, DocumentId],
        tmp_path: Path,
    ) -> None:
        """An import gives documents their former ids."""
        copy, listed = tmp_path / "copy.jsonl", tmp_path / "erasures.jsonl"
        assert citegraph("export", "--space", "library", "--out", copy).exit_code == 0
        for document_id in two_documents.values():
            citegraph("documents", "delete", document_id, "--space", "library", "--prune", "--yes")
        listed.write_text(citegraph("erasures", "export").stdout)
        imported = citegraph("import", copy, "--space", "library")
        assert imported.exit_code == 0, imported.stderr
        shown = read_json(citegraph("erasures", "apply", listed, "--yes", "--json"))
        assert [repeated["outcome"] for repeated in shown] == ["submitted_again"] * 2
        assert find_documents(database, home) == two_documents

    def test_the_last_admin_is_refused_and_named(
        self, citegraph: Call, database: Database, settings: Settings, tmp_path: Path
    ) -> None:
        estate = Estate(database, settings)
        members = [member.account_id for member in (estate.ann, estate.bob) if member.account_id is not None]
        listed = tmp_path / "erasures.jsonl"
        listed.write_text("".join(line(estate.home, "member", account_id) for account_id in members))
        failed = citegraph("erasures", "apply", listed, "--yes", "--json")
        assert failed.exit_code == 1
        assert [repeated["outcome"] for repeated in json.loads(failed.stdout)] == ["erased", "refused"]
        assert f"Not erased: member {members[1]}: A tenant keeps at least one admin." in failed.stderr

    def test_a_large_space_is_closed_at_once_and_removed_by_a_worker(
        self,
        citegraph: Call,
        database: Database,
        settings: Settings,
        home: Home,
        two_documents: dict[str, DocumentId],
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        monkeypatch.setattr(spaces, "MAX_ROWS_OF_SMALL_SPACE", 1)
        listed = tmp_path / "erasures.jsonl"
        listed.write_text(line(home, "document", two_documents["one"]) + line(home, "space", home.space_id))
        for _ in range(2):
            shown = citegraph("erasures", "apply", listed, "--yes", "--json")
            assert shown.exit_code == 0
            assert outcomes(json.loads(shown.stdout)) == {
                "space": {"being_removed"},
                "document": {"already_gone"},
            }
            assert "A worker removes the rows of 1" in shown.stderr
        Runner(database, settings, {DeleteSpace.kind: delete_space_in_steps}).drain()
        done = read_json(citegraph("erasures", "apply", listed, "--yes", "--json"))
        assert outcomes(done) == {"space": {"already_gone"}, "document": {"already_gone"}}


class TestListing:
    """Requirement 22.3: what the list needs is in the audit log, and outside the database in time."""

    def test_a_file_gets_what_it_lacks_and_nothing_twice(
        self,
        citegraph: Call,
        database: Database,
        home: Home,
        two_documents: dict[str, DocumentId],
        tmp_path: Path,
    ) -> None:
        listed = tmp_path / "erasures.jsonl"
        for name, document_id in two_documents.items():
            with database.open_space(home.tenant_id, home.space_id) as space:
                ingest.delete_document_with_all_its_words(space, document_id, prune=name == "one")
            for _ in range(2):
                assert citegraph("erasures", "export", "--append", listed).exit_code == 0
        erasures = parse_erasures_from_json_lines(listed.read_text())
        assert [(erasure.ids, erasure.prune) for erasure in erasures] == [
            ((two_documents["one"],), True),
            ((two_documents["two"],), False),
        ]
        assert listed.read_text() == citegraph("erasures", "export").stdout
        assert list(tmp_path.glob("*.new")) == []

    def test_times_bound_it(
        self, citegraph: Call, database: Database, home: Home, two_documents: dict[str, DocumentId]
    ) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space:
            ingest.delete_document_with_all_its_words(space, two_documents["one"])
        assert citegraph("erasures", "export", "--since", "2999-01-01").stdout == ""
        assert citegraph("erasures", "export", "--until", "2020-01-01").stdout == ""
        assert str(two_documents["one"]) in citegraph("erasures", "export", "--since", "2020-01-01").stdout

    def test_it_is_not_made_from_a_log_that_does_not_reach_back(
        self, citegraph: Call, database: Database, settings: Settings, privileged_url: URL, home: Home
    ) -> None:
        with open_database_as_owner(settings, privileged_url.render_as_string(hide_password=False)) as owner:
            audit.delete_old_entries_and_record_count(
                owner, days=30, now=datetime.now(UTC) + timedelta(days=60)
            )
        failed = citegraph("erasures", "export", "--since", "2020-01-01")
        assert (failed.exit_code, failed.stdout) == (1, "")
        assert "would not be complete" in failed.stderr
        assert "earlier erasures are not in the list" in citegraph("erasures", "export").stderr

    @pytest.mark.parametrize(
        ("details", "prune"),
        [
            ({"prune": False, "unlinked_edges": 2, "pruned_edges": 0}, False),
            ({"unlinked_edges": 2, "pruned_edges": 2}, True),
            ({"unlinked_edges": 2, "pruned_edges": 0}, False),
            ({"unlinked_edges": 0, "pruned_edges": 0}, None),
        ],
    )
    def test_entries_of_earlier_versions_show_the_option_by_their_counts(
        self, details: dict[str, object], prune: bool | None
    ) -> None:
        assert _find_prune_option(details) is prune

    def test_every_action_that_erases_is_of_a_kind(self) -> None:
        """An action with one of these verbs erases something, or stands here with the reason why not."""
        verbs = {"close", "delete", "drop", "erase", "evict", "purge", "remove", "revoke", "uninvite"}
        others = {
            "audit.purge": "the log itself; the list is kept elsewhere",
            "memory.evict": "asks for the eviction, whose batches are recorded as chunk.evict",
            "space.erase": "the end of what space.delete or tenant.close began",
        }
        erasing = {action for action in ACTIONS if action.rpartition(".")[2] in verbs}
        listed = {action for kind in ERASURE_KINDS.values() for action in kind.actions}
        assert erasing == listed | set(others)
