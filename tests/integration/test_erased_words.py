"""What a deleted document said is nowhere: unlikely words are looked for in every table and index (15.3).

The tables come from the catalogue, so that one that is added later is searched too.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import URL, make_url

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.session import SpaceSession
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import enqueue_detection_or_run_waiting_now
from app.derived.summaries.job import evaluate_changed_nodes_and_save_summaries
from app.derived.summaries.scheduling import enqueue_or_hasten_gate_evaluation_of_all_nodes
from app.documents import service as documents
from app.documents.shapes import Submission
from app.errors import Conflict
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.shapes import Node
from app.graph.tags import service as node_tags
from app.graph.write import merges
from app.graph.write.curation import service as curation
from app.ids import DocumentId, EdgeId, NodeId
from app.ingest import service as ingest
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs.kinds import DeleteSpace, DetectCommunities, IngestDocuments, RefreshSummaries
from app.llm.client import ModelClient
from app.llm.testing import ModelDouble
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.spaces import job as deletion
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces import tenant_deletion
from tests.conftest import Home, under
from tests.integration.test_space_import import bring, exported
from tests.support.sampling import sampled
from workers.runner import Runner
from workers.sweeper import sweep_and_wake_if_jobs_wait

CANARY = """# Vorplax report

Zembrick Corporation owns Kestrel Freight. Zembrick Corporation uses Quixlorp.
Glarnok Fizzbin works for Zembrick Corporation. Glarnok Fizzbin works for Kestrel Freight.
Kestrel Freight (Mubblewick) is located in Plonkville. Kestrel Freight uses Quixlorp.

| Product | Maker |
| --- | --- |
| Trundlewax | Zembrick Corporation |
"""
SURVIVOR = (
    "Kestrel Freight is located in Hull. Bob Stone works for Kestrel Freight. Bob Stone lives in Hull."
    " Kestrel Freight owns Osprey Shipping. Osprey Shipping is located in Leeds."
    " Bob Stone founded Osprey Shipping."
)
WORDS = [
    "vorplax", "zembrick", "quixlorp", "glarnok", "fizzbin", "mubblewick", "plonkvill", "trundlewax",
    "grimbolt", "snarkle", "wuzzle", "florbish", "wibblefrotz", "1731-07-09",
]  # fmt: skip


def _spellings(word: str) -> list[str]:
    """Patterns for the word as text, and as the hexadecimal digits of its bytes."""
    return [f"%{word}%", f"%{word.encode().hex()}%", f"%{word.title().encode().hex()}%"]


class Ground:
    """One space with workers of every kind, by rules or by a model."""

    def __init__(
        self, database: Database, settings: Settings, home: Home, url: URL, client: ModelClient | None
    ) -> None:
        self.database, self.home, self.url = database, home, url
        extractors = Extractors(database, client)
        self.runner = Runner(
            under(database, settings),
            settings,
            {
                IngestDocuments.kind: partial(ingest_documents, extractors=extractors),
                DetectCommunities.kind: partial(detect_communities_and_write_reports, client=client),
                RefreshSummaries.kind: partial(evaluate_changed_nodes_and_save_summaries, client=client),
            },
        )

    def put(self, body: str, address: str, **more: Any) -> None:
        submission = Submission(body.encode(), "markdown", "", source_uri=address, **more)
        self.within(lambda space: documents.submit_documents(space, [submission]))
        self.runner.drain()

    def think(self) -> None:
        """Summaries and communities with their reports, now."""
        self.within(
            lambda space: (
                enqueue_or_hasten_gate_evaluation_of_all_nodes(space),
                enqueue_detection_or_run_waiting_now(space),
            )
        )
        self.runner.drain()

    def within(self, do: Callable[[SpaceSession], Any]) -> Any:
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            return do(space)

    def delete(self, address: str, **options: Any) -> ingest.Removal:
        def remove(space: SpaceSession) -> ingest.Removal:
            (found,) = [
                document for document in documents.list_documents(space) if document.source_uri == address
            ]
            return ingest.delete_document_with_all_its_words(space, DocumentId(found.id), **options)

        removal: ingest.Removal = self.within(remove)
        return removal

    def traces(self, words: list[str]) -> dict[str, set[str]]:
        """table.column, or table and index, → the words that stand in it; also as hexadecimal bytes."""
        found: dict[str, set[str]] = {}
        with psycopg.connect(convert_to_conninfo(self.url), autocommit=True) as connection:
            columns = connection.execute(
                "SELECT a.attrelid::regclass::text, a.attname, quote_ident(a.attname) FROM pg_attribute a"
                " JOIN pg_class c ON c.oid = a.attrelid WHERE c.relkind IN ('r', 'm', 'p')"
                " AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped"
            ).fetchall()
            indexed = connection.execute(
                "SELECT i.indrelid::regclass::text, i.indexrelid::regclass::text,"
                " pg_get_indexdef(i.indexrelid, place, true) FROM pg_index i JOIN pg_class c"
                " ON c.oid = i.indexrelid, generate_series(1, i.indnatts) AS place"
                " WHERE c.relnamespace = 'public'::regnamespace AND i.indexprs IS NOT NULL"
                " AND place <= i.indnkeyatts"
            ).fetchall()
            assert len({table for table, *_ in columns}) > 40
            for table, name, expression in [*columns, *indexed]:
                # Counts, which a cluster adds up over its shards; EXISTS it refuses.
                counts = sql.SQL(", ").join(
                    sql.SQL("count(*) FILTER (WHERE lower(({})::text) LIKE ANY ({}))").format(
                        sql.SQL(expression), sql.Literal(_spellings(word))
                    )
                    for word in words
                )
                row = connection.execute(
                    sql.SQL("SELECT {} FROM {}").format(counts, sql.SQL(table))
                ).fetchone()
                assert row is not None
                if standing := {word for word, count in zip(words, row, strict=True) if count}:
                    found[f"{table}.{name}"] = standing
        return found


def count_rows(space: SpaceSession, table: str) -> int:
    return int(
        space.connection.execute(
            sql.SQL("SELECT count(*) FROM {} WHERE knowledge_space_id = %s").format(sql.Identifier(table)),
            [space.space_id],
        ).fetchall()[0][0]
    )


@pytest.fixture(params=sampled(["model", "rules"], every=2))
def ground(
    request: pytest.FixtureRequest, database: Database, settings: Settings, home: Home, admin_url: URL
) -> Iterator[Ground]:
    assert settings.database_url is not None
    url = admin_url.set(database=make_url(settings.database_url).database)
    if request.param == "rules":
        yield Ground(database, settings, home, url, None)
        return
    with ModelDouble(RulesAnswerer()) as double:
        client = ModelClient(api_key="unused", base_url=double.base_url, model="double")
        yield Ground(database, settings, home, url, client)
        client.close()


@pytest.fixture
def filled(ground: Ground) -> Ground:
    """A document that stays, and one full of unlikely words in every place."""
    ground.put(SURVIVOR, "kestrel.md")
    ground.put(
        CANARY, "files/Grimbolt-notes.md", metadata={"Snarkle": "Wuzzle", "date": "1731-07-09"}, language="en"
    )

    def decorate(space: SpaceSession) -> None:
        named = {node.canonical_name: node for node in graph.list_nodes(space)}
        node_tags.choose_and_set_tags(space, named["Zembrick Corporation"].id, ["florbish"])
        edge = graph.list_edges(space, node_id=named["Zembrick Corporation"].id)[0]
        invalidation.end_claim_by_person(space, edge.id, reason="As wibblefrotz told.", actor="a")
        merges.merge_nodes_by_person(space, named["Bob Stone"].id, named["Glarnok Fizzbin"].id, actor="a")

    ground.within(decorate)
    ground.think()
    return ground


def test_no_word_is_left_anywhere(filled: Ground) -> None:
    before = filled.traces(WORDS)
    assert {word for words in before.values() for word in words} == set(WORDS)
    filled.delete("files/Grimbolt-notes.md")
    assert filled.traces(WORDS) == {}
    filled.think()
    assert filled.traces(WORDS) == {}


def test_the_receipt_counts_what_went(filled: Ground) -> None:
    """Rows as the tables have fewer, weights and texts; the same in the audit."""
    tables = ("document", "document_body", "knowledge_chunk")
    before = filled.within(lambda space: {table: count_rows(space, table) for table in tables})
    receipt = filled.delete("files/Grimbolt-notes.md")
    after = filled.within(lambda space: {table: count_rows(space, table) for table in tables})
    assert {table: before[table] - after[table] for table in tables} == {
        table: receipt.rows[table] for table in tables
    }
    assert receipt.unlinked_edges > 0
    assert receipt.lost_weight > 0
    assert receipt.texts_queued > 0
    with filled.database.open_tenant(filled.home.tenant_id) as tenant:
        (kept,) = audit.list_entries(tenant, AuditFilter(action="document.delete"))
    assert kept.details["lost_weight"] == receipt.lost_weight
    assert kept.details["rows.knowledge_chunk"] == receipt.rows["knowledge_chunk"] == receipt.chunks


@pytest.mark.parametrize(
    "small", sampled([pytest.param(10, id="by the job"), pytest.param(2_000, id="at once")], every=2)
)
@pytest.mark.parametrize("what", sampled(["space", "tenant"], every=2))
def test_no_word_is_left_of_a_deleted_space_or_tenant(
    filled: Ground, settings: Settings, what: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model-call cache, the vectors' partitions and the indexes are among what is searched."""
    monkeypatch.setattr(spaces, "MAX_ROWS_OF_SMALL_SPACE", small)
    assert filled.traces(WORDS)
    home = filled.home
    if what == "space":
        spaces.delete_space(filled.database, home.tenant_id, home.space_id, actor="a")
    else:
        tenant_deletion.delete_tenant(filled.database, home.tenant_id, actor="a")
    remover = Runner(
        under(filled.database, settings), settings, {DeleteSpace.kind: deletion.delete_space_in_steps}
    )
    remover.drain()
    sweep_and_wake_if_jobs_wait(under(filled.database, settings))
    assert filled.traces([*WORDS, "kestrel", "osprey"]) == {}


def test_what_still_joins_the_nodes_is_weighed(ground: Ground) -> None:
    ground.put(SURVIVOR, "kestrel.md")
    ground.put(
        "For years Kestrel Freight owns Osprey Shipping. Bob Stone founded Osprey Shipping.", "again.md"
    )
    receipt = ground.delete("again.md")
    assert receipt.unlinked_edges > 0
    assert receipt.weight_after > 0


def test_a_replaced_text_goes_with_its_document(filled: Ground) -> None:
    """Words of a version before are kept for its return, and no longer than the document."""
    filled.put("There is nothing to be said.", "files/Grimbolt-notes.md")
    filled.delete("files/Grimbolt-notes.md")
    assert filled.traces(WORDS) == {}


def test_the_other_document_loses_nothing(ground: Ground) -> None:
    def nodes(space: SpaceSession) -> set[tuple[str, int]]:
        return {(node.canonical_name, node.mention_count) for node in graph.list_nodes(space)}

    def edges(space: SpaceSession) -> set[tuple[EdgeId, str | None]]:
        return {(edge.id, edge.quote) for edge in graph.list_edges(space)}

    ground.put(SURVIVOR, "kestrel.md")
    before = ground.within(nodes), ground.within(edges)
    ground.put(CANARY, "files/Grimbolt-notes.md")
    ground.delete("files/Grimbolt-notes.md")
    assert {node for node in ground.within(nodes) if node[1]} == before[0]
    assert ground.within(edges) >= before[1]


def test_an_edge_that_is_left_has_two_nodes_that_answer_and_its_export_comes_back(
    filled: Ground, twin: Home
) -> None:
    """One that nothing names any more stays as a node in every door, under a name that says nothing."""
    filled.delete("files/Grimbolt-notes.md")
    edges = filled.within(lambda space: graph.list_edges(space, limit=200))
    nodes = {node.id: node for node in filled.within(lambda space: graph.list_nodes(space, limit=200))}
    ends = {end for edge in edges for end in (edge.from_node_id, edge.to_node_id)}
    assert any(edge.evidence is None for edge in edges)
    assert ends <= nodes.keys()
    assert any(node.canonical_name == f"forgotten {node.id}" for node in nodes.values())
    around = filled.within(
        lambda space: graph.fetch_neighborhood_and_record_recall(space, min(ends), depth=1)
    )
    assert around.edges
    lines = exported(filled.database, filled.home)
    bring(filled.database, twin, lines)
    assert exported(filled.database, twin)[1:] == lines[1:]


def test_nodes_without_a_name_go_when_the_text_comes_back(ground: Ground) -> None:
    """Its edges are led to the nodes that are named anew."""
    for _ in range(2):
        ground.put(CANARY, "files/Grimbolt-notes.md")
        names = ground.within(lambda space: {node.canonical_name for node in graph.list_nodes(space)})
        assert not [name for name in names if name.startswith("forgotten")]
        ground.delete("files/Grimbolt-notes.md")


def test_a_merge_of_what_was_forgotten_and_its_undoing_leave_no_trace(ground: Ground) -> None:
    """With another node without a name, and with one that has its name still, either way round."""
    ground.put(CANARY, "files/Grimbolt-notes.md")
    ground.put(SURVIVOR, "kestrel.md")
    ground.delete("files/Grimbolt-notes.md")

    def state(space: SpaceSession) -> dict[NodeId, object]:
        nodes = graph.list_nodes(space, limit=200)
        return {node.id: node for node in nodes}

    before = ground.within(state)
    nameless = sorted(id for id, node in before.items() if f"forgotten {id}" in str(node))
    named = next(id for id in before if id not in nameless)
    for winner, loser in ((nameless[0], nameless[1]), (nameless[0], named), (named, nameless[0])):
        merge = ground.within(
            partial(merges.merge_nodes_by_person, winner_id=winner, loser_id=loser, actor="a")
        )
        ground.within(partial(merges.unmerge_nodes_by_person, merge_id=merge.id, actor="a"))
        assert ground.within(state) == before


@pytest.mark.parametrize("prune", sampled([True, False], every=2))
@pytest.mark.parametrize("replaced", [False, True])
def test_what_was_decided_about_names_goes_with_their_last_text(
    ground: Ground, prune: bool, replaced: bool
) -> None:
    """Also of nodes that lose all their names, or go themselves, now or when a later text took its place."""
    ground.put(CANARY, "files/Grimbolt-notes.md")
    ground.put(SURVIVOR, "kestrel.md")
    ids = ground.within(
        lambda space: {node.canonical_name: node.id for node in graph.list_nodes(space, limit=200)}
    )
    for other in ("Quixlorp", "Glarnok Fizzbin", "Bob Stone"):
        pair = ids["Zembrick Corporation"], ids[other]
        ground.within(partial(curation.keep_nodes_apart, node_id=pair[0], other_id=pair[1], actor="a"))
    if replaced:
        ground.put("Nothing of that.", "files/Grimbolt-notes.md")
    ground.delete("files/Grimbolt-notes.md", prune=prune)
    assert ground.traces(WORDS) == {}


def test_a_name_that_a_person_gave_what_was_forgotten_stays(ground: Ground) -> None:
    """No later deletion takes it, for no deleted text said it."""
    ground.put(CANARY, "files/Grimbolt-notes.md")
    ground.put(SURVIVOR, "kestrel.md")
    ground.delete("files/Grimbolt-notes.md")

    def nodes(space: SpaceSession) -> list[Node]:
        return [node for node in graph.list_nodes(space) if not node.mention_count]

    node = ground.within(nodes)[0]
    ground.within(lambda space: curation.rename_node(space, node.id, "The Old Firm", actor="a"))
    ground.delete("kestrel.md")
    assert "The Old Firm" in {node.canonical_name for node in ground.within(nodes)}
    ground.within(lambda space: curation.restore_name_from_texts(space, node.id, actor="a"))
    assert f"forgotten {node.id}" in {node.canonical_name for node in ground.within(nodes)}


def test_a_merge_into_what_was_forgotten_is_undone_beside_an_older_one(ground: Ground) -> None:
    """The older merge knows no name of the winner any more, and the newer one may be undone all the same."""

    def nodes(space: SpaceSession) -> dict[NodeId, str]:
        return {node.id: node.canonical_name for node in graph.list_nodes(space, limit=200)}

    ground.put(CANARY, "files/Grimbolt-notes.md")
    winner, loser, *_ = ground.within(nodes)
    ground.within(partial(merges.merge_nodes_by_person, winner_id=winner, loser_id=loser, actor="a"))
    ground.put(SURVIVOR, "kestrel.md")
    ground.delete("files/Grimbolt-notes.md")
    before = ground.within(nodes)
    assert before[winner] == f"forgotten {winner}"
    named = next(id for id, name in before.items() if not name.startswith("forgotten "))
    newer = ground.within(partial(merges.merge_nodes_by_person, winner_id=winner, loser_id=named, actor="a"))

    ground.within(partial(merges.unmerge_nodes_by_person, merge_id=newer.id, actor="a"))

    assert ground.within(nodes) == before


def test_a_merge_with_what_is_gone_is_not_undone(filled: Ground) -> None:
    filled.delete("files/Grimbolt-notes.md")
    (merge,) = filled.within(lambda space: [m for m in merges.list_merges(space) if m.reason == "person"])
    with pytest.raises(Conflict) as refused:
        filled.within(lambda space: merges.unmerge_nodes_by_person(space, merge.id, actor="a"))
    assert refused.value.code == "nothing_left"


@pytest.mark.parametrize(
    ("deleted", "gone"),
    [
        (["winner.md"], "Nothing is left of the node into which “Plimco” was merged:"),
        (["loser.md"], "Nothing is left of the node that was merged into “Zorbex”:"),
        (["winner.md", "loser.md"], "Nothing is left of the two merged nodes:"),
        (["loser.md", "winner.md"], "Nothing is left of the two merged nodes:"),
    ],
)
def test_a_refused_undoing_says_which_of_the_two_nodes_is_gone(
    ground: Ground, deleted: list[str], gone: str
) -> None:
    ground.put("Zorbex owns Kestrel.", "winner.md")
    ground.put("Plimco uses MySQL.", "loser.md")

    def merge(space: SpaceSession) -> UUID:
        ids = {node.canonical_name: node.id for node in graph.list_nodes(space, limit=200)}
        return merges.merge_nodes_by_person(space, ids["Zorbex"], ids["Plimco"], actor="a").id

    merge_id = ground.within(merge)
    for address in deleted:
        ground.delete(address)
    with pytest.raises(Conflict) as refused:
        ground.within(partial(merges.unmerge_nodes_by_person, merge_id=merge_id, actor="a"))
    assert refused.value.code == "nothing_left"
    assert refused.value.message.startswith(gone)


@pytest.mark.parametrize("prune", sampled([True, False], every=2))
def test_a_dry_run_says_what_the_removal_does_and_changes_nothing(filled: Ground, prune: bool) -> None:
    before = filled.traces(WORDS)

    def preview(space: SpaceSession) -> ingest.Removal:
        (found,) = [d for d in documents.list_documents(space) if d.source_uri != "kestrel.md"]
        return ingest.preview_removal(space, DocumentId(found.id), prune=prune)

    said = filled.within(preview)
    assert filled.traces(WORDS) == before
    assert filled.delete("files/Grimbolt-notes.md", prune=prune) == said
    assert said.unlinked_edges > 0
    assert (said.pruned_edges == said.unlinked_edges) is prune
    assert (said.forgotten_nodes == 0) is prune
