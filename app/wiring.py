"""The composition root: builds everything once from the settings. Nothing else connects or chooses.

A part is imported by the property that makes it: all of them take half a second of processor, and most
commands use few. This is the one file that imports within functions (tests/architecture/test_files.py).
"""

import importlib
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from app.db.changes import Change
from app.db.engine import create_app_engine
from app.db.node_pools import NodePools
from app.db.replicas.servers import Replicas
from app.db.session import Consequences, Database, SpaceSession
from app.errors import ConfigurationError
from app.ids import SpaceId, TenantId
from app.lazy import import_without_garbage_collection
from app.llm.servers import get_chat_model, get_chat_server, get_embedding_server
from app.settings import Settings

if TYPE_CHECKING:
    from app.answers.golden.evaluator import GoldenAsker
    from app.answers.service import Answerer
    from app.derived.communities.report_writer_choice import Reporters
    from app.derived.eviction.recall_recording import Recorder
    from app.derived.summaries.writers import Writers
    from app.extraction.llm.tag_suggester import TagSuggester
    from app.ingest.extractors import Extractors
    from app.llm.client import ModelClient
    from app.llm.embedding.embedders import Embedders
    from app.retrieval.service import Retriever
    from app.sandbox.service import Sandbox, Template
    from workers.broker import Broker

# What `preload_modules` imports: the modules of the parts below.
PRELOADED_MODULES = (
    "app.answers.golden.evaluator",
    "app.answers.service",
    "app.derived.communities.report_writer_choice",
    "app.derived.eviction.recall_recording",
    "app.derived.summaries.writers",
    "app.extraction.llm.tag_suggester",
    "app.ingest.extractors",
    "app.llm.client",
    "app.llm.embedding.embedders",
    "app.retrieval.service",
    "app.sandbox.service",
    "workers.celery_app",
)

# What children of a sandbox have imported when they are forked.
SANDBOX_MODULES = (
    "app.documents.isolated_reading:preload",
    "app.extraction.chunk_extraction",
    "app.extraction.reader.languages:preload",
    "app.extraction.rules.extractor",
    "app.extraction.imported",
    "app.extraction.llm.answered_extractor",
)


class Citegraph:
    """One process's parts, each imported and made when it is first used.

    A process of several threads makes all of them before it begins (`make_parts`).
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        broker: "Callable[[], Broker]",
        client: "Callable[[], ModelClient | None]",
        embedding_client: "Callable[[], ModelClient | None]",
    ) -> None:
        self.settings = settings
        self.database = database
        self._make_broker = broker
        self._make_client = client
        self._make_embedding_client = embedding_client

        def note_first(tenant_id: TenantId, space_id: SpaceId, recall: object) -> None:
            self.recorder.record_result(tenant_id, space_id, recall)

        database.note_recall = note_first

    @cached_property
    def broker(self) -> "Broker":
        """Wakes workers."""
        return self._make_broker()

    @cached_property
    def client(self) -> "ModelClient | None":
        """The chat model's server; None means rules and quotes."""
        return self._make_client()

    @cached_property
    def embedding_client(self) -> "ModelClient | None":
        """The server of embedding models, perhaps the chat model's; None means vectors made here."""
        return self._make_embedding_client()

    @cached_property
    def embedders(self) -> "Embedders":
        """The embedding models, that of new spaces among them."""
        with import_without_garbage_collection():
            from app.llm.embedding.embedders import Embedders
        return Embedders(
            self.embedding_client,
            model=self.settings.embedding_model,
            dimensions=self.settings.embedding_dimensions,
            offered=self.settings.embedding_models,
        )

    @cached_property
    def sandbox(self) -> "Sandbox":
        """Runs what works on strangers' texts in child processes."""
        return make_sandbox(self.settings)

    @cached_property
    def extractors(self) -> "Extractors":
        """Who reads documents: rules, or a model by setting."""
        with import_without_garbage_collection():
            from app.ingest.extractors import ModelExtractors, RulesExtractors
            from app.llm.model_calls.batching import CallSize
        if self.client is None:
            return RulesExtractors(self.database, embedders=self.embedders, sandbox=self.sandbox)
        return ModelExtractors(
            self.client,
            self.database,
            embedders=self.embedders,
            sandbox=self.sandbox,
            call_size=CallSize(self.settings.llm_passages, self.settings.llm_one_thing),
            offered=self.settings.llm_models,
        )

    @cached_property
    def retriever(self) -> "Retriever":
        """Finds what answers a question."""
        with import_without_garbage_collection():
            from app.retrieval.service import Retriever
        return Retriever(self.database, self.embedders, self.settings)

    @cached_property
    def answerer(self) -> "Answerer":
        """Answers a question."""
        with import_without_garbage_collection():
            from app.answers.service import Answerer
        return Answerer(
            self.database, self.retriever, self.client, statement_seconds=self.settings.answer_timeout
        )

    @cached_property
    def golden_asker(self) -> "GoldenAsker":
        """Asks golden questions."""
        with import_without_garbage_collection():
            from app.answers.golden.evaluator import GoldenAsker
        return GoldenAsker(self.database, self.embedders, self.settings, self.client)

    @cached_property
    def reporters(self) -> "Reporters":
        """Who reports on communities."""
        with import_without_garbage_collection():
            from app.derived.communities.report_writer_choice import Reporters
        return Reporters(self.database, self.client)

    @cached_property
    def writers(self) -> "Writers":
        """Who writes summaries of nodes."""
        with import_without_garbage_collection():
            from app.derived.summaries.writers import Writers
        return Writers(self.database, self.client)

    @cached_property
    def tagger(self) -> "TagSuggester":
        """Suggests tags of nodes."""
        with import_without_garbage_collection():
            from app.extraction.llm.tag_suggester import TagSuggester
        return TagSuggester(self.database, self.settings, self.client)

    @cached_property
    def recorder(self) -> "Recorder":
        """Takes note of what answers returned."""
        with import_without_garbage_collection():
            from app.derived.eviction.recall_recording import Recorder
        recorder = Recorder(
            self.database, seconds=self.settings.recall_seconds, most=self.settings.recall_buffer
        )
        self.database.note_recall = recorder.record_result
        return recorder

    def make_parts(self) -> None:
        """Make all of them now. Raises ConfigurationError for one that its setting does not allow."""
        for name, attribute in vars(type(self)).items():
            if isinstance(attribute, cached_property):
                getattr(self, name)

    def close(self) -> None:
        """Write what was noted and give back connections."""
        parts = vars(self)
        for name in ("recorder", "retriever", "extractors", "sandbox"):
            if name in parts:
                parts[name].close()
        client, embedding_client = parts.get("client"), parts.get("embedding_client")
        if "extractors" not in parts and client is not None:
            client.close()
        if embedding_client is not None and embedding_client is not client:
            embedding_client.close()
        self.database.dispose()
        if "broker" in parts:
            parts["broker"].close()


def connect(settings: Settings) -> Citegraph:
    """The parts of this process, connected lazily. Raises ConfigurationError for a missing address."""
    if settings.database_url is None or settings.redis_url is None:
        raise ConfigurationError(
            "CITEGRAPH_DATABASE_URL and CITEGRAPH_REDIS_URL must be set, or the embedded servers started"
            " first."
        )

    def make_client() -> "ModelClient | None":
        if get_chat_model(settings) is None:
            return None
        with import_without_garbage_collection():
            from app.llm.client import ModelClient
        return ModelClient.for_chat(settings)

    def make_embedding_client() -> "ModelClient | None":
        server = get_embedding_server(settings)
        if server is None or server == get_chat_server(settings):
            return citegraph.client
        with import_without_garbage_collection():
            from app.llm.client import ModelClient
        return ModelClient.for_embeddings(settings)

    redis_url = settings.redis_url

    def make_broker() -> "Broker":
        with import_without_garbage_collection():
            from workers.broker import Broker
        return Broker(redis_url)

    citegraph = Citegraph(
        settings,
        open_database(settings.database_url, settings, wake=lambda: citegraph.broker.wake()),
        broker=make_broker,
        client=make_client,
        embedding_client=make_embedding_client,
    )
    return citegraph


def assemble_parts(
    settings: Settings, database: Database, broker: "Broker", client: "ModelClient | None" = None
) -> Citegraph:
    """The parts over a database, a broker and a model that are there already; None means rules."""
    return Citegraph(
        settings, database, broker=lambda: broker, client=lambda: client, embedding_client=lambda: client
    )


def preload_modules() -> None:
    """Import what all parts are made of, for a process whose children make them."""
    with import_without_garbage_collection():
        for module in PRELOADED_MODULES:
            importlib.import_module(module)


def make_sandbox(settings: Settings, template: "Template | None" = None) -> "Sandbox":
    """The sandbox in which this process reads texts; its children come from that template, else from one of
    its own.
    """
    with import_without_garbage_collection():
        from app.sandbox.service import ProcessSandbox
    return ProcessSandbox(
        memory_bytes=settings.parse_memory_bytes, modules=SANDBOX_MODULES, template=template
    )


def open_database(url: str, settings: Settings, *, wake: Callable[[], None] = lambda: None) -> Database:
    """The door to the database there, connected lazily."""
    return Database(
        create_app_engine(url, settings),
        settings,
        wake=wake,
        consequences=consequences_of_changes(settings),
        replicas=_make_replicas(url, settings),
        node_pools=NodePools(url, settings),
    )


def _make_replicas(url: str, settings: Settings) -> Replicas | None:
    """The replicas that reads may go to, with what says who may; None where there are none."""
    if not settings.replica_addresses:
        return None
    # A note outlives the lag that is borne: who has none has written nothing that a replica in use lacks.
    with import_without_garbage_collection():
        from app.db.replicas.last_writes import WritePositions
    positions = WritePositions(settings.redis_url or "", seconds=2 * settings.replica_max_lag + 1)
    return Replicas(url, settings, positions)


def consequences_of_changes(settings: Settings) -> Consequences:
    """Return what follows from each kind of change: jobs that look again, queued in its transaction."""

    def look_again(space: SpaceSession) -> None:
        with import_without_garbage_collection():
            from app.derived.communities import scheduling as communities
            from app.derived.summaries import scheduling as summaries
        communities.schedule_detection(space, settings)
        summaries.schedule_summary_refresh(space, settings)

    def look_at_size(space: SpaceSession) -> None:
        with import_without_garbage_collection():
            from app.derived.eviction import scheduling as eviction
        eviction.schedule_eviction(space, settings)

    def wait_for_due_claims(space: SpaceSession) -> None:
        with import_without_garbage_collection():
            from app.jobs import queue
            from app.jobs.kinds import BeginClaims
        queue.enqueue_or_run_earlier(space, BeginClaims(), delay=space.due_in or 0.0)

    return {
        Change.GRAPH: look_again,
        Change.GROWTH: look_at_size,
        Change.DUE: wait_for_due_claims,
    }
