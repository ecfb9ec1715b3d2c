"""The composition root: builds everything once from the settings. Nothing else connects or chooses."""

from collections.abc import Callable
from dataclasses import dataclass

from app.db.engine import create_app_engine
from app.db.session import Database
from app.errors import ConfigurationError
from app.ingest.rules import RulesExtractor
from app.ingest.shapes import Embedder, Extractor
from app.jobs.kinds import Claim
from app.llm.hashed import HashedEmbedder
from app.settings import Settings
from workers.celery_app import Broker


@dataclass(frozen=True)
class Citegraph:
    """One process's parts. `make_extractor` gives the extractor of one job."""

    settings: Settings
    database: Database
    broker: Broker
    make_extractor: Callable[[Claim], Extractor]
    embedder: Embedder

    def close(self) -> None:
        """Give back connections."""
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
    return Citegraph(settings, database, broker, lambda _claim: RulesExtractor(), HashedEmbedder())
