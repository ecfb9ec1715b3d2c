"""The dashboard's pages and static files."""

from fastapi import APIRouter

from app.dashboard import files, home
from app.dashboard.access import password, sign_in
from app.dashboard.answers import ask, explain
from app.dashboard.curation import changes, claims, nodes, pairs, values
from app.dashboard.explorer import pages as explorer
from app.dashboard.explorer import panels, preview
from app.dashboard.insight import communities, summaries, usage
from app.dashboard.operator import health, installation, walls
from app.dashboard.operator import tenants as operator_tenants
from app.dashboard.space import (
    documents,
    examples,
    golden,
    job_stream,
    jobs,
    overview,
    trials,
    uploads,
    versions,
)
from app.dashboard.tenant import audit, keys, limits, members, settings, webhooks
from app.http.authentication import DASHBOARD_PATH

# The last router answers every address that no other one does.
ROUTERS = (
    sign_in.router,
    password.router,
    overview.router,
    ask.router,
    explain.router,
    uploads.router,
    versions.router,
    trials.router,
    golden.router,
    examples.router,
    documents.router,
    explorer.router,
    preview.router,
    job_stream.router,
    panels.router,
    jobs.router,
    communities.router,
    summaries.router,
    usage.router,
    settings.router,
    limits.router,
    members.router,
    keys.router,
    webhooks.router,
    health.router,
    operator_tenants.router,
    installation.router,
    walls.router,
    pairs.router,
    claims.router,
    changes.router,
    nodes.router,
    values.router,
    audit.router,
    home.root_router,
    home.router,
)


def add_pages(parent: APIRouter) -> None:
    """Add every page and the static files to that router."""
    parent.mount(
        f"{DASHBOARD_PATH}/static", files.VersionedFiles(directory=files.STATIC_FOLDER), name="static"
    )
    for router in ROUTERS:
        parent.include_router(router)
