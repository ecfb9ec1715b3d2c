"""Writes anew what the doctor expects to find: `make catalogue`.

`catalogue.json` is that of a database that was just migrated. `cluster_catalogue.json` is what `citegraph
distribute` makes of it, as far as it differs; no cluster is needed for it, for what Citus itself adds is not
compared.
"""

import json
import tempfile
from pathlib import Path

from sqlalchemy import URL, create_engine
from sqlalchemy.pool import NullPool

from app.db.doctor.catalogue_comparison import load_expected_catalogue
from app.db.doctor.inventory import read_inventory
from app.db.engine import convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.roles import ROLES
from app.db.scaling.distribute import distribute_database
from app.runtime.supervisor import EmbeddedServers
from app.shipped_files import PROJECT
from tests.support.cluster_double import add_names

FILE = PROJECT / "app" / "db" / "doctor" / "catalogue.json"
CLUSTER_FILE = FILE.with_name("cluster_catalogue.json")


def described(url: URL) -> str:
    """The catalogue of this database as the file has it."""
    return _written(_read(url))


def described_distribution(url: URL) -> str:
    """How the catalogue of this migrated database changes as it is distributed, as the file has it.

    By subject the aspects that are others then; None stands for what is gone. The database is distributed.
    """
    add_names(url)
    before = _read(url)
    distribute_database(url.render_as_string(hide_password=False))
    after = _read(url)
    changes: dict[str, dict[str, str | None]] = {}
    for subject in sorted({*before, *after}):
        old, new = before.get(subject, {}), after.get(subject, {})
        aspects = {
            aspect: new.get(aspect) for aspect in sorted({*old, *new}) if old.get(aspect) != new.get(aspect)
        }
        if aspects:
            changes[subject] = aspects
    return _written(changes)


def _read(url: URL) -> dict[str, dict[str, str]]:
    with create_engine(url, poolclass=NullPool).connect() as connection:
        facts = read_inventory(connection)
    # Of roles only ours: a server may have others.
    ours = [fact for fact in facts if not fact.subject.startswith("role ") or fact.subject[5:] in ROLES]
    catalogue: dict[str, dict[str, str]] = {}
    for fact in sorted(ours, key=lambda fact: (fact.subject, fact.aspect)):
        catalogue.setdefault(fact.subject, {})[fact.aspect] = fact.value
    return catalogue


def _written(catalogue: object) -> str:
    return json.dumps(catalogue, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Migrate a database on a server of its own, and describe it."""
    with (
        tempfile.TemporaryDirectory(prefix="citegraph-catalogue-") as folder,
        EmbeddedServers(Path(folder), postgres=True, valkey=False, keeps_data=False) as servers,
    ):
        url = servers.postgres.url()
        migrate(url)
        FILE.write_text(described(convert_to_psycopg_url(url)), "utf-8")
        # The steps are made from the file that was just written.
        load_expected_catalogue.cache_clear()
        CLUSTER_FILE.write_text(described_distribution(convert_to_psycopg_url(url)), "utf-8")


if __name__ == "__main__":
    main()
