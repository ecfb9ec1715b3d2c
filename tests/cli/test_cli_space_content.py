"""`citegraph documents`, and what `citegraph nodes` and `edges` keep of a person's decisions."""

from pathlib import Path

import pytest
from sqlalchemy import update

from app.db.database import Database
from app.db.models import Document
from tests.cli.conftest import Call, read_json
from tests.conftest import Home


def test_a_document_is_listed_read_and_deleted_with_a_receipt(
    citegraph: Call, filled: tuple[Home, Home]
) -> None:
    (row,) = read_json(citegraph("documents", "list", "--space", "library", "--json"))
    assert (row["title"], row["state"]) == ("Notes", "ready")
    assert read_json(citegraph("documents", "list", "nothing like it", "-s", "library", "--json")) == []
    whole = read_json(citegraph("documents", "show", row["id"], "--space", "library", "--json"))
    assert {name: whole[name] for name in row} == row, "a document has one shape"
    assert (row["uploader"], row["warnings"]) == (None, [])
    shown = citegraph("documents", "text", row["id"], "--space", "library").stdout
    assert "Alma Canary created Analytical Engine Notes." in shown
    dry = read_json(citegraph("documents", "delete", row["id"], "-s", "library", "--dry-run", "--json"))
    assert dry["chunks"] == row["chunk_count"] >= 1
    refused = citegraph("documents", "delete", row["id"], "--space", "library", input="n\n")
    assert refused.exit_code == 1
    receipt = read_json(citegraph("documents", "delete", row["id"], "-s", "library", "--yes", "--json"))
    assert receipt == dry
    assert citegraph("documents", "text", row["id"], "--space", "library").exit_code == 1


def test_what_failed_is_queued_again(citegraph: Call, filled: tuple[Home, Home], database: Database) -> None:
    home, _ = filled
    assert "No document failed" in citegraph("documents", "retry", "--space", "library").stderr
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.orm.execute(
            update(Document)
            .where(Document.knowledge_space_id == home.space_id)
            .values(state="failed", failure_code="test", failure_reason="test")
        )
    made = read_json(citegraph("documents", "retry", "--space", "library", "--json"))
    assert made["documents"] == 1
    (row,) = read_json(citegraph("documents", "list", "--space", "library", "--json"))
    assert row["state"] == "queued"
    assert citegraph("documents", "retry", row["id"], "--space", "library").exit_code == 1


def test_mentions_are_shown_with_their_place_in_the_text(citegraph: Call, filled: tuple[Home, Home]) -> None:
    (document,) = read_json(citegraph("documents", "list", "--space", "library", "--json"))
    whole = citegraph("documents", "text", document["id"], "--space", "library").stdout
    found = read_json(citegraph("nodes", "mentions", "Alma Canary", "--space", "library", "--json"))
    assert found
    for mention in found:
        assert whole[mention["char_start"] : mention["char_end"]] == mention["surface_form"] == "Alma Canary"
    on = ("--after", found[-1]["chunk_id"])
    assert read_json(citegraph("nodes", "mentions", "Alma Canary", "-s", "library", "--json", *on)) == []


def test_a_node_is_renamed_and_called_as_before(citegraph: Call, filled: tuple[Home, Home]) -> None:
    assert citegraph("nodes", "rename", "Alma Canary", "Alma Bird", "--space", "library").exit_code == 0
    (found,) = read_json(citegraph("nodes", "Alma Bird", "--space", "library", "--json"))
    assert found["aliases"] == ["Alma Canary"]
    back = read_json(citegraph("nodes", "restore-name", "Alma Bird", "--space", "library", "--json"))
    assert back["canonical_name"] == "Alma Canary"


def test_pairs_are_previewed_kept_apart_and_reconsidered(citegraph: Call, filled: tuple[Home, Home]) -> None:
    pair = ("Alma Canary", "Charles Babbage")
    preview = read_json(citegraph("nodes", "merge-preview", *pair, "--space", "library", "--json"))
    assert preview["new_names"] == ["Charles Babbage"]
    assert citegraph("nodes", "keep-apart", *pair, "--space", "library").exit_code == 0
    (kept,) = read_json(citegraph("nodes", "kept-apart", "--space", "library", "--json"))
    assert {kept["a"]["name"], kept["b"]["name"]} == {"alma canary", "charles babbage"}
    again = read_json(citegraph("nodes", "merge-preview", *pair, "--space", "library", "--json"))
    assert again["overrides_decision"] is True
    assert (
        citegraph(
            "nodes", "reconsider", *kept["a"].values(), *kept["b"].values(), "--space", "library"
        ).exit_code
        == 0
    )
    assert read_json(citegraph("nodes", "kept-apart", "--space", "library", "--json")) == []


def test_nodes_by_any_of_several_words(citegraph: Call, filled: tuple[Home, Home]) -> None:
    found = read_json(
        citegraph("nodes", "Lovelace Babbage", "--match", "any", "--space", "library", "--json")
    )
    assert {node["canonical_name"] for node in found} == {"Ada Lovelace", "Charles Babbage"}
    assert read_json(citegraph("nodes", "--new-since", "2999-01-01", "-s", "library", "--json")) == []


def test_an_export_comes_back(citegraph: Call, filled: tuple[Home, Home], tmp_path: Path) -> None:
    file = tmp_path / "library.jsonl"
    assert citegraph("export", "--space", "library", "--out", file).exit_code == 0
    citegraph("space", "create", "copy")
    made = read_json(citegraph("import", file, "--space", "copy", "--json"))
    assert made["rows"]["document"] == 1
    ours, theirs = (read_json(citegraph("nodes", "--space", name, "--json")) for name in ("library", "copy"))
    assert ours == theirs
    again = citegraph("import", file, "--space", "copy")
    assert again.exit_code == 1
    assert "without documents" in again.stderr


def test_a_file_that_cannot_be_written_is_one_sentence(
    citegraph: Call, filled: tuple[Home, Home], tmp_path: Path
) -> None:
    for file, reason in (
        (tmp_path / "no folder" / "file", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        refused = citegraph("export", "--space", "library", "--out", file)
        assert refused.exit_code == 1
        assert refused.stderr == f"Error: {file}: {reason}.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is full")
def test_a_full_disk_is_one_sentence(citegraph: Call, filled: tuple[Home, Home]) -> None:
    refused = citegraph("export", "--space", "library", "--out", "/dev/full")
    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1] == "Error: No space left on device."


def test_the_audit_log_has_the_filters_of_the_api(citegraph: Call, filled: tuple[Home, Home]) -> None:
    def actions(*filters: str) -> list[str]:
        return [entry["action"] for entry in read_json(citegraph("audit", "--json", *filters))]

    citegraph("space", "create", "audited")
    (entry, *_) = read_json(citegraph("audit", "--json", "--action", "space.create"))
    time = entry["created_at"]
    assert actions("--action", "space.create", "--since", time, "--outcome", "done") == ["space.create"]
    assert entry["id"] not in {row["id"] for row in read_json(citegraph("audit", "--json", "--until", time))}
    assert actions("--outcome", "refused") == []
    assert "No entry matches the filters." in citegraph("audit", "--until", "2000-01-01").stdout
