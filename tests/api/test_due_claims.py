"""Claims that begin or end on a later day, at every door, by moved dates."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli.main import app as command_line
from app.ids import SpaceId
from app.ingest.job import begin_and_end_due_claims
from app.jobs import queue
from app.jobs.kinds import BeginClaims
from tests.api.conftest import Account, World
from tests.api.test_api_mcp import call
from tests.oracle.further_histories import document, history, says
from tests.oracle.measure import play
from tests.oracle.oracle import OracleAnswerer
from tests.support.sampling import sampled
from workers.runner import Runner

DANA = "Dana Fox is CEO of Gorse Rail."
ELI = "From 1 March 2095 Eli Roth is CEO of Gorse Rail."
MONA = "Mona Vale works for Gorse Rail until 31 December 2090."
HISTORY = history(
    "a head and a contract that change later",
    document(
        "Gorse 1",
        "2019-01-01",
        says("Dana Fox > head_of > Gorse Rail", DANA, role="CEO"),
        says("Mona Vale > works_for > Gorse Rail", MONA, valid_to=("2090-12-31", "31 December 2090")),
    ),
    document(
        "Gorse 2",
        "2024-01-01",
        says("Eli Roth > head_of > Gorse Rail", ELI, role="CEO", valid_from=("2095-03-01", "1 March 2095")),
    ),
)
COME = (
    "UPDATE edge_invalidation SET invalidated_at = now() - interval '2 days'"
    " WHERE knowledge_space_id = %s AND reason = 'It begins later.'",
    "UPDATE graph_edge SET valid_from = now() - interval '2 days', invalidated_at = now() - interval '2 days'"
    " WHERE knowledge_space_id = %s AND valid_from > now()",
    "UPDATE graph_edge SET valid_to = now() - interval '3 days'"
    " WHERE knowledge_space_id = %s AND valid_to > now()",
    "UPDATE job SET run_after = now()"
    " WHERE knowledge_space_id = %s AND kind = 'claims.begin' AND state = 'queued'",
)
Door = Callable[[dict[str, str]], str]
"""What a door says about the firm, with `as_of` or without."""


@pytest.fixture
def doors(
    world: World, guest: Account, address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Door]:
    """The doors at which one sees what holds."""

    def post(path: str, **body: Any) -> Any:
        answer = world.http.post(guest.space + path, headers=guest.bearer(), json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def ask_tool(tool: str, **arguments: str) -> Any:
        url = f"http://{address[0]}:{address[1]}/mcp"
        return call(url, guest.keys["full"], tool, space=str(guest.space_id), **arguments)

    settings = world.citegraph.settings
    assert settings.database_url is not None
    monkeypatch.setenv("CITEGRAPH_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("CITEGRAPH_REDIS_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setenv("CITEGRAPH_HOME", str(settings.home))
    with world.citegraph.database.open_platform() as platform:
        (name,) = platform.connection.execute(
            "SELECT name FROM tenant WHERE id = %s", [guest.tenant_id]
        ).fetchone() or ("",)
    monkeypatch.setenv("CITEGRAPH_TENANT", name)

    def run_command(as_of: dict[str, str]) -> str:
        options = ["--as-of", as_of["as_of"][:10]] if as_of else []
        arguments = ["explain", "Gorse Rail", "--space", "library", *options]
        return CliRunner().invoke(command_line, arguments).stdout.partition("\nDENIED")[0]

    return {
        "explain": lambda as_of: str(post("/graph/explain", question="Gorse Rail", filters=as_of)["edges"]),
        "retrieve": lambda as_of: str(post("/retrieve", query="CEO of Gorse Rail", **as_of)["facts"]),
        "MCP": lambda as_of: str(
            ask_tool("explain", question="Gorse Rail", **as_of)["narrative"].partition("No longer")[0]
        ),
        "command line": run_command,
    }


def quotes_at(said: str) -> set[str]:
    """The claims of which a door shows the quote, or the name of who has the part."""
    parts = {"Dana Fox": DANA, "Eli Roth": ELI, "Mona Vale": MONA}
    return {quote for name, quote in parts.items() if quote in said or name in said}


def test_what_begins_or_ends_on_a_later_day_does_so_at_every_door(
    world: World, guest: Account, doors: dict[str, Door]
) -> None:
    database, settings = world.citegraph.database, world.citegraph.settings
    home = (guest.home.tenant_id, guest.home.space_id)
    play(database, settings, home, [HISTORY], OracleAnswerer(HISTORY.documents))
    for name, door in doors.items():
        assert quotes_at(door({})) == {DANA, MONA}, name
    before = world.http.get(f"{guest.space}/export?format=jsonl", headers=guest.bearer()).content

    with database.open_space(*home) as space:
        for statement in COME:
            space.connection.execute(statement, [space.space_id])
    assert Runner(database, settings, {BeginClaims.kind: begin_and_end_due_claims}).drain() == 1
    for name, door in doors.items():
        assert quotes_at(door({})) == {ELI}, name
        earlier = {"as_of": (datetime.now(UTC) - timedelta(days=10)).isoformat()}
        assert quotes_at(door(earlier)) == {DANA, MONA}, name
    with database.open_space(*home) as space:
        waiting = {job.kind for job in queue.list_jobs(space) if job.state == "queued"}
    assert {"communities.detect", "summaries.refresh"} <= waiting
    exported = world.http.get(f"{guest.space}/export?format=graphml", headers=guest.bearer()).text
    ended = {quote for line in exported.splitlines() if "edge_ended_at" in line for quote in quotes_at(line)}
    assert ended == {DANA, MONA}

    # What was exported before that day waits for it in another space too.
    made = world.http.post("/v1/spaces", headers=guest.bearer(), json={"name": "copy"}).json()
    answer = world.http.post(
        f"/v1/spaces/{made['id']}/import",
        headers=guest.bearer(),
        files={"file": ("library.jsonl", before, "application/jsonl")},
    )
    assert answer.status_code == 202, answer.text
    with database.open_space(home[0], SpaceId(made["id"])) as space:
        (job,) = [job for job in queue.list_jobs(space) if job.kind == BeginClaims.kind]
    assert (job.state, job.run_after.year) == ("queued", 2091)


@pytest.mark.parametrize(
    "order",
    sampled([pytest.param((0, 1), id="earlier first"), pytest.param((1, 0), id="later first")], every=2),
)
def test_as_of_ahead_of_today_says_what_will_hold_then_at_every_door(
    order: tuple[int, int], world: World, guest: Account, doors: dict[str, Door]
) -> None:
    database, settings = world.citegraph.database, world.citegraph.settings
    home = (guest.home.tenant_id, guest.home.space_id)
    given = history(HISTORY.name, *(HISTORY.documents[place] for place in order))
    play(database, settings, home, [given], OracleAnswerer(given.documents))
    for name, door in doors.items():
        assert quotes_at(door({})) == {DANA, MONA}, name
        # A day belongs to the claim that begins on it, and to the one that holds until it.
        for moment, quotes in {
            "2090-12-31T00:00:00+00:00": {DANA, MONA},
            "2091-01-01T00:00:00+00:00": {DANA},
            "2095-02-28T00:00:00+00:00": {DANA},
            "2095-03-01T00:00:00+00:00": {ELI},
            "2150-01-01T00:00:00+00:00": {ELI},
        }.items():
            assert quotes_at(door({"as_of": moment})) == quotes, (name, moment)
    for moment, quote in (("2024-06-01", DANA), ("2095-02-28", DANA), ("2095-03-01", ELI)):
        answer = world.http.post(
            guest.space + "/ask",
            headers=guest.bearer(),
            json={"question": "Who is CEO of Gorse Rail?", "as_of": f"{moment}T00:00:00Z"},
        )
        said = quotes_at(str(answer.json()["sentences"]))
        assert said & {DANA, ELI} == {quote}, (moment, answer.json())
    exported = world.http.get(f"{guest.space}/export?format=jsonl", headers=guest.bearer()).content
    made = world.http.post("/v1/spaces", headers=guest.bearer(), json={"name": "copy"}).json()
    world.http.post(
        f"/v1/spaces/{made['id']}/import",
        headers=guest.bearer(),
        files={"file": ("library.jsonl", exported, "application/jsonl")},
    )
    answer = world.http.post(
        f"/v1/spaces/{made['id']}/graph/explain",
        headers=guest.bearer(),
        json={"question": "Gorse Rail", "filters": {"as_of": "2096-01-01T00:00:00Z"}},
    )
    assert quotes_at(str(answer.json()["edges"])) == {ELI}
