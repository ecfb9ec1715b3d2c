"""What a source only says somebody claims: told apart with who claims it, and a fact for nobody."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from app.answers.context import build_context
from app.db.database import Database
from app.graph import contested
from app.graph import service as graph
from app.graph.shapes import Explanation, GraphFilters
from app.graph.validity import Polarity
from app.ids import EdgeId
from app.llm.embedding.embedders import Embedders
from app.llm.testing import ModelDouble
from app.mcp.tools import _show_reported_claims
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.views.explanations import ExplanationAnswer
from tests.conftest import Home
from tests.integration.test_space_import import bring, exported, rows_of
from tests.oracle.gold import GoldEntity, GoldRelation, GoldText
from tests.oracle.languages import GROUP, PERSON, REPORTS
from tests.oracle.measure import take_in
from tests.oracle.oracle import OracleAnswerer
from tests.support.contradictions import declare, look

ENGLISH = REPORTS[0]
STATED = "Since 2019 Greta Holm owns Tarn Cycles."
PEOPLE = (GoldEntity("Greta Holm", PERSON), GoldEntity("Tarn Cycles", GROUP))


def gold(title: str, quote: str, date: str, **more: Any) -> GoldText:
    return GoldText(title, quote, PEOPLE, (GoldRelation(0, "owns", 1, (quote,), **more),), date, "en")


@pytest.fixture
def read(database: Database, settings: Settings, home: Home) -> Callable[..., None]:
    def read_by_a_model(*texts: GoldText) -> None:
        with ModelDouble(OracleAnswerer(texts)) as double:
            loss = take_in(database, settings, (home.tenant_id, home.space_id), texts, double.base_url)
        assert not loss.errors
        assert not loss.dropped

    return read_by_a_model


def explained(database: Database, home: Home, **asked: Any) -> Explanation:
    found: Explanation = look(database, home, lambda space: graph.explain_and_record_recall(space, **asked))
    return found


@pytest.mark.parametrize("text", REPORTS, ids=[str(text.language) for text in REPORTS])
def test_a_report_is_told_apart_with_who_claims_it(
    text: GoldText, database: Database, home: Home, read: Callable[..., None]
) -> None:
    read(text)
    person, firm = text.entities[0].name, text.entities[1].name
    explanation = explained(database, home, from_=person, to=firm)
    assert (explanation.paths, explanation.edges, explanation.denials) == ((), (), ())
    (report,) = explanation.reported
    assert (report.said_by, report.edge.polarity) == (text.relations[1].said_by, Polarity.REPORTED)
    assert report.edge.quote == text.relations[1].quotes[0]
    assert look(database, home, lambda space: [edge.relation_type for edge in graph.list_edges(space)]) == [
        "headquartered_in"
    ]


def test_every_door_tells_it(database: Database, home: Home, read: Callable[..., None]) -> None:
    read(ENGLISH)
    explanation = explained(database, home, question="Does Greta Holm own Tarn Cycles?")
    (report,) = explanation.reported
    said = "Only reported, by “The Valley Courier claims”: Greta Holm owns Tarn Cycles"
    assert said in explanation.narrative
    answer = ExplanationAnswer.model_validate(explanation, from_attributes=True).reported[0]
    assert (answer.said_by, answer.edge.polarity) == ("The Valley Courier claims", "reported")
    assert answer.claim == "Greta Holm owns Tarn Cycles"
    (told,) = _show_reported_claims(explanation)
    assert told.evidence is not None
    assert told.evidence.quote == report.edge.quote
    extraction = look(
        database, home, lambda space: graph.get_extractors_of_edges(space, [EdgeId(report.edge.id)])
    )[report.edge.id]
    assert extraction.said_by == "The Valley Courier claims"


def test_a_claim_that_some_source_states_is_no_report(
    database: Database, home: Home, read: Callable[..., None]
) -> None:
    read(ENGLISH, gold("Register", STATED, "2020-01-01", valid_from=("2019", "Since 2019")))
    explanation = explained(database, home, from_="Greta Holm", to="Tarn Cycles")
    assert [edge.quote for edge in explanation.edges] == [STATED]
    assert explanation.reported == ()


def test_reports_crowd_out_no_denial(
    database: Database, home: Home, read: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contested, "MAX_DENIALS", 3)
    firms = [
        GoldEntity(f"Tarn {name} Cycles", GROUP) for name in ("Ald", "Beck", "Crag", "Dale", "Esk", "Fell")
    ]
    rumours = [f"The Valley Courier claims that Greta Holm owns {firm.name}." for firm in firms]
    denial = "Greta Holm never owned Tarn Cycles."
    relations = [
        GoldRelation(0, "owns", number, (rumour,), said_by="The Valley Courier claims")
        for number, rumour in enumerate(rumours, len(PEOPLE))
    ]
    relations.append(GoldRelation(0, "owns", 1, (denial,), denied_by="never"))
    page = " ".join([*rumours, denial])
    read(GoldText("Rumours", page, (*PEOPLE, *firms), tuple(relations), "2024-01-01", "en"))
    explanation = explained(database, home, question="What does Greta Holm own?")
    assert [told.edge.quote for told in explanation.denials] == [denial]
    assert len(explanation.reported) == 2


def test_a_later_report_ends_nothing(database: Database, home: Home, read: Callable[..., None]) -> None:
    declare(database, home, SpaceSettings(single_valued_relations=["owns"]))
    rumour = "The Valley Courier claims that until 2023 Greta Holm owns Tarn Cycles."
    read(
        gold("Register", STATED, "2020-01-01", valid_from=("2019", "Since 2019")),
        gold(
            "Rumour",
            rumour,
            "2024-01-01",
            said_by="The Valley Courier claims",
            valid_to=("2023", "until 2023"),
        ),
    )
    (edge,) = explained(database, home, from_="Greta Holm", to="Tarn Cycles").edges
    assert (edge.quote, edge.invalidated_at) == (STATED, None)
    past = GraphFilters(as_of=datetime(2021, 1, 1, tzinfo=UTC))
    in_2021 = explained(database, home, from_="Greta Holm", to="Tarn Cycles", filters=past)
    assert [edge.quote for edge in in_2021.edges] == [STATED]


def test_it_comes_back_from_an_export(
    database: Database, home: Home, twin: Home, read: Callable[..., None]
) -> None:
    read(ENGLISH)
    lines = exported(database, home)
    bring(database, twin, lines)
    assert rows_of(exported(database, twin)) == rows_of(lines)
    assert [row["polarity"] for row in map(json.loads, lines) if row["kind"] == "edge"].count("reported") == 1
    (report,) = explained(database, twin, from_="Greta Holm", to="Tarn Cycles").reported
    assert report.said_by == "The Valley Courier claims"


def test_whoever_writes_an_answer_is_told_who_claims_it(
    database: Database, settings: Settings, home: Home, read: Callable[..., None]
) -> None:
    read(ENGLISH)
    retriever = Retriever(database, Embedders(), settings)
    query = Query("Does Greta Holm own Tarn Cycles?")
    context = build_context(
        retriever.retrieve_without_recording_recalls(home.tenant_id, home.space_id, query)
    )
    assert "Only reported, by “The Valley Courier claims”: Greta Holm owns Tarn Cycles [" in context.facts
