"""A space of 200,000 chunks and a hub of 50,000 edges: everything that might read all of it, beside another
tenant.
"""

import pytest

from tests.hostile.harness.attacks import Hammer, attacking
from tests.hostile.harness.installation import Installation
from tests.hostile.harness.neighbour import Beside
from tests.support.http_client import Call, Target, get, send

pytestmark = [pytest.mark.slow, pytest.mark.soak]

DOCUMENTS, CHUNKS, SPOKES = 10, 20_000, 50_000


@pytest.fixture(scope="module")
def large(installation: Installation) -> Target:
    """A's space, filled past every limit by a superuser, as one that grew for years."""
    target = installation.attacker
    space = target.space_id
    installation.rows(
        "INSERT INTO document (knowledge_space_id, id, title, source_kind, format, content_hash, byte_size,"
        " state) SELECT %s::uuid, gen_random_uuid(), 'Large ' || n, 'file', 'text', md5(n::text), 600000,"
        " 'ready' FROM generate_series(1, %s) n",
        space,
        DOCUMENTS,
    )
    installation.rows(
        "INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start,"
        " char_end, heading_path, token_count, content_hash, lexemes, extracted_by, created_at) SELECT"
        " d.knowledge_space_id, gen_random_uuid(), d.id, 10 + n, 'Passage ' || n || ' of Ingres', n * 30, n *"
        " 30 + 20, '{}', 5, md5(d.id::text || n), to_tsvector('simple', 'passage ' || n), 'rules', now() - n"
        " * interval '1 minute' FROM document d, generate_series(1, %s) n WHERE d.knowledge_space_id ="
        " %s::uuid AND d.title LIKE 'Large %%'",
        CHUNKS,
        space,
    )
    installation.rows(
        "INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, mention_count)"
        " SELECT %s::uuid, gen_random_uuid(), 'Spoke ' || n, 'Concept', 1 FROM generate_series(1, %s) n",
        space,
        SPOKES,
    )
    installation.rows(
        "INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind)"
        " SELECT knowledge_space_id, lower(canonical_name), id, canonical_name, 'canonical' FROM graph_node"
        " WHERE knowledge_space_id = %s::uuid AND canonical_name LIKE 'Spoke %%'",
        space,
    )
    # Before the edges too: a plan for tables that seem empty takes minutes for them.
    installation.rows("ANALYZE")
    ((evidence,),) = installation.rows(
        "SELECT c.id FROM knowledge_chunk c JOIN document d ON d.id = c.document_id WHERE"
        " c.knowledge_space_id = %s::uuid AND d.title = 'Large 1' LIMIT 1",
        space,
    )
    for first, second in (("hub", "spoke"), ("spoke", "hub")):
        installation.rows(
            "INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type,"
            " weight, metadata, extraction_key, status, evidence_chunk_id) SELECT spoke.knowledge_space_id,"
            f" gen_random_uuid(), {first}.id, {second}.id, 'related_to', 0.9,"
            " jsonb_build_object('confidence', 0.9), gen_random_uuid(), 'confirmed', %s::uuid"
            " FROM graph_node hub JOIN graph_node"
            " spoke USING (knowledge_space_id) WHERE hub.knowledge_space_id = %s::uuid AND"
            " hub.canonical_name = 'Ingres' AND spoke.canonical_name LIKE 'Spoke %%'",
            evidence,
            space,
        )
    installation.rows("ANALYZE")
    return target


def node(target: Target, name: str) -> str:
    found = get(target, f"{target.space}/graph/nodes?q={name}").body["items"]
    return str(found[0]["id"])


def test_the_eviction_plan_of_a_large_space(
    installation: Installation, large: Target, beside: Beside
) -> None:
    """`GET …/eviction` over 435,000 chunks never answered."""
    policy = {"settings": {"eviction": "hybrid", "eviction_ttl_days": 30, "eviction_max_chunks": 1_000}}
    assert send(large, Call.json("PATCH", large.space, policy)).status == 200
    calls = [Call("GET", f"{large.space}/eviction?limit=200"), Call("GET", f"{large.space}/eviction")]
    with beside(), attacking(Hammer(large, calls, threads=12, seconds=5)) as outcomes:
        pass
    print("   ", outcomes)
    outcomes[0].check()
    assert "200" in outcomes[0].seen, outcomes[0]


def questions(space: str, hub: str) -> list[Call]:
    """Everything that may be asked of a space, in the form that costs most."""
    return [
        Call("GET", f"{space}/graph/neighborhood/{hub}?depth=3"),
        Call("GET", f"{space}/graph/neighborhood/{hub}?depth=3&relation_type=related_to"),
        Call.json("POST", f"{space}/graph/explain", {"from": "Ingres", "to": "Spoke 77", "limit": 500}),
        Call.json(
            "POST",
            f"{space}/graph/explain",
            {"question": "Spoke 1 Spoke 2 Spoke 3 Ingres " * 25, "limit": 500},
        ),
        Call.json("POST", f"{space}/graph/neighbors", {"node_ids": [hub] * 100}),
        Call("GET", f"{space}/graph/edges?limit=200&node_id={hub}"),
        Call("GET", f"{space}/graph/edges?limit=200&min_confidence=0.5&relation_type=related_to"),
        Call("GET", f"{space}/graph/relation-types"),
        Call("GET", f"{space}/graph/nodes?q=spoke&limit=200"),
        Call("GET", f"{space}/graph/nodes?q=e&limit=200"),
        Call("GET", f"{space}/graph/nodes/{hub}"),
        Call("GET", f"{space}/graph/tags?prefix="),
        Call("GET", f"{space}/graph/conflicts"),
        Call("GET", f"{space}/graph/communities"),
        Call("GET", f"{space}/embedding?model=hashed-ngrams-256"),
        Call.json("POST", f"{space}/retrieve", {"query": "passage Ingres spoke", "top_k": 100}),
        Call.json("POST", f"{space}/ask", {"question": "passage Ingres spoke"}),
    ]


def test_questions_about_a_hub(installation: Installation, large: Target, beside: Beside) -> None:
    calls = questions(large.space, node(large, "ingres"))
    with beside(), attacking(Hammer(large, calls, threads=24, seconds=6)) as outcomes:
        pass
    print("   ", outcomes)
    outcomes[0].check()


@pytest.mark.parametrize("number", range(17))
def test_each_question_by_itself_is_answered(installation: Installation, large: Target, number: int) -> None:
    """Alone, each is answered within the time-out of a statement, and not with an error."""
    call = questions(large.space, node(large, "ingres"))[number]
    reply = send(large, call)
    print("   ", call.method, call.path[45:110], reply.status, f"{reply.seconds:.2f} s")
    assert reply.status in (200, 422), reply.raw[:300]
    assert reply.seconds < 5


def test_jobs_over_a_star_of_50000_spokes(installation: Installation, large: Target, beside: Beside) -> None:
    """Communities, summaries, another embedding and eviction, all wanted at once."""
    calls = [
        Call("POST", f"{large.space}/graph/communities/detect"),
        Call("POST", f"{large.space}/graph/summaries/refresh"),
        Call.json("POST", f"{large.space}/eviction", {"including_last_evidence": True}),
        Call.json(
            "POST", f"{large.space}/documents", {"text": "Ingres is related to Spoke 7. Ada met Ingres."}
        ),
    ]
    with beside(), attacking(Hammer(large, calls, threads=2, seconds=10)) as outcomes:
        pass
    outcomes[0].check()


def test_a_large_document_and_a_large_space_are_deleted(
    installation: Installation, large: Target, beside: Beside
) -> None:
    """Neither keeps locks or the only worker that others wait for."""
    listed = get(large, f"{large.space}/documents?limit=200").body["items"]
    document = next(
        listed_document["id"] for listed_document in listed if listed_document["title"] == "Large 1"
    )
    calls = [Call("DELETE", f"{large.space}/documents/{document}?prune=true")]
    with beside():
        with attacking(Hammer(large, calls, threads=3, seconds=6, most=6, timeout=40)) as outcomes:
            pass
        print("   ", outcomes)
        with attacking(Hammer(large, [Call("DELETE", large.space)], 2, 6, most=4, timeout=40)) as more:
            pass
        print("   ", more)
    outcomes[0].check()
    more[0].check()


def test_the_service_lives_after_all_of_it(installation: Installation) -> None:
    assert "Traceback" not in installation.log("serve"), installation.log("serve")[-6_000:]
    assert "Traceback" not in installation.log("worker"), installation.log("worker")[-6_000:]
