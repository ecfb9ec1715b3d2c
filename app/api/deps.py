"""Dependencies for the caller, its permissions and its session. Only this file writes Depends for sessions.

A session that writes is a dependency with function scope; a session that reads is opened by the route's own
thread (`one_thread`). Both commit before the response is sent, so a failed commit is reported as the response
(docs/architecture.md).
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, Query, Request, Security
from fastapi.security import HTTPBearer

from app.api import cursors
from app.api.protocol.idempotency_header import note_change, note_session
from app.api.protocol.one_thread import PendingSession
from app.api.protocol.preconditions import IfMatch, check_version
from app.api.shapes import Listing
from app.db.session import Database, PlatformSession, SpaceSession, TenantSession
from app.errors import NotFound, ScopeMissing, Unauthenticated
from app.http.authentication import OPERATOR
from app.http.input_text import Id
from app.ids import SpaceId, TenantId
from app.limits import PAGE
from app.tenancy.tenants.api_keys import Caller
from app.wiring import Citegraph

Value = TypeVar("Value")
Row = TypeVar("Row")
Item = TypeVar("Item")


async def _get_citegraph(request: Request) -> Citegraph:
    citegraph = request.app.state.citegraph
    assert isinstance(citegraph, Citegraph)
    return citegraph


CitegraphDep = Annotated[Citegraph, Depends(_get_citegraph)]

# They describe the header in the OpenAPI document; `authentication` reads it.
_key = HTTPBearer(auto_error=False, scheme_name="api_key", description="An API key: cg_…")
_operator_key = HTTPBearer(
    auto_error=False, scheme_name="operator_key", description="The operator's key, CITEGRAPH_OPERATOR_KEY."
)


async def _get_caller(request: Request, _described: Annotated[Any, Security(_key)]) -> Caller:
    """Return the caller that `authentication` identified by its key. Raises Unauthenticated."""
    caller = getattr(request.state, "caller", None)
    if not isinstance(caller, Caller):
        raise Unauthenticated
    return caller


async def _get_operator(request: Request, _described: Annotated[Any, Security(_operator_key)]) -> str:
    """Return the operator's name in the audit log if `authentication` accepted the key.

    Raises Unauthenticated.
    """
    if getattr(request.state, "operator", None) != OPERATOR:
        raise Unauthenticated
    note_change(request)
    return OPERATOR


Operator = Annotated[str, Depends(_get_operator)]


def _require_scope(scope: str) -> Callable[[Request, Caller], Awaitable[Caller]]:
    async def check(request: Request, caller: Annotated[Caller, Depends(_get_caller)]) -> Caller:
        if scope not in caller.scopes:
            raise ScopeMissing(f"This call needs a key with the scope {scope}.")
        if scope != "read":
            note_change(request)
        return caller

    return check


Reader = Annotated[Caller, Depends(_require_scope("read"))]
Writer = Annotated[Caller, Depends(_require_scope("write"))]
Administrator = Annotated[Caller, Depends(_require_scope("admin"))]


async def _require_tenant_wide(caller: Administrator) -> Caller:
    # Otherwise a key for one space could create a key for all of them.
    if caller.space_ids is not None:
        raise ScopeMissing("This call needs a key that is not limited to single spaces.")
    return caller


TenantAdministrator = Annotated[Caller, Depends(_require_tenant_wide)]


def _check_space_access(caller: Caller, space_id: Id) -> SpaceId:
    """Return the space's id if the key may open that space. Raises NotFound."""
    if not caller.may_open_space(SpaceId(space_id)):
        raise NotFound("space")
    return SpaceId(space_id)


async def _check_administrator_access(caller: Administrator, space_id: Id) -> SpaceId:
    return _check_space_access(caller, space_id)


AdministeredSpaceId = Annotated[SpaceId, Depends(_check_administrator_access)]


def _prepare_session(
    request: Request, caller: Caller, space_id: Id, *, may_use_replica: bool
) -> PendingSession:
    citegraph: Citegraph = request.app.state.citegraph
    space_key, seconds = (
        (caller.tenant_id, _check_space_access(caller, space_id)),
        citegraph.settings.read_timeout,
    )

    @contextmanager
    def open_session() -> Iterator[SpaceSession]:
        with citegraph.database.open_space(
            *space_key, may_use_replica=may_use_replica, seconds=seconds
        ) as space:
            check_version(request, space, None)
            yield space

    return PendingSession(open_session)


async def _prepare_reading_session(request: Request, caller: Reader, space_id: Id) -> PendingSession:
    return _prepare_session(request, caller, space_id, may_use_replica=True)


async def _prepare_primary_session(request: Request, caller: Reader, space_id: Id) -> PendingSession:
    return _prepare_session(request, caller, space_id, may_use_replica=False)


def _open_for_writing(
    request: Request, citegraph: CitegraphDep, caller: Writer, space_id: Id, expected: IfMatch
) -> Iterator[SpaceSession]:
    with citegraph.database.open_space(caller.tenant_id, _check_space_access(caller, space_id)) as space:
        note_session(request, space)
        check_version(request, space, expected)
        yield space


def _open_for_administering(
    request: Request,
    citegraph: CitegraphDep,
    caller: Administrator,
    space_id: AdministeredSpaceId,
    expected: IfMatch,
) -> Iterator[SpaceSession]:
    with citegraph.database.open_space(caller.tenant_id, space_id) as space:
        note_session(request, space)
        check_version(request, space, expected)
        yield space


# The thread that runs the route opens these sessions: see `one_thread`.
ReadableSpace = Annotated[SpaceSession, Depends(_prepare_reading_session)]
# On the primary: for jobs, whose rows workers write, and for reads that store their result.
PrimarySpace = Annotated[SpaceSession, Depends(_prepare_primary_session)]
WritableSpace = Annotated[SpaceSession, Depends(_open_for_writing, scope="function")]
AdministeredSpace = Annotated[SpaceSession, Depends(_open_for_administering, scope="function")]


async def _prepare_tenant_session(citegraph: CitegraphDep, caller: Reader) -> PendingSession:
    tenant_id, seconds = caller.tenant_id, citegraph.settings.read_timeout
    return PendingSession(
        lambda: citegraph.database.open_tenant(tenant_id, may_use_replica=True, seconds=seconds)
    )


def _open_tenant(
    request: Request, citegraph: CitegraphDep, caller: TenantAdministrator, expected: IfMatch
) -> Iterator[TenantSession]:
    with citegraph.database.open_tenant(caller.tenant_id) as tenant:
        note_session(request, tenant)
        check_version(request, tenant, expected)
        yield tenant


ReadableTenant = Annotated[TenantSession, Depends(_prepare_tenant_session)]
WholeTenant = Annotated[TenantSession, Depends(_open_tenant, scope="function")]


def _open_platform(
    request: Request, citegraph: CitegraphDep, _operator: Operator
) -> Iterator[PlatformSession]:
    with citegraph.database.open_platform() as platform:
        note_session(request, platform)
        yield platform


Platform = Annotated[PlatformSession, Depends(_open_platform, scope="function")]


@dataclass(frozen=True)
class SpaceReader:
    """Opens short sessions of one space, for callers that must not hold a transaction while they wait.

    With `may_use_replica`, a replica may serve them.
    """

    database: Database
    tenant_id: TenantId
    space_id: SpaceId
    statement_seconds: float | None = None
    may_use_replica: bool = False

    def read(self, work: Callable[[SpaceSession], Value]) -> Value:
        """Return what `work` returns, in one short transaction. Raises NotFound."""
        with self.database.open_space(
            self.tenant_id,
            self.space_id,
            may_use_replica=self.may_use_replica,
            seconds=self.statement_seconds,
        ) as space:
            return work(space)


async def _build_primary_reader(citegraph: CitegraphDep, caller: Reader, space_id: Id) -> SpaceReader:
    space_id = _check_space_access(caller, space_id)
    return SpaceReader(citegraph.database, caller.tenant_id, space_id, citegraph.settings.read_timeout)


async def _build_replica_reader(
    reader: Annotated[SpaceReader, Depends(_build_primary_reader)],
) -> SpaceReader:
    return replace(reader, may_use_replica=True)


ReopenedCurrent = Annotated[SpaceReader, Depends(_build_primary_reader)]
ReopenedSpace = Annotated[SpaceReader, Depends(_build_replica_reader)]


async def _build_space_writer(citegraph: CitegraphDep, caller: Writer, space_id: Id) -> SpaceReader:
    return SpaceReader(citegraph.database, caller.tenant_id, _check_space_access(caller, space_id))


ReopenedForWriting = Annotated[SpaceReader, Depends(_build_space_writer)]


@dataclass(frozen=True)
class Paging:
    """The size of a page and its start. A cursor belongs to one list with its owner and filters.

    `scope` identifies these: a tuple that begins with the list's name.
    """

    secret: bytes
    limit: int
    cursor: str | None

    @property
    def fetch_limit(self) -> int:
        """The number of rows to fetch: one more than is shown, to learn whether there is a next page.

        It never exceeds the largest page. After a full page of that size a next page is always offered, and
        it may be empty.
        """
        return min(self.limit + 1, PAGE.maximum)

    def decode_position(self, scope: Sequence[object]) -> list[Any] | None:
        """Return the position where the page begins, or None for the first page. Raises InvalidInput for a
        cursor of another list.
        """
        return None if self.cursor is None else cursors.decode_cursor(self.secret, scope, self.cursor)

    def decode_id(self, scope: Sequence[object]) -> UUID | None:
        """Return the position as an id, for a list in the order of its ids."""
        position = self.decode_position(scope)
        return None if position is None else UUID(position[0])

    def build_listing(
        self,
        rows: Sequence[Row],
        show_row: Callable[[Row], Item],
        position: Callable[[Row], cursors.Position],
        scope: Sequence[object],
    ) -> Listing[Item]:
        """Return the page of these rows, the last of which may be one row too many."""
        page_rows = rows[: self.limit]
        has_next_page = len(rows) > self.limit or len(rows) == PAGE.maximum
        cursor = cursors.encode_cursor(self.secret, scope, position(page_rows[-1])) if has_next_page else None
        return Listing(items=[show_row(row) for row in page_rows], next_cursor=cursor)


async def _build_paging(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=PAGE.maximum, description="Items on a page.")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=512, description="next_cursor of the previous page.")
    ] = None,
) -> Paging:
    return Paging(request.app.state.cursor_secret, limit, cursor)


RequestedPage = Annotated[Paging, Depends(_build_paging)]
