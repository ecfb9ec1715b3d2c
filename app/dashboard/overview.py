"""The figures on the home of a space: what it holds, what happened last, what needs a look."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.db.models import Document, Job
from app.db.session import SpaceSession
from app.documents import service as documents
from app.graph import service as graph
from app.graph.shapes import Node
from app.jobs import queue
from app.tenants import quotas
from app.tenants.quotas import SpaceTotals

SHOWN = 6


@dataclass(frozen=True)
class Overview:
    """The figures on the home of a space; each list holds a few rows."""

    totals: SpaceTotals
    nodes: Sequence[Node]
    jobs: Sequence[Job]
    newest: Sequence[Document]
    failed: Sequence[Document]


def overview(space: SpaceSession) -> Overview:
    """The figures of this moment."""
    return Overview(
        totals=quotas.totals_of(space),
        nodes=graph.list_nodes(space, limit=12),
        jobs=queue.list_jobs(space, limit=SHOWN),
        newest=documents.list_documents(space, limit=SHOWN),
        failed=documents.list_documents(space, state="failed", limit=SHOWN),
    )
