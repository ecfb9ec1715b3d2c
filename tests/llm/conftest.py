"""A model double on the loopback, and clients of it that never really wait."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from app.ids import TenantId, create_id
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.breaker import Breakers
from app.llm.client import ModelClient
from app.llm.testing import ModelDouble


@dataclass
class Clock:
    """Seconds that pass only when somebody waits; `waits` holds each wait."""

    now: float = 1_000.0
    waits: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tenant() -> TenantId:
    return TenantId(create_id())


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    """A double that answers our prompts with what `rules` finds."""
    with ModelDouble(RulesAnswerer()) as running:
        yield running


MakeClient = Callable[..., ModelClient]


@pytest.fixture
def make_client(clock: Clock) -> Iterator[MakeClient]:
    """Clients whose waits take no time; their deadlines are real."""
    made: list[ModelClient] = []

    def make(base_url: str, *, timeout: float = 20.0, **options: object) -> ModelClient:
        client = ModelClient(
            api_key="unused",
            base_url=base_url,
            model="double",
            timeout=timeout,
            sleep=clock.sleep,
            breakers=Breakers(clock),
            **options,  # type: ignore[arg-type]
        )
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(double: ModelDouble, make_client: MakeClient) -> ModelClient:
    return make_client(double.base_url)
