"""`citegraph edges`, `citegraph conflicts` and `citegraph tags`: a person decides, sees why, and takes it
back.
"""

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.graph.tags.tag_choice import MAX_TAGS
from app.settings import Settings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home, make_home
from tests.support.contradictions import LONDON, LONDON_2021, PARIS, PARIS_2019, says, taker

SPACE = ("--space", "library")


@pytest.fixture
def contested(database: Database, settings: Settings) -> Home:
    """Tenants A and B: for A Paris was superseded and Rome stands against Oslo, for B only Paris is known."""
    home, other = make_home(database, "tenant-a"), make_home(database, "tenant-b")
    taker(database, settings, other)(PARIS_2019)
    taker(database, settings, home)(
        PARIS_2019,
        LONDON_2021,
        says("Globex Corporation is located in Rome."),
        says("Globex Corporation is located in Oslo."),
    )
    return home


@pytest.mark.usefixtures("contested")
class TestConflicts:
    def test_explain_as_of_a_day_shows_what_ended_since(self, citegraph: Call) -> None:
        ends = ("--from", "Acme Corporation", "--to", "Paris", "--json")
        now = read_json(citegraph("explain", *SPACE, *ends))
        assert "located in: Paris (until 2021-04-01) [1]" in now["narrative"]
        assert now["warnings"] == [
            "Nothing leads from “Acme Corporation” to “Paris” any more: what did has ended."
        ]
        for time in ("2020-01-01T00:00:00", "2020-01-01T02:00+02:00", "2020-01-01T00:00:00.5+00:00"):
            assert read_json(citegraph("explain", *SPACE, *ends, "--as-of", time))["edges"]
        then = read_json(citegraph("explain", *SPACE, *ends, "--as-of", "2020-01-01"))
        assert {edge["evidence"]["quote"] for edge in then["edges"]} == {PARIS}
        assert then["warnings"] == []
        # Nobody had said London by then.
        assert then["contested"] == []

    def test_it_lists_values_quotes_dates_and_reasons(self, citegraph: Call) -> None:
        shown = citegraph("conflicts", *SPACE).stdout
        assert "Acme Corporation located_in: superseded" in shown
        assert "Globex Corporation located_in: contested" in shown
        for part in (PARIS, LONDON, "dated 2019-03-01", "ended 2021-04-01 by rules", "undated"):
            assert part in shown
        found = read_json(citegraph("conflicts", *SPACE, "--contested", "--json"))
        assert [claim["from_name"] for claim in found] == ["Globex Corporation"]
        assert read_json(citegraph("conflicts", *SPACE, "--relation-type", "owns", "--json")) == []

    def test_the_value_that_is_upheld_ends_the_others(self, citegraph: Call) -> None:
        (found,) = read_json(citegraph("conflicts", *SPACE, "--contested", "--json"))
        one, other = (value["rows"][0]["edge"]["id"] for value in found["values"])
        ended = read_json(citegraph("edges", "uphold", one, *SPACE, "--reason", "The register.", "--json"))
        assert [decision["edge_id"] for decision in ended] == [other]
        assert read_json(citegraph("conflicts", *SPACE, "--contested", "--json")) == []
        again = citegraph("edges", "uphold", one, *SPACE, "--reason", "The register.")
        assert (again.exit_code, again.stdout) == (1, "")

    def test_it_settles_what_was_declared_later(
        self, citegraph: Call, database: Database, contested: Home
    ) -> None:
        paris = read_json(citegraph("edges", "list", *SPACE, "--ended", "--json"))[0]["edge_id"]
        with database.open_space(contested.tenant_id, contested.space_id) as space:
            # As if nothing had been declared when the documents came in.
            space.connection.execute("DELETE FROM edge_invalidation WHERE edge_id = %s", [paris])
            space.connection.execute("UPDATE graph_edge SET invalidated_at = NULL WHERE id = %s", [paris])
        settled = citegraph("conflicts", *SPACE, "--settle")
        assert "1 edge ended by date" in settled.stderr
        assert "Acme Corporation located_in: superseded" in settled.stdout
        assert citegraph("space", "create", "plain").exit_code == 0
        assert citegraph("conflicts", "--space", "plain").stdout == "No conflicts.\n"
        assert citegraph("space", "set", "plain", "single_valued_relations=[]").exit_code == 0
        assert "declares no relation" in citegraph("conflicts", "--space", "plain").stdout


@pytest.mark.usefixtures("contested")
class TestEdges:
    def test_one_is_ended_shown_and_restored(self, citegraph: Call) -> None:
        (rome,) = [
            edge["id"]
            for edge in read_json(citegraph("edges", "list", *SPACE, "--json"))
            if "Rome" in edge["evidence"]["quote"]
        ]
        ended = citegraph(
            "edges", "invalidate", rome, *SPACE, "--reason", "A misprint.", "--at", "2020-02-02"
        )
        assert ended.exit_code == 0, ended.stderr
        assert f"citegraph edges restore {rome}" in ended.stdout
        shown = read_json(citegraph("edges", "show", rome, *SPACE, "--json"))
        assert shown["invalidated_at"].startswith("2020-02-02")
        assert [decision["decided_by"] for decision in shown["history"]] == ["cli"]
        assert "A misprint." in citegraph("edges", "show", rome, *SPACE).stdout
        listed = [
            listed_edge["id"] for listed_edge in read_json(citegraph("edges", "list", *SPACE, "--json"))
        ]
        assert rome not in listed
        decisions = read_json(citegraph("edges", "list", "--ended", *SPACE, "--json"))
        assert [(decision["kind"], decision["to_name"]) for decision in decisions] == [
            ("person", "Rome"),
            ("source", "Paris"),
        ]
        twice = citegraph("edges", "invalidate", rome, *SPACE, "--reason", "Again.")
        assert (twice.exit_code, twice.stdout) == (1, "")
        assert "restore it first" in twice.stderr
        assert "holds again" in citegraph("edges", "restore", rome, *SPACE).stdout
        assert citegraph("edges", "restore", rome, *SPACE).exit_code == 1
        assert rome in [
            listed_edge["id"] for listed_edge in read_json(citegraph("edges", "list", *SPACE, "--json"))
        ]
        assert citegraph("edges", "invalidate", rome, *SPACE).exit_code == 2
        assert citegraph("edges", "invalidate", rome, *SPACE, "--reason", " ").exit_code == 1
        assert citegraph("edges", "show", "nonsense", *SPACE).exit_code == 1

    def test_an_edge_of_the_twin_is_not_found(self, citegraph: Call) -> None:
        theirs = read_json(citegraph("edges", "list", *SPACE, "--tenant", "tenant-b", "--json"))
        assert len(theirs) == 1
        for command in (["show"], ["invalidate", "--reason", "No."], ["restore"]):
            refused = citegraph("edges", command[0], theirs[0]["id"], *SPACE, *command[1:])
            assert (refused.exit_code, refused.stdout) == (1, "")
        assert read_json(citegraph("conflicts", *SPACE, "--tenant", "tenant-b", "--json")) == []


@pytest.mark.usefixtures("contested")
class TestTags:
    def test_they_are_suggested_and_set_only_when_asked(self, citegraph: Call) -> None:
        found = read_json(citegraph("tags", "suggest", *SPACE, "--json"))
        assert len(found) > 3
        assert all(
            1 <= len(suggestion["tags"]) <= MAX_TAGS and suggestion["applied"] is None for suggestion in found
        )
        assert read_json(citegraph("tags", "list", *SPACE, "--json")) == []
        applied = citegraph("tags", "suggest", *SPACE, "--node", "Acme Corporation", "--apply", "--json")
        (acme,) = read_json(applied)
        assert acme["applied"] == acme["tags"]
        assert {tag["tag"] for tag in read_json(citegraph("tags", "list", *SPACE, "--json"))} == set(
            acme["tags"]
        )
        assert "Acme Corporation" in citegraph("tags", "suggest", *SPACE, "--node", "Acme Corporation").stdout
        assert citegraph("tags", "suggest", *SPACE, "--overwrite").exit_code == 2
        assert citegraph("tags", "suggest", *SPACE, "--by", "person").exit_code == 2
        assert citegraph("tags", "suggest", *SPACE, "--by", "model").exit_code == 1
        assert citegraph("tags", "suggest", *SPACE, "--node", "Nobody At All").exit_code == 1


@pytest.mark.usefixtures("contested")
def test_a_lock_that_somebody_holds_too_long_is_told_in_a_sentence(
    citegraph: Call, privileged_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge_id = read_json(citegraph("edges", "list", *SPACE, "--json"))[0]["id"]
    monkeypatch.setenv("CITEGRAPH_LOCK_TIMEOUT", "0.1")
    with psycopg.connect(convert_to_conninfo(privileged_url)) as other:
        other.execute("LOCK TABLE graph_edge IN EXCLUSIVE MODE")
        refused = citegraph("edges", "invalidate", edge_id, *SPACE, "--reason", "No.")
    assert isinstance(refused.exception, SystemExit)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "no time or room" in refused.stderr
    assert citegraph("edges", "invalidate", edge_id, *SPACE, "--reason", "No.").exit_code == 0
