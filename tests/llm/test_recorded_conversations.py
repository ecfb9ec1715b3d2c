"""What was recorded of a model comes back without it: the same graph, the same answers, the same faults."""

import json
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.answers.shapes import Mode
from app.db.database import Database
from app.db.session import SpaceSession
from app.errors import ConfigurationError
from app.ids import TenantId
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.jobs.states import JobState
from app.llm.breaker import Breakers
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.conversations import ConversationFolder, Exchange, Recording, compute_request_key
from app.llm.embedding.openai_embedder import OpenAIEmbedder
from app.llm.errors import NOT_RECORDED_CODE, MalformedReply, ModelRefused, ModelUnavailable
from app.llm.structured_output import Question
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.settings import Settings
from app.transfer.export.service import export_space
from app.transfer.export.shapes import ExportFormat
from tests.conftest import Home, make_home, under
from tests.llm.conftest import Clock
from tests.support.ingest import corpus, picture, submit, text
from tests.support.questions import ENGINE, answer
from workers.runner import Runner

KEY = "sk-recorded-secret"
SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[^\"]*")

Make = Callable[..., ModelClient]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


@pytest.fixture
def make(clock: Clock) -> Iterator[Make]:
    made: list[ModelClient] = []

    def client(base_url: str, **options: object) -> ModelClient:
        made.append(
            ModelClient(
                api_key=KEY,
                base_url=base_url,
                model="double",
                sleep=clock.sleep,
                breakers=Breakers(clock),
                **{"timeout": 5.0, **options},  # type: ignore[arg-type]
            )
        )
        return made[-1]

    yield client
    for made_client in made:
        made_client.close()


def ingest(database: Database, settings: Settings, home: Home, client: ModelClient) -> JobState:
    extractors = Extractors(database, client)
    runner = Runner(
        under(database, settings),
        settings,
        {IngestDocuments.kind: partial(ingest_documents, extractors=extractors)},
    )
    engine = text(ENGINE, title="Engine", source_uri="engine")
    _, job_id = submit(database, home, *corpus()[:5], engine)
    runner.drain()
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        return JobState(queue.get_job(space, job_id).state)


def exported(database: Database, home: Home) -> str:
    """The space as JSON lines, each id by its turn and times as one word."""
    turns: dict[str, str] = {}

    def read(work: Callable[[SpaceSession], Any]) -> Any:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return work(space)

    whole = b"".join(export_space(read, ExportFormat.JSON_LINES)).decode()
    in_turn = _ID.sub(lambda found: turns.setdefault(found[0], f"id-{len(turns)}"), whole)
    return _TIME.sub("TIME", in_turn)


def test_ingest_and_answers_come_back_without_the_server(
    database: Database, settings: Settings, home: Home, folder: Path, make: Make
) -> None:
    with ModelDouble(RulesAnswerer()) as double:
        address = double.base_url
        recorded = make(address, record=folder)
        assert ingest(database, settings, home, recorded) is JobState.DONE
        said = answer(database, home, recorded)
        asked = len(double.calls)
    assert said.mode is Mode.MODEL
    assert len(list(Recording(folder).iter_exchanges())) == asked
    again = make_home(database, "tenant-replayed")
    replaying = make(address, replay=folder)
    assert ingest(database, settings, again, replaying) is JobState.DONE
    assert picture(database, again) == picture(database, home)
    assert exported(database, again) == exported(database, home)
    assert "Analytical Engine" in exported(database, again)
    repeated = answer(database, again, replaying)
    assert [sentence.text for sentence in repeated.sentences] == [
        sentence.text for sentence in said.sentences
    ]
    assert (repeated.mode, repeated.usage.cost_usd) == (said.mode, said.usage.cost_usd)


def test_what_was_not_recorded_is_refused_by_name_and_asks_no_server(
    database: Database, settings: Settings, home: Home, folder: Path, make: Make, tenant: TenantId
) -> None:
    with ModelDouble(RulesAnswerer()) as double:
        make(double.base_url, record=folder).ask(tenant, question("Known"), [])
        asked = len(double.calls)
        replaying = make(double.base_url, replay=folder)
        assert replaying.ask(tenant, question("Known"), []) == {}
        with pytest.raises(ModelRefused, match="recording has no answer") as refused:
            replaying.ask(tenant, question("Other"), [])
        assert refused.value.code == NOT_RECORDED_CODE
        with pytest.raises(ModelRefused) as refused:
            list(replaying.stream(tenant, "answer", question("Other").messages, []))
        assert refused.value.code == NOT_RECORDED_CODE
        # A job says so too, and fails.
        assert ingest(database, settings, home, replaying) is JobState.FAILED
        assert len(double.calls) == asked


def question(words: str) -> Question:
    return Question("test", [{"role": "user", "content": words}], SCHEMA)


def test_faults_come_back_in_their_order(folder: Path, make: Make, tenant: TenantId, clock: Clock) -> None:
    with ModelDouble() as double:
        double.faults.add(Fault(M.RATE_LIMITED, times=1, retry_after="7"))
        double.faults.add(Fault(M.REFUSED, times=1))
        double.faults.add(Fault(M.SERVER_ERROR, times=1))
        recorded = make(double.base_url, record=folder)
        calls: list[CallRecord] = []
        double.when(lambda prompt: "Known" in prompt, {"ok": True})
        assert recorded.ask(tenant, question("Known"), calls) == {"ok": True}
        address = double.base_url
    waits = list(clock.waits)
    repeated: list[CallRecord] = []
    assert make(address, replay=folder).ask(tenant, question("Known"), repeated) == {"ok": True}
    outcomes = [call.outcome for call in calls]
    assert outcomes == ["rate_limited", "connection", "server_error", "ok"]
    assert [call.outcome for call in repeated] == outcomes
    assert [call.prompt_tokens for call in repeated] == [call.prompt_tokens for call in calls]
    assert clock.waits[len(waits)] >= 7


def test_a_call_that_ran_out_of_time_does_so_again(folder: Path, make: Make, tenant: TenantId) -> None:
    with ModelDouble() as double:
        double.faults.add(Fault(M.HANG, times=1))
        with pytest.raises(ModelUnavailable, match="in time"):
            make(double.base_url, record=folder, timeout=0.3, attempts=1).ask(tenant, question("Slow"), [])
        address = double.base_url
    with pytest.raises(ModelUnavailable, match="in time"):
        make(address, replay=folder, attempts=1).ask(tenant, question("Slow"), [])


def test_streams_come_back_in_whole_and_cut_ones_cut(folder: Path, make: Make, tenant: TenantId) -> None:
    messages = question("Tell").messages
    with ModelDouble() as double:
        double.when(lambda prompt: "Tell" in prompt, "Ada wrote it [1]. " * 20)
        recorded = make(double.base_url, record=folder)
        whole = "".join(recorded.stream(tenant, "answer", messages, []))
        double.faults.add(Fault(M.CUT_STREAM))
        cut = read_until_it_breaks(recorded, tenant, messages)
        address = double.base_url
    replaying = make(address, replay=folder)
    assert "".join(replaying.stream(tenant, "answer", messages, [])) == whole
    assert read_until_it_breaks(replaying, tenant, messages) == cut
    assert 0 < len(cut) < len(whole)


def read_until_it_breaks(client: ModelClient, tenant: TenantId, messages: Sequence[Mapping[str, str]]) -> str:
    pieces: list[str] = []
    with pytest.raises(MalformedReply, match="stopped in the middle"):
        pieces.extend(client.stream(tenant, "answer", messages, []))
    return "".join(pieces)


def test_vectors_come_back(folder: Path, make: Make, tenant: TenantId) -> None:
    with ModelDouble() as double:
        texts, address = ["Ada", "Charles"], double.base_url
        recorded = make(address, record=folder)
        first = OpenAIEmbedder(recorded, model="e", dimensions=32, tenant_id=tenant).embed(texts)
    again = OpenAIEmbedder(make(address, replay=folder), model="e", dimensions=32, tenant_id=tenant)
    assert (again.embed(texts) == first).all()


def test_no_key_is_kept_and_nobody_else_may_read(folder: Path, make: Make, tenant: TenantId) -> None:
    with ModelDouble() as double:
        double.when(lambda prompt: "key" in prompt, {"ok": True, "echo": f"of {KEY}"})
        address = double.base_url.replace("://", "://user:hidden@")
        asked = question(f"A document with the key {KEY}")
        said = make(address, record=folder).ask(tenant, asked, [])
    assert said["echo"] == f"of {KEY}"
    files = sorted(folder.iterdir())
    assert len(files) == 1
    for file in files:
        written = file.read_text()
        assert KEY not in written
        assert "hidden" not in written
        assert "***" in written
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # Whoever asks the same again finds it, by what was asked.
    assert make(address, replay=folder).ask(tenant, asked, [])["echo"] == "of ***"


def test_settings_that_decide_the_prompts_are_kept_without_credentials(folder: Path) -> None:
    settings = Settings.model_validate(
        {
            "openai_api_key": KEY,
            "openai_base_url": "https://user:hidden@models.example:8443/v1?key=hidden",
            "llm_model": "large",
            "llm_passages": 3,
            "verify_sentences": False,
            "llm_record": folder,
        }
    )
    ModelClient.create_for_chat(settings).close()
    (file,) = folder.iterdir()
    assert KEY not in file.read_text()
    assert "hidden" not in file.read_text()
    ConversationFolder(folder).write_exchange(exchange(), secret=None)
    assert Recording(folder).load_settings() == {
        "openai_base_url": "https://models.example:8443/v1",
        "llm_model": "large",
        "llm_passages": 3,
        "verify_sentences": False,
    }


def exchange(**changes: object) -> Exchange:
    given = {
        "server": "https://m.example/v1",
        "path": "/x",
        "request": {"a": 1},
        "at": "2026",
        "seconds": 0.1,
    }
    return Exchange(**{**given, **changes})  # type: ignore[arg-type]


def test_the_day_and_the_fence_of_a_prompt_are_no_part_of_what_it_asks() -> None:
    def prompt(fence: str, day: str, asked: str = "Who?", text: str = "Today: 2020-01-01") -> str:
        head = f"Lines that begin with #{fence} divide the passages"
        content = f"{head}\n#{fence} 1\n{text}\n#{fence} end\nToday: {day}\nQuestion: {asked}"
        return compute_request_key("/chat/completions", {"messages": [{"role": "user", "content": content}]})

    first = prompt("0a0b0c0d", "2026-01-01")
    assert prompt("11223344", "2026-05-05") == first
    assert prompt("0a0b0c0d", "2026-01-01", asked="Whom?") != first
    assert prompt("0a0b0c0d", "2026-01-01", text="Today: 2020-01-02") != first


def test_folders_that_cannot_serve_are_refused(tmp_path: Path, make: Make) -> None:
    with pytest.raises(ConfigurationError, match="no recorded requests"):
        make("http://127.0.0.1:1/v1", replay=tmp_path)
    with pytest.raises(ConfigurationError, match="cannot both be set"):
        make("http://127.0.0.1:1/v1", replay=tmp_path, record=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="not a writable folder"):
        make("http://127.0.0.1:1/v1", record=tmp_path / "file")
    ConversationFolder(tmp_path).write_exchange(exchange(answer=b"\xff\x00"), secret=None)
    recording = Recording(tmp_path)
    kept = recording.advance_to_next_exchange("/x", {"a": 1})
    assert kept is not None
    assert kept.answer == b"\xff\x00"
    (spoilt,) = (path for path in tmp_path.iterdir() if path.suffix == ".json")
    spoilt.write_text(json.dumps({"format": 2}))
    with pytest.raises(ConfigurationError, match="not a recorded exchange"):
        recording.advance_to_next_exchange("/x", {"a": 1})
