"""Database sessions of API routes. Only this file writes Depends for sessions.

A session that writes is a dependency with function scope; a session that reads is opened by the route's own
thread (`one_thread`). Both commit before the response is sent, so a failed commit is reported as the response
(docs/architecture.md).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from app.api.key_scopes import (
    AdministeredSpaceId,
    Administrator,
    CitegraphDep,
    Operator,
    Reader,
    TenantAdministrator,
    Writer,
    check_space_access,
)
from app.api.protocol.idempotency_header import remember_write_session
from app.api.protocol.one_thread import PendingSession
from app.api.protocol.preconditions import IfMatch, check_version_or_set_for_etag
from app.db.database import Database
from app.db.session import PlatformSession, SpaceSession, TenantSession
from app.http.input_text import Id
from app.ids import SpaceId, TenantId
from app.tenancy.tenants.api_keys import Caller
from app.wiring import Citegraph

Value = TypeVar("Value")


def _prepare_session(
    request: Request, caller: Caller, space_id: Id, *, may_use_replica: bool
) -> PendingSession:
    citegraph: Citegraph = request.app.state.citegraph
    permitted_id = check_space_access(caller, space_id)

    @contextmanager
    def open_session() -> Iterator[SpaceSession]:
        with citegraph.database.open_space(
            caller.tenant_id,
            permitted_id,
            may_use_replica=may_use_replica,
            statement_timeout_seconds=citegraph.settings.read_timeout,
        ) as space:
            check_version_or_set_for_etag(request, space, None)
            yield space

    return PendingSession(open_session)


async def _prepare_reading_session(request: Request, caller: Reader, space_id: Id) -> PendingSession:
    return _prepare_session(request, caller, space_id, may_use_replica=True)


async def _prepare_primary_session(request: Request, caller: Reader, space_id: Id) -> PendingSession:
    return _prepare_session(request, caller, space_id, may_use_replica=False)


def _open_space_for_writing(
    request: Request, citegraph: CitegraphDep, caller: Writer, space_id: Id, expected_versions: IfMatch
) -> Iterator[SpaceSession]:
    with citegraph.database.open_space(caller.tenant_id, check_space_access(caller, space_id)) as space:
        remember_write_session(request, space)
        check_version_or_set_for_etag(request, space, expected_versions)
        yield space


def _open_space_for_administering(
    request: Request,
    citegraph: CitegraphDep,
    caller: Administrator,
    space_id: AdministeredSpaceId,
    expected_versions: IfMatch,
) -> Iterator[SpaceSession]:
    with citegraph.database.open_space(caller.tenant_id, space_id) as space:
        remember_write_session(request, space)
        check_version_or_set_for_etag(request, space, expected_versions)
        yield space


# The thread that runs the route opens these sessions: see `one_thread`.
ReadableSpace = Annotated[SpaceSession, Depends(_prepare_reading_session)]
# On the primary: for jobs, whose rows workers write, and for reads that store their result.
PrimarySpace = Annotated[SpaceSession, Depends(_prepare_primary_session)]
WritableSpace = Annotated[SpaceSession, Depends(_open_space_for_writing, scope="function")]
AdministeredSpace = Annotated[SpaceSession, Depends(_open_space_for_administering, scope="function")]


async def _prepare_tenant_session(citegraph: CitegraphDep, caller: Reader) -> PendingSession:
    tenant_id, seconds = caller.tenant_id, citegraph.settings.read_timeout
    return PendingSession(
        lambda: citegraph.database.open_tenant(
            tenant_id, may_use_replica=True, statement_timeout_seconds=seconds
        )
    )


def _open_tenant(
    request: Request, citegraph: CitegraphDep, caller: TenantAdministrator, expected_versions: IfMatch
) -> Iterator[TenantSession]:
    with citegraph.database.open_tenant(caller.tenant_id) as tenant:
        remember_write_session(request, tenant)
        check_version_or_set_for_etag(request, tenant, expected_versions)
        yield tenant


ReadableTenant = Annotated[TenantSession, Depends(_prepare_tenant_session)]
WholeTenant = Annotated[TenantSession, Depends(_open_tenant, scope="function")]


def _open_platform(
    request: Request, citegraph: CitegraphDep, _operator: Operator
) -> Iterator[PlatformSession]:
    with citegraph.database.open_platform() as platform:
        remember_write_session(request, platform)
        yield platform


Platform = Annotated[PlatformSession, Depends(_open_platform, scope="function")]


@dataclass(frozen=True)
class SpaceOpener:
    """Opens short sessions of one space, for callers that must not hold a transaction while they wait.

    With `may_use_replica`, a replica may serve them.
    """

    database: Database
    tenant_id: TenantId
    space_id: SpaceId
    statement_seconds: float | None = None
    may_use_replica: bool = False

    def run_in_transaction(self, work: Callable[[SpaceSession], Value]) -> Value:
        """Return what `work` returns, in one short transaction. Raises NotFound."""
        with self.database.open_space(
            self.tenant_id,
            self.space_id,
            may_use_replica=self.may_use_replica,
            statement_timeout_seconds=self.statement_seconds,
        ) as space:
            return work(space)


async def _build_primary_opener(citegraph: CitegraphDep, caller: Reader, space_id: Id) -> SpaceOpener:
    space_id = check_space_access(caller, space_id)
    return SpaceOpener(citegraph.database, caller.tenant_id, space_id, citegraph.settings.read_timeout)


async def _build_replica_opener(
    reader: Annotated[SpaceOpener, Depends(_build_primary_opener)],
) -> SpaceOpener:
    return replace(reader, may_use_replica=True)


ReopenedCurrent = Annotated[SpaceOpener, Depends(_build_primary_opener)]
ReadableSpaceOpener = Annotated[SpaceOpener, Depends(_build_replica_opener)]


async def _build_space_writer(citegraph: CitegraphDep, caller: Writer, space_id: Id) -> SpaceOpener:
    return SpaceOpener(citegraph.database, caller.tenant_id, check_space_access(caller, space_id))


WritableSpaceOpener = Annotated[SpaceOpener, Depends(_build_space_writer)]
