"""The health of the installation on one page for operators: what is unavailable, waiting or failing."""

from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import APIRouter
from fastapi.responses import Response

from app.dashboard.deps import CitegraphDep, Operator, Renderer
from app.dashboard.routing import PageRoute
from app.db import statistics
from app.db.health import check_ready_and_get_revision
from app.db.scaling.nodes import ClusterNode
from app.errors import CitegraphError
from app.http.authentication import DASHBOARD_PATH
from app.jobs import queue
from app.jobs.webhooks import service as webhooks
from app.number_words import format_size, pluralise
from app.tenancy.tenants import examinations
from app.wiring import Citegraph

router = APIRouter(prefix=DASHBOARD_PATH + "/operator", route_class=PageRoute, include_in_schema=False)

RATE_MINUTES = 60
"""The minutes over which the rate of the queue is measured."""
LONG_WAIT_SECONDS = 300.0
"""Seconds after which a job that no worker has claimed causes a warning."""


@dataclass(frozen=True)
class Check:
    """One part of the installation: its state, which is `good`, `warn` or `bad`, and a sentence about it."""

    name: str
    state: str
    sentence: str
    path: str = ""


@router.get("")
def show_health(page: Renderer, citegraph: CitegraphDep, _operator: Operator) -> Response:
    """Show the checks, failures and warnings first; the page polls every ten seconds."""
    schema_check = _check_schema(citegraph)
    with citegraph.database.open_platform() as platform:
        tenant_queues = queue.list_tenants_in_queue(platform)
        outcome_counts = queue.count_recent_job_outcomes(platform, minutes=RATE_MINUTES)
        failures = queue.list_recent_failures(platform)
        parked_jobs = queue.list_parked_jobs(platform)
        leases = queue.list_held_leases(platform)
        pending_count = webhooks.count_pending_deliveries(platform)
        last_examination = examinations.find_last_examination(platform)
        cluster_nodes = statistics.list_cluster_nodes(platform)
    now = datetime.now(UTC)
    oldest_at = min(
        (tenant_queue.oldest for tenant_queue in tenant_queues if tenant_queue.oldest), default=None
    )
    wait_seconds = None if oldest_at is None else (now - oldest_at).total_seconds()
    checks = [
        schema_check,
        *map(_check_node, cluster_nodes),
        *_check_processes(citegraph, wait_seconds),
        _check_walls(last_examination),
    ]
    return page.show(
        "operator/health_rows.html" if page.is_fragment else "operator/health.html",
        of_operator=True,
        active="health",
        checks=sorted(checks, key=lambda check: ("bad", "warn", "good").index(check.state)),
        ready=sum(tenant_queue.ready for tenant_queue in tenant_queues),
        running=sum(tenant_queue.running for tenant_queue in tenant_queues),
        waits=wait_seconds,
        long_wait=LONG_WAIT_SECONDS,
        outcomes=outcome_counts,
        failures=failures,
        parked=parked_jobs,
        workers=len({lease.worker for lease in leases}),
        pending=pending_count,
        last=last_examination,
    )


def _check_schema(citegraph: Citegraph) -> Check:
    try:
        revision = check_ready_and_get_revision(citegraph.database)
    except CitegraphError as error:
        return Check("Database", "bad", error.message, f"{DASHBOARD_PATH}/operator/database")
    return Check(
        "Database", "good", f"It answers, at schema {revision}.", f"{DASHBOARD_PATH}/operator/database"
    )


def _check_node(node: ClusterNode) -> Check:
    """Return the check of one node of a Citus cluster; only a silent worker's own spaces are unavailable."""
    name = f"Node {node.name}"
    if not node.answers:
        consequence = (
            "" if node.coordinator else " Its spaces are not available until it is back; others are."
        )
        return Check(name, "bad", f"It does not answer: {node.reason}.{consequence}")
    if node.coordinator:
        return Check(name, "good", "The coordinator answers.")
    held_amounts = f"{pluralise(node.shards, 'shard')} and {format_size(node.bytes)}"
    if node.owner_bypasses:
        return Check(name, "warn", f"It holds {held_amounts}; a move to it is under way, or was killed.")
    if not node.takes_shards:
        return Check(name, "good", f"It holds {held_amounts}, and takes no more: it is drained.")
    return Check(name, "good", f"It holds {held_amounts}.")


def _check_processes(citegraph: Citegraph, wait_seconds: float | None) -> list[Check]:
    """Return the checks of the broker, the workers that it has seen within a minute, and the replicas."""
    queue_path = f"{DASHBOARD_PATH}/operator/queue"
    has_broker_answered = citegraph.broker.responds()
    worker_count = citegraph.broker.workers.count_alive() if has_broker_answered else None
    broker_check = Check("Broker", "good", "Valkey answers.")
    if not has_broker_answered:
        broker_check = Check("Broker", "warn", "Valkey does not answer: jobs start some seconds later.")
    if worker_count is None:
        worker_check = Check(
            "Workers", "warn", "How many there are is not known without the broker.", queue_path
        )
    elif worker_count == 0:
        sentence = "None was seen within a minute: jobs wait. `citegraph worker` starts one."
        worker_check = Check("Workers", "bad", sentence, queue_path)
    else:
        worker_check = Check("Workers", "good", f"{worker_count} seen within a minute.", queue_path)
    if wait_seconds is not None and wait_seconds > LONG_WAIT_SECONDS:
        worker_check = Check(
            "Workers", "bad" if not worker_count else "warn", "The first job has waited too long.", queue_path
        )
    checks = [broker_check, worker_check]
    if citegraph.database.replicas is not None:
        replica_counts = citegraph.database.replicas.start_checking_and_count_states()
        unusable_count = replica_counts["unreachable"] + replica_counts["lagging"]
        sentence = (
            f"{replica_counts['in_sync']} in sync, {replica_counts['lagging']} lagging,"
            f" {replica_counts['unreachable']} unreachable."
        )
        checks.append(Check("Replicas", "warn" if unusable_count else "good", sentence))
    return checks


def _check_walls(last_examination: examinations.Examination | None) -> Check:
    walls_path = f"{DASHBOARD_PATH}/operator/walls"
    if last_examination is None:
        return Check("Walls", "warn", "Not examined yet.", walls_path)
    if not last_examination.report.is_healthy:
        return Check("Walls", "bad", "A wall is down.", walls_path)
    return Check("Walls", "good", "Every wall held at the last examination.", walls_path)
