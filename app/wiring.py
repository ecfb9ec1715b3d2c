"""The composition root: builds everything once from the settings. Nothing else connects or chooses."""

from dataclasses import dataclass

from app.db.engine import create_app_engine
from app.db.session import Database
from app.errors import ConfigurationError
from app.ingest.readers import ModelReaders, Readers, RulesReaders
from app.llm.client import ModelClient
from app.settings import Settings
from workers.celery_app import Broker


@dataclass(frozen=True)
class Citegraph:
    """One process's parts. `readers` says who reads documents: rules, or a model by setting."""

    settings: Settings
    database: Database
    broker: Broker
    readers: Readers

    def close(self) -> None:
        """Give back connections."""
        self.readers.close()
        self.database.dispose()
        self.broker.close()


def connect(settings: Settings) -> Citegraph:
    """The parts of this process, connected lazily. Raises ConfigurationError for a missing address."""
    if settings.database_url is None or settings.redis_url is None:
        raise ConfigurationError(
            "CITEGRAPH_DATABASE_URL and CITEGRAPH_REDIS_URL must be set, or the embedded servers started first."
        )
    broker = Broker(settings.redis_url)
    database = Database(create_app_engine(settings.database_url, settings), wake=broker.wake)
    return Citegraph(settings, database, broker, _readers(settings, database))


def _readers(settings: Settings, database: Database) -> Readers:
    if settings.openai_api_key is None and settings.openai_base_url is None:
        return RulesReaders()
    return ModelReaders(
        ModelClient.from_settings(settings),
        database,
        embedding_model=settings.embedding_model,
        dimensions=settings.embedding_dimensions,
        passages_per_call=settings.llm_passages,
    )
