"""`citegraph cluster` where there is no cluster, and what it says of moves; on one: tests/integration."""

import pytest
from sqlalchemy import URL

from app.cli.cluster import MoveProgressPrinter
from app.db.scaling.moves import MoveProgress, ShardTask
from app.db.scaling.nodes import parse_address
from app.errors import ConfigurationError
from tests.cli.conftest import Call

COMMANDS = (
    ["status"],
    ["status", "--json"],
    ["add-node", "worker:5432"],
    ["rebalance"],
    ["drain", "worker:5432"],
    ["isolate", "demo", "--yes"],
)


@pytest.mark.one_machine("asks what is said where there is no cluster")
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_on_one_machine_each_says_that_it_is_one(
    citegraph: Call, privileged_url: URL, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.delenv("CITEGRAPH_CLUSTER_URL", raising=False)
    refused = citegraph("cluster", *words)
    assert refused.exit_code == 1
    assert "Set CITEGRAPH_CLUSTER_URL" in refused.stderr
    monkeypatch.setenv("CITEGRAPH_CLUSTER_URL", privileged_url.render_as_string(hide_password=False))
    refused = citegraph("cluster", *words)
    assert refused.exit_code == 1
    assert "That database is not a Citus cluster." in refused.stderr


def test_a_coordinator_that_is_away_is_named_by_its_setting(
    citegraph: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEGRAPH_CLUSTER_URL", "postgresql://postgres@127.0.0.1:9/nothing")
    refused = citegraph("cluster", "rebalance")
    assert refused.exit_code == 1
    assert "The coordinator at CITEGRAPH_CLUSTER_URL cannot be reached" in refused.stderr


@pytest.mark.parametrize(
    ("name", "address"),
    [("worker", ("worker", 5432)), ("worker:6000", ("worker", 6000)), ("::1:6000", ("::1", 6000))],
)
def test_an_address_has_a_host_and_may_have_a_port(name: str, address: tuple[str, int]) -> None:
    assert parse_address(name) == address


@pytest.mark.parametrize("name", ["worker:", ":5432", "worker:0", "worker:70000", "worker:port", ""])
def test_what_is_no_address_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="not a HOST:PORT"):
        parse_address(name)


def test_a_line_is_said_when_a_move_begins_and_every_few_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = ShardTask("shard 7 from a:1 to b:2", "", (), "b:2", 50_000_000)
    seconds = 100.0
    monkeypatch.setattr("app.cli.cluster.time.monotonic", lambda: seconds)
    printer = MoveProgressPrinter()
    printer(MoveProgress(1, 2, task, "", 0, 90_000_000, 0.0, None))
    printer(MoveProgress(1, 2, task, "Setting Up", 1_000_000, 90_000_000, 1e6, None))
    seconds += 6
    printer(MoveProgress(1, 2, task, "Catching Up", 45_000_000, 90_000_000, 7.5e6, 12.0))
    printer(MoveProgress(2, 2, task, "", 50_000_000, 90_000_000, 8e6, 80.0))
    assert capsys.readouterr().err.splitlines() == [
        "1 of 2: shard 7 from a:1 to b:2; 0 B of 90.0 MB",
        "1 of 2: shard 7 from a:1 to b:2, catching up; 45.0 MB of 90.0 MB, 7.5 MB a second, about 12 s left",
        "2 of 2: shard 7 from a:1 to b:2; 50.0 MB of 90.0 MB, 8.0 MB a second, about 1 min 20 s left",
    ]
