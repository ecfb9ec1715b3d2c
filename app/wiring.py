"""The composition root: builds everything once from the settings. Nothing else connects or chooses."""

from collections.abc import Callable
from dataclasses import dataclass

from app.answers.service import Answerer
from app.communities import scheduling as communities
from app.communities.reporters import Reporters
from app.db.changes import Change
from app.db.engine import create_app_engine
from app.db.session import Consequences, Database, SpaceSession
from app.errors import ConfigurationError
from app.extraction.llm.tag_suggester import TagSuggester
from app.ingest.extractors import Extractors, ModelExtractors, RulesExtractors
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedders
from app.memory import scheduling as memory
from app.memory.recording import Recorder
from app.retrieval.service import Retriever
from app.settings import Settings
from app.summaries import scheduling as summaries
from app.summaries.writers import Writers
from workers.celery_app import Broker


@dataclass(frozen=True)
class Citegraph:
    """One process's parts.

    `embedders` has the embedding models, that of new spaces among them; `extractors` says who reads
    documents: rules, or a model by setting; `retriever` finds what answers a
    question, `answerer` answers it; `reporters` says who reports on communities, `writers`
    who writes summaries of nodes; `tagger` suggests their tags; `recorder` takes note of
    what answers returned.
    """

    settings: Settings
    database: Database
    broker: Broker
    embedders: Embedders
    extractors: Extractors
    retriever: Retriever
    answerer: Answerer
    reporters: Reporters
    writers: Writers
    tagger: TagSuggester
    recorder: Recorder

    def close(self) -> None:
        """Write what was noted and give back connections."""
        self.recorder.close()
        self.retriever.close()
        self.extractors.close()
        self.database.dispose()
        self.broker.close()


def connect(settings: Settings) -> Citegraph:
    """The parts of this process, connected lazily. Raises ConfigurationError for a missing address."""
    if settings.database_url is None or settings.redis_url is None:
        raise ConfigurationError(
            "CITEGRAPH_DATABASE_URL and CITEGRAPH_REDIS_URL must be set, or the embedded servers started"
            " first."
        )
    broker = Broker(settings.redis_url)
    database = open_database(settings.database_url, settings, wake=broker.wake)
    client = None
    if settings.has_model:
        client = ModelClient.from_settings(settings)
    return assemble(settings, database, broker, client)


def open_database(url: str, settings: Settings, *, wake: Callable[[], None] = lambda: None) -> Database:
    """The door to the database there, connected lazily."""
    return Database(
        create_app_engine(url, settings), settings, wake=wake, consequences=consequences_of(settings)
    )


def consequences_of(settings: Settings) -> Consequences:
    """Return what follows from each kind of change: jobs that look again, queued in its transaction."""

    def look_again(space: SpaceSession) -> None:
        communities.note_change(space, settings)
        summaries.note_change(space, settings)

    return {Change.GRAPH: look_again, Change.GROWTH: lambda space: memory.note_growth(space, settings)}


def assemble(
    settings: Settings, database: Database, broker: Broker, client: ModelClient | None = None
) -> Citegraph:
    """The parts over a database, a broker and a model that are there already; None means rules."""
    embedders = Embedders(
        client,
        model=settings.embedding_model,
        dimensions=settings.embedding_dimensions,
        offered=settings.embedding_models,
    )
    retriever = Retriever(database, embedders, settings)
    answerer = Answerer(database, retriever, client, statement_seconds=settings.answer_timeout)
    extractors: Extractors = RulesExtractors(embedders)
    if client is not None:
        extractors = ModelExtractors(
            client, database, embedders=embedders, passages_per_call=settings.llm_passages
        )
    recorder = Recorder(database, seconds=settings.recall_seconds, most=settings.recall_buffer)
    database.note_recall = recorder.note_found
    return Citegraph(
        settings,
        database,
        broker,
        embedders,
        extractors,
        retriever,
        answerer,
        Reporters(database, client),
        Writers(database, client),
        TagSuggester(database, settings, client),
        recorder,
    )
