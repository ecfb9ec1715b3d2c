"""Tags that an ingest sets where its space wants them: by rules, by a model, never over a person's."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

import pytest

from app.db.database import Database
from app.documents.shapes import Submission
from app.domain.relation_types import DEFAULT_RELATION_TYPES
from app.extraction.llm.tag_suggester import TagSuggester
from app.graph import service as graph
from app.graph.tags import service as node_tags
from app.ids import NodeId
from app.ingest import service as ingest
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs.kinds import IngestDocuments
from app.llm.client import ModelClient
from app.llm.testing import ModelDouble
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.ingest import corpus, submit, text
from workers.runner import Runner

VERBS = {word for relation_type in DEFAULT_RELATION_TYPES for word in relation_type.split("_")} | {
    "uses", "depends", "integrates", "created", "founded", "owned",
}  # fmt: skip


@pytest.fixture
def client() -> Iterator[ModelClient]:
    with ModelDouble(RulesAnswerer()) as double:
        made = ModelClient(api_key="unused", base_url=double.base_url, model="double")
        yield made
        made.close()


def want(database: Database, home: Home, tags: str) -> None:
    spaces.update_space(
        database, home.tenant_id, home.space_id, actor="test", setting_changes={"tags_at_ingest": tags}
    )


def take_in(
    database: Database,
    settings: Settings,
    home: Home,
    submissions: Iterable[Submission],
    client: ModelClient | None = None,
) -> None:
    tagger = TagSuggester(under(database, settings), settings, client)
    submit(database, home, *submissions)
    handler = partial(ingest_documents, extractors=Extractors(database), tagger=tagger)
    Runner(under(database, settings), settings, {IngestDocuments.kind: handler}).drain()


def tags(database: Database, home: Home) -> dict[str, list[str]]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return {
            node.canonical_name: node_tags.list_tags_of_node(space, NodeId(node.id))
            for node in graph.list_nodes(space, limit=200)
        }


@pytest.mark.soak
def test_without_the_setting_nothing_is_tagged(database: Database, settings: Settings, home: Home) -> None:
    take_in(database, settings, home, corpus())
    assert not any(tags(database, home).values())


@pytest.mark.soak
def test_rules_tag_with_topics_and_not_with_verbs(database: Database, settings: Settings, home: Home) -> None:
    want(database, home, "rules")
    take_in(database, settings, home, corpus())
    found = tags(database, home)
    counted = Counter(tag for tag_value in found.values() for tag in tag_value)
    assert sum(bool(tag) for tag in found.values()) >= 20
    assert not VERBS & counted.keys()
    assert counted["database"] > 1


def test_what_has_no_claim_is_not_tagged(database: Database, settings: Settings, home: Home) -> None:
    want(database, home, "rules")
    take_in(database, settings, home, [text("Ada Lovelace wrote letters. Analytical Engine Notes.")])
    assert not any(tags(database, home).values())


def test_a_persons_tags_stay_in_front_when_the_document_comes_again(
    database: Database, settings: Settings, home: Home
) -> None:
    want(database, home, "rules")
    take_in(
        database, settings, home, [text("Michael Stonebraker created Postgres, a database.", source_uri="a")]
    )
    with database.open_space(home.tenant_id, home.space_id) as space:
        node = NodeId(graph.find_nodes(space, "Postgres")[0].id)
        node_tags.choose_and_set_tags(space, node, ["mine"])
    more = text("Michael Stonebraker created Postgres, a relational database.", source_uri="b")
    take_in(database, settings, home, [more])
    assert tags(database, home)["Postgres"][0] == "mine"
    assert len(tags(database, home)["Postgres"]) > 1


def test_a_model_tags_where_the_space_wants_it_and_the_job_has_the_bill(
    database: Database, settings: Settings, home: Home, client: ModelClient
) -> None:
    want(database, home, "model")
    take_in(database, settings, home, [text("Michael Stonebraker created Postgres.")], client)
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = space.connection.execute(
            "SELECT count(*) FROM model_call WHERE knowledge_space_id = %s AND purpose = 'tags'"
            " AND job_id IS NOT NULL",
            [home.space_id],
        ).fetchall()
    assert rows[0][0] > 0
    assert all(
        tags_of_node
        for name, tags_of_node in tags(database, home).items()
        if name in ("Postgres", "Michael Stonebraker")
    )


def test_the_twin_space_is_not_tagged(database: Database, settings: Settings, home: Home, twin: Home) -> None:
    want(database, home, "rules")
    for owner in (twin, home):
        take_in(database, settings, owner, [text("Michael Stonebraker created Postgres, a database.")])
    assert any(tags(database, home).values())
    assert not any(tags(database, twin).values())


def test_a_document_deleted_meanwhile_leaves_the_others_tagged(
    database: Database, settings: Settings, home: Home
) -> None:
    want(database, home, "rules")
    take_in(database, settings, home, [text("Michael Stonebraker created Postgres.", source_uri="a")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (row,) = space.connection.execute(
            "SELECT id FROM document WHERE knowledge_space_id = %s", [home.space_id]
        ).fetchall()
        ingest.delete_document_with_all_its_words(space, row[0], prune=True)
    take_in(database, settings, home, [text("Eugene Wong created Ingres.", source_uri="b")])
    assert tags(database, home).keys() >= {"Ingres", "Eugene Wong"}
