"""Requirement 10.4: what the example corpus says as a whole, over its communities, with and without a
model.
"""

import secrets
from collections.abc import Iterator

import pytest
from sqlalchemy import URL, select

from app.answers.ask import ask
from app.answers.global_search import MIN_REPORTS, QUOTED_REPORTS
from app.answers.shapes import WITHOUT_MODEL, AnswerScope, ContextFound, FinalAnswer, Mode, Question
from app.db.database import Database
from app.db.models import ModelCall
from app.derived.communities import service as communities
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import enqueue_detection_or_run_waiting_now
from app.ids import SpaceId, TenantId
from app.jobs.kinds import DetectCommunities
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedders
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query, RetrievalResult
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import service as tenants
from app.wiring import open_database
from tests.conftest import Home, make_home, under
from tests.llm.conftest import MakeClient
from tests.support.database_copies import copy_database, drop_database
from tests.support.ingest import corpus, ingest_now
from tests.support.pooler import as_app
from tests.support.questions import assert_resolves
from workers.runner import Runner

THEMES_ASKED = "What are the main themes of these documents?"


@pytest.fixture(scope="module")
def filled(module_url: URL, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Home]:
    """A database to copy, with the example corpus and its communities in a home."""
    address = as_app(module_url).render_as_string(hide_password=False)
    settings = Settings(database_url=address, home=tmp_path_factory.mktemp("home"), pool_size=2)
    database = open_database(address, settings)
    home = make_home(database, "tenant-a")
    ingest_now(database, settings, home, corpus())
    with database.open_space(home.tenant_id, home.space_id) as space:
        enqueue_detection_or_run_waiting_now(space)
    handlers = {DetectCommunities.kind: detect_communities_and_write_reports}
    Runner(under(database, settings), settings, handlers).drain()
    database.dispose()
    assert module_url.database is not None
    return module_url.database, home


@pytest.fixture
def privileged_url(admin_url: URL, filled: tuple[str, Home]) -> Iterator[URL]:
    """A copy of that database instead of an empty one."""
    name = f"citegraph_globally_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=filled[0])
    yield admin_url.set(database=name)
    drop_database(admin_url, name)


@pytest.fixture
def library(filled: tuple[str, Home]) -> Home:
    """The example corpus with its communities."""
    return filled[1]


def answer(
    database: Database,
    home: Home,
    client: ModelClient | None,
    question: str = THEMES_ASKED,
    tokens: int = 4_000,
) -> tuple[ContextFound, FinalAnswer]:
    def retrieve() -> RetrievalResult:
        raise AssertionError("a global question searches no passages")

    first, *_, last = ask(
        under(database, Settings(context_tokens=tokens)),
        home.tenant_id,
        home.space_id,
        Question(question, scope=AnswerScope.GLOBAL),
        retrieve=retrieve,
        client=client,
    )
    assert isinstance(first, ContextFound)
    assert isinstance(last, FinalAnswer)
    return first, last


def test_without_a_model_the_foremost_reports_are_told_with_their_sentences(
    database: Database, library: Home
) -> None:
    _, found = answer(database, library, None)
    assert found.mode is Mode.EXTRACTIVE
    assert WITHOUT_MODEL in found.warnings
    assert any(f"the {QUOTED_REPORTS} most relevant are quoted" in warning for warning in found.warnings)
    assert MIN_REPORTS <= len(found.sentences) <= QUOTED_REPORTS
    assert all(sentence.citations and sentence.supported for sentence in found.sentences)
    assert_resolves(database, library, found)
    with database.open_space(library.tenant_id, library.space_id) as space:
        titles = [community.title for community in communities.list_communities(space, limit=200)]
    assert all(any(sentence.text.startswith(title) for title in titles) for sentence in found.sentences)


def test_the_reports_are_those_of_the_coarsest_level_that_has_enough(
    database: Database, library: Home
) -> None:
    _, found = answer(database, library, None)
    with database.open_space(library.tenant_id, library.space_id) as space:
        coarsest = communities.list_communities(space, level=0, limit=200)
        finer = {community.title for community in communities.list_communities(space, level=1, limit=200)}
    assert len(coarsest) >= MIN_REPORTS
    own = {community.title for community in coarsest} - finer
    told = [line for line in found.context.facts.splitlines() if line.startswith("## ")]
    assert any(line.removeprefix("## ").rpartition(" (")[0] in own for line in told)
    # One has no claim to read: its nodes are only named together.
    claimed = [community for community in coarsest if community.findings]
    assert any(
        sentence.startswith(f"Of {len(claimed)} communities at level 0,") for sentence in found.truncated
    )


def test_a_question_about_something_ranks_the_reports_about_it_first(
    database: Database, library: Home
) -> None:
    _, found = answer(database, library, None, "What is told about Oracle and its founders?")
    assert "Oracle" in found.sentences[0].text


def test_with_a_model_the_reports_are_its_context_and_what_it_makes_up_is_removed(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    context, _ = answer(database, library, None, tokens=50_000)
    cited = context.context.sources[0]
    double.when(
        lambda prompt: THEMES_ASKED in prompt and context.context.facts.splitlines()[0] in prompt,
        f"{cited.text} [{cited.number}] They also tell of submarines [999].",
    )
    _, found = answer(database, library, make_client(double.base_url), tokens=50_000)
    assert found.mode is Mode.MODEL
    assert found.sentences[0].citations == (cited.number,)
    assert [citation.mark for citation in found.removed] == ["[999]"]
    assert_resolves(database, library, found)


def test_with_a_model_the_main_themes_are_named_with_their_sentences(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    """The double as it is shipped, unscripted."""
    _, found = answer(database, library, make_client(double.base_url))
    assert (found.mode, found.removed) == (Mode.MODEL, ())
    with database.open_space(library.tenant_id, library.space_id) as space:
        titles = [community.title for community in communities.list_communities(space, limit=200)]
    assert len(found.sentences) == QUOTED_REPORTS
    for sentence in found.sentences:
        assert any(sentence.text.startswith(f"{title}: ") for title in titles)
        assert sentence.citations
    # The title is not asked about; where a theme says "owns" for "acquired", the double knows no other words.
    assert found.sentences[0].supported
    assert_resolves(database, library, found)


def test_a_title_in_front_supports_no_claim_that_the_sources_do_not_make(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    context, told = answer(database, library, None, tokens=50_000)
    title = told.sentences[0].text.partition(": ")[0]
    number = told.sentences[0].citations[0]
    double.when(
        lambda prompt: THEMES_ASKED in prompt and context.context.facts.splitlines()[0] in prompt,
        f"{title}: Bakers sell warm bread [{number}].",
    )
    _, found = answer(database, library, make_client(double.base_url), tokens=50_000)
    assert [sentence.text for sentence in found.sentences] == [f"{title}: Bakers sell warm bread."]
    assert not found.sentences[0].supported


def test_a_model_that_is_down_leaves_the_reports(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    double.faults.add(Fault(M.STATUS, status=500))
    _, found = answer(database, library, make_client(double.base_url))
    assert found.mode is Mode.EXTRACTIVE
    assert found.sentences


class TestMap:
    """Reports that do not fit into one context are first read apart, each for what it says to the
    question.
    """

    ASKED = "What is told about Oracle and its founders?"

    def test_every_report_is_read_and_the_answer_rests_on_what_helps(
        self, database: Database, library: Home, double: ModelDouble, make_client: MakeClient
    ) -> None:
        _, plain = answer(database, library, None, self.ASKED, tokens=400)
        assert any("were read" in sentence for sentence in plain.truncated)
        first, found = answer(database, library, make_client(double.base_url), self.ASKED, tokens=400)
        assert found.mode is Mode.MODEL
        assert not any("were read" in sentence for sentence in found.truncated)
        points = first.context.facts.splitlines()
        assert points
        assert all(line.startswith("- ") and "[" in line for line in points)
        # The double holds that helpful which shares words with the question.
        assert "Oracle" in points[0]
        assert_resolves(database, library, found)

    def test_what_was_said_of_a_report_is_kept_and_paid_once(
        self, database: Database, library: Home, double: ModelDouble, make_client: MakeClient
    ) -> None:
        client = make_client(double.base_url, prices={"double": (1.0, 1.0)})
        _, once = answer(database, library, client, self.ASKED, tokens=400)
        _, again = answer(database, library, client, self.ASKED, tokens=400)
        assert once.usage.calls > 1
        assert again.usage.calls == 1, "the answer: points and verdicts are kept"
        with database.open_space(library.tenant_id, library.space_id) as space:
            made = space.orm.scalars(select(ModelCall).where(ModelCall.purpose == "report_points")).all()
        assert [call.cached for call in made].count(True) == 1
        assert sum(not call.cached for call in made) == once.usage.calls - 2, "the answer and its check"

    def test_a_point_that_cites_no_finding_of_its_report_is_none(
        self, database: Database, library: Home, double: ModelDouble, make_client: MakeClient
    ) -> None:
        made_up = {"text": "Oracle owns a submarine.", "helpful": 100, "findings": [99]}
        unhelpful = {"text": "It tells of Oracle.", "helpful": 0, "findings": [1]}
        double.when(
            lambda prompt: '"helpful"' in prompt,
            {"passages": [{"id": number, "points": [made_up, unhelpful]} for number in range(1, 9)]},
        )
        first, found = answer(database, library, make_client(double.base_url), self.ASKED, tokens=400)
        assert "submarine" not in first.context.facts
        # Nothing helped: the reports themselves are the context, as many as fit.
        assert first.context.facts.startswith("## ")
        assert any("were read" in sentence for sentence in found.truncated)

    def test_a_model_that_fails_at_the_map_still_leaves_the_reports(
        self, database: Database, library: Home, double: ModelDouble, make_client: MakeClient
    ) -> None:
        double.faults.add(Fault(M.STATUS, status=500))
        _, found = answer(database, library, make_client(double.base_url), self.ASKED, tokens=400)
        assert found.mode is Mode.EXTRACTIVE
        assert found.sentences
        assert any("were read" in sentence for sentence in found.truncated)

    def test_where_all_reports_fit_no_report_is_asked_about(
        self, database: Database, library: Home, double: ModelDouble, make_client: MakeClient
    ) -> None:
        _, found = answer(database, library, make_client(double.base_url), self.ASKED, tokens=50_000)
        assert found.usage.calls == 2, "the answer and its check"
        assert found.truncated == ()


def test_the_overview_stays_within_its_budget_and_says_what_it_left_out(
    database: Database, library: Home
) -> None:
    _, found = answer(database, library, None, tokens=300)
    assert 1 <= len(found.sentences) <= 3
    assert any(sentence.startswith("Of ") and "were read" in sentence for sentence in found.truncated)


def test_the_embedding_of_a_question_by_a_server_is_in_the_ledger(
    database: Database, settings: Settings, double: ModelDouble, make_client: MakeClient
) -> None:
    """Issue 3, item 1: a ledger row per call; a question's is one."""
    embedders = Embedders(make_client(double.base_url), model="double-embedding", dimensions=256)
    with database.open_platform() as platform:
        tenant_id = TenantId(tenants.create_tenant(platform, name="paying", actor="test").id)
    with database.open_tenant(tenant_id) as tenant:
        space = spaces.create_space(
            tenant,
            name="paid",
            embedding_model=embedders.model,
            embedding_dimensions=embedders.dimensions,
            actor="test",
        )
    home = Home(tenant_id, SpaceId(space.id))
    found = Retriever(database, embedders, Settings()).retrieve_and_record_recalls(
        home.tenant_id, home.space_id, Query("Who wrote it?")
    )
    assert found.warnings != ("The question could not be embedded; it was looked for by its words alone.",)
    with database.open_space(home.tenant_id, home.space_id) as session:
        calls = session.orm.scalars(select(ModelCall)).all()
    assert [(call.purpose, call.model, call.outcome) for call in calls] == [
        ("embedding", "double-embedding", "ok")
    ]
