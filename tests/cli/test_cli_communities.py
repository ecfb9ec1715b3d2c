"""`citegraph communities`: detected, listed and shown, never another tenant's."""

from app.db.database import Database
from app.derived.communities.job import detect_communities_and_write_reports
from app.jobs.kinds import DetectCommunities
from app.settings import Settings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home, under
from workers.runner import Runner


def test_detect_list_and_show(
    citegraph: Call, database: Database, settings: Settings, filled: tuple[Home, Home]
) -> None:
    assert "No communities yet" in citegraph("communities", "list", "--space", "library").stdout
    job = read_json(citegraph("communities", "detect", "--space", "library", "--json"))
    assert (job["kind"], job["state"]) == ("communities.detect", "queued")
    handlers = {DetectCommunities.kind: detect_communities_and_write_reports}
    assert Runner(under(database, settings), settings, handlers).drain() == 1
    found = read_json(citegraph("communities", "list", "--space", "library", "--json"))
    (shown,) = [community for community in found if "Analytical Engine Notes" in community["title"]]
    assert (
        read_json(citegraph("communities", "list", "--space", "library", "--level", "0", "--json")) == found
    )
    detail = read_json(citegraph("communities", "show", shown["id"], "--space", "library", "--json"))
    assert {member["canonical_name"] for member in detail["members"]} >= {"Ada Lovelace", "Alma Canary"}
    assert all(finding["edge_ids"] for finding in detail["findings"])
    told = citegraph("communities", "show", shown["id"], "--space", "library").stdout
    assert "Ada Lovelace created Analytical Engine Notes" in told
    assert "Bruno Magpie" not in told


def test_an_unknown_id_is_one_sentence(citegraph: Call, filled: tuple[Home, Home]) -> None:
    result = citegraph("communities", "show", "nonsense", "--space", "library")
    assert result.exit_code == 1
    assert "No such community" in result.stderr
