"""What a call of a service costs: time by the wall, processor time of both sides, and pages of Postgres."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import psycopg

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.session import SpaceSession
from app.ids import SpaceId, TenantId
from app.settings import Settings
from app.wiring import open_database
from benchmarks.growth.figures import Figure
from benchmarks.retrieval.latency import Meter

T = TypeVar("T")
Home = tuple[TenantId, SpaceId]
_PAGES = "SELECT sum(hits) + sum(reads) FROM pg_stat_get_backend_io(%s) WHERE object = 'relation'"
_FLUSH = "SELECT pg_stat_force_next_flush()"


@contextmanager
def opened(url: str) -> Iterator[Database]:
    """The database as the application opens it, with one connection that all calls share."""
    # A question that was asked before is worked out anew: calls are warmed by themselves.
    settings = Settings(
        database_url=url,
        statement_timeout=120.0,
        allow_privileged_login=True,
        pool_size=1,
        pool_overflow=0,
        answer_cache_seconds=0,
    )
    database = open_database(url, settings)
    try:
        yield database
    finally:
        database.dispose()


def in_process(work: Callable[..., T], *arguments: object) -> T:
    """Do the work in a process of its own, whose memory is nobody else's."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


class CallCosts:
    """Measures calls in one space, all on one connection, warm: each is called once before it counts."""

    def __init__(self, url: str, database: Database, home: Home) -> None:
        self._database, self._home = database, home
        self._admin = psycopg.connect(convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True)

    def close(self) -> None:
        """Close the connection that reads the pages."""
        self._admin.close()

    def in_space(self, name: str, calls: Sequence[Callable[[SpaceSession], object]]) -> list[Figure]:
        """The figures of calls that take the open space."""
        with self._database.open_space(*self._home) as space:
            meter = Meter(space)
            for call in calls:
                call(space)
        before = self._pages()
        with self._database.open_space(*self._home) as space:
            spent = [meter.of(lambda call=call: call(space)) for call in calls]  # type: ignore[misc]
        return self._figures(name, spent, before)

    def by_itself(self, name: str, calls: Sequence[Callable[[], object]]) -> list[Figure]:
        """The figures of calls that open the space themselves."""
        with self._database.open_space(*self._home) as space:
            # The pool hands out the only connection that it has.
            meter = Meter(space)
        for call in calls:
            call()
        before = self._pages()
        return self._figures(name, [meter.of(call) for call in calls], before)

    def _figures(
        self, name: str, spent: Sequence[tuple[float, float, float]], before: float | None
    ) -> list[Figure]:
        after = self._pages()
        walls, owns, backends = np.array(spent).T
        figures = [
            Figure(f"{name}: p50", "ms", float(np.median(walls))),
            Figure(f"{name}: p95", "ms", float(np.quantile(walls, 0.95))),
            Figure(f"{name}: Python", "ms of processor", float(np.median(owns))),
        ]
        if not np.isnan(backends).any():
            figures.append(Figure(f"{name}: Postgres", "ms of processor", float(np.median(backends))))
        if before is not None and after is not None:
            figures.append(Figure(f"{name}: pages", "pages a call", (after - before) / len(spent)))
        return figures

    def _pages(self) -> float | None:
        """The pages that the connection's backend has asked for; None before Postgres 18."""
        with self._database.open_space(*self._home) as space:
            pid = space.connection.info.backend_pid
            # What a backend counts is told to others when a transaction ends, at most once a second unless
            # asked.
            space.connection.execute(_FLUSH)
        try:
            row: tuple[Any, ...] | None = self._admin.execute(_PAGES, [pid]).fetchone()
        except psycopg.errors.UndefinedFunction:
            return None
        return float(row[0]) if row and row[0] is not None else None
