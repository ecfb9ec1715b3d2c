"""Requirement 5.6 on real Postgres: typed attributes per node type, asked of a model where a space wants
them.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from app.db.database import Database
from app.graph import service as graph
from app.graph.shapes import Attribute
from app.graph.write import merges
from app.ids import DocumentId, NodeId
from app.ingest import service as ingesting
from app.ingest.estimate import Estimate, estimate_ingest
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs.kinds import IngestDocuments
from app.llm.client import ModelClient
from app.llm.prompts import attributes as prompt
from app.llm.prompts.fence import parse_fenced_passages
from app.llm.testing import ModelDouble
from app.sandbox.process_sandbox import InProcessSandbox
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.ingest import submit, text
from workers.runner import Runner

FOUNDED = SpaceSettings.model_validate(
    {"node_attributes": {"Organization": {"founded_on": "date", "seat": "text"}}}
)
ACME = "Acme Corporation was founded in 1949 by Jane Doe."
OTHERS = "Acme Corporation was founded in 1950 by Jane Doe."


class Setup:
    """Ingests through the double and looks at what became of it."""

    def __init__(self, database: Database, settings: Settings, home: Home, double: ModelDouble) -> None:
        client = ModelClient(
            api_key="unused", base_url=double.base_url, model="double", parallel=1, attempts=1
        )
        self.extractors = Extractors(database, client)
        self._runner = Runner(
            under(database, settings),
            settings,
            {IngestDocuments.kind: partial(ingest_documents, extractors=self.extractors)},
        )
        self.double, self._database, self._home = double, database, home
        self.asked: list[str] = []
        double.when(self._note, {})

    def _note(self, asked: str) -> bool:
        if _asks(asked):
            self.asked.append(asked)
        return False

    def declare(self, own: SpaceSettings = FOUNDED) -> None:
        with self._database.open_tenant(self._home.tenant_id) as tenant:
            spaces.update_space_row(tenant, self._home.space_id, actor="test", settings=own)

    def take_in(self, *bodies: str) -> list[DocumentId]:
        results, _ = submit(self._database, self._home, *(text(body, source_uri=body) for body in bodies))
        self._runner.drain()
        return [DocumentId(result.document.id) for result in results]

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._database.open_space(self._home.tenant_id, self._home.space_id) as space:
            return space.connection.execute(sql.encode(), [*values]).fetchall()

    def attributes(self, name: str) -> dict[str, Any] | None:
        ((found,),) = self.query(
            "SELECT metadata -> 'attributes' FROM graph_node WHERE canonical_name = %s", name
        )
        assert found is None or isinstance(found, dict)
        return found

    def node(self, name: str) -> NodeId:
        ((found,),) = self.query("SELECT id FROM graph_node WHERE canonical_name = %s", name)
        return NodeId(found)

    def said_of(self, name: str) -> list[Attribute]:
        node = self.node(name)
        with self._database.open_space(self._home.tenant_id, self._home.space_id) as space:
            return graph.list_attributes(space, node)

    def estimated(self, settings: Settings) -> Estimate:
        return estimate_ingest(
            self._database,
            (self._home.tenant_id, self._home.space_id),
            [text(ACME)],
            settings,
            InProcessSandbox(),
        )

    def script(self, answer: dict[str, Any] | str) -> None:
        """What the model says from now on when it is asked for attributes."""
        self.double.when(_asks, answer)


def _asks(asked: str) -> bool:
    return asked.startswith(prompt.PROMPT.system)


@pytest.fixture
def setup(database: Database, settings: Settings, home: Home, double: ModelDouble) -> Iterator[Setup]:
    made = Setup(database, settings, home, double)
    yield made
    made.extractors.close()


def test_by_default_nobody_is_asked(setup: Setup) -> None:
    setup.take_in(ACME)
    assert (setup.asked, setup.attributes("Acme Corporation")) == ([], None)


def test_what_is_found_stands_in_the_metadata_and_under_it_the_words(setup: Setup) -> None:
    setup.declare()
    setup.take_in(ACME)
    assert setup.attributes("Acme Corporation") == {"founded_on": "1949"}
    # Of a type for which nothing is wanted nothing is asked.
    assert setup.attributes("Jane Doe") is None
    (passage,) = parse_fenced_passages(setup.asked[0].removeprefix(f"{prompt.PROMPT.system}\n"))
    things, _ = prompt.parse_entities_and_text(passage)
    assert [mention["name"] for mention in things] == ["Acme Corporation"]
    (said,) = setup.said_of("Acme Corporation")
    assert (said.name, said.value, said.holds) == ("founded_on", "1949", True)
    assert (said.evidence.quote, said.evidence.document_title) == (ACME, "Note")
    assert (said.evidence.char_start, said.evidence.char_end) == (0, len(ACME))


def test_an_estimate_foresees_the_question(setup: Setup, settings: Settings) -> None:
    with_model = settings.model_copy(update={"openai_base_url": setup.double.base_url, "llm_model": "double"})
    calls = [setup.estimated(with_model).calls]
    setup.declare()
    calls.append(setup.estimated(with_model).calls)
    assert calls[1] == calls[0] + 1


def test_a_chunk_is_asked_about_once(setup: Setup) -> None:
    setup.declare()
    setup.take_in(ACME)
    setup.take_in(ACME, f"{ACME} ")
    assert len(setup.asked) == 1


def test_what_most_chunks_say_counts_and_the_smallest_of_equals(setup: Setup) -> None:
    setup.declare()
    _, second, _ = setup.take_in(ACME, OTHERS, f"It is well known: {OTHERS}")
    assert setup.attributes("Acme Corporation") == {"founded_on": "1950"}
    assert [(attribute.value, attribute.holds) for attribute in setup.said_of("Acme Corporation")] == [
        ("1950", True),
        ("1950", True),
        ("1949", False),
    ]
    with setup._database.open_space(setup._home.tenant_id, setup._home.space_id) as space:
        ingesting.delete_document_with_all_its_words(space, second)
    assert setup.attributes("Acme Corporation") == {"founded_on": "1949"}


def test_a_document_that_goes_takes_what_it_said(setup: Setup) -> None:
    setup.declare()
    (only,) = setup.take_in(ACME)
    with setup._database.open_space(setup._home.tenant_id, setup._home.space_id) as space:
        ingesting.delete_document_with_all_its_words(space, only)
    assert setup.query("SELECT count(*) FROM graph_node WHERE metadata ? 'attributes'") == [(0,)]
    assert setup.query("SELECT count(*) FROM node_attribute") == [(0,)]


def test_a_merge_takes_them_along_and_undoing_it_gives_them_back(setup: Setup) -> None:
    setup.declare()
    setup.take_in(ACME, "Zenith Corporation was founded in 1918 by Ada Roe.")
    acme, zenith = setup.node("Acme Corporation"), setup.node("Zenith Corporation")
    with setup._database.open_space(setup._home.tenant_id, setup._home.space_id) as space:
        merge = merges.merge_nodes_by_person(space, acme, zenith, actor="ada").id
    ((together,),) = setup.query("SELECT metadata -> 'attributes' FROM graph_node WHERE id = %s", acme)
    assert together == {"founded_on": "1918"}
    with setup._database.open_space(setup._home.tenant_id, setup._home.space_id) as space:
        merges.unmerge_nodes_by_person(space, merge, actor="ada")
    assert setup.attributes("Acme Corporation") == {"founded_on": "1949"}
    assert setup.attributes("Zenith Corporation") == {"founded_on": "1918"}


def test_what_the_model_makes_up_is_counted_on_the_job(setup: Setup) -> None:
    setup.declare()
    made_up = {
        "name": "Acme Corporation",
        "attribute": "founded_on",
        "value": "1900",
        "quote": "It was in 1900.",
    }
    setup.script({"passages": [{"id": 1, "values": [made_up]}]})
    setup.take_in(ACME)
    assert setup.attributes("Acme Corporation") is None
    ((counts,),) = setup.query("SELECT counts FROM job WHERE kind = 'ingest.documents'")
    assert counts["dropped_ungrounded_attribute"] == 1, json.dumps(counts)


def test_an_answer_that_cannot_be_read_costs_the_attributes_alone(setup: Setup) -> None:
    setup.declare()
    setup.script("no JSON at all")
    setup.take_in(ACME)
    assert setup.attributes("Acme Corporation") is None
    assert setup.query("SELECT count(*) FROM graph_edge") == [(1,)]
