"""Ingest of the example documents on request, for a graph to look at in the first minute."""

from fastapi import APIRouter
from fastapi.responses import Response

from app.dashboard.deps import (
    CitegraphDep,
    PageSpace,
    PageSpaceDep,
    PageTenantDep,
    Renderer,
    Visitor,
    WritableSpace,
)
from app.dashboard.routing import PageRoute
from app.db.session import SpaceSession
from app.documents import examples
from app.documents import service as documents
from app.errors import NotFound
from app.http.authentication import DASHBOARD_PATH
from app.ids import SpaceId
from app.ingest import service as ingest
from app.tenancy.spaces import service as spaces
from app.wiring import Citegraph

router = APIRouter(prefix=DASHBOARD_PATH, route_class=PageRoute, include_in_schema=False)


@router.post("/spaces/{space_id}/examples")
def ingest_examples(
    page: Renderer, citegraph: CitegraphDep, page_space: PageSpaceDep, space: WritableSpace
) -> Response:
    """Submit the example documents to this space, and redirect to the job that ingests them."""
    ingest.check_room_for_ingest_job(citegraph.database, page_space.tenant_id)
    return page.redirect(_submit_examples(citegraph, page_space.path, space))


@router.post("/tenants/{tenant_id}/examples")
def ingest_into_new_space(
    page: Renderer, citegraph: CitegraphDep, tenant: PageTenantDep, visitor: Visitor
) -> Response:
    """Create the space of the examples if the tenant has none of that name, and submit them to it."""
    ingest.check_room_for_ingest_job(citegraph.database, tenant.id)
    with citegraph.database.open_tenant(tenant.id) as session:
        try:
            example_space = spaces.get_space(session, examples.SPACE_NAME)
        except NotFound:
            example_space = spaces.create_space(
                session,
                name=examples.SPACE_NAME,
                description=examples.SPACE_DESCRIPTION,
                embedding_model=citegraph.embedders.model,
                embedding_dimensions=citegraph.embedders.dimensions,
                actor=visitor.actor,
            )
        page_space = PageSpace(
            SpaceId(example_space.id), example_space.name, example_space.description, tenant.id, tenant.caller
        )
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        return page.redirect(_submit_examples(citegraph, page_space.path, space))


def _submit_examples(citegraph: Citegraph, space_path: str, space: SpaceSession) -> str:
    """Submit the examples; return the address of the job, or of the space if there is nothing to ingest."""
    submissions = examples.read_example_documents(max_bytes=citegraph.settings.max_upload_bytes)
    _, job = documents.submit_documents(space, submissions) if submissions else ((), None)
    return space_path if job is None else f"{space_path}/jobs/{job.id}"
