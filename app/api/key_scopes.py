"""Permissions of API routes: the caller, the scopes of its key, and the spaces that the key may open."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from app.api.protocol.idempotency_header import mark_as_change
from app.errors import NotFound, ScopeMissing, Unauthenticated
from app.http.authentication import OPERATOR
from app.http.input_text import Id
from app.ids import SpaceId
from app.tenancy.tenants.api_keys import Caller
from app.wiring import Citegraph


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
    mark_as_change(request)
    return OPERATOR


Operator = Annotated[str, Depends(_get_operator)]


def _require_scope(scope: str) -> Callable[[Request, Caller], Awaitable[Caller]]:
    async def check(request: Request, caller: Annotated[Caller, Depends(_get_caller)]) -> Caller:
        if scope not in caller.scopes:
            raise ScopeMissing(f"This call needs a key with the scope {scope}.")
        if scope != "read":
            mark_as_change(request)
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


def check_space_access(caller: Caller, space_id: Id) -> SpaceId:
    """Return the space's id if the key may open that space. Raises NotFound."""
    if not caller.may_open_space(SpaceId(space_id)):
        raise NotFound("space")
    return SpaceId(space_id)


async def _check_administrator_access(caller: Administrator, space_id: Id) -> SpaceId:
    return check_space_access(caller, space_id)


AdministeredSpaceId = Annotated[SpaceId, Depends(_check_administrator_access)]
