"""`citegraph summaries`: refreshed, listed, shown, counted and decided again, never another tenant's."""

from app.db.database import Database
from app.settings import Settings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home
from tests.support.summaries import refresher


def test_refresh_list_show_gate_and_replay(
    citegraph: Call, database: Database, settings: Settings, filled: tuple[Home, Home]
) -> None:
    here = ("--space", "library")
    assert "No summaries yet" in citegraph("summaries", "list", *here).stdout
    assert "decided nothing yet" in citegraph("summaries", "gate", *here).stdout
    assert "No history" in citegraph("summaries", "replay", *here).stdout
    for _ in range(2):
        job = read_json(citegraph("summaries", "refresh", *here, "--json"))
        assert (job["kind"], job["state"]) == ("summaries.refresh", "queued")
        refresher(database, settings).drain()
    found = read_json(citegraph("summaries", "list", *here, "--json"))
    names = [node["canonical_name"] for node in found]
    assert "Alma Canary" in names
    assert "Bruno Magpie" not in str(found)
    shown = read_json(citegraph("summaries", "show", "Alma Canary", *here, "--json"))
    assert shown == found[names.index("Alma Canary")]
    told = citegraph("summaries", "show", "Alma Canary", *here).stdout
    assert "Alma Canary created Analytical Engine Notes" in told
    assert "unchanged; skipped 1 time" in told
    gate = read_json(citegraph("summaries", "gate", *here, "--json"))
    assert [(count["reason"], count["decisions"]) for count in gate["counts"]] == [
        ("first", len(found)),
        ("unchanged", len(found)),
    ]
    assert "50% of decisions left the summary as it was" in citegraph("summaries", "gate", *here).stdout
    again = read_json(citegraph("summaries", "replay", *here, "--json"))
    assert (again["nodes"], again["differing"], again["now"]) == (len(found), [], again["then"])
    arguments = ("--staleness-limit", "0", "--node", "Alma Canary")
    other = read_json(citegraph("summaries", "replay", *here, *arguments, "--json"))
    assert (other["nodes"], other["now"]["refreshed"]["first"]) == (1, 1)
    assert "they differ in 0 decisions" in citegraph("summaries", "replay", *here).stdout


def test_a_node_without_one_is_one_sentence(citegraph: Call, filled: tuple[Home, Home]) -> None:
    result = citegraph("summaries", "show", "Alma Canary", "--space", "library")
    assert result.exit_code == 1
    assert "No such summary" in result.stderr
