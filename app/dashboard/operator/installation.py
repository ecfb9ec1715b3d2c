"""The queue with its workers, and the database, for operators of the installation."""

from datetime import UTC, datetime

from fastapi import APIRouter
from fastapi.responses import Response

from app.dashboard.deps import Platform, Renderer
from app.dashboard.routing import PageRoute
from app.db import statistics
from app.http.authentication import DASHBOARD_PATH
from app.jobs import queue
from app.tenancy.tenants import service as tenants
from app.tenancy.tenants import usage
from app.tenancy.tenants.shapes import TenantSize

router = APIRouter(prefix=DASHBOARD_PATH + "/operator", route_class=PageRoute, include_in_schema=False)

MAX_TENANTS = 200
# Prefixes of tables whose rows grow with a tenant's nodes; all other content grows with its chunks.
NODE_TABLE_PREFIXES = ("graph_node", "node_", "community", "changed_node", "touched_nodes", "summary_")
DOCUMENT_TABLE_PREFIXES = ("document",)


@router.get("/queue")
def show_queue(page: Renderer, platform: Platform) -> Response:
    """Show waiting jobs and the workers with their current jobs; the page polls every few seconds."""
    leases = queue.list_held_leases(platform)
    leases_by_worker: dict[str, list[object]] = {}
    for lease in leases:
        leases_by_worker.setdefault(lease.worker or "unknown", []).append(lease)
    return page.show(
        "operator/queue_rows.html" if page.is_fragment else "operator/queue.html",
        of_operator=True,
        active="queue",
        waiting=queue.list_tenants_in_queue(platform),
        workers=leases_by_worker,
        now=datetime.now(UTC),
    )


@router.get("/database")
def show_database(page: Renderer, platform: Platform) -> Response:
    """Show the size of the database by table and by tenant, and its slow statements."""
    tables = statistics.list_table_sizes(platform)
    tenant_rows = tenants.list_tenants(platform, limit=MAX_TENANTS)
    tenant_sizes = usage.read_sizes_and_costs_of_tenants(platform, [tenant.id for tenant in tenant_rows])
    estimated_bytes = _estimate_tenant_bytes(tables, list(tenant_sizes.values()))
    tenants_by_bytes = sorted(tenant_rows, key=lambda tenant: -estimated_bytes.get(tenant.id, 0.0))
    return page.show(
        "operator/database.html",
        of_operator=True,
        active="database",
        size=statistics.read_database_size(platform),
        tables=tables,
        tenants=tenants_by_bytes,
        sizes=tenant_sizes,
        shares=estimated_bytes,
        max_tenants=MAX_TENANTS,
        slow=statistics.list_slowest_statements(platform),
    )


def _estimate_tenant_bytes(
    tables: list[statistics.TableSize], sizes: list[TenantSize]
) -> dict[object, float]:
    """Estimate the bytes of each tenant on disk: its share of each table, by its chunks or nodes."""
    total_counts = {
        name: sum(getattr(size, name) for size in sizes) or 1 for name in ("documents", "nodes", "chunks")
    }
    bytes_by_count = dict.fromkeys(total_counts, 0)
    for table in tables:
        count_name = "nodes" if table.name.startswith(NODE_TABLE_PREFIXES) else "chunks"
        bytes_by_count["documents" if table.name.startswith(DOCUMENT_TABLE_PREFIXES) else count_name] += (
            table.bytes
        )
    return {
        size.tenant_id: sum(
            bytes_by_count[name] * getattr(size, name) / total_counts[name] for name in total_counts
        )
        for size in sizes
    }
