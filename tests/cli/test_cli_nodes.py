"""`citegraph nodes`: the listing by its short form, and merging and undoing as a person does it."""

from tests.cli.conftest import Call, read_json
from tests.conftest import Home


def test_words_and_options_alone_list_nodes(citegraph: Call, filled: tuple[Home, Home]) -> None:
    short = read_json(citegraph("nodes", "Lovelace", "--space", "library", "--json"))
    long = read_json(citegraph("nodes", "list", "Lovelace", "--space", "library", "--json"))
    assert [each["canonical_name"] for each in short] == ["Ada Lovelace"]
    assert short == long
    assert read_json(citegraph("nodes", "--json", "-s", "library", "Lovelace")) == short


def test_merge_and_unmerge(citegraph: Call, filled: tuple[Home, Home]) -> None:
    before = read_json(citegraph("nodes", "--space", "library", "--json"))
    merged = citegraph("nodes", "merge", "Ada Lovelace", "Alma Canary", "--space", "library")
    assert merged.exit_code == 0, merged.stderr
    (row,) = read_json(citegraph("nodes", "merges", "--space", "library", "--json"))
    assert (row["loser_name"], row["reason"], row["decided_by"]) == ("Alma Canary", "person", "cli")
    assert f"citegraph nodes unmerge {row['id']} --space library" in merged.stdout
    assert "Alma Canary" in citegraph("nodes", "merges", "--space", "library").stdout
    (found,) = read_json(citegraph("nodes", "Lovelace", "--space", "library", "--json"))
    assert "Alma Canary" in (found["canonical_name"], *found["aliases"])
    undone = read_json(citegraph("nodes", "unmerge", row["id"], "--space", "library", "--json"))
    assert undone["canonical_name"] == "Alma Canary"
    after = read_json(citegraph("nodes", "--space", "library", "--json"))
    times = {"first_seen_at", "last_seen_at", "updated_at"}
    assert [{key: each[key] for key in each if key not in times} for each in after] == [
        {key: each[key] for key in each if key not in times} for each in before
    ]
    again = citegraph("nodes", "unmerge", row["id"], "--space", "library")
    assert again.exit_code == 1
    assert "already" in again.stderr
