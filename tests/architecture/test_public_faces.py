"""The public face of each domain: the modules that others may import. All else is its own business."""

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.architecture.tree import Source, deferred_imports, domain_of, imports, is_module, planted, program

# Public in every domain: its rules, and the values that it takes and returns.
EVERYWHERE = ("service", "shapes")
# No rules and no rows: whoever may import the package by its layer may import all of it.
KERNELS = {
    *{
        "api",
        "cli",
        "dashboard",
        "db",
        "domain",
        "http",
        "mcp",
        "observability",
        "llm.prompts",
        "views",
        "runtime",
        "domain.scoring",
    },
    "workers",
}
# What else a domain shows to others. A row that nobody needs fails, so the table stays as long as it must be.
FACES = {
    # Signing in and its delays, and the questions that people asked.
    "tenancy.accounts": ("questions", "roles", "sign_in", "sign_in_delays"),
    # Who acts as the doors say it, and the table that two doors offer.
    "tenancy.audit": ("actions", "origin", "receipts", "entries_csv"),
    # What is asked and how: bounds that the door's shapes repeat to the caller.
    # Answers to questions of known answers are scored by the command that asks them.
    "answers": ("ask", "evaluation"),
    # Jobs of a space are asked for by doors, by ingest and by one another.
    "derived.communities": ("scheduling",),
    # Pure functions of text that citations, extraction and estimates share; parsers by a child process.
    "documents": (
        "chunker",
        "document_dates",
        "examples",
        "folder_plan",
        "format_detection",
        "format_registry",
        "formats.extraction",
        "hashing",
        "ingest_steps",
        "isolated_parsing",
        "language",
        "parsers.json_reader",
        "parsers.limits",
        "sentences",
        "token_counts",
        "unpacking",
    ),
    # Media types and file names of the formats.
    "transfer.export": ("format_registry",),
    # An extractor is chosen by ingest; grounding and weights are steps of its job.
    "extraction": (
        "attributes",
        "chunk_extraction",
        "drop_reasons",
        "edge_weights",
        "grounding",
        "imported",
        "llm.control_claims",
        "llm.extractor",
        "llm.tag_suggester",
        "reader.languages",
        # Whoever reads sentences with a pipeline names what it gives.
        "reader.pipeline",
        "rules.extractor",
        # What headers of columns mean, for questions that rows answer.
        "rules.records.headers",
        "sense_detection",
        "vocabulary",
        "written_years",
    ),
    # Pure: names and facts in words. Tags are written by extractors in the shapes of `tags`.
    "graph": (
        "anchors",
        "input_checks",
        "chunk_contents",
        "contested",
        "text_folding",
        "invalidation.evidence_changes",
        "invalidation.service",
        "invalidation.shapes",
        "invalidation.superseding",
        "mentions",
        "name_forms",
        "cooccurrence",
        "names",
        "narrative",
        "questions",
        "spellings",
        "tags.tag_material",
        "tags.service",
        "tags.suggestions",
        "tags.tag_choice",
        "validity",
    ),
    # Its writers are steps of the ingest's job and of the change of embeddings.
    "graph.write": (
        "chunk_removal",
        "curation.service",
        "curation.values",
        "edge_writer",
        "embedding",
        "word_erasure",
        "graph_writer",
        "merges",
        "name_ties",
        "near_duplicates",
        "same_entity_judge",
        "splits",
    ),
    # How chunks are read, for trials: the same two passes and parts, and what goes with words that go.
    "ingest": (
        "chunk_reuse",
        "contained_reading",
        "estimate",
        "extraction_passes",
        "extractor_choice",
        "parse_and_chunk",
        "parts",
        "read_document",
        "replace_reading",
        "version_changes",
        "version_preview",
    ),
    # The queue is a kernel with one way in, and values that every job has.
    "jobs": ("context", "kinds", "queue", "states"),
    # The client of model servers, by its parts.
    "llm": (
        "call_records",
        "client",
        "conversations",
        "deadline",
        "embedding.openai_embedder",
        "embedding.embedders",
        "embedding.hashed",
        "embedding.local_models",
        "errors",
        "model_check",
        "prices",
        "servers",
        "structured_output",
    ),
    "derived.eviction": ("policies", "scheduling"),
    # The list as text, which commands read and write.
    "transfer.erasures": ("json_lines",),
    "llm.model_calls": ("asker", "ledger", "malformed_answer_retries"),
    # Pure, and written for the graph's store alone.
    "graph.resolution": (
        "entity_resolver",
        "group_splitter",
        "ledger_erasure",
        "name_similarity",
        "name_ties",
        "seals",
        "sense_splitting",
        "unmerge_plan",
        "verdicts",
        "votes",
    ),
    "retrieval": ("evaluation",),
    # Whoever reads texts in a child process opens a sandbox.
    "sandbox": ("process_sandbox",),
    "tenancy.spaces": ("tenant_deletion",),
    "derived.summaries": ("gate", "gate_settings", "history", "scheduling"),
    "tenancy.tenants": (
        "api_key_token",
        "api_keys",
        "budgets",
        "examinations",
        "quotas",
        "space_use",
        "usage",
    ),
    # What puts a promoted reading in the place of the one before, for the job that asks questions about it.
    "ingest.trials": ("comparison", "read_again", "rereading"),
    "answers.golden": ("promotion", "scoring"),
}
# Handlers of jobs and the parts that are built once: for what puts the processes together, and no rule.
BUILT = {
    "derived.communities": ("job",),
    "derived.embedding_change": ("job",),
    "ingest": ("job",),
    "derived.eviction": ("job", "recall_recording"),
    "tenancy.spaces": ("job",),
    "derived.summaries": ("job",),
    "ingest.trials": ("job",),
    "ingest.chunk_rereading": ("job",),
    "answers.golden": ("evaluator", "job"),
}
BUILDERS = {"workers", "wiring"}
# The root of the tree: what has no domain of its own.
ROOT = {
    "error_codes",
    "errors",
    "ids",
    "closed_fields",
    "json_schema",
    "optional_packages",
    "lazy",
    "limits",
    "shipped_files",
    "main",
    "secret_checks",
    "spreadsheet",
    "number_words",
    "settings",
    "space_settings",
    "tenant_quotas",
    "wiring",
}


def crossings(source: Source) -> Iterator[tuple[int, str, str]]:
    """(line, domain, module within it) of every import of another domain."""
    for line, module in (*imports(source), *deferred_imports(source)):
        domain = domain_of(module)
        if (
            domain is not None
            and domain != source.domain
            and domain not in KERNELS | ROOT
            and source.module != "app"
        ):
            yield line, domain, module.removeprefix("app.").removeprefix(domain).removeprefix(".")


def is_public(domain: str, inner: str, *, importer: str) -> bool:
    """Return whether a file of the domain `importer` may import that module of `domain`."""
    if inner in EVERYWHERE or inner in FACES.get(domain, ()):
        return True
    return importer in BUILDERS and inner in BUILT.get(domain, ())


def private_imports(source: Source) -> Iterator[tuple[int, str]]:
    """(line, name) of what the file imports although its name begins with an underscore."""
    for node in source.nodes:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(("app.", "workers.")):
            for alias in node.names:
                if alias.name.startswith("_") and not alias.name.startswith("__"):
                    yield node.lineno, f"{node.module}.{alias.name}"


def reaching_past(files: Iterable[Source]) -> list[str]:
    """The imports that go past a domain's face."""
    return [
        f"{source.place}:{line} imports {domain}.{inner}, which is not of the face of {domain}: see FACES"
        for source in files
        for line, domain, inner in crossings(source)
        if not is_public(domain, inner, importer=source.domain)
    ]


def test_domains_are_used_by_their_faces() -> None:
    """Who reaches past the face depends on how a domain does its work, and breaks when it does it better."""
    assert reaching_past(program()) == []


def test_no_private_name_is_imported() -> None:
    """An underscore says that the file may change it without looking elsewhere."""
    wrong = [
        f"{source.place}:{line} imports {module}"
        for source in program()
        for line, module in private_imports(source)
    ]
    assert wrong == []


def test_the_faces_hold_no_more_than_is_used() -> None:
    used = {(domain, inner) for source in program() for _, domain, inner in crossings(source)}
    declared = {
        (domain, inner)
        for table in (FACES, BUILT)
        for domain, inner_names in table.items()
        for inner in inner_names
    }
    assert declared - used == set()
    assert [
        f"app.{domain}.{inner}" for domain, inner in declared if not is_module(f"app.{domain}.{inner}")
    ] == []


def passing_on(source: Source) -> Iterator[str]:
    """The functions that do nothing but call one of a repository with their own arguments."""
    for node in source.nodes:
        if not isinstance(node, ast.FunctionDef):
            continue
        match [
            statement
            for statement in node.body
            if not isinstance(getattr(statement, "value", None), ast.Constant)
        ]:
            case [ast.Return(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call)]:
                given = [*call.args, *(keyword.value for keyword in call.keywords)]
                names = sorted(argument.id if isinstance(argument, ast.Name) else "" for argument in given)
                if "repository" in ast.unparse(call.func) and names == sorted(
                    argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)
                ):
                    yield node.name


def test_a_face_passes_a_function_on_by_importing_it() -> None:
    """A function that only calls the repository's says everything twice: signature, words and defaults."""
    assert [f"{source.place}: {name}" for source in program() for name in passing_on(source)] == []
    renamed = planted('def finish(space, ids):\n    """Finish."""\n    repository.mark_ready(space, ids)')
    assert list(passing_on(renamed)) == ["finish"]


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        ("from app.graph.write.repository import list_nodes", "app/ingest/job.py"),
        ("from app.retrieval import spreading_activation", "app/answers/ask.py"),
        ("from app.ingest import job", "app/retrieval/service.py"),
        ("from app.ingest.job import ingest_documents", "app/api/documents.py"),
        ("import app.derived.eviction.job", "app/graph/service.py"),
        ("from app import retrieval", "app/answers/ask.py"),
        ("def late():\n    from app.graph import traversal", "app/retrieval/service.py"),
    ],
)
def test_the_guard_sees_an_import_past_the_face(bad: str, place: str) -> None:
    assert reaching_past([planted(bad, place)])


@pytest.mark.parametrize(
    ("good", "place"),
    [
        ("from app.graph import service", "app/retrieval/service.py"),
        ("from app.retrieval.shapes import Passage", "app/answers/ask.py"),
        ("from app.ingest.job import ingest_documents", "workers/ingest.py"),
        ("from app.graph.repository import list_nodes", "app/graph/service.py"),
    ],
)
def test_the_guard_lets_pass_what_is_declared(good: str, place: str) -> None:
    assert reaching_past([planted(good, place)]) == []
