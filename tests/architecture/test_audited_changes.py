"""Every change that a door can make leaves an audit row: derived from who calls whom, not from a list."""

import ast
import re
from collections.abc import Iterable
from functools import cache

from app.db.sql import load_statement
from app.tenancy.audit.actions import ACTIONS, EARLIER_ACTIONS
from tests.architecture.tree import Source, domain_of, is_module, planted, program

DOORS = {"api", "dashboard", "cli", "mcp"}
# The layers under the domains, and the audit itself: rules stand in none of them.
BENEATH = {"db", "observability", "tenancy.audit", "llm", "llm.model_calls", "runtime"}
RECORDS = {"app.tenancy.audit.service:record", "app.tenancy.audit.service:record_platform_action"}
WRITING = re.compile(r"\b(INSERT\s+INTO|DELETE\s+FROM|(?<!FOR )(?<!KEY )(?<!DO )UPDATE)\b", re.IGNORECASE)
ORM_WRITES = {"add", "add_all", "delete"}
# Functions that write and leave no audit row, each with why.
SILENT = {
    "app.tenancy.accounts.questions:record_question_and_prune_history": "of the asker: keeps the question",
    "app.tenancy.accounts.sign_in:delete_session_and_expired_ones": "ends the session of whoever asks",
    "app.tenancy.accounts.sign_in:authenticate_session_and_record_use": "notes that a session is in use",
    "app.graph.write.near_duplicates:list_doubtful_pairs": "keeps pairs, which can be worked out anew",
    "app.graph.layout.service:build_graph_view": "keeps where nodes stand, which can be worked out anew",
    "app.http.idempotency.service:lease_key_or_find_earlier_request": "leases a key; the change is recorded",
    "app.http.idempotency.service:record_finished_request": "keeps an answer; the change is recorded",
    "app.http.idempotency.service:release_key": "gives the key of a request back that changed nothing",
    "app.ingest.service:preview_removal": "takes back what it does",
    "app.ingest.service:preview_removals": "takes back what it does",
    "app.tenancy.tenants.api_keys:authenticate_key_and_record_use": "notes that a key is in use",
}


def is_write(node: ast.AST) -> bool:
    """Return whether this is a call that writes: a named statement, or one of the ORM's."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in {"insert", "update", "delete"}
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in {"run", "send", "run_each"} and node.args:
        name = node.args[0]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            text = re.sub(r"--[^\n]*", "", load_statement(name.value))
            return WRITING.search(text) is not None
    owner = node.func.value
    return isinstance(owner, ast.Attribute) and owner.attr == "orm" and node.func.attr in ORM_WRITES


def names_in(source: Source) -> dict[str, str]:
    """What each name of the file stands for: a module, or module:function."""
    found = {}
    for node in source.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("app"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                name = inner if is_module(inner) else f"{node.module}:{alias.name}"
                found[alias.asname or alias.name] = name
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = f"{source.module}:{node.name}"
    return found


def mentioned(node: ast.AST, names: dict[str, str]) -> set[str]:
    """Every module:function that the code mentions: called, or handed on to be called."""
    found = set()
    for other_node in ast.walk(node):
        if isinstance(other_node, ast.Name) and ":" in names.get(other_node.id, ""):
            found.add(names[other_node.id])
        elif isinstance(other_node, ast.Attribute) and isinstance(other_node.value, ast.Name):
            module = names.get(other_node.value.id, "")
            if module and ":" not in module:
                found.add(f"{module}:{other_node.attr}")
    return found


@cache
def graph() -> tuple[dict[str, set[str]], set[str]]:
    """(what each function or class of the domains mentions, those that write themselves)."""
    edges: dict[str, set[str]] = {}
    writers = set()
    for source in program():
        names = names_in(source)
        # What a face passes on of its repository is called by the face's name.
        for name, target in names.items():
            own = f"{source.module}:{name}"
            if ":" in target and target != own:
                edges[own] = {target}
        for node in source.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                own = f"{source.module}:{node.name}"
                edges[own] = mentioned(node, names) - {own}
                if any(map(is_write, ast.walk(node))):
                    writers.add(own)
    return edges, writers


def reaching(goals: Iterable[str]) -> set[str]:
    """Every function from which one of these is reached."""
    edges, _ = graph()
    callers: dict[str, set[str]] = {}
    for own, others in edges.items():
        for other_function in others:
            callers.setdefault(other_function, set()).add(own)
    found = set(goals)
    waiting = list(found)
    while waiting:
        for goal in callers.get(waiting.pop(), set()) - found:
            found.add(goal)
            waiting.append(goal)
    return found


def is_rule(name: str) -> bool:
    """Return whether it is a domain's own: neither a door's nor of the layers beneath."""
    module = name.partition(":")[0]
    domain = domain_of(module)
    return (
        domain is not None
        and module != f"app.{domain}"
        and domain not in DOORS | BENEATH | {"http", "workers"}
    )


def changing() -> set[str]:
    """The rules that doors call and that write."""
    asked = set()
    for source in program():
        if source.domain in DOORS | {"http"}:
            asked |= mentioned(source.tree, names_in(source))
    return {function_name for function_name in asked & reaching(graph()[1]) if is_rule(function_name)}


def test_every_change_that_a_door_makes_is_recorded() -> None:
    assert sorted(changing() - reaching(RECORDS)) == sorted(SILENT)


def test_the_changes_that_matter_are_among_them() -> None:
    """Else the derivation would see nothing, and all would be well."""
    assert {
        "app.ingest.service:delete_document_with_all_its_words",
        "app.documents.service:submit_documents",
        "app.graph.write.merges:merge_nodes_by_person",
        "app.graph.invalidation.service:undo_ending_decision",
        "app.graph.tags.service:choose_and_set_tags",
        "app.answers.golden.service:update_space_if_gate_passes",
        "app.tenancy.tenants.api_keys:create_key",
        "app.derived.eviction.scheduling:enqueue_eviction_or_run_waiting_now",
    } <= changing()
    assert "app.graph.service:list_nodes" not in changing()


def test_every_action_is_recorded_somewhere_and_none_without_a_name() -> None:
    recorded = set()
    for source in program():
        if source.domain == "tenancy.audit":
            continue
        for node in source.nodes:
            if isinstance(node, ast.Constant) and node.value in ACTIONS:
                recorded.add(node.value)
    assert set(ACTIONS) - recorded == {"audit.purge", *EARLIER_ACTIONS}


def test_a_write_is_seen() -> None:
    for body in (
        "space.orm.add(row)",
        'space.run("graph.write.mark_merge_undone", {})',
        "session.orm.execute(update(ApiKey))",
    ):
        assert any(map(is_write, ast.walk(planted(body).tree))), body
    assert not any(map(is_write, ast.walk(planted('space.run("graph.find_nested_values")').tree)))
