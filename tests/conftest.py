"""Real Postgres for every test: URLs from the environment, else a Docker engine, else the embedded server.

Migrated once into a template per test process; each test that asks for `database` gets an empty copy, which
may have served another test and was emptied (in a module marked `new_database` it has not), or in a module
marked `shared_database` tenants of its own in the module's copy. Two tenants with
spaces of the same names are always in the room.
"""

import gc
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import hypothesis
import psycopg
import pytest
from argon2 import PasswordHasher
from sqlalchemy import URL
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.node_pools import NodePools
from app.extraction.reader.pipeline import Parse, Pipeline
from app.ids import SpaceId, TenantId
from app.settings import Settings
from app.tenancy.accounts import passwords
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import service as tenants
from app.wiring import build_consequences_of_changes, open_database
from tests.support.citus import coordinator
from tests.support.containers import postgres_server
from tests.support.database_copies import (
    copy_database,
    distributed_template,
    drop_database,
    hurried,
    server_locked,
    unvacuumed,
)
from tests.support.durations import known_seconds, longest_first, write_seconds
from tests.support.needs import demand_marked, missing_lines
from tests.support.plain_logs import configure_plain_logs
from tests.support.pooler import application_pooled, as_app
from tests.support.reading import shared_fork_server
from tests.support.recycled_databases import RecycledDatabases

# An example's time by the clock says how busy the machine is. What has to be fast is measured where that is
# what the test is about, by processor time.
hypothesis.settings.register_profile(
    "citegraph", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("citegraph")


configure_plain_logs()


# A collection looks through all that the process holds. While thousands of tests are collected, and modules
# loaded, nothing of it is garbage: that took a third of the time. See `pytest_collection_finish`.
gc.disable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--pooled` sends the application through a PgBouncer in transaction mode, `--citus` to a cluster;
    `--write-durations` measures a whole run.
    """
    parser.addoption("--pooled", action="store_true", help="the application comes through PgBouncer")
    parser.addoption("--citus", action="store_true", help="on the cluster of CITEGRAPH_TEST_CITUS_URL")
    parser.addoption(
        "--write-durations", action="store_true", help="note how long each file took, for the order of files"
    )


def _execute(url: URL, command: str) -> None:
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        connection.execute(command.encode())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the files that take longest.

    `make test` gives a process whole files (`--dist loadfile`), so that what a module makes is made once.
    """
    items[:] = longest_first(items, config.rootpath, known_seconds())
    if config.getoption("--pooled"):
        for item in items:
            if mark := item.get_closest_marker("unpooled"):
                item.add_marker(pytest.mark.skip(reason=mark.args[0]))
    if config.getoption("--citus"):
        # What asks no database is the same there.
        config.hook.pytest_deselected(items=[item for item in items if not _asks_a_server(item)])
        items[:] = [item for item in items if _asks_a_server(item)]
        for item in items:
            if mark := item.get_closest_marker("one_machine"):
                item.add_marker(pytest.mark.skip(reason=mark.args[0]))


class _ByFileOrRoom(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """Give a process a whole file, or all architecture tests: each reads all files of the program."""

    def _split_scope(self, nodeid: str) -> str:
        return (
            "tests/architecture" if nodeid.startswith("tests/architecture/") else super()._split_scope(nodeid)
        )


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Divide the tests by file where `--dist loadfile` asks for it."""
    return _ByFileOrRoom(config, log) if config.getvalue("dist") == "loadfile" else None


def _asks_a_server(item: pytest.Item) -> bool:
    return "admin_url" in getattr(item, "fixturenames", ())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs more than this machine has; in continuous integration fail it."""
    demand_marked(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was not run for want of something, and what passed only when it was tried again."""
    if config.getoption("--write-durations"):
        outcomes = ("", "passed", "failed", "xfailed", "skipped")
        write_seconds(report for outcome in outcomes for report in terminalreporter.stats.get(outcome, ()))
    reasons = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    for line in missing_lines(reasons):
        terminalreporter.write_line(line, yellow=True)
    reruns = {report.nodeid for report in terminalreporter.stats.get("rerun", ())}
    retried = terminalreporter.stats.get("passed", ()) if config.getoption("lf", default=False) else ()
    flaky = sorted(reruns | {report.nodeid for report in retried})
    if flaky:
        terminalreporter.section("flaky: failed once, then passed; each is to be mended", yellow=True)
        for nodeid in flaky:
            terminalreporter.write_line(nodeid)


def pytest_collection_finish() -> None:
    """Collect garbage from here on, seldom, and without looking at what stays until the end anyway."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def one_fork_server() -> Iterator[None]:
    """One fork server for all that is assembled in this process."""
    with shared_fork_server():
        yield


@pytest.fixture(scope="session", autouse=True)
def known_parses() -> Iterator[None]:
    """Keep the syntax of each sentence: hundreds of tests ingest the same few documents, and it depends on
    nothing but the words.
    """
    shipped = Pipeline.parse
    known: WeakKeyDictionary[Pipeline, dict[tuple[str, ...], Parse]] = WeakKeyDictionary()

    def parse(pipeline: Pipeline, sentences: Sequence[list[str]]) -> Iterator[Parse]:
        parses = known.setdefault(pipeline, {})
        new = list({key: list(key) for key in map(tuple, sentences) if key not in parses}.values())
        parses.update(zip(map(tuple, new), shipped(pipeline, new), strict=True))
        return iter([parses[tuple(words)] for words in sentences])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pipeline, "parse", parse)
        yield


@pytest.fixture(scope="session", autouse=True)
def shipped_hasher() -> Iterator[PasswordHasher]:
    """How the product hashes passwords. In this process it is made cheap, for tests sign in often."""
    shipped = passwords._hasher
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        yield shipped


@pytest.fixture(scope="session")
def admin_url(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[URL]:
    """A privileged URL of a server for this test run; its database is only the place to make others."""
    if pytestconfig.getoption("--citus"):
        yield unvacuumed(coordinator())
        return
    given = os.environ.get("CITEGRAPH_TEST_DATABASE_URL")
    if given:
        yield convert_to_psycopg_url(given)
        return
    root = tmp_path_factory.getbasetemp()
    # The workers of one xdist run share the parent folder, and one server.
    shared = root.parent if os.environ.get("PYTEST_XDIST_WORKER") else root
    with postgres_server(shared / "servers") as url:
        yield hurried(url)


@pytest.fixture(scope="session")
def template(
    admin_url: URL, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The name of a migrated, empty database to copy."""
    if pytestconfig.getoption("--citus"):
        with distributed_template(admin_url) as name:
            yield name
        return
    name = f"citegraph_template_{secrets.token_hex(4)}"
    _execute(admin_url, f"CREATE DATABASE {name}")
    with pytest.MonkeyPatch.context() as environment:
        if admin_url.password is not None:
            # Where the server asks for one: the application's login has the same as this run's privileged
            # one.
            environment.setenv("CITEGRAPH_APP_PASSWORD", str(admin_url.password))
        migrate(str(admin_url.set(database=name).render_as_string(hide_password=False)))
    if pytestconfig.getoption("--pooled"):
        # Now that there is a role to come in by.
        with application_pooled(admin_url, tmp_path_factory.mktemp("pooler")):
            yield name
    else:
        yield name
    _execute(admin_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def steady_roles() -> None:
    """For a test in which the doctor examines: no test marked `changes_server` runs meanwhile."""


@pytest.fixture(autouse=True)
def server_shared(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep tests marked `changes_server` apart from those that its roles and settings must not change for.

    Those are all tests on a cluster, which other processes and other runs use: what one test allows the
    application's role on a worker would else hold for every database there. Elsewhere they are those with
    `steady_roles`.
    """
    changing = request.node.get_closest_marker("changes_server") is not None
    if changing or request.config.getoption("--citus") or "steady_roles" in request.fixturenames:
        with server_locked(request.getfixturevalue("admin_url"), changing=changing):
            yield
    else:
        yield


@contextmanager
def _copy(admin_url: URL, template: str) -> Iterator[URL]:
    name = f"citegraph_test_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=template)
    yield admin_url.set(database=name)
    drop_database(admin_url, name)


@pytest.fixture(scope="session")
def recycled(
    admin_url: URL, template: str, pytestconfig: pytest.Config
) -> Iterator[RecycledDatabases | None]:
    """The copies that serve one test after another; None where what keeps connections is not this process."""
    if pytestconfig.getoption("--pooled"):
        yield None
        return
    copies = RecycledDatabases(admin_url, template)
    yield copies
    copies.close()


@pytest.fixture(scope="module")
def module_url(request: pytest.FixtureRequest, admin_url: URL, template: str) -> Iterator[URL]:
    """The database that the tests of a module share where it is marked `shared_database`."""
    with _lent_or_new(request, admin_url, template) as url:
        yield url


def _shares(request: pytest.FixtureRequest) -> bool:
    return request.node.get_closest_marker("shared_database") is not None


def _lent_or_new(
    request: pytest.FixtureRequest, admin_url: URL, template: str
) -> AbstractContextManager[URL]:
    copies = _recycled(request)
    return copies.lent() if copies else _copy(admin_url, template)


def _recycled(request: pytest.FixtureRequest) -> RecycledDatabases | None:
    if request.node.get_closest_marker("new_database") is not None:
        return None
    copies: RecycledDatabases | None = request.getfixturevalue("recycled")
    return copies


@pytest.fixture
def privileged_url(request: pytest.FixtureRequest, admin_url: URL, template: str) -> Iterator[URL]:
    """A copy of the template as a superuser sees it: for catalogue reads and proofs, not for use."""
    if _shares(request):
        yield request.getfixturevalue("module_url")
        return
    with _lent_or_new(request, admin_url, template) as url:
        yield url


@pytest.fixture
def app_url(privileged_url: URL) -> URL:
    """The same database as the application sees it."""
    return as_app(privileged_url)


@pytest.fixture(scope="session")
def environment_settings() -> Settings:
    """What the environment of the run sets, read once."""
    return Settings(pool_size=2)


@pytest.fixture
def settings(tmp_path: Path, app_url: URL, environment_settings: Settings) -> Settings:
    """Settings as a test installation would have them."""
    own = {"database_url": app_url.render_as_string(hide_password=False), "home": tmp_path / "home"}
    return environment_settings.model_copy(update=own)


@pytest.fixture
def database(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Database]:
    """The door to this test's own database."""
    url = settings.database_url
    assert url is not None
    copies = _recycled(request)
    copy = copies.lent_as(convert_to_psycopg_url(url).database) if copies else None
    if copy is None:
        opened = open_database(url, settings)
        yield opened
        opened.dispose()
        return
    engine, node_pools = copy.engine(url, settings), NodePools(url, settings)
    consequences = build_consequences_of_changes(settings)
    yield Database(engine, settings, consequences=consequences, node_pools=node_pools)
    node_pools.dispose()
    copy.rest(engine)


def under(database: Database, settings: Settings) -> Database:
    """The same database where the platform has these settings."""
    return Database(
        database.engine, settings, wake=database.wake, consequences=build_consequences_of_changes(settings)
    )


@dataclass(frozen=True)
class Home:
    """One tenant with one space."""

    tenant_id: TenantId
    space_id: SpaceId


def make_home(database: Database, tenant_name: str, space_name: str = "library") -> Home:
    """A new tenant with a new space."""
    with database.open_platform() as platform:
        tenant = tenants.create_tenant(platform, name=tenant_name, actor="test")
    with database.open_tenant(TenantId(tenant.id)) as session:
        space = spaces.create_space(
            session,
            name=space_name,
            embedding_model="hashed-ngrams-256",
            embedding_dimensions=256,
            actor="test",
        )
    return Home(TenantId(tenant.id), SpaceId(space.id))


@pytest.fixture
def tenant_suffix(request: pytest.FixtureRequest) -> str:
    """Keeps apart the tenants of tests that share a database."""
    return f"-{secrets.token_hex(4)}" if _shares(request) else ""


@pytest.fixture
def home(database: Database, tenant_suffix: str) -> Home:
    """Tenant A with a space called library."""
    return make_home(database, f"tenant-a{tenant_suffix}")


@pytest.fixture
def twin(database: Database, tenant_suffix: str) -> Home:
    """Tenant B with a space of the same name."""
    return make_home(database, f"tenant-b{tenant_suffix}")
