"""Objects that every command needs: settings, servers, a Citegraph and the operator's tenant.

The command line is a tool for a local operator. It opens the database itself, as the application's
role and through the same sessions as the API.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from app.db.models import Tenant
from app.db.roles import APP
from app.db.session import PlatformSession, SpaceSession, TenantSession
from app.errors import ConfigurationError, NotFound
from app.ids import SpaceId, SpaceKey, TenantId
from app.lazy import import_object
from app.runtime.data_folder import find_data_folder, link_user_folder_to_data_folder
from app.settings import Settings, read_settings
from app.tenancy.audit.origin import record_with_origin
from app.tenancy.audit.shapes import ActorKind, Door, Origin
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import service as tenants
from app.wiring import Citegraph, build_citegraph

if TYPE_CHECKING:
    from app.runtime.supervisor import EmbeddedServers

ACTOR = "cli"
TERMINAL_ORIGIN = Origin(ACTOR, ActorKind.OPERATOR, Door.CLI)
"""The origin recorded for commands: whoever has access to this machine's settings."""


@contextmanager
def start_servers(settings: Settings) -> Iterator[Settings]:
    """Yield the settings with both server addresses; embedded servers run meanwhile for those not set."""
    with start_embedded_servers(settings) as (ready_settings, _):
        yield ready_settings


class ReadyServers(NamedTuple):
    """Settings with both server addresses, and the embedded servers; None if none is needed."""

    settings: Settings
    embedded_servers: "EmbeddedServers | None"


@contextmanager
def start_embedded_servers(settings: Settings) -> Iterator[ReadyServers]:
    """Like `start_servers`, but also yield the embedded servers."""
    needs_postgres, needs_valkey = settings.database_url is None, settings.redis_url is None
    if not needs_postgres and not needs_valkey:
        yield ReadyServers(settings, None)
        return
    folder = find_data_folder(settings.home)
    with import_object("app.runtime.supervisor:EmbeddedServers")(
        folder, postgres=needs_postgres, valkey=needs_valkey
    ) as embedded_servers:
        link_user_folder_to_data_folder(folder, settings.home)
        # Fix the folder now, so that a later change of directory does not change it.
        setting_updates: dict[str, object] = {"home": folder}
        if needs_postgres:
            # The application's own login: not even this process can bypass row-level security.
            setting_updates["database_url"] = embedded_servers.database_url(user=APP)
            setting_updates["migration_database_url"] = embedded_servers.database_url()
        if needs_valkey:
            setting_updates["redis_url"] = embedded_servers.redis_url()
        yield ReadyServers(settings.model_copy(update=setting_updates), embedded_servers)


def check_embedded_database_exists(settings: Settings) -> None:
    """Raise ConfigurationError if the embedded database does not exist yet.

    A command that reads must not create an empty database.
    """
    if settings.database_url is not None:
        return
    folder = find_data_folder(settings.home)
    if not (folder / "postgres").is_dir():
        # Report a missing embedded server first.
        import_object("app.runtime.postgres:EmbeddedPostgres")(folder).find_program("postgres")
        raise ConfigurationError(
            f"There is no data in {folder} yet: `citegraph up` or `citegraph demo` creates it. If your data"
            " is elsewhere, set CITEGRAPH_HOME to its folder."
        )


@contextmanager
def open_citegraph(settings: Settings) -> Iterator[Citegraph]:
    """Yield the application connected to running servers; close it at the end."""
    citegraph = build_citegraph(settings)
    try:
        yield citegraph
    finally:
        citegraph.close()


@dataclass(frozen=True)
class Operator:
    """The person at the terminal, acting for one tenant."""

    citegraph: Citegraph
    tenant_name: str

    @property
    def settings(self) -> Settings:
        """The settings with the server addresses in use."""
        return self.citegraph.settings

    def open_platform(self) -> AbstractContextManager[PlatformSession]:
        """Open a transaction on the platform's rows."""
        return self.citegraph.database.open_platform()

    def find_tenant_id(self) -> TenantId:
        """Return the id of the operator's tenant. Raises NotFound."""
        with self.open_platform() as platform:
            return TenantId(find_tenant(platform, self.tenant_name).id)

    def open_tenant(self) -> AbstractContextManager[TenantSession]:
        """Open a transaction on the tenant's own rows. Raises NotFound."""
        return self.citegraph.database.open_tenant(self.find_tenant_id())

    def find_space(self, name_or_id: str) -> SpaceKey:
        """Return the tenant's id and the id of its space with that name or id. Raises NotFound."""
        tenant_id = self.find_tenant_id()
        with self.citegraph.database.open_tenant(tenant_id) as tenant:
            try:
                return tenant_id, SpaceId(spaces.get_space(tenant, name_or_id).id)
            except NotFound:
                raise NotFound(
                    f"space of the tenant {self.tenant_name}: {name_or_id} (`citegraph space list` shows all)"
                ) from None

    def open_space(self, name_or_id: str) -> AbstractContextManager[SpaceSession]:
        """Open a transaction on the space with that name or id. Raises NotFound."""
        return self.citegraph.database.open_space(*self.find_space(name_or_id))


def find_tenant(platform: PlatformSession, name_or_id: str) -> Tenant:
    """Return the tenant with that name or id. Raises NotFound."""
    try:
        return tenants.get_tenant(platform, name_or_id)
    except NotFound:
        raise NotFound(f"tenant: {name_or_id} (`citegraph tenant list` shows all)") from None


@contextmanager
def start_servers_and_connect_operator(tenant: str | None = None) -> Iterator[Operator]:
    """Yield an operator who acts for `tenant`, by default the tenant of the settings."""
    settings = read_settings()
    check_embedded_database_exists(settings)
    with (
        start_servers(settings) as ready_settings,
        open_citegraph(ready_settings) as citegraph,
        record_with_origin(TERMINAL_ORIGIN),
    ):
        yield Operator(citegraph, tenant or settings.tenant)
