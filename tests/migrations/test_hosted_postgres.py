"""A host that gives one login and one database: what can be protected is, the rest is said in sentences.

Roles belong to the whole cluster, and the citegraph_* roles of the test cluster exist: the login
here is no member of them and may not grant them, which comes to the same as not having them.
"""

import secrets
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import URL, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from app.db.database import Database
from app.db.doctor.canary import probe_isolation_walls
from app.db.doctor.examination import examine_database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.db.migrate import migrate
from app.db.roles import check_whether_login_bypasses_row_security
from app.errors import ConfigurationError
from app.settings import Settings
from tests.support.schema.lint import lint

PASSWORD = "only-for-this-test"
NO_CLUSTER = pytest.mark.one_machine("a database of one machine on a server whose roles are a cluster's")


def hosted(admin_url: URL, attributes: str) -> Iterator[URL]:
    """A database whose owner is a login with these attributes."""
    suffix = secrets.token_hex(5)
    login, name = f"hosted_{suffix}", f"hosted_database_{suffix}"
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {login} LOGIN {attributes} PASSWORD '{PASSWORD}'".encode())
        admin.execute(f"CREATE DATABASE {name} OWNER {login}".encode())
        with psycopg.connect(convert_to_conninfo(admin_url.set(database=name)), autocommit=True) as inside:
            # Hosts allow this one by a list of their own.
            inside.execute("CREATE EXTENSION vector")
        yield admin_url.set(database=name, username=login, password=PASSWORD if admin_url.password else None)
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
        admin.execute(f"DROP ROLE {login}".encode())


@pytest.fixture
def hosted_url(admin_url: URL, template: str) -> Iterator[URL]:
    """Neither superuser nor CREATEROLE; the template has made the roles of the cluster by now."""
    yield from hosted(admin_url, "NOSUPERUSER NOCREATEROLE")


@pytest.fixture
def hosted_database(hosted_url: URL) -> Iterator[Database]:
    """The door as such an installation opens it: CITEGRAPH_DATABASE_ROLE is empty."""
    address = hosted_url.render_as_string(hide_password=False)
    migrate(address)
    opened = Database(
        create_app_engine(address, Settings(pool_size=2, database_role="")),
        Settings(pool_size=2, database_role=""),
    )
    yield opened
    opened.dispose()


@pytest.mark.soak
def test_migrates_and_says_what_is_missing_each_time(hosted_url: URL) -> None:
    address = hosted_url.render_as_string(hide_password=False)
    first = migrate(address).missing_protections
    assert any("may not act as citegraph_migrator" in sentence for sentence in first)
    assert all(sentence.endswith(".") for sentence in first)
    assert migrate(address).missing_protections == first


@pytest.mark.new_database("an event trigger is added")
def test_a_login_that_may_change_nothing_asks_for_nothing_once_all_is_done(
    privileged_url: URL, app_url: URL
) -> None:
    """One machine ignores it with a warning; a cluster's nodes refuse it."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as admin:
        admin.execute(
            "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''asked''; END'"
        )
        admin.execute(
            "CREATE EVENT TRIGGER refuse ON ddl_command_start"
            " WHEN TAG IN ('CREATE EXTENSION', 'GRANT', 'REVOKE') EXECUTE FUNCTION refuse()"
        )
    assert migrate(app_url.render_as_string(hide_password=False)).missing_protections != ()


@pytest.mark.soak
def test_a_password_that_may_not_be_set_is_said(hosted_url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEGRAPH_APP_PASSWORD", "never-in-a-message")
    missing = migrate(hosted_url.render_as_string(hide_password=False)).missing_protections
    assert any("ALTER ROLE citegraph_app PASSWORD" in sentence for sentence in missing)
    assert not any("never-in-a-message" in sentence for sentence in missing)


def test_a_host_without_pgvector_is_told_so(admin_url: URL, hosted_url: URL) -> None:
    with psycopg.connect(
        convert_to_conninfo(admin_url.set(database=hosted_url.database)), autocommit=True
    ) as inside:
        inside.execute("DROP EXTENSION vector")
    with pytest.raises(ConfigurationError, match="pgvector"):
        migrate(hosted_url.render_as_string(hide_password=False))


@pytest.mark.soak
def test_forced_row_security_holds_for_the_owner_itself(hosted_database: Database) -> None:
    assert [verdict for verdict in probe_isolation_walls(hosted_database) if verdict.problems] == []


@pytest.mark.soak
def test_the_owner_is_warned_about_and_not_refused(hosted_database: Database) -> None:
    with hosted_database.engine.connect() as connection:
        login = check_whether_login_bypasses_row_security(connection)
        assert login.problems == ()
        assert "could switch it off" in " ".join(login.warnings)
        verdicts = lint(connection, app_role=login.role)
    assert [verdict for verdict in verdicts if verdict.problems] == []
    assert any("owned by" in sentence for verdict in verdicts for sentence in verdict.warnings)


@pytest.mark.soak
@NO_CLUSTER
@pytest.mark.usefixtures("steady_roles")
def test_the_doctor_calls_it_healthy_with_warnings(hosted_database: Database) -> None:
    report = examine_database(hosted_database)
    assert [verdict for verdict in report.verdicts if verdict.state == "problem"] == []
    assert report.is_healthy
    assert any(verdict.state == "warning" for verdict in report.verdicts)


@pytest.mark.usefixtures("steady_roles")
@pytest.mark.soak
def test_the_doctor_still_sees_a_hole(hosted_url: URL, hosted_database: Database) -> None:
    with create_engine(hosted_url, poolclass=NullPool).begin() as connection:
        connection.execute(text("ALTER TABLE graph_node NO FORCE ROW LEVEL SECURITY"))
    report = examine_database(hosted_database)
    assert not report.is_healthy
    assert {verdict.subject for verdict in report.verdicts if verdict.state == "problem"} == {"graph_node"}


@pytest.mark.soak
def test_a_role_that_the_login_may_not_take_on_is_explained(hosted_url: URL) -> None:
    address = hosted_url.render_as_string(hide_password=False)
    migrate(address)
    refused = Database(create_app_engine(address, Settings(pool_size=1)), Settings(pool_size=1))
    with pytest.raises(ConfigurationError, match="CITEGRAPH_DATABASE_ROLE"), refused.open_platform():
        pass
    refused.dispose()


@pytest.mark.soak
def test_a_foreign_key_added_later_is_refused_rather_than_left_unchecked(
    hosted_url: URL, hosted_database: Database
) -> None:
    """Fact 11: env.py sets row_security off, so an owner that cannot see all rows is told so."""
    with create_engine(hosted_url, poolclass=NullPool).connect() as connection:
        connection.execute(text("SET row_security = off"))
        with pytest.raises(DBAPIError, match="row-level security"):
            connection.execute(
                text(
                    "ALTER TABLE job_error ADD FOREIGN KEY (knowledge_space_id, document_id) REFERENCES"
                    " document"
                )
            )


@pytest.mark.changes_server
class TestALoginWithTheRoles:
    """What an administrator can give without giving everything: membership in the roles."""

    @pytest.fixture
    def member_url(self, admin_url: URL, hosted_url: URL) -> Iterator[URL]:
        with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as admin:
            admin.execute(f"GRANT citegraph_migrator, citegraph_app TO {hosted_url.username}".encode())
        yield hosted_url
        with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as admin:
            admin.execute(f"REVOKE citegraph_migrator, citegraph_app FROM {hosted_url.username}".encode())

    @pytest.mark.soak
    @NO_CLUSTER
    def test_has_all_walls(self, member_url: URL) -> None:
        address = member_url.render_as_string(hide_password=False)
        assert migrate(address).missing_protections == ()
        database = Database(create_app_engine(address, Settings(pool_size=2)), Settings(pool_size=2))
        report = examine_database(database)
        database.dispose()
        assert [verdict for verdict in report.verdicts if verdict.state != "ok"] == []

    @pytest.mark.soak
    def test_is_refused_when_it_serves_under_its_own_name(self, member_url: URL) -> None:
        address = member_url.render_as_string(hide_password=False)
        migrate(address)
        with create_engine(member_url, poolclass=NullPool).connect() as connection:
            problems = check_whether_login_bypasses_row_security(connection).problems
        assert any("which bypasses row security" in sentence for sentence in problems)


class TestCheckLogin:
    def test_a_superuser_is_refused(self, privileged_url: URL) -> None:
        """Rule I1."""
        with create_engine(privileged_url, poolclass=NullPool).connect() as connection:
            assert (
                "bypasses row security" in check_whether_login_bypasses_row_security(connection).problems[0]
            )

    def test_a_superuser_that_takes_on_the_role_is_warned_about(self, privileged_url: URL) -> None:
        with create_engine(privileged_url, poolclass=NullPool).connect() as connection:
            connection.execute(text("SET ROLE citegraph_app"))
            login = check_whether_login_bypasses_row_security(connection)
        assert login.problems == ()
        assert "a login of its own" in login.warnings[0]
