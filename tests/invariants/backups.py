"""A backup and its restoration as docs/operation.md says it, compared row by row."""

import secrets
import subprocess
from dataclasses import replace

import psycopg

from app.db.engine import convert_to_conninfo
from app.runtime.postgres import EmbeddedPostgres
from tests.invariants.tenant_rows import fingerprint, unchanged
from tests.invariants.world import Side, World
from tests.support.database_copies import drop_database


def restored_copy_is_equal(world: World, side: Side) -> None:
    """18.4: all rows of the tenant are in a database that was restored from a backup."""
    programs = EmbeddedPostgres(world.folder / "programs")
    dump = world.folder / "citegraph.dump"
    name = f"citegraph_restored_{secrets.token_hex(6)}"
    _run(
        programs,
        "pg_dump",
        "--role=citegraph_backup",
        "--format=custom",
        f"--file={dump}",
        convert_to_conninfo(world.url),
    )
    world.superuser.execute(f"CREATE DATABASE {name}".encode())
    url = world.url.set(database=name)
    try:
        _run(programs, "pg_restore", "--exit-on-error", f"--dbname={convert_to_conninfo(url)}", str(dump))
        before = fingerprint(world, side)
        with psycopg.connect(convert_to_conninfo(url), autocommit=True) as restored:
            copy = replace(world, url=url, superuser=restored)
            unchanged(before, fingerprint(copy, side), "backup and restore")
    finally:
        dump.unlink(missing_ok=True)
        drop_database(world.url.set(database="postgres"), name)


def _run(programs: EmbeddedPostgres, name: str, *arguments: str) -> None:
    done = subprocess.run([programs.find_program(name), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
