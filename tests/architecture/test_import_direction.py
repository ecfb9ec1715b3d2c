"""Who may import whom (docs/architecture.md): data flows one way, and nobody needs all to know a part."""

from collections.abc import Iterator

from tests.architecture.tree import Source, deferred_imports, domain_of, imports, is_module, program

# Later layers may import earlier ones and their own, never the reverse.
LAYERS = (
    {
        *{
            "domain",
            "ids",
            "error_codes",
            "errors",
            "optional_packages",
            "lazy",
            "limits",
            "shipped_files",
            "closed_fields",
            "json_schema",
            "secret_checks",
            "spreadsheet",
            "number_words",
            "settings",
            "space_settings",
            "tenant_quotas",
        },
        *{"observability", "sandbox"},
    },
    {"domain.scoring", "llm.prompts"},
    {"db", "llm"},
    {"jobs", "tenancy.audit", "http.idempotency", "http.edit_versions"},
    {"tenancy.tenants", "tenancy.spaces"},
    {"tenancy.accounts", "jobs.webhooks"},
    {"documents"},
    {"graph", "llm.model_calls"},
    {"extraction"},
    {"graph.resolution"},
    {"graph.write"},
    {"derived.summaries", "derived.communities"},
    {"derived.embedding_change", "graph.layout"},
    {"ingest"},
    {"ingest.trials"},
    {"ingest.chunk_rereading"},
    {"retrieval"},
    {"answers", "transfer.export", "derived.eviction"},
    {"transfer.space_import"},
    {"answers.golden"},
    {"transfer.erasures"},
    {"views"},
    # Limits and keys that a request passes before the routes of any HTTP door.
    {"http"},
    {"api", "mcp", "dashboard", "cli", "workers"},
    {"wiring", "main"},
)
RANK = {domain: rank for rank, layer in enumerate(LAYERS) for domain in layer}
DOORS = LAYERS[-2]
# Programs start here, so they may reach up to what puts the web's parts together.
ENTRIES = {"cli", "workers"}
# Started by the command line and by tests; it knows nothing of the platform but its errors and settings.
RUNTIME = "runtime"


def pairs() -> Iterator[tuple[Source, int, str, str]]:
    """(file, line, imported module, its domain) for imports that leave the file's own domain."""
    for source in program():
        for line, module in (*imports(source), *deferred_imports(source)):
            domain = domain_of(module)
            if domain is not None and domain != source.domain and source.module != "app":
                yield source, line, module, domain


def test_every_part_has_its_layer() -> None:
    """A new package must be given its place in LAYERS and in the design."""
    unknown = {source.domain for source in program()} - set(RANK) - {RUNTIME, "app"}
    assert unknown == set()


def test_imports_point_downwards() -> None:
    """A kernel that knew its callers could not be read, tested or replaced alone."""
    wrong = []
    for source, line, module, domain in pairs():
        if RUNTIME in (domain, source.domain):
            continue
        # A door is handed what wiring built, and names its type; wiring itself knows no door.
        if (source.domain in DOORS and domain == "wiring") or (source.domain in ENTRIES and domain == "main"):
            continue
        if RANK[domain] > RANK[source.domain]:
            wrong.append(f"{source.place}:{line} imports {module}, of a later layer")
    assert wrong == []


def test_doors_do_not_know_each_other() -> None:
    """What two doors share belongs in a service. The command line starts the others, and may."""
    wrong = [
        f"{source.place}:{line} imports {module}, another door"
        for source, line, module, domain in pairs()
        if source.domain in DOORS - {"cli"} and domain in DOORS
    ]
    assert wrong == []


def test_repositories_are_private_to_their_domain() -> None:
    """A domain's rules stand in its service: code that reads the rows directly bypasses the rules."""
    wrong = [
        f"{source.place}:{line} imports {module}, a repository of another domain"
        for source, line, module, domain in pairs()
        if "repository" in module.rsplit(".", 1)[-1].split("_")
    ]
    assert wrong == []


def test_jobs_import_the_database_alone() -> None:
    """Every domain may queue work, so the queue may know none of them."""
    wrong = [
        f"{source.place}:{line} imports {module}"
        for source, line, module, domain in pairs()
        if source.domain == "jobs" and RANK.get(domain, 99) > RANK["db"]
    ]
    assert wrong == []


def test_extraction_without_a_model_is_pure() -> None:
    """The same chunk gives the same edges wherever it is read: no database, no model and no queue decides
    with it.
    """
    wrong = [
        f"{source.place}:{line} imports {module}"
        for source, line, module, domain in pairs()
        if source.place.startswith("app/extraction/")
        and not source.place.startswith("app/extraction/llm/")
        and domain in {"db", "jobs", "llm", "tenancy.tenants", "llm.prompts", "llm.model_calls"}
    ]
    assert wrong == []


def test_the_embedded_servers_are_for_the_command_line_and_tests() -> None:
    """A served installation has its own servers and must run without the package that holds these."""
    wrong = [
        f"{source.place}:{line} imports {module}"
        for source, line, module, domain in pairs()
        if (domain == RUNTIME and source.domain not in {"cli", "wiring", "main"})
        or (source.domain == RUNTIME and domain not in LAYERS[0])
    ]
    assert wrong == []


def test_no_circle() -> None:
    """Two modules that need each other are one module in two files."""
    graph: dict[str, set[str]] = {}
    for source in program():
        graph[source.module] = {module for _, module in imports(source) if is_module(module)} - {
            source.module
        }
    finished: set[str] = set()

    def walk(module: str, trail: list[str]) -> list[str]:
        if module in trail:
            return [*trail[trail.index(module) :], module]
        if module in finished:
            return []
        for needed in sorted(graph.get(module, ())):
            if circle := walk(needed, [*trail, module]):
                return circle
        finished.add(module)
        return []

    circles = [" → ".join(circle) for module in sorted(graph) if (circle := walk(module, []))]
    assert circles == []
