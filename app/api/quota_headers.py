"""The response header that warns of a quota which is nearly used up."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Depends, Request

from app.api.key_scopes import CitegraphDep, Reader
from app.db.session import SpaceSession, TenantSession
from app.http.caller_rates import HEADERS_STATE_KEY
from app.tenancy.tenants import budgets, quotas
from app.tenancy.tenants.shapes import MIN_NEARLY_REACHED_SHARE
from app.tenant_quotas import TOKENS

QUOTA_HEADER = "citegraph-quota"


QuotaAmount = tuple[str, int, int | None]
"""The name of a quota, the used amount, and the limit; None for no limit."""


def add_quota_warnings(request: Request, quota_uses: Iterable[QuotaAmount]) -> None:
    """Add a warning to the response for each (quota, used, limit) of which four fifths or more are used."""
    warnings = [
        f'"{quota}";used={used_amount};limit={limit}'
        for quota, used_amount, limit in quota_uses
        if limit is not None and used_amount >= MIN_NEARLY_REACHED_SHARE * limit
    ]
    if warnings:
        state = request.scope.setdefault("state", {})
        earlier_headers = state.get(HEADERS_STATE_KEY, {})
        earlier_warnings = [earlier_headers[QUOTA_HEADER]] if QUOTA_HEADER in earlier_headers else []
        state[HEADERS_STATE_KEY] = {
            **earlier_headers,
            QUOTA_HEADER: ", ".join([*earlier_warnings, *warnings]),
        }


def add_usage_warnings(request: Request, session: SpaceSession | TenantSession, *quota_names: str) -> None:
    """Add the warnings for what the tenant holds, as the session sees it."""
    quota_usage = quotas.get_quota_usage(session)
    add_quota_warnings(
        request, [(name, quota_usage.used[name], quota_usage.limits[name]) for name in quota_names]
    )


def add_token_warnings(request: Request, session: SpaceSession | TenantSession) -> None:
    """Add the warning for this month's tokens."""
    token_use = budgets.read_month_token_allowance(session)
    add_quota_warnings(request, [(TOKENS, token_use.used, token_use.limit)])


def _add_token_warnings_for_question(request: Request, citegraph: CitegraphDep, caller: Reader) -> None:
    # The use before the call: a stream sends its headers before it calls the model.
    if citegraph.embedding_client is not None:
        with citegraph.database.open_tenant(caller.tenant_id) as tenant:
            add_token_warnings(request, tenant)


TellsTokens = Annotated[None, Depends(_add_token_warnings_for_question)]
