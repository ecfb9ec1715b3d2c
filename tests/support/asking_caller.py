"""A process that asks the question of `tests.support.questions` once; it prints what it paid and was told."""

import sys
from uuid import UUID

from app.db.database import Database
from app.db.engine import create_app_engine
from app.ids import SpaceId, TenantId
from app.settings import Settings
from tests.conftest import Home
from tests.support.paying_callers import make_client
from tests.support.questions import answer


def main(url: str, base_url: str, tenant: str, space: str) -> None:
    """Ask, and print the number of paid calls and the answer."""
    settings = Settings(database_url=url)
    database = Database(create_app_engine(url, settings), settings)
    client = make_client(base_url)
    given = answer(database, Home(TenantId(UUID(tenant)), SpaceId(UUID(space))), client)
    print(given.usage.calls, " ".join(sentence.text for sentence in given.sentences))
    client.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
