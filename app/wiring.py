"""The composition root: all parts are built here, once, from the settings.

Each property imports what it needs. Importing everything takes half a second, and most commands need few
parts. This is the only file with imports inside functions (tests/architecture/test_files.py).
"""

import importlib
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from app.db.changes import Change
from app.db.database import Database
from app.db.engine import create_app_engine
from app.db.node_pools import NodePools
from app.db.replicas.servers import Replicas
from app.db.session import Consequences, SpaceSession
from app.errors import ConfigurationError
from app.ids import SpaceId, TenantId
from app.lazy import import_without_garbage_collection
from app.llm.servers import get_chat_model, get_chat_server, get_embedding_server
from app.settings import Settings

if TYPE_CHECKING:
    from app.answers.golden.evaluator import GoldenAsker
    from app.answers.service import Answerer
    from app.derived.eviction.recall_recording import RecallRecorder
    from app.extraction.llm.tag_suggester import TagSuggester
    from app.ingest.extractor_choice import Extractors
    from app.llm.client import ModelClient
    from app.llm.embedding.embedders import Embedders
    from app.retrieval.service import Retriever
    from app.sandbox.process_sandbox import ForkServer, Sandbox
    from workers.broker import Broker

# What `preload_modules` imports: the modules of the parts below.
PRELOADED_MODULES = (
    "app.answers.golden.evaluator",
    "app.answers.service",
    "app.derived.eviction.recall_recording",
    "app.extraction.llm.tag_suggester",
    "app.ingest.extractor_choice",
    "app.llm.client",
    "app.llm.embedding.embedders",
    "app.retrieval.service",
    "app.sandbox.process_sandbox",
    "workers.celery_app",
)

# What children of a sandbox have imported when they are forked.
SANDBOX_MODULES = (
    "app.documents.isolated_parsing:preload_parsers_and_models",
    "app.extraction.chunk_extraction",
    "app.extraction.reader.languages:preload_pipelines",
    "app.extraction.rules.extractor",
    "app.extraction.imported",
    "app.extraction.llm.answered_extractor",
)


class Citegraph:
    """The parts of one process, each imported and built on first use.

    A process with several threads builds all of them before it starts the threads (`build_all_parts`).
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        make_broker: "Callable[[], Broker]",
        make_client: "Callable[[], ModelClient | None]",
        make_embedding_client: "Callable[[], ModelClient | None]",
    ) -> None:
        self.settings = settings
        self.database = database
        self._make_broker = make_broker
        self._make_client = make_client
        self._make_embedding_client = make_embedding_client

        def record_recall(tenant_id: TenantId, space_id: SpaceId, recall: object) -> None:
            self.recall_recorder.record_service_result(tenant_id, space_id, recall)

        database.record_recall_after_commit = record_recall

    @cached_property
    def broker(self) -> "Broker":
        """The broker that wakes workers."""
        return self._make_broker()

    @cached_property
    def client(self) -> "ModelClient | None":
        """The client of the chat model; None if none is configured: then rules extract, and answers quote."""
        return self._make_client()

    @cached_property
    def embedding_client(self) -> "ModelClient | None":
        """The client of the embedding models, possibly that of the chat model; None means local vectors."""
        return self._make_embedding_client()

    @cached_property
    def embedders(self) -> "Embedders":
        """The embedding models of the installation."""
        with import_without_garbage_collection():
            from app.llm.embedding.embedders import Embedders
        return Embedders(
            self.embedding_client,
            model=self.settings.embedding_model,
            dimensions=self.settings.embedding_dimensions,
            offered_models=self.settings.embedding_models,
        )

    @cached_property
    def sandbox(self) -> "Sandbox":
        """The sandbox, which processes untrusted texts in child processes."""
        return make_sandbox(self.settings)

    @cached_property
    def extractors(self) -> "Extractors":
        """The extractors: the configured models, else rules."""
        with import_without_garbage_collection():
            from app.ingest.extractor_choice import Extractors
            from app.llm.model_calls.asker import CallSize
        return Extractors(
            self.database,
            self.client,
            embedders=self.embedders,
            sandbox=self.sandbox,
            call_size=CallSize(self.settings.llm_passages, self.settings.llm_one_thing),
            offered_models=self.settings.llm_models,
        )

    @cached_property
    def retriever(self) -> "Retriever":
        """The service that finds passages and facts for a question."""
        with import_without_garbage_collection():
            from app.retrieval.service import Retriever
        return Retriever(self.database, self.embedders, self.settings)

    @cached_property
    def answerer(self) -> "Answerer":
        """The service that answers questions."""
        with import_without_garbage_collection():
            from app.answers.service import Answerer
        return Answerer(
            self.database, self.retriever, self.client, statement_seconds=self.settings.answer_timeout
        )

    @cached_property
    def golden_asker(self) -> "GoldenAsker":
        """The service that asks golden questions."""
        with import_without_garbage_collection():
            from app.answers.golden.evaluator import GoldenAsker
        return GoldenAsker(self.database, self.embedders, self.settings, self.client)

    @cached_property
    def tagger(self) -> "TagSuggester":
        """The service that suggests tags."""
        with import_without_garbage_collection():
            from app.extraction.llm.tag_suggester import TagSuggester
        return TagSuggester(self.database, self.settings, self.client)

    @cached_property
    def recall_recorder(self) -> "RecallRecorder":
        """The recorder of what answers returned."""
        with import_without_garbage_collection():
            from app.derived.eviction.recall_recording import RecallRecorder
        recall_recorder = RecallRecorder(
            self.database,
            interval_seconds=self.settings.recall_seconds,
            max_tallies=self.settings.recall_buffer,
        )
        self.database.record_recall_after_commit = recall_recorder.record_service_result
        return recall_recorder

    def build_all_parts(self) -> None:
        """Build all parts now. Raises ConfigurationError if a setting does not allow one."""
        for name, attribute in vars(type(self)).items():
            if isinstance(attribute, cached_property):
                getattr(self, name)

    def close(self) -> None:
        """Write pending records, and close the connections."""
        opened_parts = vars(self)
        for name in ("recall_recorder", "retriever", "extractors", "sandbox"):
            if name in opened_parts:
                opened_parts[name].close()
        client, embedding_client = opened_parts.get("client"), opened_parts.get("embedding_client")
        if "extractors" not in opened_parts and client is not None:
            client.close()
        if embedding_client is not None and embedding_client is not client:
            embedding_client.close()
        self.database.dispose()
        if "broker" in opened_parts:
            opened_parts["broker"].close()


def build_citegraph(settings: Settings) -> Citegraph:
    """Return the parts of this process, which connect on first use. Raises ConfigurationError for a missing
    address.
    """
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
        return ModelClient.create_for_chat(settings)

    def make_embedding_client() -> "ModelClient | None":
        server = get_embedding_server(settings)
        if server is None or server == get_chat_server(settings):
            return citegraph.client
        with import_without_garbage_collection():
            from app.llm.client import ModelClient
        return ModelClient.create_for_embeddings(settings)

    redis_url = settings.redis_url

    def make_broker() -> "Broker":
        with import_without_garbage_collection():
            from workers.broker import Broker
        return Broker(redis_url)

    citegraph = Citegraph(
        settings,
        open_database(settings.database_url, settings, wake=lambda: citegraph.broker.wake()),
        make_broker=make_broker,
        make_client=make_client,
        make_embedding_client=make_embedding_client,
    )
    return citegraph


def assemble_citegraph(
    settings: Settings, database: Database, broker: "Broker", client: "ModelClient | None" = None
) -> Citegraph:
    """Return the parts for an existing database, broker and model; without a `client`, rules extract and
    answer.
    """
    return Citegraph(
        settings,
        database,
        make_broker=lambda: broker,
        make_client=lambda: client,
        make_embedding_client=lambda: client,
    )


def preload_modules() -> None:
    """Import the modules of all parts, in a process whose children build the parts."""
    with import_without_garbage_collection():
        for module in PRELOADED_MODULES:
            importlib.import_module(module)


def make_sandbox(settings: Settings, fork_server: "ForkServer | None" = None) -> "Sandbox":
    """Return the sandbox of this process. Its children are forked from `fork_server`, else from a server of
    its own.
    """
    with import_without_garbage_collection():
        from app.sandbox.process_sandbox import ProcessSandbox
    return ProcessSandbox(
        memory_bytes=settings.parse_memory_bytes, modules=SANDBOX_MODULES, fork_server=fork_server
    )


def open_database(url: str, settings: Settings, *, wake: Callable[[], None] = lambda: None) -> Database:
    """Return the database at the address, which connects on first use."""
    return Database(
        create_app_engine(url, settings),
        settings,
        wake=wake,
        consequences=build_consequences_of_changes(settings),
        replicas=_make_replicas(url, settings),
        node_pools=NodePools(url, settings),
    )


def _make_replicas(url: str, settings: Settings) -> Replicas | None:
    """Return the replicas for reads, with the record of the last writes; None if none is configured."""
    if not settings.replica_addresses:
        return None
    # A write position is kept for longer than the greatest permitted lag: who has none has written nothing
    # that a replica in use lacks.
    with import_without_garbage_collection():
        from app.db.replicas.last_writes import WritePositions
    write_positions = WritePositions(settings.redis_url or "", kept_seconds=2 * settings.replica_max_lag + 1)
    return Replicas(url, settings, write_positions)


def build_consequences_of_changes(settings: Settings) -> Consequences:
    """Return the follow-ups of each kind of change: jobs that are queued in the transaction of the change."""

    def schedule_derived_content(space: SpaceSession) -> None:
        with import_without_garbage_collection():
            from app.derived.communities import scheduling as communities
            from app.derived.summaries import scheduling as summaries
        communities.schedule_detection_or_delete_notes(space, settings)
        summaries.schedule_refresh_or_merge_notes(space, settings)

    def schedule_eviction(space: SpaceSession) -> None:
        with import_without_garbage_collection():
            from app.derived.eviction import scheduling as eviction
        eviction.schedule_eviction_if_space_has_policy(space, settings)

    def wait_for_due_claims(space: SpaceSession) -> None:
        with import_without_garbage_collection():
            from app.jobs import queue
            from app.jobs.kinds import BeginClaims
        queue.enqueue_or_run_earlier(space, BeginClaims(), delay=space.seconds_until_due or 0.0)

    return {
        Change.GRAPH: schedule_derived_content,
        Change.GROWTH: schedule_eviction,
        Change.DUE: wait_for_due_claims,
    }
