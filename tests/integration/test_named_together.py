"""Where no claim says how two nodes are related, explain shows the passages that name both (8.3)."""

import json
from typing import Any

import psycopg
import pytest

from app.db.database import Database
from app.db.sql import load_statement
from app.documents import service as documents
from app.graph import cooccurrence_passages
from app.graph import service as graph
from app.graph.shapes import CooccurringNode, Explanation, NamedTogether
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.graph.conftest import drawing, opened
from tests.support.citus import PLANS
from tests.support.contradictions import says
from tests.support.explain import explain
from tests.support.ingest import ingest_now

pytestmark = pytest.mark.shared_database

SENTENCE = "The minutes list Imke Brandt beside Tarkov Systems, as every year."
TEXT = f"Imke Brandt lives in Hull. Tarkov Systems is based in Leeds. {SENTENCE}"


def quotes(found: Explanation) -> list[str | None]:
    return [edge.evidence.quote for edge in found.named_together]


def cited(database: Database, home: Home, together: NamedTogether) -> str:
    """What the document says at the place that is given."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        text = documents.read_document_text(space, together.evidence.document_id)
    return text[together.evidence.char_start : together.evidence.char_end]


def test_the_sentence_that_names_both_is_shown_from_either_end(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [says(TEXT, "2020-01-01")])
    there, back = (
        explain(database, home, *ends)
        for ends in (("Imke Brandt", "Tarkov Systems"), ("Tarkov Systems", "Imke Brandt"))
    )
    assert there.paths == back.paths == ()
    assert quotes(there) == quotes(back) == [SENTENCE]
    (together,) = there.named_together
    assert together.in_sentence
    assert cited(database, home, together) == SENTENCE
    assert back.named_together[0].from_node_id == together.to_node_id


def test_a_passage_that_names_both_in_two_sentences_is_quoted_from_one_to_the_other(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [says(TEXT, "2020-01-01")])
    (together,) = explain(database, home, "Imke Brandt", "Leeds").named_together
    assert not together.in_sentence
    assert together.evidence.quote == cited(database, home, together)
    assert together.evidence.quote == "Leeds. The minutes list Imke Brandt"


def test_claims_come_first(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(database, settings, home, [says(TEXT, "2020-01-01")])
    found = explain(database, home, "Imke Brandt", "Hull")
    assert found.paths
    assert found.named_together == ()


def test_a_question_that_names_two_is_answered_so_too(
    database: Database, settings: Settings, home: Home
) -> None:
    """Where nothing else is known of either; retrieval, which shows no passage of these, looks for none."""
    ingest_now(database, settings, home, [says(SENTENCE, "2020-01-01")])
    question = "What has Imke Brandt to do with Tarkov Systems?"
    with opened(database, home) as space:
        found = graph.explain_and_record_recall(space, question=question)
        pending = graph.start_explanation(space, question=question).result()
    assert (len(found.anchors), found.edges) == (2, ())
    assert quotes(found) == [SENTENCE]
    assert pending.named_together == ()


def test_nothing_of_it_is_said_where_a_claim_is_denied(
    database: Database, settings: Settings, home: Home
) -> None:
    denied = "Imke Brandt does not own Tarkov Systems."
    ingest_now(database, settings, home, [says(f"{TEXT} {denied}", "2020-01-01")])
    found = explain(database, home, "Imke Brandt", "Tarkov Systems")
    assert found.denials
    assert found.named_together == ()


def test_nothing_of_it_is_said_where_the_limit_is_too_small_for_the_path(
    database: Database, settings: Settings, home: Home
) -> None:
    path = "Imke Brandt works for Quorn Laboratories. Tarkov Systems owns Quorn Laboratories."
    ingest_now(database, settings, home, [says(f"{path} {SENTENCE}", "2020-01-01")])
    with opened(database, home) as space:
        whole = graph.explain_and_record_recall(space, from_="Imke Brandt", to="Tarkov Systems")
        short = graph.explain_and_record_recall(space, from_="Imke Brandt", to="Tarkov Systems", limit=1)
    assert [path.hops for path in whole.paths] == [2]
    assert (short.paths, len(short.edges)) == ((), 1)
    assert short.named_together == ()


def named_with(database: Database, home: Home, name: str) -> list[CooccurringNode]:
    with opened(database, home) as space:
        return graph.find_cooccurring_nodes(space, graph.find_nodes(space, name)[0])


def test_a_node_shows_whom_it_is_named_together_with(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    """The closest first, each with the sentence; of this space alone, and gone with its document."""
    twice = "Imke Brandt lives in Hull. The minutes list Imke Brandt beside Tarkov Systems."
    pads = [says(f"Person{number} Sorel lives in Turin.", "2020-01-01") for number in range(4)]
    documents_ = [says(SENTENCE, "2020-01-01"), says(twice, "2020-01-02"), *pads]
    ingest_now(database, settings, home, documents_)
    ingest_now(database, settings, twin, [says("Imke Brandt lives in Hull.", "2020-01-01"), *pads])
    found = named_with(database, home, "Imke Brandt")
    assert [(neighbor.canonical_name, neighbor.count) for neighbor in found] == [
        ("Tarkov Systems", 2),
        ("Hull", 1),
    ]
    assert 1 > found[0].weight > found[1].weight > 0
    assert found[0].in_sentence
    assert found[0].evidence is not None
    assert found[0].evidence.quote in {SENTENCE, "The minutes list Imke Brandt beside Tarkov Systems."}
    assert [neighbor.canonical_name for neighbor in named_with(database, twin, "Imke Brandt")] == ["Hull"]
    with database.open_space(home.tenant_id, home.space_id) as space:
        ingest.delete_document_with_all_its_words(space, found[0].evidence.document_id)
    left = named_with(database, home, "Imke Brandt")
    assert max(neighbor.count for neighbor in left) == 1


def test_a_node_that_is_named_alone_shows_nobody(database: Database, settings: Settings, home: Home) -> None:
    with drawing(database, home) as drawn:
        drawn.node("Alone")
    assert named_with(database, home, "Alone") == []


def test_nothing_of_it_is_left_when_the_document_goes(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    """Neither here nor, at any time, in the space of somebody else."""
    apart = "Imke Brandt lives in Hull.", "Tarkov Systems is based in Leeds."
    ingest_now(
        database,
        settings,
        home,
        [says(TEXT, "2020-01-01"), *(says(sentence, "2020-01-02") for sentence in apart)],
    )
    ingest_now(database, settings, twin, [says(sentence, "2020-01-02") for sentence in apart])
    (together,) = explain(database, home, "Imke Brandt", "Tarkov Systems").named_together
    assert explain(database, twin, "Imke Brandt", "Tarkov Systems").named_together == ()
    with database.open_space(home.tenant_id, home.space_id) as space:
        ingest.delete_document_with_all_its_words(space, together.evidence.document_id)
    assert explain(database, home, "Imke Brandt", "Tarkov Systems").named_together == ()


@pytest.mark.one_machine(PLANS)
def test_a_node_of_many_chunks_costs_a_bounded_number_of_probes(
    database: Database, settings: Settings, home: Home
) -> None:
    """Of the rarer node a thousand chunks are tried, by the key; none of the other's are gone through."""
    with drawing(database, home) as drawn:
        nodes = [drawn.node("Hub", mentions=3_000), drawn.node("Spoke", mentions=3_000)]
        chunks = drawn.space.connection.execute(
            b"INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start,"
            b" char_end, heading_path, token_count, content_hash, lexemes, created_at)"
            b" SELECT %s, gen_random_uuid(), %s, n, 'Hub Spoke', 0, 9, '{}', 2, md5(n::text), '', now()"
            b" FROM generate_series(1, 3000) n RETURNING id",
            [home.space_id, drawn.document.id],
        ).fetchall()
        for node_id, start in zip(nodes, (0, 4), strict=True):
            drawn.space.connection.execute(
                b"INSERT INTO node_mention (knowledge_space_id, chunk_id, node_id, surface_form, name,"
                b" char_start, char_end) SELECT %s, unnest(%s::uuid[]), %s, 'Hub', 'Hub', %s, %s",
                [home.space_id, [row[0] for row in chunks], node_id, start, start + 3],
            )
    parameters = {
        "space_id": home.space_id,
        "rarer": [nodes[0]],
        "others": [nodes[1]],
        "probes": cooccurrence_passages.MAX_PROBES,
        "passages": 3,
    }
    with opened(database, home) as space:
        plan = psycopg.ClientCursor(space.connection).execute(
            b"EXPLAIN (ANALYZE, FORMAT JSON) " + load_statement("graph.find_chunks_naming_both").encode(),
            parameters,
        )
        row = plan.fetchone()
    assert row is not None
    read = sum(
        node["Actual Rows"] * node["Actual Loops"]
        for node in _nodes(row[0][0]["Plan"])
        if node.get("Relation Name") == "node_mention"
    )
    assert 0 < read <= 2 * cooccurrence_passages.MAX_PROBES, json.dumps(row[0])


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", ()) for node in _nodes(child))]
