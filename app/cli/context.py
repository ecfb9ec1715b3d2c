"""The start of every command: settings, servers, the parts of this process, the operator's tenant.

The command line is a local operator's tool: it opens the database itself, as the application's role
and through the same door as the API.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.db.models import Tenant
from app.db.roles import APP
from app.db.session import PlatformSession, SpaceSession, TenantSession
from app.errors import ConfigurationError, NotFound
from app.ids import SpaceId, TenantId
from app.lazy import imported
from app.runtime.data_folder import find_data_folder, remember_data_folder
from app.settings import Settings, read_settings
from app.tenancy.audit.origin import recording_as
from app.tenancy.audit.shapes import ActorKind, Door, Origin
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import service as tenants
from app.wiring import Citegraph, connect

if TYPE_CHECKING:
    from app.runtime.supervisor import EmbeddedServers

ACTOR = "cli"
TERMINAL = Origin(ACTOR, ActorKind.OPERATOR, Door.CLI)
"""Who acts by a command: whoever has this machine's settings."""


@contextmanager
def start_servers(settings: Settings) -> Iterator[Settings]:
    """The settings with both addresses filled in; embedded servers run meanwhile where one was unset."""
    with start_embedded_servers(settings) as (ready, _):
        yield ready


@contextmanager
def start_embedded_servers(settings: Settings) -> "Iterator[tuple[Settings, EmbeddedServers | None]]":
    """The same, and the servers themselves for whoever looks after them; None where none is embedded."""
    postgres, valkey = settings.database_url is None, settings.redis_url is None
    if not postgres and not valkey:
        yield settings, None
        return
    folder = find_data_folder(settings.home)
    with imported("app.runtime.supervisor:EmbeddedServers")(
        folder, postgres=postgres, valkey=valkey
    ) as embedded:
        remember_data_folder(folder, settings.home)
        # From here on it is one folder, whatever directory is changed to.
        updates: dict[str, object] = {"home": folder}
        if postgres:
            # The application's own login, so that not even this process could bypass row security.
            updates["database_url"] = embedded.database_url(user=APP)
            updates["migration_database_url"] = embedded.database_url()
        if valkey:
            updates["redis_url"] = embedded.redis_url()
        yield settings.model_copy(update=updates), embedded


def require_data(settings: Settings) -> None:
    """Raise ConfigurationError where an embedded database would be made anew, empty, to be looked into."""
    if settings.database_url is not None:
        return
    folder = find_data_folder(settings.home)
    if not (folder / "postgres").is_dir():
        # Where the embedded server is not installed it is that which is to be said.
        imported("app.runtime.postgres:EmbeddedPostgres")(folder).find_program("postgres")
        raise ConfigurationError(
            f"There is no data in {folder} yet: `citegraph up` or `citegraph demo` makes it. If there is some"
            " elsewhere, CITEGRAPH_HOME names its folder."
        )


@contextmanager
def open_citegraph(settings: Settings) -> Iterator[Citegraph]:
    """The parts of this process on servers that run, given back at the end."""
    citegraph = connect(settings)
    try:
        yield citegraph
    finally:
        citegraph.close()


@dataclass(frozen=True)
class Operator:
    """The person at this terminal, acting for one tenant."""

    citegraph: Citegraph
    tenant_name: str

    @property
    def settings(self) -> Settings:
        """The settings with the addresses in use."""
        return self.citegraph.settings

    def open_platform(self) -> AbstractContextManager[PlatformSession]:
        """The platform's rows, open for one transaction."""
        return self.citegraph.database.open_platform()

    def find_tenant_id(self) -> TenantId:
        """The tenant acted for. Raises NotFound."""
        with self.open_platform() as platform:
            return TenantId(find_tenant(platform, self.tenant_name).id)

    def open_tenant(self) -> AbstractContextManager[TenantSession]:
        """The tenant's own rows, open for one transaction. Raises NotFound."""
        return self.citegraph.database.open_tenant(self.find_tenant_id())

    def find_space(self, name_or_id: str) -> tuple[TenantId, SpaceId]:
        """The tenant's space of that name or id. Raises NotFound."""
        tenant_id = self.find_tenant_id()
        with self.citegraph.database.open_tenant(tenant_id) as tenant:
            try:
                return tenant_id, SpaceId(spaces.get_space(tenant, name_or_id).id)
            except NotFound:
                raise NotFound(
                    f"space of the tenant {self.tenant_name}: {name_or_id} (`citegraph space list` shows all)"
                ) from None

    def open_space(self, name_or_id: str) -> AbstractContextManager[SpaceSession]:
        """That space, open for one transaction. Raises NotFound."""
        return self.citegraph.database.open_space(*self.find_space(name_or_id))


def find_tenant(platform: PlatformSession, name_or_id: str) -> Tenant:
    """The tenant of that name or id. Raises NotFound, saying where to look."""
    try:
        return tenants.get_tenant(platform, name_or_id)
    except NotFound:
        raise NotFound(f"tenant: {name_or_id} (`citegraph tenant list` shows all)") from None


@contextmanager
def connect_operator(tenant: str | None = None) -> Iterator[Operator]:
    """A connected operator who acts for `tenant`, or for the one of the settings."""
    settings = read_settings()
    require_data(settings)
    with start_servers(settings) as ready, open_citegraph(ready) as citegraph, recording_as(TERMINAL):
        yield Operator(citegraph, tenant or settings.tenant)
