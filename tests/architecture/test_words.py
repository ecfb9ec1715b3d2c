"""The field's words: names that somebody who knows the field would guess, and docstrings that begin with the
thing.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.tree import PROJECT, Source, planted, program, sources

# Each was replaced by the word to its right. A verb is banned at the head of a name too: `settle_votes`,
# `hold_node`.
VERBS = {
    "begin_to_explain": "start_explanation",
    "foresee": "estimate",
    "give_up": "fail_pending",
    "hold": "heartbeat or lock",
    "postpone": "reschedule_queued_job_later",
    "put_back": "release",
    "set_aside": "quarantine",
    "settle": "what it does: apply_votes, local_move, reconcile_cost",
    "take_again": "requeue_failed",
    "take_forward": "reschedule_earlier",
    "take_up": "start",
    "told": "build_explanation",
}
NOUNS = {
    "afterwards": "downstream_estimate",
    "ahead": "prefetch",
    "asking": "batching",
    "doubts": "near_duplicates",
    "following": "on_graph_changed",
    "likeness": "name_similarity",
    "looking": "gate_input",
    "model_answers": "ledger",
    "moving": "local_moves",
    "passes": "extract",
    "reader": "extractor",
    "readers": "extractors",
    "reading": "parse_and_chunk",
    "splitting": "group_splitter",
    "surroundings": "neighborhood",
    "together": "pipelined",
    "weighting": "edge_weights",
}
# Participles and near-words that say of nothing what it is, and functions that are named by what they read.
CLASSES = {
    "Found": "what was found: FoundFiles, RankedChunk, DetectedRun",
    "Tuning": "EffectiveSettings",
    "Wanted": "what is chosen: DetectionOptions",
}
FUNCTIONS = {"passage": "render_passage", "passage_of": "PassageScorer.passage"}
FIELDS = {"likeness": "similarity or cosine"}
VARIABLES = {"each", "told"}
# A claim is what a chunk states; a worker has a lease of its job.
LEASE_ROOMS = ("app/jobs/", "workers/")
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def list_word_ranges_of_text(name: str) -> str:
    """The name in lower snake_case, without leading underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).casefold().strip("_")


def replaced_word(name: str) -> str | None:
    """The word that took the place of this name's, if it was replaced."""
    words = list_word_ranges_of_text(name)
    for verb, better in VERBS.items():
        if words == verb or words.startswith(f"{verb}_"):
            return better
    return NOUNS.get(words)


def names(source: Source) -> Iterator[tuple[int, str]]:
    """(line, name) of the module and of each function and class in it."""
    yield 1, source.path.stem
    for node in source.nodes:
        if isinstance(node, DEFINED):
            yield node.lineno, node.name


def test_names_are_the_fields_words() -> None:
    wrong = [
        f"{source.place}:{line} {name}: {better}"
        for source in program()
        for line, name in names(source)
        if (better := replaced_word(name)) is not None
    ]
    assert wrong == []


def vague(source: Source) -> Iterator[tuple[int, str, str]]:
    """(line, name, a better one) of classes, functions and fields that do not say what they are."""
    for node in source.nodes:
        if isinstance(node, ast.ClassDef):
            if (better := CLASSES.get(node.name.lstrip("_"))) is not None:
                yield node.lineno, node.name, better
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    name = statement.target.id
                    if name in FIELDS:
                        yield statement.lineno, name, FIELDS[name]
    for function in source.tree.body:
        if isinstance(function, ast.FunctionDef) and function.name in FUNCTIONS:
            yield function.lineno, function.name, FUNCTIONS[function.name]


def test_names_say_what_they_are() -> None:
    wrong = [
        f"{source.place}:{line} {name}: {better}"
        for source in program()
        for line, name, better in vague(source)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "bad",
    [
        "class _Tuning: pass",
        "class Found: pass",
        "def passage(text): pass",
        "class Pair:\n    likeness: float",
    ],
)
def test_the_guard_sees_a_name_that_says_nothing(bad: str) -> None:
    assert list(vague(planted(bad)))


def test_a_worker_has_a_lease_of_its_job() -> None:
    wrong = [
        f"{source.place}:{line}"
        for source in program()
        if source.place.startswith(LEASE_ROOMS)
        for line, name in names(source)
        if name == "Claim"
    ]
    assert wrong == []


def vague_variables(source: Source) -> Iterator[tuple[int, str]]:
    """(line, name) of variables and arguments with a name of VARIABLES."""
    for node in source.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VARIABLES:
            yield node.lineno, node.id
        elif isinstance(node, ast.arg) and node.arg in VARIABLES:
            yield node.lineno, node.arg


def test_variables_are_called_by_what_they_hold() -> None:
    """An element of `rows` is a row: `each` and `told` fit everything and say nothing."""
    wrong = [
        f"{source.place}:{line} {name}" for source in program() for line, name in vague_variables(source)
    ]
    assert wrong == []


def test_loops_of_tests_and_templates_are_called_by_what_they_hold() -> None:
    wrong = [
        f"{source.place}:{line} {name}"
        for source in sources("tests", "benchmarks", "clients")
        for line, name in vague_variables(source)
        if name == "each"
    ]
    loops = re.compile(r"\{% (?:for (?:\w+, )*each |macro \w+\(each\b|set each\b)")
    templates = sorted((PROJECT / "app/dashboard/templates").rglob("*.html"))
    assert templates
    wrong += [path.name for path in templates if loops.search(path.read_text("utf-8"))]
    assert wrong == []


@pytest.mark.parametrize("bad", ["[each.id for each in rows]", "told = rows", "def add(told): pass"])
def test_the_guard_sees_a_vague_variable(bad: str) -> None:
    assert list(vague_variables(planted(bad)))


def test_docstrings_begin_with_the_thing_or_a_verb() -> None:
    """ "What …" and "Whether …" let the reader wait for the word that matters."""
    wrong = [
        f"{source.place}:{getattr(node, 'lineno', 1)}"
        for source in program()
        for node in source.nodes
        if isinstance(node, (*DEFINED, ast.Module))
        and re.match(r"\s*(What|Whether)\b", ast.get_docstring(node) or "")
    ]
    assert wrong == []


def test_the_tests_of_names_see_what_they_ban() -> None:
    assert replaced_word("_hold_node") == "heartbeat or lock"
    assert replaced_word("SetAside") == "quarantine"
    assert replaced_word("holds_long_runs") is None
    assert replaced_word("Readers") == "extractors"
