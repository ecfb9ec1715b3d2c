"""Dependencies of pages: the signed-in visitor, database sessions, and the renderer of pages."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.dashboard import rendering
from app.dashboard.csrf import compute_csrf_token
from app.db.database import Database
from app.db.session import OpenSession, PlatformSession, SpaceSession, TenantSession
from app.errors import CitegraphError, NotFound, ScopeMissing
from app.http.edit_versions import service as versions
from app.http.edit_versions.shapes import ExpectedVersions, Kind, Resource
from app.http.security_headers import SECURITY_HEADERS
from app.ids import SpaceId, TenantId
from app.tenancy.accounts.shapes import SignedIn
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import service as tenants
from app.tenancy.tenants.api_keys import Caller
from app.wiring import Citegraph

Value = TypeVar("Value")
READ_SECONDS = 10.0
"""The time limit in seconds of a page's statements."""


class NotSignedIn(CitegraphError):
    """Nobody is signed in: pages redirect to the sign-in and back."""

    code = "not_signed_in"

    def __init__(self) -> None:
        super().__init__("Sign in to see this page.")


def _get_citegraph(request: Request) -> Citegraph:
    citegraph = request.app.state.citegraph
    assert isinstance(citegraph, Citegraph)
    return citegraph


CitegraphDep = Annotated[Citegraph, Depends(_get_citegraph)]


def get_signed_in(request: Request) -> SignedIn | None:
    """Return the signed-in visitor that the edge determined; None if nobody is signed in."""
    visitor = getattr(request.state, "signed_in", None)
    return visitor if isinstance(visitor, SignedIn) else None


def _require_signed_in(request: Request) -> SignedIn:
    visitor = get_signed_in(request)
    if visitor is None:
        raise NotSignedIn
    return visitor


Visitor = Annotated[SignedIn, Depends(_require_signed_in)]


@dataclass(frozen=True)
class PageSpace:
    """The space of a page: its name, its tenant, and the visitor's rights in it."""

    id: SpaceId
    name: str
    description: str
    tenant_id: TenantId
    caller: Caller

    @property
    def may_write(self) -> bool:
        """Return whether the visitor may change what the space holds."""
        return "write" in self.caller.scopes

    @property
    def may_administer(self) -> bool:
        """Return whether the visitor may change its settings."""
        return "admin" in self.caller.scopes

    @property
    def path(self) -> str:
        """Where its pages stand."""
        return f"/dashboard/spaces/{self.id}"


def _find_space(citegraph: CitegraphDep, visitor: Visitor, space_id: UUID) -> PageSpace:
    """Return the space if one of the visitor's tenants owns it, else raise NotFound as for an unknown id."""
    for caller in visitor.callers.values():
        if not caller.may_open_space(SpaceId(space_id)) or "read" not in caller.scopes:
            continue
        with citegraph.database.open_tenant(caller.tenant_id, may_use_replica=True) as tenant:
            try:
                space = spaces.get_space(tenant, SpaceId(space_id))
            except NotFound:
                continue
            return PageSpace(SpaceId(space.id), space.name, space.description, caller.tenant_id, caller)
    raise NotFound("space")


PageSpaceDep = Annotated[PageSpace, Depends(_find_space)]


def _require_scope(page_space: PageSpace, scope: str) -> None:
    if scope not in page_space.caller.scopes:
        raise ScopeMissing("Your role does not allow that in this space.")


def _require_admin(page_space: PageSpaceDep) -> PageSpace:
    _require_scope(page_space, "admin")
    return page_space


AdministeredPageSpaceDep = Annotated[PageSpace, Depends(_require_admin)]


def _open_space_for_reading(citegraph: CitegraphDep, page_space: PageSpaceDep) -> Iterator[SpaceSession]:
    with citegraph.database.open_space(
        page_space.tenant_id, page_space.id, may_use_replica=True, statement_timeout_seconds=READ_SECONDS
    ) as space:
        yield space


def _open_space_on_primary(citegraph: CitegraphDep, page_space: PageSpaceDep) -> Iterator[SpaceSession]:
    with citegraph.database.open_space(
        page_space.tenant_id, page_space.id, statement_timeout_seconds=READ_SECONDS
    ) as space:
        yield space


def _get_seen_version(request: Request) -> ExpectedVersions | None:
    """Return the version in the form's field `seen_version`: the object's version when the page showed it."""
    return getattr(request.state, "seen_version", None)


SeenVersion = Annotated[ExpectedVersions | None, Depends(_get_seen_version)]


async def _read_form_texts(request: Request) -> dict[str, str]:
    """Return the text fields of the form, by name."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


FormTexts = Annotated[dict[str, str], Depends(_read_form_texts)]


def _lock_and_check_seen_version(
    request: Request, session: OpenSession, expected_version: ExpectedVersions | None
) -> None:
    """Lock the object that the address names, and check that it is as the form's page showed it.

    Does nothing for a form without the field. Raises NotFound, Stale.
    """
    resource = versions.find_resource_in_path(request.path_params)
    if resource is not None:
        versions.lock_and_check_version(session, resource, expected_version)


def _open_space_for_writing(
    request: Request, citegraph: CitegraphDep, page_space: PageSpaceDep, seen_version: SeenVersion
) -> Iterator[SpaceSession]:
    _require_scope(page_space, "write")
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        _lock_and_check_seen_version(request, space, seen_version)
        yield space


ReadableSpace = Annotated[SpaceSession, Depends(_open_space_for_reading, scope="function")]
# On the primary: for jobs, which workers write, and for reads that store their results.
PrimarySpace = Annotated[SpaceSession, Depends(_open_space_on_primary, scope="function")]
WritableSpace = Annotated[SpaceSession, Depends(_open_space_for_writing, scope="function")]


@dataclass(frozen=True)
class SpaceOpener:
    """Opens the space for each piece of work, for routes that must not hold a transaction while they wait."""

    database: Database
    page_space: PageSpace

    def run_in_transaction(self, work: Callable[[SpaceSession], Value]) -> Value:
        """Return what `work` returns, in one short transaction. Raises NotFound."""
        with self.database.open_space(
            self.page_space.tenant_id, self.page_space.id, statement_timeout_seconds=READ_SECONDS
        ) as space:
            return work(space)


def _build_reader(citegraph: CitegraphDep, page_space: PageSpaceDep) -> SpaceOpener:
    return SpaceOpener(citegraph.database, page_space)


ReadableSpaceOpener = Annotated[SpaceOpener, Depends(_build_reader)]


def _build_writer(citegraph: CitegraphDep, page_space: PageSpaceDep) -> SpaceOpener:
    _require_scope(page_space, "write")
    return SpaceOpener(citegraph.database, page_space)


WritableSpaceOpener = Annotated[SpaceOpener, Depends(_build_writer)]


@dataclass(frozen=True)
class PageTenant:
    """The tenant of a page: its name, and the rights of the visitor, who is one of its admins."""

    id: TenantId
    name: str
    caller: Caller

    @property
    def path(self) -> str:
        """Where its pages stand."""
        return f"/dashboard/tenants/{self.id}"


def _get_tenant_admin(visitor: Visitor, tenant_id: UUID) -> Caller:
    """Return the rights of the visitor as an admin of this tenant. Raises NotFound, ScopeMissing."""
    caller = visitor.callers.get(TenantId(tenant_id))
    if caller is None:
        raise NotFound("tenant")
    if "admin" not in caller.scopes or caller.space_ids is not None:
        raise ScopeMissing("Only an admin of this tenant may do that.")
    return caller


TenantAdmin = Annotated[Caller, Depends(_get_tenant_admin)]


def _find_tenant(citegraph: CitegraphDep, caller: TenantAdmin) -> PageTenant:
    with citegraph.database.open_tenant(caller.tenant_id, may_use_replica=True) as tenant:
        return PageTenant(caller.tenant_id, tenants.get_session_tenant(tenant).name, caller)


PageTenantDep = Annotated[PageTenant, Depends(_find_tenant)]


def _open_tenant(
    request: Request, citegraph: CitegraphDep, caller: TenantAdmin, seen_version: SeenVersion
) -> Iterator[TenantSession]:
    with citegraph.database.open_tenant(caller.tenant_id, statement_timeout_seconds=READ_SECONDS) as tenant:
        _lock_and_check_seen_version(request, tenant, seen_version)
        yield tenant


AdministeredTenant = Annotated[TenantSession, Depends(_open_tenant, scope="function")]


def _require_operator(visitor: Visitor) -> SignedIn:
    if not visitor.is_operator:
        raise ScopeMissing("Only an operator of this installation may see that.")
    return visitor


Operator = Annotated[SignedIn, Depends(_require_operator)]


def _open_platform(
    request: Request, citegraph: CitegraphDep, _operator: Operator, seen_version: SeenVersion
) -> Iterator[PlatformSession]:
    with citegraph.database.open_platform() as platform:
        platform.limit_statement_time(READ_SECONDS)
        _lock_and_check_seen_version(request, platform, seen_version)
        yield platform


Platform = Annotated[PlatformSession, Depends(_open_platform, scope="function")]


class PageRenderer:
    """Renders pages for this request, with the visitor, the token of forms, and the space."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._form_mark_by_resource: dict[Resource, str] = {}

    def add_versions_to_forms(
        self, session: OpenSession, kind: Kind, resource_ids: Collection[UUID] | None
    ) -> None:
        """Put the current versions of these objects (None: all of the kind) into the page's forms.

        The first call counts. Call it before reading what is shown: a form must not carry a later version.
        """
        self._form_mark_by_resource = (
            versions.build_form_marks_of_resources(session, kind, resource_ids) | self._form_mark_by_resource
        )

    @property
    def is_fragment(self) -> bool:
        """Return whether a script requests a part of a page."""
        return self._request.headers.get("hx-request") == "true"

    def show(self, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Return the response with the page."""
        return HTMLResponse(self.render(template, **values), status, headers=SECURITY_HEADERS)

    def render(self, template: str, **values: Any) -> str:
        """Return the page or a part of it as HTML."""
        return rendering.render(
            template,
            **{
                "visitor": get_signed_in(self._request),
                "seen_of": lambda kind, id: self._form_mark_by_resource.get(
                    Resource(Kind(kind), UUID(str(id))), ""
                ),
                "csrf": compute_csrf_token(self._request),
                "page_space": None,
                "tenant": None,
                "of_operator": False,
                "active": "",
                "path": self._request.url.path,
                **values,
            },
        )

    def redirect(self, path: str) -> Response:
        """Redirect to another page after a change; a script gets a header that makes it load the page."""
        if self.is_fragment:
            return Response(status_code=204, headers={**SECURITY_HEADERS, "hx-redirect": path})
        return RedirectResponse(path, 303, headers=SECURITY_HEADERS)


Renderer = Annotated[PageRenderer, Depends(PageRenderer)]
