"""What is quarantined is named with its reason in every door, and a retry reads that and nothing else."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog
from citegraph_client import Citegraph as Client
from sqlalchemy import URL

from app.documents.shapes import Submission
from app.extraction.shapes import Extractor
from app.llm.embedding.hashed import HashedEmbedder
from app.mcp import tools
from app.sandbox.process_sandbox import ProcessSandbox
from app.tenancy.accounts.roles import Role
from app.tenancy.tenants.api_keys import Caller
from app.wiring import Citegraph
from tests.api.conftest import NONE, Account, World, assembled, make_keys, serving
from tests.cli.conftest import Call, citegraph, read_json
from tests.conftest import Home, make_home
from tests.dashboard.conftest import Browser, join
from tests.support.culprit_rules import CulpritExtractor, MendedExtractor
from tests.support.ingest import FixedExtractors, make_runner, submit, text
from tests.support.plain_logs import configure_plain_logs
from tests.support.reading import get_fork_server
from tests.support.sampling import sampled

__all__ = ["citegraph"]

# How the culprit goes wrong, and the code by which every door names that.
CODES = {"LOOPS": "chunk_timeout", "RAISES": "unreadable_chunk", "EATS": "chunk_out_of_memory"}


def culprit(word: str) -> Submission:
    """Three chunks, the second of which goes wrong."""
    parts = [
        "Ada Byron created Ingres.",
        f"This {word}. Grace Hopper created Cobol.",
        "Bob Stone created Falcon.",
    ]
    body = "\n".join(f"# Part {number}\n\n{part}\n" for number, part in enumerate(parts))
    return Submission(body.encode(), "markdown", f"{word} inside", source_uri=f"{word}.md")


@dataclass
class Quarantine:
    """A service with one tenant, whose chunks are read in a real sandbox."""

    parts: Citegraph
    account: Account
    client: Client
    pages: Browser

    @property
    def home(self) -> Home:
        return self.account.home

    def work(self, extractor: type[Extractor]) -> None:
        """Run all jobs that wait, with rules that go wrong on words or with others."""
        sandbox = ProcessSandbox(memory_bytes=1 << 28, fork_server=get_fork_server())
        extractors = FixedExtractors(extractor(), HashedEmbedder(), sandbox)
        settings = self.parts.settings.model_copy(update={"chunk_seconds": 1})
        make_runner(self.parts.database, settings, extractors=extractors).drain()

    def submit(self, *submissions: Submission) -> str:
        """Hand documents in; the id of their job."""
        _, job_id = submit(self.parts.database, self.home, *submissions)
        return str(job_id)

    def mcp(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool."""
        (tool,) = [tool for tool in tools.TOOLS if tool.name == name]
        caller = Caller(self.home.tenant_id, "test", frozenset({"read"}))
        asked = tool.input_model.model_validate({"space": str(self.home.space_id), **arguments})
        return tools.call_tool(tool, tools.CallerAccess(caller, self.parts), asked).model_dump(mode="json")

    def extracted_by(self) -> list[str | None]:
        """The extractor that read each chunk to the end, in their order."""
        with self.parts.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            rows = space.connection.execute(
                "SELECT extracted_by FROM knowledge_chunk WHERE knowledge_space_id = %s"
                " ORDER BY document_id, ordinal",
                [self.home.space_id],
            ).fetchall()
            return [row[0] for row in rows]


@pytest.fixture
def logged_apart() -> Iterator[None]:
    """The service's threads log beside what a command prints, which runs in this process, too."""
    configured = structlog.get_config()
    configure_plain_logs(sys.stderr)
    yield
    structlog.configure(**configured)


@pytest.fixture
def quarantine(app_url: URL, tmp_path: Path, logged_apart: None) -> Iterator[Quarantine]:
    with assembled(app_url, tmp_path / "service") as parts:
        home = make_home(parts.database, "tenant-a")
        account = Account("A", home, make_keys(parts.database, home), *[NONE] * 10)
        with serving(parts) as (host, port), Client(f"http://{host}:{port}", account.keys["full"]) as client:
            world = World(parts, None, account, account)  # type: ignore[arg-type]
            yield Quarantine(parts, account, client, join(world, "A", "ada@a.example", Role.ADMIN))


@pytest.mark.soak
@pytest.mark.parametrize("word", sampled(CODES, every=3))
def test_the_reason_is_in_every_door_and_a_retry_reads_the_one_chunk(
    quarantine: Quarantine, citegraph: Call, word: str
) -> None:
    code = CODES[word]
    job_id = quarantine.submit(culprit(word), text("Carl Gray created Kestrel."))
    quarantine.work(CulpritExtractor)
    space = quarantine.client.spaces(str(quarantine.home.space_id))
    job = space.read_job(job_id)
    assert (job.state, job.counts["chunks"], job.counts["failed_chunks"]) == ("done", 3, 1)
    (error,) = job.errors
    assert (error.code, error.chunk_ordinal) == (code, 1)
    document_id, reason = str(error.document_id), error.message

    document = space.read_document(document_id)
    assert (document.state, document.quarantined_chunks) == ("ready", 1)
    (named,) = document.quarantined
    assert (named.ordinal, named.code, named.reason, named.since_version) == (1, code, reason, 1)
    assert {document.quarantined_chunks for document in space.list_documents()} == {0, 1}

    in_space = ("-s", str(quarantine.home.space_id))
    told = read_json(citegraph("documents", "show", document_id, *in_space, "--json"))
    assert [(chunk["ordinal"], chunk["reason"], chunk["since_version"]) for chunk in told["quarantined"]] == [
        (1, reason, 1)
    ]
    assert code in citegraph("documents", "show", document_id, *in_space).stdout
    told = read_json(citegraph("jobs", "show", job_id, *in_space, "--json"))
    assert [(error["document_id"], error["chunk_ordinal"], error["message"]) for error in told["errors"]] == [
        (document_id, 1, reason)
    ]
    assert code in citegraph("jobs", "show", job_id, *in_space).stdout

    seen = quarantine.mcp("read_document", document_id=document_id)
    assert [(chunk["ordinal"], chunk["reason"]) for chunk in seen["quarantined"]] == [(1, reason)]
    assert quarantine.mcp("read_passage", chunk_id=str(named.chunk_id))["quarantine_reason"] == reason

    place = f"/dashboard/spaces/{quarantine.home.space_id}"
    for path in (f"{place}/documents/{document_id}", f"{place}/jobs/{job_id}"):
        page = quarantine.pages.get(path)
        assert reason in page
        assert "chunk 1" in page
    assert "No graph was drawn of 1 chunk" in quarantine.pages.get(f"{place}/documents")

    # An upgrade: other rules, which would read every chunk of a document that is handed in.
    quarantine.pages.post(f"{place}/jobs/{job_id}/retry")
    waiting = space.read_job(job_id)
    assert (waiting.state, waiting.progress, waiting.errors) == ("queued", 50.0, [])
    quarantine.work(MendedExtractor)
    job = space.read_job(job_id)
    assert (job.state, job.counts["chunks"], job.counts["documents"]) == ("done", 4, 2)
    assert (job.counts["failed_chunks"], job.errors) == (0, [])
    assert [by and by.partition("/")[2] for by in quarantine.extracted_by()].count("rules-next") == 1
    document = space.read_document(document_id)
    assert (document.quarantined_chunks, document.quarantined) == (0, [])
    assert any(node.canonical_name == "Cobol" for node in space.list_nodes(q="Cobol"))

    again = citegraph("jobs", "retry", job_id, *in_space)
    assert again.exit_code != 0
    assert 'id="job-retry"' not in quarantine.pages.get(f"{place}/jobs/{job_id}")


def test_what_fails_again_is_named_again_since_the_version_in_which_it_first_did(
    quarantine: Quarantine,
) -> None:
    job_id = quarantine.submit(culprit("RAISES"))
    quarantine.work(CulpritExtractor)
    space = quarantine.client.spaces(str(quarantine.home.space_id))
    space.retry_job(job_id)
    quarantine.work(CulpritExtractor)
    job = space.read_job(job_id)
    assert (job.counts["chunks"], job.counts["failed_chunks"], job.counts["documents"]) == (2, 1, 1)
    assert [error.code for error in job.errors] == ["unreadable_chunk"]
    changed = culprit("RAISES")
    body = changed.raw.replace(b"Falcon", b"Kestrel")
    newer = Submission(body, changed.format, changed.title, source_uri=changed.source_uri)
    other = quarantine.submit(newer)
    quarantine.work(CulpritExtractor)
    (document,) = space.list_documents()
    (named,) = space.read_document(document.id).quarantined
    assert (document.version, named.since_version) == (2, 1)
    # It is the newer job's now.
    with pytest.raises(Exception, match="job_not_retryable"):
        space.retry_job(job_id)
    assert space.retry_job(other).state == "queued"


@pytest.mark.soak
def test_all_that_was_not_read_in_a_space_is_queued_by_one_command(
    quarantine: Quarantine, citegraph: Call
) -> None:
    """The way of an operator after an upgrade: chunks and documents, of whatever jobs."""
    broken = Submission(b"%PDF-1.7\n1 0 obj\n<<", "pdf", "broken")
    quarantine.submit(culprit("RAISES"), text("Carl Gray created Kestrel."))
    quarantine.submit(culprit("CRASHES"), broken)
    quarantine.work(CulpritExtractor)
    in_space = ("-s", str(quarantine.home.space_id))
    asked = read_json(citegraph("documents", "retry", *in_space, "--json"))
    assert asked["documents"] == 3
    quarantine.work(MendedExtractor)
    space = quarantine.client.spaces(str(quarantine.home.space_id))
    job = space.read_job(asked["job"]["id"])
    assert (job.counts["chunks"], job.counts["documents"], job.counts["failed_documents"]) == (2, 2, 1)
    assert {
        document.title: document.quarantined_chunks
        for document in space.list_documents()
        if document.state == "ready"
    } == {
        "RAISES inside": 0,
        "CRASHES inside": 0,
        "Note": 0,
    }
    # The document that fails for a fault of its own may be tried again by its job.
    assert space.retry_job(asked["job"]["id"]).state == "queued"


def test_one_document_is_read_again_by_itself(quarantine: Quarantine) -> None:
    quarantine.submit(culprit("RAISES"))
    quarantine.work(CulpritExtractor)
    space = quarantine.client.spaces(str(quarantine.home.space_id))
    (document,) = space.list_documents()
    place = f"/dashboard/spaces/{quarantine.home.space_id}/documents/{document.id}"
    assert 'id="document-retry"' in quarantine.pages.get(place)
    quarantine.pages.post(f"{place}/retry")
    quarantine.work(MendedExtractor)
    assert space.read_document(document.id).quarantined == []
    quarantine.pages.post(f"{place}/retry", status=409)


@pytest.mark.parametrize("by_document", sampled([True, False], every=2))
def test_what_of_the_file_was_not_read_is_said_after_a_retry_too(
    quarantine: Quarantine, by_document: bool
) -> None:
    lines = b'{"text": "Ada Byron created Ingres."}\n{"text": \n{"text": "This RAISES. Grace Hopper left."}\n'
    job_id = quarantine.submit(Submission(lines, "jsonl", "Lines", source_uri="lines.jsonl"))
    quarantine.work(CulpritExtractor)
    space = quarantine.client.spaces(str(quarantine.home.space_id))
    (listed,) = space.list_documents()
    for extractor in (CulpritExtractor, MendedExtractor):
        document = space.read_document(listed.id)
        assert len(document.quarantined) == 1
        assert document.warnings == ["Damaged and not read: line 2."]
        if by_document:
            space.retry_document(listed.id)
        else:
            space.retry_job(job_id)
        quarantine.work(extractor)
    document = space.read_document(listed.id)
    assert document.quarantined == []
    assert document.warnings == ["Damaged and not read: line 2."]


@pytest.mark.soak
def test_a_retry_that_dies_on_its_way_goes_on_with_the_quarantined_chunks_alone(
    quarantine: Quarantine,
) -> None:
    """Neither a cancelled retry nor the job that goes on with it reads what was read before."""
    job_id = quarantine.submit(culprit("RAISES"))
    quarantine.work(CulpritExtractor)
    space = quarantine.client.spaces(str(quarantine.home.space_id))
    space.retry_job(job_id)
    assert space.cancel_job(job_id).state == "cancelled"
    space.retry_job(job_id)
    quarantine.work(MendedExtractor)
    job = space.read_job(job_id)
    assert (job.state, job.counts["chunks"]) == ("done", 3)
    assert [by and by.partition("/")[2] for by in quarantine.extracted_by()].count("rules-next") == 1
