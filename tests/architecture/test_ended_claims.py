"""Claims that ended: the ledger alone ends and restores them, and whoever reads facts leaves them out."""

import re
from pathlib import Path

import pytest

from app.db.sql import list_statement_files, load_statement

APP = Path(__file__).parents[2] / "app"
FILES = {name: load_statement(name) for name in list_statement_files()}
# Those that keep the graph's rows look at all of them, ended or not.
KEEPERS = {"graph.write", "derived.embedding_change", "derived.eviction", "transfer.space_import"}
ANY_ROW = {
    "transfer.export.count_rows": "counts rows of which an export writes all, ended or not",
    "db.are_shard_tables_large": "asks how large the table is, and reads no fact",
    "graph.find_claims_ending_with_nodes": "lists claims whose end is worked out anew, ended or not",
    "graph.list_claims_of_chunks": "lists claims of which is worked out anew whether they end",
    "graph.list_claims_of_targets": "lists claims whose end is worked out anew, ended or not",
    "ingest.chunk_rereading.find_date_given_to_undated_claims": (
        "asks by what date a document dated its claims, ended or not"
    ),
    "ingest.trials.list_graph_claims_of_trial_chunks": "says what was read in chunks, ended claims too",
    "retrieval.get_fact_details": "tells more about facts that were chosen before",
    "graph.get_extractors_of_edges": "says who read edges that were chosen before, and no fact",
    "graph.get_roles_of_edges": "tells more about edges that were chosen before",
    "graph.layout.get_days_of_claims": "says between which days anything is said to hold, of what ended too",
    "tenancy.spaces.count_rows": "says how much is to be deleted, and reads no fact",
}


def test_two_statements_alone_write_when_a_claim_ended() -> None:
    """Each of them writes the ledger's row in the same statement."""
    writing = re.compile(r"\bUPDATE graph_edge\b[^;]*?\bSET\b[^;]*?\binvalidated_at = ")
    writers = {name for name, text in FILES.items() if writing.search(text)}
    assert writers == {"graph.end_edges_and_list_newly_ended", "graph.lift_endings"}
    for name in writers:
        assert "edge_invalidation" in FILES[name]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, text in FILES.items()
        if name.rpartition(".")[0] not in KEEPERS and re.search(r"\b(FROM|JOIN) graph_edge\b", text)
    ],
)
def test_whoever_reads_facts_says_what_becomes_of_ended_ones(name: str) -> None:
    assert ("invalidated_at" in FILES[name]) is (name not in ANY_ROW)


def test_one_definition_says_what_holds() -> None:
    """The function `edge_holds` for rows, `validity.holds` for values: statements, doors and pages call them.

    What has ended may be told by `invalidated_at IS NOT NULL`, which its index knows.
    """
    of_rows = re.compile(r"invalidated_at IS NULL|invalidated_at >|coalesce\([\w.]*invalidated_at")
    assert [name for name, text in FILES.items() if of_rows.search(text)] == []
    python = {path for path in APP.rglob("*.py") if "invalidated_at is " in path.read_text("utf-8")}
    assert python == {APP / "graph" / "validity.py"}
