"""The source tree as the architecture tests see it: parsed files, their imports and their calls."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

PROJECT = Path(__file__).parents[2]
_PLACE = re.compile(r"(app|workers)(\.\w+)+:\w+")
# Packages that hold domains and nothing else.
ROOMS = {"derived", "tenancy", "transfer"}
# Packages within a room that are domains of their own: with their own face, layer and statements.
INNER_DOMAINS = {
    "answers.golden",
    "derived.communities",
    "derived.embedding_change",
    "derived.eviction",
    "derived.summaries",
    "domain.scoring",
    "graph.layout",
    "graph.resolution",
    "graph.write",
    "http.idempotency",
    "http.edit_versions",
    "ingest.chunk_rereading",
    "ingest.trials",
    "jobs.webhooks",
    "llm.model_calls",
    "llm.prompts",
    "tenancy.accounts",
    "tenancy.audit",
    "tenancy.spaces",
    "tenancy.tenants",
    "transfer.erasures",
    "transfer.export",
    "transfer.space_import",
}


@dataclass(frozen=True)
class Source:
    """One Python file. `module` is its dotted name, `path` relative to the project."""

    path: Path
    module: str
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of its tree: dozens of rules look through all of them."""
        return tuple(ast.walk(self.tree))

    @property
    def place(self) -> str:
        """Its path as the rules and the failures name it."""
        return self.path.as_posix()

    @property
    def domain(self) -> str:
        """The package under app: graph, graph.write; for app/main.py `main`; for workers/ `workers`."""
        return domain_of(self.module) or "app"

    @property
    def is_storage(self) -> bool:
        """Whether it is a repository or a traversal: where SQL belongs."""
        words = self.path.stem.split("_")
        return bool({"repository", "traversal"} & {*words, self.path.parent.name})


def domain_of(module: str) -> str | None:
    """The domain that holds a module of ours, as `Source.domain` names it; None for other modules."""
    parts = module.split(".")
    if parts[0] == "workers":
        return "workers"
    if parts[0] != "app" or len(parts) == 1:
        return None
    inner = ".".join(parts[1:3])
    return inner if inner in INNER_DOMAINS else "app" if parts[1] in ROOMS and len(parts) == 2 else parts[1]


def sources(*folders: str) -> tuple[Source, ...]:
    """Every Python file under these folders of the project."""
    return tuple(source for folder in folders for source in _under(folder))


@cache
def _under(folder: str) -> tuple[Source, ...]:
    found = []
    for path in sorted((PROJECT / folder).rglob("*.py")):
        relative = path.relative_to(PROJECT)
        names = relative.with_suffix("").parts
        module = ".".join(names[:-1] if names[-1] == "__init__" else names)
        content = path.read_text("utf-8")
        found.append(Source(relative, module, content, ast.parse(content)))
    return tuple(found)


def planted(text: str, place: str = "app/graph/service.py") -> Source:
    """A file that is not there, to prove that a guard sees what it forbids."""
    path = Path(place)
    return Source(path, ".".join(path.with_suffix("").parts), text, ast.parse(text))


def program() -> tuple[Source, ...]:
    """What ships: app and workers."""
    return sources("app", "workers")


@cache
def imports(source: Source) -> tuple[tuple[int, str], ...]:
    """(line, dotted name) of everything that the file imports, wherever in it; types-only imports too.

    `from app.graph import service` gives app.graph.service where that is a module, else app.graph.
    """
    return tuple(_imports(source))


def _imports(source: Source) -> Iterator[tuple[int, str]]:
    for node in source.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source.place}:{node.lineno} imports relatively"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield node.lineno, inner if is_module(inner) else str(node.module)


@cache
def deferred_imports(source: Source) -> tuple[tuple[int, str], ...]:
    """(line, dotted name) of what the file has imported when it is needed: places such as app.x.y:Name, and
    whatever is handed to `imported`. A program of its own (`__main__`) may start anything.
    """
    return tuple(_deferred_imports(source))


def _deferred_imports(source: Source) -> Iterator[tuple[int, str]]:
    if source.path.name == "__main__.py":
        return
    for node in source.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _PLACE.fullmatch(node.value):
            yield node.lineno, node.value.partition(":")[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "imported":
            given = node.args[0]
            if isinstance(given, ast.Constant) and ":" not in str(given.value):
                yield node.lineno, str(given.value)


@cache
def is_module(name: str) -> bool:
    """Whether the dotted name is a file or a package of this project."""
    path = PROJECT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def calls(source: Source) -> Iterator[tuple[int, str, ast.Call]]:
    """(line, called name, call): `text` for text(…), `.execute` for anything.execute(…)."""
    for node in source.nodes:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.lineno, node.func.id, node
            elif isinstance(node.func, ast.Attribute):
                yield node.lineno, f".{node.func.attr}", node
