"""A primary with a streaming replica and a Valkey, and processes that read and write there."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
import redis
from sqlalchemy import URL, text

from app.db.database import Database
from app.db.engine import create_app_engine
from app.db.replicas.last_writes import WritePositions
from app.db.replicas.read_route import route_reads_to_fresh_replica
from app.db.replicas.servers import IN_SYNC, Replicas
from app.db.roles import APP
from app.db.session import SpaceSession
from app.runtime.supervisor import EmbeddedServers
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from app.wiring import build_consequences_of_changes
from tests.conftest import Home, make_home
from tests.support.database_copies import copy_database
from tests.support.own_server import TEMPLATE, migrated_server
from tests.support.replica import StreamingReplica, streaming_replica, wait_until

HOURS = 36_000.0
"""A lag or a wait that no test ever reaches: what is tested is what was replayed, not how fast."""


@dataclass
class Pair:
    """A primary with its replica, and a Valkey; tests share a database in both, and have tenants of their
    own.
    """

    primary: URL
    replica: StreamingReplica
    valkey: EmbeddedValkey
    folder: Path

    @cached_property
    def database(self) -> str:
        """The database, which the replica has too."""
        name = f"citegraph_{secrets.token_hex(6)}"
        copy_database(self.primary, name, template=TEMPLATE)
        self.replica.catch_up()
        return name

    @property
    def settings(self) -> Settings:
        """The settings of each process."""
        return Settings(
            database_url=self.primary.set(database=self.database, username=APP).render_as_string(
                hide_password=False
            ),
            replica_urls=self.replica.url(self.database),
            redis_url=self.valkey.url(),
            home=self.folder / "home",
            replica_max_lag=3_600.0,
            recall_seconds=3_600.0,
        )

    @contextmanager
    def process(self, **changes: object) -> Iterator["Process"]:
        """Another process of the installation: it shares the servers with the others, and nothing else."""
        settings = self.settings.model_copy(update=changes)
        positions = WritePositions(str(settings.redis_url), kept_seconds=HOURS, wait_seconds=60.0)
        assert settings.database_url is not None
        replicas = Replicas(settings.database_url, settings, positions)
        database = Database(
            create_app_engine(settings.database_url, settings),
            settings,
            consequences=build_consequences_of_changes(settings),
            replicas=replicas,
        )
        try:
            yield Process(database, settings, replicas)
        finally:
            database.dispose()

    def trust_valkey(self) -> None:
        """Have it look as if Valkey had kept all notes for longer than one is kept."""
        with redis.Redis.from_url(self.valkey.url()) as client:
            process = client.info("server")["run_id"]
            client.set(f"citegraph:written_since:{process}", 1)


@dataclass(frozen=True)
class Process:
    """One process's door, as a request of an HTTP door uses it."""

    database: Database
    settings: Settings
    replicas: Replicas

    def read(self, home: Home, work: Callable[[SpaceSession], object] = lambda _: None) -> tuple[str, object]:
        """Where one request read, and what `work` found there."""
        with (
            route_reads_to_fresh_replica(),
            self.database.open_space(home.tenant_id, home.space_id, may_use_replica=True) as space,
        ):
            return server_of(space), work(space)

    def look(self) -> None:
        """Look at the replica now, and have it near."""
        (replica,) = self.replicas.replicas

        def is_near() -> bool:
            self.replicas.check_replica(replica)
            return self.replicas.get_sync_state_of_replica(replica) == IN_SYNC

        wait_until(is_near, "the replica to be near", found=lambda: replica)

    def counted(self) -> dict[tuple[str, ...], float]:
        """The reads that were counted since the last call."""
        return {
            labels: amount
            for (name, labels), amount in self.replicas.counters.take_counts().items()
            if name == "citegraph_replica_reads"
        }


def server_of(space: SpaceSession) -> str:
    """Which server this session reads."""
    return "replica" if space.orm.execute(text("SELECT pg_is_in_recovery()")).scalar_one() else "primary"


def title(text_of_it: str) -> Callable[[SpaceSession], None]:
    """Work that describes a space anew: the smallest write that its reader sees."""

    def work(space: SpaceSession) -> None:
        space.orm.execute(
            text("UPDATE knowledge_space SET description = :it WHERE tenant_id = :tenant AND id = :space"),
            {"it": text_of_it, "tenant": space.tenant_id, "space": space.space_id},
        )

    return work


def titled(space: SpaceSession) -> str:
    """The description of the space."""
    found = space.orm.execute(
        text("SELECT description FROM knowledge_space WHERE id = :space"), {"space": space.space_id}
    )
    return str(found.scalar_one())


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Servers of these tests' own: a replica that is paused would hold up everybody else's."""
    folder = tmp_path_factory.mktemp("pair")
    with (
        migrated_server(folder / "primary") as primary,
        EmbeddedServers(folder / "valkey", postgres=False, valkey=True, keeps_data=False) as others,
        streaming_replica(folder / "replica", primary) as replica,
    ):
        yield Pair(primary, replica, others.valkey, folder)


@pytest.fixture
def pair(servers: Pair) -> Iterator[Pair]:
    """The servers; afterwards the replica runs, and replays."""
    servers.trust_valkey()
    yield servers
    servers.replica.start()
    servers.replica.resume()


@pytest.fixture
def writer(pair: Pair) -> Iterator[Process]:
    """A process that writes."""
    with pair.process() as process:
        yield process


@pytest.fixture
def reader(pair: Pair, writer: Process) -> Iterator[Process]:
    """Another process, which reads, and knows of what the first wrote by Valkey alone."""
    with pair.process() as process:
        process.look()
        yield process


@pytest.fixture
def home(pair: Pair, writer: Process) -> Home:
    """A tenant with a space, as both servers have it."""
    made = make_home(writer.database, f"tenant-a-{secrets.token_hex(4)}")
    pair.replica.catch_up()
    return made


@pytest.fixture
def twin(pair: Pair, writer: Process) -> Home:
    """Another tenant with a space of the same name, as both servers have it."""
    made = make_home(writer.database, f"tenant-b-{secrets.token_hex(4)}")
    pair.replica.catch_up()
    return made
