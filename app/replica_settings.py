"""Settings of streaming replicas: where they are, and how far behind one may be that is read."""

from pydantic import BaseModel, Field

from app.secret_checks import ServerAddresses


class ReplicaSettings(BaseModel):
    """The same in every process of an installation."""

    @property
    def replica_addresses(self) -> tuple[str, ...]:
        """`replica_urls`, each by itself."""
        return tuple(self.replica_urls.split())

    replica_urls: ServerAddresses = Field(
        "",
        description=(
            "Postgres streaming replicas with the application's login, separated by spaces; read-only"
            " sessions use them. Set it for every process, workers included."
        ),
    )
    replica_max_lag: float = Field(
        10.0, gt=0, le=3600, description="Seconds that a replica may lag behind and still be read."
    )
