"""Reports on communities by a model: cited, kept, paid once, and by rules where the model fails (requirement
7.3).
"""

from functools import partial

from app.db.database import Database
from app.derived.communities import service as communities
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import enqueue_detection_or_run_waiting_now
from app.derived.communities.shapes import Community
from app.graph import service as graph
from app.jobs.kinds import DetectCommunities
from app.llm.client import ModelClient
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.settings import Settings
from tests.conftest import Home, under
from tests.support.ingest import ingest_now, text
from workers.runner import Runner

FACTS = (
    "Ada Lovelace created Analytical Engine Notes. Alma Canary created Analytical Engine Notes. Charles"
    " Babbage founded Difference Engine Works in London. Alma Canary works for Difference Engine Works."
)


def detect(database: Database, settings: Settings, home: Home, client: ModelClient | None) -> list[Community]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        enqueue_detection_or_run_waiting_now(space)
    handlers = {DetectCommunities.kind: partial(detect_communities_and_write_reports, client=client)}
    assert Runner(under(database, settings), settings, handlers).drain() == 1
    with database.open_space(home.tenant_id, home.space_id) as space:
        return communities.list_communities(space)


def forget_reports(database: Database, home: Home) -> None:
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            "UPDATE community SET reported_hash = NULL WHERE knowledge_space_id = %s", [home.space_id]
        )


def test_findings_cite_edges_by_the_facts_that_the_model_names(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    ingest_now(database, settings, home, [text(FACTS)])
    found = detect(database, settings, home, client)
    with database.open_space(home.tenant_id, home.space_id) as space:
        edges = {edge.id for edge in graph.list_edges(space)}
    large = [community for community in found if community.member_count >= 3]
    assert large
    for community in large:
        assert community.reported_by == "double"
        assert community.summary.startswith("About ")
        assert community.findings
        assert all(finding.edge_ids and set(finding.edge_ids) <= edges for finding in community.findings)


def test_an_unchanged_corpus_makes_no_call_at_all(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    """The ledger shows zero: neither another run nor reports written anew are paid again."""
    ingest_now(database, settings, home, [text(FACTS)])
    first = detect(database, settings, home, client)
    paid = len(double.calls)
    assert paid > 0
    ingest_now(database, settings, home, [text(FACTS)])
    assert detect(database, settings, home, client) == first
    forget_reports(database, home)
    again = detect(database, settings, home, client)
    assert [community.findings for community in again] == [community.findings for community in first]
    assert len(double.calls) == paid
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = space.connection.execute(
            "SELECT cached, count(*) FROM model_call WHERE knowledge_space_id = %s"
            " AND purpose = 'community_report' GROUP BY cached ORDER BY cached",
            [home.space_id],
        ).fetchall()
    assert rows == [(False, paid), (True, 1)]


def test_a_title_once_given_stays(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    ingest_now(database, settings, home, [text(FACTS)])
    before = {community.id: community for community in detect(database, settings, home, client)}
    ingest_now(database, settings, home, [text("Alma Canary created Punched Card Reader.", title="More")])
    after = {community.id: community for community in detect(database, settings, home, client)}
    changed = [
        community
        for community in after.values()
        if community.id in before and community.findings != before[community.id].findings
    ]
    assert changed
    assert all(after[made].title == before[made].title for made in before.keys() & after.keys())


def test_rules_report_where_the_answer_cannot_be_used(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    double.faults.add(Fault(M.CUT_JSON))
    ingest_now(database, settings, home, [text(FACTS)])
    found = detect(database, settings, home, client)
    assert {community.reported_by for community in found} == {"rules"}
    assert all(community.findings for community in found)


def test_a_finding_that_names_no_fact_of_ours_is_left_out(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    told = {
        "title": "Engines",
        "summary": "About engines.",
        "findings": [
            {"text": "True.", "facts": [1]},
            {"text": "Invented.", "facts": [99]},
            {"text": "Bare.", "facts": []},
        ],
    }
    answer = {"passages": [{"id": number, **told} for number in range(1, 9)]}
    double.when(lambda prompt: '"findings"' in prompt, answer)
    ingest_now(database, settings, home, [text(FACTS)])
    large = [
        community for community in detect(database, settings, home, client) if community.member_count >= 3
    ]
    assert large
    for community in large:
        assert community.title == "Engines"
        assert [finding.text for finding in community.findings] == ["True."]
