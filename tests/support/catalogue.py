"""Writes app/db/doctor/catalogue.json anew, from a database that was just migrated: `make catalogue`."""

import json
import tempfile
from pathlib import Path

from sqlalchemy import URL, create_engine
from sqlalchemy.pool import NullPool

from app.db.doctor.inventory import read_inventory
from app.db.doctor.snapshot import as_catalogue
from app.db.engine import as_psycopg
from app.db.migrate import migrate
from app.db.roles import ROLES
from app.project import PROJECT
from app.runtime.supervisor import EmbeddedServers

FILE = PROJECT / "app" / "db" / "doctor" / "catalogue.json"


def described(url: URL) -> str:
    """The catalogue of this database as the file has it."""
    with create_engine(url, poolclass=NullPool).connect() as connection:
        facts = read_inventory(connection)
    # Of roles only ours: a server may have others.
    ours = [each for each in facts if not each.subject.startswith("role ") or each.subject[5:] in ROLES]
    found = as_catalogue(ours)
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Migrate a database on a server of its own, and describe it."""
    with (
        tempfile.TemporaryDirectory(prefix="citegraph-catalogue-") as folder,
        EmbeddedServers(Path(folder), postgres=True, valkey=False, keep=False) as servers,
    ):
        url = servers.postgres.url()
        migrate(url)
        FILE.write_text(described(as_psycopg(url)), "utf-8")


if __name__ == "__main__":
    main()
