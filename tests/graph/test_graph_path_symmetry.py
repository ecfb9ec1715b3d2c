"""Paths have no favoured end (review B1, requirement 18.3): generated graphs, against a naive search."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from random import Random

import pytest

from app.db.database import Database
from app.graph import explain, service, traversal
from app.graph.shapes import NO_FILTERS, Explanation, GraphFilters, Path
from app.graph.validity import END_OF_DENIAL
from app.ids import EdgeId
from tests.conftest import Home
from tests.graph.conftest import drawing, opened
from tests.support.sampling import sampled

pytestmark = pytest.mark.shared_database

BIRDS = ["Auk", "Bunting", "Crane", "Dunlin", "Egret", "Finch", "Grebe", "Heron", "Ibis", "Jay"]
RELATIONS = ["uses", "owns", "knows"]
TYPES = ["Person", "Product", "Concept"]
TODAY = datetime(2026, 1, 1, tzinfo=UTC)
FILTERS = [
    NO_FILTERS,
    GraphFilters(relation_types=("uses", "owns")),
    GraphFilters(node_types=("Person", "Product")),
    GraphFilters(min_confidence=0.5),
    GraphFilters(as_of=TODAY - timedelta(days=400)),
    GraphFilters(with_evidence=True),
]
WalkedPath = tuple[tuple[str, ...], tuple[EdgeId, ...], float]
"""Names and edges in walking order, and the score."""


@dataclass(frozen=True)
class Claim:
    """One edge as it was drawn, and what filters and ranking look at."""

    edge_id: EdgeId
    source: str
    target: str
    relation_type: str
    weight: float
    confidence: float
    valid_from: datetime | None
    invalidated_at: datetime | None
    has_evidence: bool

    def passes(self, filters: GraphFilters) -> bool:
        if filters.as_of is None:
            holds = self.invalidated_at is None
        else:
            begun = self.valid_from is None or self.valid_from <= filters.as_of
            holds = begun and (self.invalidated_at is None or filters.as_of < self.invalidated_at)
        return (
            holds
            and (not filters.relation_types or self.relation_type in filters.relation_types)
            and (filters.min_confidence is None or self.confidence >= filters.min_confidence)
            and (self.has_evidence or not filters.with_evidence)
        )


class RandomGraph:
    """Ten birds and a random multigraph among them: the first birds have far more edges than the last.

    Some claims are denied, have ended, begin late, or lost their evidence; many are parallel.
    """

    def __init__(self, database: Database, home: Home, seed: int) -> None:
        dice = Random(seed)
        self.types = {bird: dice.choice(TYPES) for bird in BIRDS}
        self.claims: list[Claim] = []
        with drawing(database, home) as drawn:
            for bird in BIRDS:
                drawn.node(bird, self.types[bird])
            for _ in range((8, 20, 60)[seed % 3]):
                ends = [BIRDS[int(len(BIRDS) * dice.random() ** 3)], dice.choice(BIRDS)]
                dice.shuffle(ends)
                invalidated_at = dice.choice([None, None, None, END_OF_DENIAL, TODAY - timedelta(days=90)])
                claim = Claim(
                    edge_id=EdgeId(drawn.document.id),
                    source=ends[0],
                    target=ends[1],
                    relation_type=dice.choice(RELATIONS),
                    weight=dice.randrange(1, 1000) / 1000,
                    confidence=dice.randrange(1, 1000) / 1000,
                    valid_from=dice.choice([None, None, TODAY - timedelta(days=dice.randrange(800))]),
                    invalidated_at=invalidated_at,
                    has_evidence=dice.random() < 0.8,
                )
                edge_id = drawn.edge(
                    claim.source,
                    claim.relation_type,
                    claim.target,
                    weight=claim.weight,
                    confidence=claim.confidence,
                    valid_from=claim.valid_from,
                    invalidated_at=invalidated_at,
                    polarity="denied" if invalidated_at == END_OF_DENIAL else "asserted",
                )
                self.claims.append(Claim(**{**vars(claim), "edge_id": edge_id}))
            without = [claim.edge_id for claim in self.claims if not claim.has_evidence]
            drawn.space.connection.execute(
                "UPDATE graph_edge SET evidence_chunk_id = NULL WHERE id = ANY(%s)", [without]
            )

    def naive_paths(self, start: str, end: str, filters: GraphFilters) -> set[WalkedPath]:
        """Every path of at most two hops, by trying all edges; the best 20 of different claims."""
        steps = defaultdict(list)
        for claim in self.claims:
            if claim.passes(filters):
                steps[claim.source].append((claim, claim.target))
                steps[claim.target].append((claim, claim.source))
        walks: list[tuple[tuple[str, ...], tuple[Claim, ...]]] = [
            ((start, end), (claim,)) for claim, reached in steps[start] if reached == end
        ]
        for first, middle in steps[start]:
            if middle in (start, end) or (
                filters.node_types and self.types[middle] not in filters.node_types
            ):
                continue
            walks += [
                ((start, middle, end), (first, second)) for second, reached in steps[middle] if reached == end
            ]
        best: dict[object, tuple[tuple[int, float], WalkedPath]] = {}
        for names, claims in walks:
            said = tuple(
                (claim.relation_type, claim.source == name)
                for claim, name in zip(claims, names, strict=False)
            )
            score = 0.8 ** (len(claims) - 1)
            supported = 1.0
            for claim in claims:
                score *= claim.weight * claim.confidence
                supported *= 1 if claim.has_evidence else 1e-6
            rank = (len(claims), -score * supported)
            path = (names, tuple(claim.edge_id for claim in claims), round(score, 6))
            if (names, said) not in best or rank < best[names, said][0]:
                best[names, said] = (rank, path)
        return {path for _, path in sorted(best.values())[: explain.MAX_PATHS]}


def walked(path: Path) -> WalkedPath:
    names = tuple(node.canonical_name for node in path.nodes)
    return names, tuple(edge.id for edge in path.edges), round(path.score, 6)


def turned(path: WalkedPath) -> WalkedPath:
    return path[0][::-1], path[1][::-1], path[2]


def paths_of(explanation: Explanation) -> set[WalkedPath]:
    paths = [walked(path) for path in explanation.paths]
    assert len(paths) == len(set(paths))
    return set(paths)


@pytest.mark.parametrize("seed", sampled(range(6), every=6))
def test_paths_there_are_the_paths_back_and_all_that_a_naive_search_finds(
    database: Database, home: Home, seed: int
) -> None:
    graph = RandomGraph(database, home, seed)
    dice = Random(seed)
    with opened(database, home) as space:
        for start, end in combinations(BIRDS, 2):
            filters = dice.choice(FILTERS)
            there = service.explain_and_record_recall(space, from_=start, to=end, limit=500, filters=filters)
            back = service.explain_and_record_recall(space, from_=end, to=start, limit=500, filters=filters)
            paths = paths_of(there)
            assert {turned(path) for path in paths} == paths_of(back)
            assert {edge.id for edge in there.edges} == {edge.id for edge in back.edges}
            assert bool(paths) != bool(there.why_not), (start, end, filters)
            assert bool(paths) != bool(back.why_not), (start, end, filters)
            naive_paths = graph.naive_paths(start, end, filters)
            # Where nothing joins the two any more, it is told what once did (test_past_paths.py).
            if naive_paths or filters.as_of is not None or all(e.invalidated_at is None for e in there.edges):
                assert paths == naive_paths, (start, end, filters)


@pytest.mark.parametrize("limit", sampled([2, 1, 30, 3], every=2))
def test_what_a_bound_cuts_off_is_cut_off_both_ways(
    database: Database, home: Home, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    RandomGraph(database, home, seed=2)
    with opened(database, home) as space:
        for start, end in combinations(BIRDS, 2):
            with monkeypatch.context() as patch:
                patch.setattr(traversal, "MAX_PROBES", 3)
                there = service.explain_and_record_recall(space, from_=start, to=end, limit=limit)
                back = service.explain_and_record_recall(space, from_=end, to=start, limit=limit)
            assert {turned(path) for path in paths_of(there)} == paths_of(back)
            assert {edge.id for edge in there.edges} == {edge.id for edge in back.edges}
            assert bool(there.truncated) == bool(back.truncated)
            if not there.truncated:
                assert paths_of(there) == paths_of(
                    service.explain_and_record_recall(space, from_=start, to=end)
                )
            assert there.paths or (there.why_not and back.why_not)


@pytest.mark.parametrize("seed", sampled(range(3), every=3))
def test_a_question_that_names_several_nodes_finds_the_same_in_any_order(
    database: Database, home: Home, seed: int
) -> None:
    RandomGraph(database, home, seed)
    dice = Random(seed)
    with opened(database, home) as space:
        for _ in range(20):
            birds = dice.sample(BIRDS, dice.choice([2, 3]))
            there = service.explain_and_record_recall(
                space, question=f"How are {', '.join(birds)} joined?", limit=500
            )
            back = service.explain_and_record_recall(
                space, question=f"How are {', '.join(birds[::-1])} joined?", limit=500
            )
            assert len(there.anchors) == len(birds)
            orientations = paths_of(back) | {turned(path) for path in paths_of(back)}
            assert paths_of(there) <= orientations
            assert len(there.paths) == len(back.paths)
            assert {edge.id for edge in there.edges} == {edge.id for edge in back.edges}


def test_a_name_of_several_nodes_leads_to_each_of_them_and_back(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        for end in ("Nest Alpha", "Nest Beta"):
            drawn.node(end, aliases=["Nest"])
            drawn.edge("Robin", "owns", end)
            drawn.edge("Robin", "uses", "Twig")
            drawn.edge("Twig", "part_of", end)
        drawn.edge("Nest Alpha", "part_of", "Nest Beta")
    with opened(database, home) as space:
        there = paths_of(service.explain_and_record_recall(space, from_="Robin", to="Nest"))
        back = paths_of(service.explain_and_record_recall(space, from_="Nest", to="Robin"))
        namesakes = paths_of(service.explain_and_record_recall(space, from_="Nest", to="Nest"))
    assert {path[0][-1] for path in there} == {"Nest Alpha", "Nest Beta"}
    assert {turned(path) for path in there} == back
    # Either may be meant by either end.
    assert {turned(path) for path in namesakes} == namesakes != set()


def test_thirty_documents_that_say_one_thing_hide_no_other_claim(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        for weight in range(30):
            drawn.edge("Rook", "uses", "Stick", weight=0.5 + weight / 100)
            drawn.edge("Stick", "part_of", "Tree", weight=0.5 + weight / 100)
        strong = (
            drawn.edge("Rook", "owns", "Stick", weight=0.01),
            drawn.edge("Stick", "owns", "Tree", weight=1.0),
        )
    with opened(database, home) as space:
        direct = service.explain_and_record_recall(space, from_="Rook", to="Stick", limit=500)
        over = service.explain_and_record_recall(space, from_="Tree", to="Rook", limit=500)
    assert [path.edges[0].relation_type for path in direct.paths] == ["uses", "owns"]
    assert direct.paths[0].edges[0].weight == pytest.approx(0.79)
    assert len(over.paths) == 4
    assert {edge.id for edge in over.edges} > set(strong)
