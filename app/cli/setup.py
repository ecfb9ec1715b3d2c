"""First steps of `up` and `demo`: migrate, and create a tenant, a key and a space if missing."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from app.cli.context import ACTOR, Operator
from app.db.doctor.catalogue_comparison import MissingPart
from app.db.doctor.examination import list_missing_schema_parts
from app.db.engine import create_app_engine
from app.db.migrate import MigrationReport, migrate
from app.errors import ConfigurationError, NotFound, Unauthenticated
from app.ids import SpaceId, SpaceKey, TenantId
from app.number_words import pluralise
from app.runtime.data_folder import find_data_folder
from app.settings import Settings
from app.tenancy.accounts import service as accounts
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import api_keys
from app.tenancy.tenants import service as tenants

_MAX_NAMES = 5
_NOUNS_BY_KIND = {
    "": ("table or function", "tables and functions"),
    "granted": ("grant",),
    "index": ("index", "indexes"),
    "policy": ("policy", "policies"),
    "row": ("row security", "row securities"),
}
"""Nouns of missing parts by the first word of their aspect, where they differ from it."""
OPERATOR_EMAIL = "operator@localhost"
"""Email address of the account that `citegraph up` signs in."""


def migrate_database(settings: Settings) -> MigrationReport:
    """Migrate the database to the newest schema. Raises ConfigurationError."""
    url = settings.migration_database_url or settings.database_url
    if url is None:
        raise ConfigurationError("CITEGRAPH_DATABASE_URL must be set to migrate.")
    return migrate(url)


def list_missing_parts_of_migrated_database(settings: Settings) -> list[MissingPart]:
    """Return what the database that `migrate_database` migrated lacks."""
    url = settings.migration_database_url or settings.database_url
    assert url is not None
    engine = create_app_engine(
        url, settings.model_copy(update={"database_role": "", "allow_privileged_login": True})
    )
    try:
        return list_missing_schema_parts(engine)
    finally:
        engine.dispose()


def describe_missing_schema_parts(missing_parts: Sequence[MissingPart]) -> str:
    """Return sentences: what a migrated database lacks, and what to do."""
    part_count_by_kind = Counter(part.aspect.partition(" ")[0] for part in missing_parts)
    counts = ", ".join(
        pluralise(count, *_NOUNS_BY_KIND.get(kind, (kind,)))
        for kind, count in part_count_by_kind.most_common()
    )
    subjects = sorted({part.subject for part in missing_parts})
    names = ", ".join(subjects[:_MAX_NAMES]) + (", …" if len(subjects) > _MAX_NAMES else "")
    return (
        f"The database says that it has the newest schema, but it lacks {counts} ({names})."
        " A dump that was restored in part leaves such a database: restore the whole dump into an empty one."
        " `citegraph doctor` names each missing part."
    )


def ensure_tenant(operator: Operator) -> TenantId:
    """Return the id of the operator's tenant, creating it if it is missing."""
    with operator.open_platform() as platform:
        try:
            return TenantId(tenants.get_tenant(platform, operator.tenant_name).id)
        except NotFound:
            return TenantId(tenants.create_tenant(platform, name=operator.tenant_name, actor=ACTOR).id)


def ensure_space(operator: Operator, name: str, *, description: str = "") -> SpaceKey:
    """Return the ids of the tenant and of its space with that name, creating them if they are missing."""
    tenant_id = ensure_tenant(operator)
    embedders = operator.citegraph.embedders
    with operator.citegraph.database.open_tenant(tenant_id) as tenant:
        try:
            space = spaces.get_space(tenant, name)
        except NotFound:
            space = spaces.create_space(
                tenant,
                name=name,
                description=description,
                embedding_model=embedders.model,
                embedding_dimensions=embedders.dimensions,
                actor=ACTOR,
            )
        return tenant_id, SpaceId(space.id)


class StoredKey(NamedTuple):
    """A tenant's API key and the file that stores it, which only its owner can read."""

    token: str
    path: Path


def ensure_stored_key(operator: Operator) -> StoredKey:
    """Return the stored key of the operator's tenant.

    The stored key is used as long as it is valid; otherwise a new one is created and stored.
    """
    tenant_id = ensure_tenant(operator)
    key_path = find_data_folder(operator.settings.home) / "keys" / str(tenant_id)
    if key_path.is_file():
        stored_token = key_path.read_text().strip()
        with operator.open_platform() as platform:
            try:
                if api_keys.authenticate_key_and_record_use(platform, stored_token).tenant_id == tenant_id:
                    return StoredKey(stored_token, key_path)
            except Unauthenticated:
                pass
    with operator.citegraph.database.open_tenant(tenant_id) as tenant:
        _, token = api_keys.create_key(tenant, name="local", scopes=["read", "write", "admin"], actor=ACTOR)
    _write_secret(key_path, token.token)
    return StoredKey(token.token, key_path)


def create_sign_in_link_token(operator: Operator) -> str:
    """Return the token of a single-use link that signs the operator in to the dashboard."""
    tenant_id = ensure_tenant(operator)
    with operator.citegraph.database.open_tenant(tenant_id) as tenant:
        return accounts.create_operator_link_token(tenant, email=OPERATOR_EMAIL, actor=ACTOR)


def _write_secret(path: Path, secret: str) -> None:
    """Write the secret to a file that only its owner can read, at any moment."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secret + "\n")
