"""Where a benchmark runs: a database server, and a new tenant's space in it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.db.session import Database
from app.ids import SpaceId, TenantId
from app.llm.embedding.hashed import HashedEmbedder
from app.runtime.supervisor import EmbeddedServers
from app.space_settings import SpaceSettings
from app.spaces import service as spaces
from app.tenants import service as tenants

OWN = SpaceSettings()


@contextmanager
def server(url: str | None) -> Iterator[str]:
    """A superuser's URL: the one given, else that of an embedded server, which is thrown away at the end."""
    if url is not None:
        yield url
        return
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedServers(Path(home), postgres=True, valkey=False, keep=False) as servers,
    ):
        yield servers.postgres.url(database="postgres")


def new_space(database: Database, name: str, own: SpaceSettings = OWN) -> tuple[TenantId, SpaceId]:
    """The only space of a new tenant of that name, with vectors of hashed n-grams."""
    with database.open_platform() as platform:
        tenant_id = TenantId(tenants.create_tenant(platform, name=name, actor="bench").id)
    with database.open_tenant(tenant_id) as tenant:
        space = spaces.create_space(
            tenant,
            name="s",
            embedding_model=HashedEmbedder.model,
            embedding_dimensions=HashedEmbedder.dimensions,
            actor="bench",
            settings=own,
        )
    return tenant_id, SpaceId(space.id)
