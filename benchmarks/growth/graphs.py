"""Figures of one graph of so many edges, with hubs: explanations, neighborhoods, names, communities."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from uuid import UUID

import numpy as np

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.session import SpaceSession
from app.derived.communities.shapes import DetectionOptions
from app.graph import service
from app.graph.shapes import Node
from app.ids import NodeId, SpaceId, TenantId
from benchmarks.data.graph import Generated, generate
from benchmarks.graph.communities import WholeRun, run_once
from benchmarks.graph.queries import sample
from benchmarks.growth.calls import CallCosts, in_process, opened
from benchmarks.growth.figures import Figure
from benchmarks.place import server

PER_NODE = 5
"""Edges for each node."""
CALLS, HUBS = 200, 10


def figures_of_graphs(sizes: Sequence[int]) -> Iterator[tuple[int, list[Figure]]]:
    """The figures at each number of edges, each on a server of its own."""
    for edges in sizes:
        with server(None) as url:
            migrate(url)
            made = in_process(_generate, convert_to_conninfo(convert_to_psycopg_url(url)), edges // PER_NODE)
            yield edges, figures_of_graph(url, made.space_id)


def _generate(conninfo: str, nodes: int) -> Generated:
    return generate(conninfo, nodes=nodes, small_spaces=20, seed=1)


def figures_of_graph(url: str, space_id: UUID) -> list[Figure]:
    """The figures of one generated space."""
    tenant_id, ordinary, hubs = sample(convert_to_conninfo(convert_to_psycopg_url(url)), space_id)
    home = tenant_id, SpaceId(space_id)
    figures: list[Figure] = []
    with opened(url) as database, closing(CallCosts(url, database, home)) as costs:
        with database.open_space(*home) as space:
            nodes = [service.get_node(space, node_id) for node_id in ordinary]
            largest = [service.get_node(space, hub) for hub in hubs[:HUBS]]
        for name, calls in _ways(nodes, largest).items():
            figures += costs.in_space(name, calls)
    run = in_process(_communities, url, tenant_id, space_id)
    return [
        *figures,
        Figure("communities: all processors", "s", run.ours + run.server),
        Figure("communities: Postgres alone", "s", run.server),
        Figure("communities: memory of the process", "GB", run.gigabytes),
        Figure("communities: modularity", "", run.modularity),
    ]


def _ways(nodes: Sequence[Node], hubs: Sequence[Node]) -> dict[str, list[Callable[[SpaceSession], object]]]:
    """Calls by name: each of another node."""
    random = np.random.default_rng(1)
    asked = [nodes[place] for place in random.integers(0, len(nodes), CALLS)]
    questions = [f"What does {node.canonical_name} own?" for node in asked]
    of_hubs = [hubs[place % len(hubs)] for place in range(CALLS // 2)]
    return {
        "explain, one hop": [
            partial(service.explain_and_record_recall, question=question, max_hops=1)
            for question in questions
        ],
        "explain, two hops": [
            partial(service.explain_and_record_recall, question=question) for question in questions
        ],
        "explain, two hops from a hub": [
            partial(service.explain_and_record_recall, question=f"What does {neighbor.canonical_name} own?")
            for neighbor in of_hubs
        ],
        "explain from A to B": [
            partial(service.explain_and_record_recall, from_=str(one.id), to=str(other.id))
            for one, other in zip(asked, [*of_hubs, *of_hubs], strict=False)
        ],
        "neighborhood, one hop": [partial(_around, node_id=node.id, depth=1) for node in asked],
        "neighborhood, two hops": [partial(_around, node_id=node.id, depth=2) for node in asked[:50]],
        "find by name": [partial(_find, name=node.canonical_name) for node in asked],
    }


def _around(space: SpaceSession, node_id: NodeId, depth: int) -> object:
    return service.fetch_neighborhood_and_record_recall(space, node_id, depth=depth)


def _find(space: SpaceSession, name: str) -> object:
    return service.find_nodes(space, name)


def _communities(url: str, tenant_id: TenantId, space_id: UUID) -> WholeRun:
    """A first run, all of whose members are written."""
    with opened(url) as database:
        return run_once(database, (tenant_id, SpaceId(space_id)), DetectionOptions(0.5, 3, 1))
