"""Every command on its own database: help, JSON, exit codes, one sentence for a failure."""

import re
import stat
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL

from app.cli.context import Operator, open_citegraph
from app.cli.servers import print_missing_protections
from app.cli.setup import ensure_stored_key
from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.migrate import migrate
from app.db.roles import APP
from app.settings import Settings
from tests.cli.conftest import NO_BROKER, Call, read_json
from tests.conftest import Home
from tests.support.ingest import make_runner

COMMANDS = [
    line.split()
    for line in """
    demo
    up
    serve
    worker
    mcp
    migrate
    maintain
    model check
    model replay
    doctor
    distribute
    cluster status
    cluster add-node
    cluster rebalance
    cluster drain
    cluster isolate
    erasures export
    erasures apply
    psql
    tenant create
    tenant list
    tenant delete
    key create
    key list
    key revoke
    space create
    space list
    space show
    space set
    space reembed
    space delete
    ingest
    sync
    documents list
    documents show
    documents text
    documents trust
    documents delete
    documents retry
    golden add
    golden list
    golden remove
    golden run
    golden runs
    golden show
    golden check
    trials begin
    trials list
    trials show
    trials promote
    trials drop
    jobs list
    jobs show
    jobs cancel
    jobs retry
    explain
    ask
    retrieve
    nodes
    nodes list
    nodes show
    nodes merges
    nodes merge
    nodes unmerge
    nodes doubtful
    nodes mentions
    nodes rename
    nodes restore-name
    nodes end-value
    nodes uphold-value
    nodes restore-value
    nodes merge-preview
    nodes keep-apart
    nodes kept-apart
    nodes reconsider
    edges list
    edges show
    edges invalidate
    edges restore
    edges uphold
    conflicts
    tags list
    tags suggest
    neighborhood
    communities detect
    communities list
    communities show
    summaries list
    summaries show
    summaries refresh
    summaries gate
    summaries replay
    evict
    usage
    audit
    export
    import
    webhook add
    webhook list
    webhook enable
    webhook disable
    webhook remove
    webhook rotate
    webhook test
    webhook deliveries
    webhook replay
    eval retrieval
    eval answers
    """.strip().splitlines()
]


@pytest.mark.shared_database
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(citegraph: Call, command: list[str]) -> None:
    shown = citegraph(*command, "--help")
    assert shown.exit_code == 0
    assert len(shown.stdout.splitlines()) > 4


@pytest.mark.shared_database
def test_no_command_is_missing_from_the_list_above(citegraph: Call) -> None:
    shown = citegraph("--help").stdout
    assert {command[0] for command in COMMANDS} == {
        line.split()[0]
        for line in shown.partition("Commands:")[2].splitlines()
        if line.startswith("  ") and line[2:3].strip()
    }


@pytest.mark.shared_database
@pytest.mark.parametrize(
    "arguments",
    [
        ["nodes"],
        ["explain", "--space", "library"],
        ["ask", "--space", "library"],
        ["ask", "Who?", "--space", "library", "--scope", "galactic"],
        ["retrieve", "Who?", "--space", "library", "--top-k", "101"],
        ["retrieve", "Who?", "--space", "library", "--strategy", "magic"],
        ["explain", "Who?", "--from", "a", "--to", "b", "--space", "library"],
        ["explain", "--from", "a", "--space", "library"],
        ["neighborhood", "x", "--space", "library", "--depth", "9"],
        ["no-such-command"],
        ["nodes", "--space", "library", "--no-such-option"],
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(citegraph: Call, arguments: list[str]) -> None:
    assert citegraph(*arguments).exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["space", "show", "nowhere"],
        ["nodes", "--space", "nowhere"],
        ["nodes", "merge", "nothing", "nobody", "--space", "library"],
        ["nodes", "unmerge", "not-an-id", "--space", "library"],
        ["nodes", "unmerge", "00000000-0000-7000-8000-000000000000", "--space", "library"],
        ["explain", "Who?", "--space", "nowhere"],
        ["ask", "Who?", "--space", "nowhere"],
        ["ask", " ", "--space", "library"],
        ["ask", "w" * 1_001, "--space", "library"],
        ["ask", "Who?", "--space", "library", "--scope", "global"],
        ["retrieve", "Who?", "--space", "nowhere"],
        ["retrieve", "", "--space", "library"],
        ["space", "list", "--tenant", "nobody"],
        ["neighborhood", "nothing", "--space", "library"],
        ["jobs", "show", "not-an-id", "--space", "library"],
        ["jobs", "show", "00000000-0000-7000-8000-000000000000", "--space", "library"],
        ["key", "create", "k", "--scope", "everything"],
        ["key", "revoke", "00000000-0000-7000-8000-000000000000"],
        ["tenant", "create", "tenant-a"],
        ["tenant", "delete", "nobody", "--yes"],
        ["space", "delete", "nowhere", "--yes"],
    ],
    ids=" ".join,
)
def test_a_failure_is_one_sentence_on_stderr(citegraph: Call, home: Home, arguments: list[str]) -> None:
    failed = citegraph(*arguments)
    assert failed.exit_code == 1
    assert failed.stdout == ""
    assert failed.stderr.startswith("Error: ")
    assert len(failed.stderr.splitlines()) == 1


def test_a_name_that_nobody_knows_is_told_once(citegraph: Call, home: Home) -> None:
    told = citegraph("explain", "--from", "Nobody", "--to", "Nobody", "--space", "library")
    assert told.exit_code == 0
    assert told.stdout.count("No node is known as “Nobody”") == 1
    assert len(set(told.stdout.splitlines())) == len(told.stdout.splitlines())
    assert "question" not in told.stdout


def test_a_database_that_is_away_is_one_sentence(citegraph: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEGRAPH_DATABASE_URL", "postgresql://nobody:h0rse-staple@127.0.0.1:1/none")
    failed = citegraph("tenant", "list")
    assert (failed.exit_code, len(failed.stderr.splitlines())) == (1, 1)
    assert "h0rse-staple" not in failed.stderr
    # Requirement 17.4: the sentence has the cause, and where the address is set.
    assert "Connection refused." in failed.stderr
    assert "CITEGRAPH_DATABASE_URL" in failed.stderr


def test_a_database_that_does_not_exist_is_named(
    citegraph: Call, privileged_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Requirement 17.4; `migrate` must not advise itself.
    address = privileged_url.set(database="nowhere").render_as_string(hide_password=False)
    monkeypatch.setenv("CITEGRAPH_MIGRATION_DATABASE_URL", address)
    failed = citegraph("migrate")
    assert failed.exit_code == 1
    assert 'database "nowhere" does not exist' in failed.stderr
    assert "Create the database" in failed.stderr


def test_a_setting_that_is_none_is_named(citegraph: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEGRAPH_PORT", "many")
    failed = citegraph("tenant", "list")
    assert failed.exit_code == 1
    assert "CITEGRAPH_PORT" in failed.stderr


def test_tenants_spaces_and_keys_from_first_to_last(citegraph: Call) -> None:
    made = read_json(citegraph("tenant", "create", "fresh", "--json"))
    assert made["id"] in {tenant["id"] for tenant in read_json(citegraph("tenant", "list", "--json"))}
    own = ("--tenant", "fresh")
    assert read_json(citegraph("space", "list", "--json", *own)) == []
    space = read_json(citegraph("space", "create", "shelf", "--json", *own))
    assert read_json(citegraph("space", "show", "shelf", "--json", *own))["id"] == space["id"]
    key = read_json(citegraph("key", "create", "mine", "--space", "shelf", "--json", *own))
    listed = citegraph("key", "list", "--json", *own)
    assert read_json(listed)[0]["space_ids"] == [space["id"]]
    assert key["token"].split("_", 3)[3] not in listed.stdout
    assert citegraph("key", "revoke", key["id"], *own).exit_code == 0
    assert read_json(citegraph("key", "list", "--json", *own))[0]["revoked_at"] is not None
    assert citegraph("space", "delete", "shelf", *own, input="n\n").exit_code == 1
    assert citegraph("space", "delete", "shelf", "--yes", *own).exit_code == 0
    assert citegraph("tenant", "delete", "fresh", input="y\n").exit_code == 0
    assert citegraph("space", "list", *own).exit_code == 1


def test_jobs_are_listed_cancelled_and_tried_again(
    citegraph: Call, home: Home, tmp_path: Path, database: Database, settings: Settings
) -> None:
    (tmp_path / "a.txt").write_text("Ada Lovelace created Analytical Engine Notes.")
    handed = read_json(citegraph("ingest", tmp_path / "a.txt", "--space", "library", "--json"))
    job = handed["jobs"][0]["id"]
    assert citegraph("jobs", "cancel", job, "--space", "library").exit_code == 0
    assert citegraph("jobs", "cancel", job, "--space", "library").exit_code == 1
    assert citegraph("jobs", "retry", job, "--space", "library").exit_code == 0
    make_runner(database, settings).drain()
    assert read_json(citegraph("jobs", "show", job, "--space", "library", "--json"))["state"] == "done"
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            """UPDATE job SET counts = counts || '{"dropped_ungrounded": 3}' WHERE id = %s""", [job]
        )
    shown = citegraph("jobs", "show", job, "--space", "library").stdout
    assert re.search(r"claims whose quote is not in the text +3", shown)
    assert "dropped_" not in shown
    assert "done" in citegraph("jobs", "list", "--space", "library").stdout
    assert read_json(citegraph("usage", "--json"))[0]["documents"] == 1


def test_migrate_needs_only_the_privileged_address(
    citegraph: Call, privileged_url: URL, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITEGRAPH_DATABASE_URL")
    monkeypatch.delenv("CITEGRAPH_REDIS_URL")
    address = privileged_url.render_as_string(hide_password=False)
    monkeypatch.setenv("CITEGRAPH_MIGRATION_DATABASE_URL", address)
    migrated = citegraph("migrate")
    assert migrated.exit_code == 0, migrated.stderr
    assert "newest schema" in migrated.stdout
    assert settings.home is not None
    assert not settings.home.exists(), "no embedded server was started"


def test_18_4_migrate_says_what_a_database_restored_in_part_lacks(
    citegraph: Call, privileged_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dump has the version before constraints, policies and grants."""
    partly_restored = privileged_url.set(database="partly_restored")
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as admin:
        admin.execute("DROP DATABASE IF EXISTS partly_restored WITH (FORCE)")
        admin.execute("CREATE DATABASE partly_restored")
        try:
            address = partly_restored.render_as_string(hide_password=False)
            migrate(address)
            with psycopg.connect(convert_to_conninfo(partly_restored)) as connection:
                connection.execute("DROP TABLE webhook_delivery; DROP POLICY wall ON graph_edge")
                connection.execute("REVOKE ALL ON graph_node FROM citegraph_app")
            monkeypatch.setenv("CITEGRAPH_MIGRATION_DATABASE_URL", address)
            migrated = citegraph("migrate")
        finally:
            admin.execute("DROP DATABASE partly_restored WITH (FORCE)")
    assert migrated.exit_code == 1
    assert "newest schema." not in migrated.stdout
    assert "it lacks" in migrated.stderr
    assert "1 table or function" in migrated.stderr
    assert "1 policy" in migrated.stderr
    assert "webhook_delivery" in migrated.stderr


def test_missing_walls_are_said_loudly(capsys: pytest.CaptureFixture[str]) -> None:
    print_missing_protections(("The host refused: CREATE ROLE.",))
    said = capsys.readouterr()
    assert said.out == ""
    assert "PROTECTIONS MISSING" in said.err
    assert "! The host refused: CREATE ROLE." in said.err


def test_maintain_has_nothing_to_do_for_small_spaces(
    citegraph: Call, privileged_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    # At the server itself: through a pooler maintenance is refused.
    own = privileged_url.set(username=APP).render_as_string(hide_password=False)
    monkeypatch.setenv("CITEGRAPH_MIGRATION_DATABASE_URL", own)
    assert "Nothing to do." in citegraph("maintain", "--dry-run").stdout
    done = citegraph("maintain")
    assert "Nothing to do." in done.stdout, done.stderr


@pytest.mark.usefixtures("steady_roles")
def test_doctor_finds_the_walls_standing(citegraph: Call) -> None:
    report = read_json(citegraph("doctor", "--json"))
    assert report["healthy"]
    assert set(report["verdicts"][0]) == {"subject", "wall", "state", "sentences"}
    assert "graph_edge" in {verdict["subject"] for verdict in report["verdicts"]}
    assert "Healthy" in citegraph("doctor").stdout


def test_a_local_key_is_kept_for_its_owner_alone_and_renewed_when_revoked(
    settings: Settings, home: Home, citegraph: Call
) -> None:
    with open_citegraph(settings.model_copy(update={"redis_url": NO_BROKER})) as parts:
        me = Operator(parts, "tenant-a")
        key, path = ensure_stored_key(me)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert ensure_stored_key(me) == (key, path)
        made = read_json(citegraph("key", "list", "--json"))
        assert citegraph("key", "revoke", made[0]["id"]).exit_code == 0
        assert ensure_stored_key(me)[0] != key
