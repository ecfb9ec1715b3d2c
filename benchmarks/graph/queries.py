"""Times the graph's walks against the naive way, on one large space with hubs beside many small ones.

`python -m benchmarks.graph.queries [--url postgresql://…] [--nodes 200000] [--space ID]`. The URL is a
superuser's of an empty database; without one an embedded server is made and thrown away. Nothing is dropped:
run it again with `--space` to measure what an earlier run generated.
"""

import argparse
import contextlib
import os
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any
from uuid import UUID

import psycopg
from psycopg import errors

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.session import SpaceSession
from app.db.sql import load_statement
from app.graph import service, traversal
from app.graph.repository import build_layer_parameters
from app.graph.shapes import GraphFilters, Node
from app.ids import NodeId, SpaceId, TenantId
from app.settings import Settings
from app.wiring import open_database
from benchmarks.data.graph import generate
from benchmarks.place import server

NAIVE = """
WITH RECURSIVE walk (id, hop) AS (
    SELECT %(anchor)s::uuid, 0
    UNION
    SELECT CASE WHEN edge.from_node_id = walk.id THEN edge.to_node_id ELSE edge.from_node_id END, walk.hop + 1
    FROM walk JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s
        AND (edge.from_node_id = walk.id OR edge.to_node_id = walk.id) AND edge.deleted_at IS NULL
    WHERE walk.hop < 2
)
SELECT edge.id, edge.relation_type, edge.weight, source.canonical_name, target.canonical_name, chunk.text
FROM walk
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = walk.id
JOIN graph_node AS source ON source.knowledge_space_id = %(space_id)s AND source.id = edge.from_node_id
JOIN graph_node AS target ON target.knowledge_space_id = %(space_id)s AND target.id = edge.to_node_id
LEFT JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
ORDER BY edge.weight DESC LIMIT 30
"""  # noqa: E501
# The walk of fetch_facts_within_two_hops.sql without names and text: what the hops alone cost.
HOPS_ALONE = ("), told AS MATERIALIZED (", ") SELECT id, via, worth, hop FROM step")
FULL = "two hops, {}: 30 facts with names and text"
TIMEOUT = 20_000.0


def timed(calls: Sequence[Callable[[], object]]) -> tuple[float, float]:
    """Median and 95th percentile of the calls in milliseconds; one that times out counts as the time-out."""
    spent = []
    for call in calls:
        started = time.perf_counter()
        try:
            call()
            spent.append((time.perf_counter() - started) * 1000)
        except errors.QueryCanceled:
            spent.append(TIMEOUT)
    spent.sort()
    return spent[len(spent) // 2], spent[int(len(spent) * 0.95)]


def report(label: str, times: tuple[float, float]) -> float:
    """Print one line; returns the median."""
    print(f"{label:<62} p50 {times[0]:>10,.2f} ms   p95 {times[1]:>10,.2f} ms", flush=True)
    return times[0]


def naive(space: SpaceSession, anchor: Node) -> None:
    """One naive walk, in a savepoint that a time-out may undo."""
    with space.connection.transaction():
        space.connection.execute(f"SET LOCAL statement_timeout = {int(TIMEOUT)}".encode())
        space.connection.execute(NAIVE.encode(), {"anchor": anchor.id, "space_id": space.space_id})


def unfiltered(name: str) -> str:
    """The statement with NULL for each filter, as the door sends it where none is asked for."""
    filters = "as_of|relation_types|node_types|min_confidence|with_evidence|layers"
    return re.sub(rf"%\(({filters})\)s", "NULL", load_statement(name))


def hops_alone(space: SpaceSession, anchor: Node, text: str) -> list[Any]:
    """The hops of one walk without the details of their facts."""
    parameters = {
        "anchors": [anchor.id], "max_hops": 2, "fan_out": 10, "limit": 30, "hints": [], "hint_scan": 300,
        "space_id": space.space_id, **build_layer_parameters(space, ()),
    }  # fmt: skip
    return space.connection.execute(text.encode(), parameters, prepare=True).fetchall()


def walk(space: SpaceSession, anchors: Sequence[Node]) -> object:
    """Two hops with names, quotes and documents of 30 facts, as Python objects."""
    return traversal.fetch_facts_within_two_hops(
        space, [anchor.id for anchor in anchors], max_hops=2, fan_out=10, limit=30, hinted_relations=(),
        filters=GraphFilters(),
    ).result()  # fmt: skip


def ways(space: SpaceSession, a: Node, b: Node) -> object:
    """The best 20 ways from one node to another."""
    return traversal.fetch_walks_between(
        space, [(a, b)], max_hops=2, limit=20, filters=GraphFilters()
    ).result()


def sample(conninfo: str, space_id: UUID) -> tuple[TenantId, list[NodeId], list[NodeId]]:
    """The tenant, 200 ordinary nodes and the ten largest hubs."""
    with psycopg.connect(conninfo) as connection:
        tenant = connection.execute(
            "SELECT tenant_id FROM knowledge_space WHERE id = %s", (space_id,)
        ).fetchone()
        assert tenant is not None
        ordinary = connection.execute(
            "SELECT id FROM graph_node WHERE knowledge_space_id = %s AND out_degree BETWEEN 3 AND 15"
            " AND in_degree BETWEEN 3 AND 15 ORDER BY md5(id::text) LIMIT 200",
            (space_id,),
        ).fetchall()
        hubs = connection.execute(
            "SELECT id FROM graph_node WHERE knowledge_space_id = %s ORDER BY out_degree + in_degree DESC"
            " LIMIT 10",
            (space_id,),
        ).fetchall()
    return TenantId(tenant[0]), [row[0] for row in ordinary], [row[0] for row in hubs]


def measure(url: str, space_id: UUID) -> None:
    """Print every number for one generated space, each warmed by one untimed round."""
    conninfo = convert_to_conninfo(convert_to_psycopg_url(url))
    tenant_id, ordinary_ids, hub_ids = sample(conninfo, space_id)
    settings = Settings(database_url=url, statement_timeout=60.0, allow_privileged_login=True)
    database = open_database(url, settings)
    with database.open_space(tenant_id, SpaceId(space_id)) as space:
        ordinary = [service.get_node(space, node_id) for node_id in ordinary_ids]
        hubs = [service.get_node(space, node_id) for node_id in hub_ids]
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(f"largest hub: {hubs[0].out_degree + hubs[0].in_degree:,} edges")
        alone = unfiltered("graph.fetch_facts_within_two_hops").split(HOPS_ALONE[0])[0] + HOPS_ALONE[1]
        medians = {}

        def both(label: str, calls: list[Callable[[], object]]) -> None:
            timed(calls)
            medians[label] = report(label, timed(calls))

        space.connection.execute("SET LOCAL plan_cache_mode = force_generic_plan", prepare=False)
        both(
            "two hops, ordinary: the walk",
            [partial(hops_alone, space, node_id, alone) for node_id in ordinary],
        )
        both("two hops, hub: the walk", [partial(hops_alone, space, hub, alone) for hub in hubs * 20])
        space.connection.execute("SET LOCAL plan_cache_mode = DEFAULT", prepare=False)
        both(FULL.format("ordinary"), [partial(walk, space, [node_id]) for node_id in ordinary])
        both(FULL.format("hub"), [partial(walk, space, [hub]) for hub in hubs * 20])
        fives = [ordinary[place : place + 5] for place in range(0, 195, 2)]
        both("two hops, five ordinary anchors: the same", [partial(walk, space, row) for row in fives])
        both("explain a question that names an ordinary node", [
            partial(service.explain_and_record_recall, space, question=f"What does {node.canonical_name} own?") for node in ordinary  # noqa: E501
        ])  # fmt: skip
        both("A to B, ordinary to hub", [
            partial(ways, space, node_id, hubs[place % 10]) for place, node_id in enumerate(ordinary)
        ])  # fmt: skip
        both("A to B, hub to hub", [partial(ways, space, *pair) for pair in combinations(hubs, 2)])
        for label, nodes in (("ordinary", ordinary[:15]), ("hub", hubs[:2])):
            slow = report(
                f"naive recursive walk, {label}", timed([partial(naive, space, node) for node in nodes])
            )
            bound = "at least " if slow >= TIMEOUT else ""
            print(f"    two hops are {bound}{slow / medians[FULL.format(label)]:,.0f} times as fast")
    database.dispose()


def main(argv: Sequence[str] | None = None) -> None:
    """Generate unless a space is given, then measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="superuser URL of an empty database")
    parser.add_argument(
        "--nodes", type=int, default=200_000, help="nodes of the large space; edges are five times as many"
    )
    parser.add_argument("--small-spaces", type=int, default=100, help="spaces of 200 nodes beside it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--space", type=UUID, help="measure this space of an earlier run")
    options = parser.parse_args(argv)
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(server(options.url))
        space_id = options.space
        if space_id is None:
            migrate(url)
            made = generate(
                convert_to_conninfo(convert_to_psycopg_url(url)),
                nodes=options.nodes,
                small_spaces=options.small_spaces,
                seed=options.seed,
            )
            print(
                f"{made.nodes:,} nodes and {made.edges:,} edges in space {made.space_id}, {made.small_spaces}"
                f" spaces beside it; copied {made.node_rate:,.0f} nodes and {made.edge_rate:,.0f} edges a"
                " second"
            )
            space_id = made.space_id
        measure(url, space_id)


if __name__ == "__main__":
    main()
