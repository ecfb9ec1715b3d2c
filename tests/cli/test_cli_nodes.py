"""`citegraph nodes`: the listing by its short form, and merging and undoing as a person does it."""

import pytest

from app.db.database import Database
from app.graph import service as graph
from app.graph.tags import service as node_tags
from app.jobs import queue
from tests.cli.conftest import Call, read_json
from tests.conftest import Home


def test_words_and_options_alone_list_nodes(citegraph: Call, filled: tuple[Home, Home]) -> None:
    short = read_json(citegraph("nodes", "Lovelace", "--space", "library", "--json"))
    long = read_json(citegraph("nodes", "list", "Lovelace", "--space", "library", "--json"))
    assert [node["canonical_name"] for node in short] == ["Ada Lovelace"]
    assert short == long
    assert read_json(citegraph("nodes", "--json", "-s", "library", "Lovelace")) == short


def test_nodes_are_listed_by_tag(citegraph: Call, filled: tuple[Home, Home], database: Database) -> None:
    home, _ = filled
    with database.open_space(home.tenant_id, home.space_id) as space:
        node_tags.choose_and_set_tags(space, graph.find_nodes(space, "Ada Lovelace")[0].id, ["Pioneer"])
    found = read_json(citegraph("nodes", "--tag", "pioneer", "--space", "library", "--json"))
    assert [node["canonical_name"] for node in found] == ["Ada Lovelace"]


def test_a_node_is_shown_with_what_is_known_of_it(citegraph: Call, filled: tuple[Home, Home]) -> None:
    told = read_json(citegraph("nodes", "show", "ada lovelace", "--space", "library", "--json"))
    assert told["canonical_name"] == "Ada Lovelace"
    assert told["attributes"] == []
    assert {"Ada Lovelace"} <= {told["relations"][0]["from_name"], told["relations"][0]["to_name"]}
    screen = citegraph("nodes", "show", "Ada Lovelace", "--space", "library").stdout
    assert "Ada Lovelace (Person)" in screen
    assert told["relations"][0]["relation_type"] in screen
    nobody = citegraph("nodes", "show", "Nobody At All", "--space", "library")
    assert (nobody.exit_code, nobody.stdout) == (1, "")


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
    assert [{key: node[key] for key in node if key not in times} for node in after] == [
        {key: node[key] for key in node if key not in times} for node in before
    ]
    again = citegraph("nodes", "unmerge", row["id"], "--space", "library")
    assert again.exit_code == 1
    assert "already" in again.stderr


@pytest.mark.parametrize("kind", ["communities.detect", "summaries.refresh"])
def test_merging_and_undoing_are_changes_of_the_graph(
    citegraph: Call, filled: tuple[Home, Home], database: Database, kind: str
) -> None:
    """Each queues what follows a change; an ingest's own is taken away before."""

    def queued() -> int:
        with database.open_space(filled[0].tenant_id, filled[0].space_id) as space:
            return sum(job.kind == kind for job in queue.list_jobs(space))

    def forget() -> None:
        with database.open_space(filled[0].tenant_id, filled[0].space_id) as space:
            space.connection.execute("DELETE FROM job WHERE knowledge_space_id = %s", [filled[0].space_id])

    forget()
    merge = ("nodes", "merge", "Ada Lovelace", "Alma Canary", "--space", "library", "--json")
    made = read_json(citegraph(*merge))
    assert queued() == 1
    forget()
    assert citegraph("nodes", "unmerge", made["id"], "--space", "library").exit_code == 0
    assert queued() == 1
