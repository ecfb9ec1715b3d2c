"""Takes gold texts in through a model double, and counts what the graph lacks of the gold, by cause."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.shapes import Submission
from app.graph.names import clean_name, normalise_name
from app.graph.validity import SYMMETRIC_RELATIONS, format_date
from app.ids import JobId, SpaceId, TenantId
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.llm.client import ModelClient
from app.llm.model_calls.asker import CallSize
from app.llm.testing import ModelDouble
from app.settings import Settings
from tests.oracle.faulty import FOREIGN_NAME, FOREIGN_YEAR, Fault, FaultyOracle
from tests.oracle.gold import GoldRelation, GoldText
from tests.oracle.histories import History, Triple
from tests.oracle.oracle import OracleAnswerer
from workers.runner import Runner

_EDGES = """
SELECT e.from_node_id, e.relation_type, e.to_node_id, e.polarity, e.valid_from, e.valid_from_precision,
    e.valid_from_basis, e.valid_to, e.valid_to_precision, e.metadata ->> 'quote'
FROM graph_edge e
JOIN knowledge_chunk c ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id
JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id
WHERE e.knowledge_space_id = %s AND d.title = %s AND e.deleted_at IS NULL
"""
_NAMES = """
SELECT m.node_id, g.node_type, m.surface_form, m.name, g.canonical_name,
    ARRAY(SELECT n.name FROM node_name n
          WHERE n.knowledge_space_id = m.knowledge_space_id AND n.node_id = m.node_id)
FROM node_mention m
JOIN graph_node g ON g.knowledge_space_id = m.knowledge_space_id AND g.id = m.node_id
JOIN knowledge_chunk c ON c.knowledge_space_id = m.knowledge_space_id AND c.id = m.chunk_id
JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id
WHERE m.knowledge_space_id = %s AND d.title = %s
"""

_HOLDING = """
SELECT DISTINCT source.canonical_name, e.relation_type, target.canonical_name
FROM graph_edge e
JOIN graph_node source ON source.knowledge_space_id = e.knowledge_space_id AND source.id = e.from_node_id
JOIN graph_node target ON target.knowledge_space_id = e.knowledge_space_id AND target.id = e.to_node_id
WHERE e.knowledge_space_id = %s AND e.evidence_chunk_id IS NOT NULL
  AND edge_holds(e.deleted_at, e.invalidated_at)
"""


class StoredEdge(NamedTuple):
    """One edge of a document."""

    source: UUID
    relation: str
    target: UUID
    polarity: str
    valid_from: str | None
    valid_to: str | None
    quote: str


@dataclass
class Loss:
    """What a reading kept and lost of the gold; `causes` counts each lost relation once."""

    gold: int = 0
    kept: int = 0
    extra: int = 0
    changes: int = 0
    """Edges of a thing with itself: they end earlier claims."""
    dates: int = 0
    dates_kept: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    """Reasons that the jobs counted."""
    errors: Counter[str] = field(default_factory=Counter)
    """Codes of chunks that were set aside."""

    @property
    def precision(self) -> float:
        """The part of the edges that the gold has."""
        return self.kept / (self.kept + self.extra) if self.kept + self.extra else 1.0

    @property
    def recall(self) -> float:
        """The part of the gold that the graph has."""
        return self.kept / self.gold if self.gold else 1.0

    @property
    def f1(self) -> float:
        """Typed F1 over (head, type, tail, polarity)."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def lose(self, cause: str, example: str) -> None:
        """Count a relation that the graph lacks."""
        self.causes[cause] += 1
        self.examples.setdefault(cause, []).append(example)


def take_in(
    database: Database,
    settings: Settings,
    home: tuple[TenantId, SpaceId],
    texts: Sequence[GoldText],
    base_url: str,
    *,
    one_thing: bool = False,
) -> Loss:
    """Have the space read the texts through the model at the address; only its reasons are counted."""
    submissions = [
        Submission(
            text.text.encode(),
            "text",
            text.title,
            source_uri=text.title,
            metadata={"date": text.date} if text.date else {},
        )
        for text in texts
    ]
    with database.open_space(*home) as space:
        for begin in range(0, len(submissions), 50):
            documents.submit_documents(space, submissions[begin : begin + 50])
    client = ModelClient(api_key="unused", base_url=base_url, model="double")
    with closing(Extractors(database, client, call_size=CallSize(one_thing=one_thing))) as extractors:
        handlers: Mapping[str, Callable[..., Any]] = {
            IngestDocuments.kind: partial(ingest_documents, extractors=extractors)
        }
        Runner(database, settings, handlers).drain()
    loss = Loss()
    with database.open_space(*home) as space:
        for job in (job for job in queue.list_jobs(space) if job.kind == IngestDocuments.kind):
            for name, count in job.counts.items():
                if name.startswith("dropped_"):
                    loss.dropped[name.removeprefix("dropped_")] += count
            loss.errors.update(error.code for error in queue.list_job_errors(space, JobId(job.id)))
            if job.state not in ("done",):
                loss.errors[f"job {job.state}: {job.error_code}"] += 1
    return loss


def measure(
    database: Database,
    settings: Settings,
    home: tuple[TenantId, SpaceId],
    oracle: OracleAnswerer,
    *,
    one_thing: bool = False,
) -> Loss:
    """What the pipeline loses of this oracle's texts."""
    with ModelDouble(oracle) as double:
        loss = take_in(database, settings, home, oracle.library.texts, double.base_url, one_thing=one_thing)
    with database.open_space(*home) as space:
        for gold in oracle.library.texts:
            _compare(space, gold, oracle, loss)
    return loss


@dataclass
class Played:
    """What histories came to; each entry is the name of a history and a claim of it."""

    facts: int = 0
    lost: list[tuple[str, Triple]] = field(default_factory=list)
    over: int = 0
    stale: list[tuple[str, Triple]] = field(default_factory=list)
    invented: list[tuple[str, Triple]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)


def play(
    database: Database,
    settings: Settings,
    home: tuple[TenantId, SpaceId],
    histories: Sequence[History],
    oracle: OracleAnswerer,
) -> Played:
    """Hand in the documents of histories, the first of each, then the second, and look at what holds then."""
    with ModelDouble(oracle) as double:
        for turn in range(max(len(history.documents) for history in histories)):
            texts = [history.documents[turn] for history in histories if turn < len(history.documents)]
            loss = take_in(database, settings, home, texts, double.base_url)
    played = compare(database, home, histories)
    played.dropped, played.errors = loss.dropped, loss.errors
    return played


def compare(database: Database, home: tuple[TenantId, SpaceId], histories: Sequence[History]) -> Played:
    """What of these histories holds in the space now."""
    played = Played()
    with database.open_space(*home) as space:
        holding = set(space.connection.execute(_HOLDING, [space.space_id]).fetchall())
    for history in histories:
        played.facts += len(history.holds)
        played.over += len(history.stale)
        played.lost += [(history.name, claim) for claim in history.holds if claim not in holding]
        played.stale += [(history.name, claim) for claim in history.stale if claim in holding]
        played.invented += [(history.name, claim) for claim in history.absent if claim in holding]
    return played


def wrong_kept(database: Database, home: tuple[TenantId, SpaceId], twin: FaultyOracle) -> int:
    """How many of the twin's wrong entries the space has: edges, or nodes of names that no text has."""
    with database.open_space(*home) as space:
        stored = [edge for gold in twin.library.texts for edge in stored_edges(space, gold.title)]
        edges = [edge for edge in stored if edge.source != edge.target]
        (named,) = space.connection.execute(
            "SELECT count(*) FROM graph_node WHERE knowledge_space_id = %s AND canonical_name = %s",
            [space.space_id, FOREIGN_NAME],
        ).fetchone() or (0,)
    if twin.fault is Fault.UNSTATED_CHANGE:
        return len(stored) - len(edges)
    if twin.fault is Fault.UNSTATED_DATE:
        return sum(edge.valid_from == FOREIGN_YEAR for edge in edges)
    return len(edges) + int(named)


def stored_edges(space: SpaceSession, title: str) -> list[StoredEdge]:
    """The edges that rest on a document."""
    rows = space.connection.execute(_EDGES, [space.space_id, title]).fetchall()
    return [
        StoredEdge(
            source,
            relation,
            target,
            polarity,
            format_date(since, precision) if since and basis == "sentence" else None,
            format_date(until, until_precision) if until else None,
            quote or "",
        )
        for source, relation, target, polarity, since, precision, basis, until, until_precision, quote in rows
    ]


def _nodes_of(space: SpaceSession, gold: GoldText) -> list[set[UUID]]:
    """The nodes of each entity of the text."""
    rows = space.connection.execute(_NAMES, [space.space_id, gold.title]).fetchall()
    nodes = []
    for entity in gold.entities:
        wanted = {normalise_name(clean_name(name)) for name in entity.names}
        called = [
            (node, kind)
            for node, kind, *names, known in rows
            if wanted & {normalise_name(name) for name in (*names, *known)}
        ]
        typed = {node for node, kind in called if kind == entity.type}
        nodes.append(typed or {node for node, _ in called})
    return nodes


def _compare(space: SpaceSession, gold: GoldText, oracle: OracleAnswerer, loss: Loss) -> None:
    nodes = _nodes_of(space, gold)
    stored = stored_edges(space, gold.title)
    edges = [edge for edge in stored if edge.source != edge.target]
    loss.changes += len(stored) - len(edges)
    matched: set[StoredEdge] = set()
    loss.gold += len(gold.relations)
    for place, relation in enumerate(gold.relations):
        found = [edge for edge in edges if _is_edge_of(edge, relation, nodes)]
        matched.update(found)
        if not found:
            loss.lose(_cause(place, relation, gold, nodes, edges, oracle), _shown(gold, relation))
            continue
        loss.kept += 1
        _compare_dates(relation, found, gold, loss)
    extra = {edge[:4] for edge in edges} - {stored_edge[:4] for stored_edge in matched}
    loss.extra += len(extra)
    for edge in edges:
        if edge[:4] in extra:
            loss.examples.setdefault("extra", []).append(f"{gold.title}: {edge.relation} | {edge.quote}")


def _compare_dates(relation: GoldRelation, found: Sequence[StoredEdge], gold: GoldText, loss: Loss) -> None:
    for name in ("valid_from", "valid_to"):
        wanted = getattr(relation, name)
        if wanted is None:
            continue
        loss.dates += 1
        if any(getattr(stored_edge, name) == wanted[0] for stored_edge in found):
            loss.dates_kept += 1
        else:
            loss.examples.setdefault("date", []).append(f"{wanted} {_shown(gold, relation)}")


def _is_edge_of(edge: StoredEdge, relation: GoldRelation, nodes: Sequence[set[UUID]]) -> bool:
    if edge.relation != relation.relation or edge.polarity != relation.polarity:
        return False
    source, target = nodes[relation.source], nodes[relation.target]
    forward = edge.source in source and edge.target in target
    turned = edge.source in target and edge.target in source and relation.relation in SYMMETRIC_RELATIONS
    return forward or turned


def _cause(
    place: int,
    relation: GoldRelation,
    gold: GoldText,
    nodes: Sequence[set[UUID]],
    edges: Sequence[StoredEdge],
    oracle: OracleAnswerer,
) -> str:
    """Where a relation that the graph lacks was lost."""
    if not any(relation.quote_in(passage) for passage in oracle.asked):
        return "its quote stands in no one chunk"
    ends = (relation.source, relation.target)
    if place not in oracle.stated[gold.title]:
        unlisted = [end for end in ends if end not in oracle.listed[gold.title]]
        return "an end was lost after pass 1" if unlisted else "its ends are listed in other chunks"
    if not all(nodes[end] for end in ends):
        return "an end has no node"
    if nodes[ends[0]] == nodes[ends[1]]:
        return "both ends are one node"
    if any({edge.source, edge.target} <= nodes[ends[0]] | nodes[ends[1]] for edge in edges):
        return "stored with another type, direction or polarity"
    return "refused after pass 2"


def _shown(gold: GoldText, relation: GoldRelation) -> str:
    source, target = gold.entities[relation.source].name, gold.entities[relation.target].name
    return f"{gold.title}: {source} {relation.relation} {target} | {relation.quotes[0]}"
