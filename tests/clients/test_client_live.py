"""The client against a running service: everything that files, pages and streams need."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from citegraph_client import (
    AsyncCitegraph,
    Citegraph,
    Conflict,
    ContextEvent,
    DoneEvent,
    Forbidden,
    NotFound,
    SentenceEvent,
    Space,
    Stale,
    Unauthenticated,
)
from citegraph_client.generated.answers import NodePage

from tests.clients.conftest import Service

pytestmark = [pytest.mark.slow, pytest.mark.soak]

TEXT = "Michael Stonebraker created Ingres. Ingres is a database. Ada Lovelace knows Charles Babbage."


@pytest.fixture(scope="module")
def key(service: Service) -> str:
    return service.tenant("live")


@pytest.fixture(scope="module")
def client(service: Service, key: str) -> Iterator[Citegraph]:
    with Citegraph(service.url, key) as opened:
        yield opened


@pytest.fixture(scope="module")
def papers(client: Citegraph, tmp_path_factory: pytest.TempPathFactory) -> Space:
    """A space with a text and a file."""
    made = client.create_space("papers", settings={"promotion_threshold": 1})
    space = client.spaces(made.id)
    note = tmp_path_factory.mktemp("notes") / "notes.md"
    note.write_text("# Notes\n\nGrace Hopper created COBOL.\n", "utf-8")
    space.wait(space.add_text(TEXT, title="History", metadata={"batch": 1}), timeout=120)
    job = space.upload(note, ("more.txt", b"Alan Turing knows Grace Hopper.")).job
    assert job is not None
    seen = [watched_job.state for watched_job in space.watch_job(job.id)]
    assert seen[-1] == "done"
    return space


def test_documents_came_in(papers: Space) -> None:
    found = {document.title: document for document in papers.list_documents()}
    assert set(found) == {"History", "Notes", "more.txt"}
    assert found["History"].metadata == {"batch": 1}
    assert {document.state for document in found.values()} == {"ready"}


def test_pages_are_read_as_one_goes_on(papers: Space) -> None:
    every = [node.id for node in papers.list_nodes()]
    in_twos = papers.list_nodes(page_size=2)
    assert len(every) > 4
    assert [in_two.id for in_two in in_twos] == every
    assert all(isinstance(page, NodePage) and len(page.items) <= 2 for page in in_twos.pages())
    assert [document.id for document in in_twos.first_page().items] == every[:2]


def test_the_same_again_is_nothing_to_wait_for(papers: Space) -> None:
    again = papers.add_text(TEXT, title="History", metadata={"batch": 1})
    assert papers.wait(again) is None


def test_an_answer_is_streamed_and_the_same(papers: Space) -> None:
    question = "What did Michael Stonebraker create?"
    events = list(papers.ask_stream(question))
    assert isinstance(events[0], ContextEvent)
    assert isinstance(events[-1], DoneEvent)
    sentences = [event.data.text for event in events if isinstance(event, SentenceEvent)]
    assert sentences == [sentence.text for sentence in papers.ask(question).sentences]
    assert events[-1].data.citations[0].quote in TEXT


def test_explanations_and_edges_cite(papers: Space) -> None:
    found = papers.explain(from_="Michael Stonebraker", to="Ingres", filters={"min_confidence": 0.1})
    assert found.paths
    assert all(edge.evidence is not None for edge in found.edges)


def test_refusals_are_classes(client: Citegraph, service: Service, papers: Space) -> None:
    with pytest.raises(NotFound):
        client.spaces("nowhere").read_space()
    with pytest.raises(Conflict) as caught:
        client.create_space("papers")
    assert caught.value.code == "name_taken"
    reader = client.create_key("reader", ["read"])
    with Citegraph(service.url, reader.token) as other, pytest.raises(Forbidden):
        other.spaces("papers").add_text("x")
    with Citegraph(service.url, "cg_live_nobody") as other, pytest.raises(Unauthenticated):
        other.list_quotas()


def test_a_change_under_one_key_is_made_once(client: Citegraph) -> None:
    first = client.create_space("once", idempotency_key="once-1")
    assert client.create_space("once", idempotency_key="once-1").id == first.id


def test_another_tenants_space_is_not_found(service: Service, papers: Space) -> None:
    with Citegraph(service.url, service.tenant("twin")) as other:
        for named in ("papers", papers.find_id()):
            with pytest.raises(NotFound):
                other.spaces(named).read_space()


def test_a_space_comes_back_from_its_file(client: Citegraph, papers: Space, tmp_path: Path) -> None:
    file = papers.export_to(tmp_path / "papers.jsonl")
    copy = client.spaces(client.create_space("copy").id)
    assert copy.import_space(file).rows["document"] == 3
    assert [node.canonical_name for node in copy.list_nodes()] == [
        node.canonical_name for node in papers.list_nodes()
    ]
    with papers.export_space("turtle") as pieces:
        assert b"@prefix" in next(iter(pieces))


def test_asynchronous_too(service: Service, key: str, papers: Space) -> None:
    async def run() -> tuple[list[str], str, list[str]]:
        async with AsyncCitegraph(service.url, key) as client:
            space = client.spaces("papers")
            submitted = await space.add_text("Linus Torvalds created Git.", title="Git")
            await space.wait(submitted, timeout=120)
            answer = await space.ask("What did Linus Torvalds create?")
            kinds = [str(event.type) async for event in space.ask_stream("What did Linus Torvalds create?")]
            return (
                [document.title async for document in space.list_documents(page_size=2)],
                answer.answer,
                kinds,
            )

    titles, answer, kinds = asyncio.run(run())
    assert set(titles) == {"History", "Notes", "more.txt", "Git"}
    assert "Linus Torvalds created Git" in answer
    assert (kinds[0], kinds[-1]) == ("context", "done")


def test_a_change_of_what_has_changed_is_stale(papers: Space) -> None:
    """Review B10."""
    seen = papers.read_space()
    assert seen.etag
    papers.update_space(description="first", if_match=seen.etag)
    with pytest.raises(Stale) as refused:
        papers.update_space(description="second", if_match=seen.etag)
    assert refused.value.code == "stale_version"
    assert papers.read_space().description == "first"
    papers.update_space(description="third", if_match=papers.read_space().etag)


def test_a_deletion_is_waited_for(client: Citegraph) -> None:
    """Requirement 1.4: a space is named no more once it is deleted, its deletion still is."""
    client.create_space("fleeting")
    space = client.spaces("fleeting")
    with pytest.raises(NotFound):
        space.wait_for_deletion()
    deleted = space.delete_space()
    assert space.wait_for_deletion(timeout=60) == deleted
    assert deleted.rows["knowledge_space"] == 1
