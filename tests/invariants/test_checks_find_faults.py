"""Every check finds a fault of its kind: each is planted in a space where all invariants hold before."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from app.db.engine import convert_to_conninfo
from tests.invariants import checks, doors, texts
from tests.invariants.checks import ALWAYS, AT_THE_END, SOMETIMES, Check
from tests.invariants.contract import Contract
from tests.invariants.doors import Doors
from tests.invariants.known_failures import KNOWN_FAILURES
from tests.invariants.reading import Reading
from tests.invariants.tenant_rows import fingerprint, unchanged, whole_or_nothing
from tests.invariants.violations import OutOfTime, Refused, Violation
from tests.invariants.world import Side, World
from tests.support.sampling import sampled

pytestmark = pytest.mark.slow

CANARY = texts.canary_word(1)
BODY = (
    "Nadia Sorel founded Quellmark. Quellmark owns Corvex. Corvex uses Lumen. Quellmark is located in Oslo."
    " Tomas Berg works for Quellmark."
)
ADDRESS = "file:notes/one.txt"


class Scene:
    """A space with a document, and what a fault is planted with."""

    def __init__(self, world: World, opened: Doors) -> None:
        self.world, self.doors = world, opened
        self.side = world.open_side("a")
        text = texts.with_canary(BODY, CANARY)
        opened.api.put(self.side, ADDRESS, text, None)
        world.drain()
        opened.api.detect(self.side)
        opened.api.refresh(self.side)
        world.let_rest(self.side)
        self.side.texts[ADDRESS], self.side.canaries[ADDRESS] = text, [CANARY]

    def reading(self, step: int = 0) -> Reading:
        """What the space says now."""
        return Reading(self.world, self.doors, self.side, step)

    def change(self, statement: str, *values: object) -> None:
        """Change rows of the space as a superuser, past all that the application does; `%s` is the space."""
        done = self.world.superuser.execute(statement.encode(), [self.side.space_id, *values])
        assert done.rowcount > 0, "no row was changed"


@pytest.fixture(scope="module")
def opened(world: World) -> Doors:
    return Doors(world)


@pytest.fixture
def scene(world: World, opened: Doors) -> Iterator[Scene]:
    made = Scene(world, opened)
    yield made
    world.close_side(made.side)


Plant = Callable[[Scene, pytest.MonkeyPatch], None]


def hide_a_node(scene: Scene, patch: pytest.MonkeyPatch) -> None:
    pages = doors.Api.pages

    def without_one(self: doors.Api, side: Side, path: str, **query: Any) -> list[doors.Row]:
        rows = pages(self, side, path, **query)
        return rows[1:] if path == "/graph/nodes" else rows

    patch.setattr(doors.Api, "pages", without_one)


def shift_a_quote(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change(
        "UPDATE graph_edge SET metadata = jsonb_set(metadata, '{charStart}',"
        " to_jsonb((metadata ->> 'charStart')::int + 1)) WHERE knowledge_space_id = %s"
    )


def shift_a_mention(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change(
        "UPDATE node_mention SET char_start = char_start + 1, char_end = char_end + 1"
        " WHERE knowledge_space_id = %s"
    )


def forget_to_count_a_mention(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change("UPDATE graph_node SET mention_count = mention_count + 1 WHERE knowledge_space_id = %s")


def forget_to_count_an_edge(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change("UPDATE graph_node SET out_degree = out_degree + 1 WHERE knowledge_space_id = %s")


def miscount_the_space(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change(
        "UPDATE space_size SET documents = documents + 1, chunks = chunks + 1, nodes = nodes + 1"
        " WHERE knowledge_space_id = %s"
    )


def fail_a_document(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change(
        "UPDATE document SET state = 'failed', failure_code = 'x', failure_reason = 'x'"
        " WHERE knowledge_space_id = %s"
    )


def lose_a_sentence(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.side.texts[ADDRESS] += " Nobody stored this."


def leave_a_word(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.side.erased_canaries.add("Zyxvovovovax")
    scene.change(
        'UPDATE document SET metadata = \'{"note": "beside zyxvovovovax"}\' WHERE knowledge_space_id = %s'
    )


def keep_an_outdated_answer(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.side.canaries[ADDRESS].append("Zyxvovovovax")


def end_an_edge_behind_the_views(scene: Scene, patch: pytest.MonkeyPatch) -> None:
    read = doors.Psql.rows

    def rows(self: doors.Psql, side: Side, statement: str) -> list[tuple[Any, ...]]:
        return (
            read(self, side, statement)[1:] if "inspect_edges" in statement else read(self, side, statement)
        )

    patch.setattr(doors.Psql, "rows", rows)


def favour_an_end(scene: Scene, patch: pytest.MonkeyPatch) -> None:
    explain = doors.Api.explain

    def explain_one_way(self: doors.Api, side: Side, start: str, end: str, **filters: Any) -> doors.Row:
        found = explain(self, side, start, end, **filters)
        return found if start < end else {**found, "paths": found["paths"][1:]}

    patch.setattr(doors.Api, "explain", explain_one_way)


def lose_a_row_between_pages(scene: Scene, patch: pytest.MonkeyPatch) -> None:
    pages = doors.Api.pages

    def short(self: doors.Api, side: Side, path: str, *, limit: int = 200, **query: Any) -> list[doors.Row]:
        rows = pages(self, side, path, limit=limit, **query)
        return rows[:-1] if limit < 4 and len(rows) > limit else rows

    patch.setattr(doors.Api, "pages", short)


def let_claims_begin_tomorrow(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change(
        "UPDATE graph_edge SET valid_from = now() + interval '1 day', valid_from_precision = 'day',"
        " valid_from_basis = 'sentence' WHERE knowledge_space_id = %s"
    )


def store_a_false_hash(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change("UPDATE knowledge_chunk SET content_hash = 'x' WHERE knowledge_space_id = %s")


def hide_an_edge_at_the_command_line(scene: Scene, patch: pytest.MonkeyPatch) -> None:
    run = doors.CommandLine.in_space

    def short(self: doors.CommandLine, side: Side, *arguments: str) -> Any:
        rows = run(self, side, *arguments)
        return rows[1:] if arguments[:2] == ("edges", "list") else rows

    patch.setattr(doors.CommandLine, "in_space", short)


def lose_an_edge_that_is_cited(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.change("DELETE FROM graph_edge WHERE knowledge_space_id = %s")


def break_the_reading_of_edges(scene: Scene, patch: pytest.MonkeyPatch) -> None:
    call = doors.Mcp.call

    def without_edges(self: doors.Mcp, side: Side, tool: str, **arguments: Any) -> doors.Row:
        return {**call(self, side, tool, **arguments), "edges": []}

    patch.setattr(doors.Mcp, "call", without_edges)


def export_tags_by_the_alphabet(scene: Scene, patch: pytest.MonkeyPatch) -> None:
    node = scene.doors.api.pages(scene.side, "/graph/nodes")[0]
    scene.doors.api.set_tags(scene.side, node["id"], ["red", "blue"])
    export = doors.Api.export

    def sorted_tags(self: doors.Api, side: Side, space_id: str | None = None) -> str:
        lines = [json.loads(line) for line in export(self, side, space_id).splitlines()]
        for row in lines:
            if row["kind"] == "node":
                row["tags"].sort(key=lambda tag: tag["tag"])
        return "\n".join(map(json.dumps, lines))

    patch.setattr(doors.Api, "export", sorted_tags)


FAULTS: tuple[tuple[Plant, Check], ...] = (
    (hide_a_node, checks.edges_have_both_nodes),
    (shift_a_quote, checks.quotes_stand_at_their_ranges),
    (shift_a_mention, checks.quotes_stand_at_their_ranges),
    (forget_to_count_a_mention, checks.counts_agree),
    (forget_to_count_an_edge, checks.counts_agree),
    (miscount_the_space, checks.counts_agree),
    (miscount_the_space, checks.no_node_is_counted_that_is_not_listed),
    (miscount_the_space, checks.pages_of_the_dashboard_agree),
    (fail_a_document, checks.every_job_succeeds),
    (lose_a_sentence, checks.every_word_stands_in_a_chunk),
    (leave_a_word, checks.deleted_words_are_nowhere),
    (keep_an_outdated_answer, checks.outdated_words_are_in_no_answer),
    (end_an_edge_behind_the_views, checks.views_of_edges_agree),
    (favour_an_end, checks.paths_lead_both_ways),
    (lose_a_row_between_pages, checks.pages_join_to_the_list),
    (let_claims_begin_tomorrow, checks.now_is_as_of_now),
    (store_a_false_hash, checks.export_comes_back),
    (hide_an_edge_at_the_command_line, checks.other_doors_agree),
    (export_tags_by_the_alphabet, checks.tags_agree),
    (lose_an_edge_that_is_cited, checks.summaries_and_communities_cite_what_stands),
    (break_the_reading_of_edges, checks.what_is_listed_answers),
)


@pytest.mark.parametrize(
    ("plant", "check"),
    sampled(
        [pytest.param(plant, check, id=f"{plant.__name__}-{check.__name__}") for plant, check in FAULTS],
        every=6,
    ),
)
def test_a_planted_fault_is_found(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, plant: Plant, check: Check
) -> None:
    if check not in KNOWN_FAILURES:
        check(scene.reading())
    plant(scene, monkeypatch)
    with pytest.raises((Violation, Refused)):
        for step in range(4):
            check(scene.reading(step))


def test_every_check_is_tried() -> None:
    tried = {check for _, check in FAULTS} | {checks.doctor_is_green}
    assert tried == {*ALWAYS, *SOMETIMES, *AT_THE_END}


def test_a_changed_row_of_the_other_tenant_is_found(scene: Scene) -> None:
    before = fingerprint(scene.world, scene.side)
    unchanged(before, fingerprint(scene.world, scene.side), "an act")
    scene.change("UPDATE graph_edge SET weight = weight / 2 WHERE knowledge_space_id = %s")
    with pytest.raises(Violation, match="graph_edge"):
        unchanged(before, fingerprint(scene.world, scene.side), "an act")


def test_a_refused_act_that_changes_something_is_found(scene: Scene) -> None:
    with pytest.raises(Refused), whole_or_nothing(scene.world, scene.side):
        raise Refused("name_taken", "")
    with pytest.raises(Violation, match="graph_edge"), whole_or_nothing(scene.world, scene.side):
        scene.change("UPDATE graph_edge SET weight = weight / 2 WHERE knowledge_space_id = %s")
        raise Refused("name_taken", "")


def test_the_command_line_refuses_by_the_code_of_the_api(scene: Scene) -> None:
    edge = scene.doors.api.pages(scene.side, "/graph/edges")[0]["id"]
    scene.doors.command_line.end(scene.side, edge, whole_claim=False)
    for door in (scene.doors.command_line, scene.doors.api):
        with pytest.raises(Refused, match="already_invalidated"):
            door.end(scene.side, edge, whole_claim=False)
    with pytest.raises(Refused, match="not_found"):
        scene.doors.command_line.run(scene.side, "edges", "show", edge, space="another")


def test_a_command_that_the_database_had_no_time_for_is_given_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEGRAPH_LOCK_TIMEOUT", "0.2")
    edge = scene.doors.api.pages(scene.side, "/graph/edges")[0]["id"]
    invoke, given = CliRunner.invoke, 0
    with psycopg.connect(convert_to_conninfo(scene.world.url)) as somebody:
        somebody.execute("LOCK TABLE graph_edge IN EXCLUSIVE MODE")
        with pytest.raises(OutOfTime):
            scene.doors.command_line.end(scene.side, edge, whole_claim=False)

        def give_way_after_the_first(self: CliRunner, *arguments: Any, **options: Any) -> Any:
            nonlocal given
            given += 1
            if given == 2:
                somebody.rollback()
            return invoke(self, *arguments, **options)

        monkeypatch.setattr(CliRunner, "invoke", give_way_after_the_first)
        scene.doors.command_line.end(scene.side, edge, whole_claim=False)
    assert given == 2


def test_a_claim_that_never_held_once_it_ended_is_found(scene: Scene) -> None:
    edge = scene.doors.api.pages(scene.side, "/graph/edges")[0]
    moment = datetime.now(UTC)
    scene.doors.api.end(scene.side, edge["id"], whole_claim=True)
    checks.ended_claim_held_before(scene.reading(), edge, moment)
    scene.change(
        "UPDATE graph_edge SET invalidated_at = now() - interval '1 day'"
        " WHERE knowledge_space_id = %s AND invalidated_at IS NOT NULL"
    )
    with pytest.raises(Violation, match="as of before"):
        checks.ended_claim_held_before(scene.reading(), edge, moment)


def test_an_act_that_is_not_undone_is_found(scene: Scene) -> None:
    before = scene.doors.api.export(scene.side)
    node = scene.doors.api.pages(scene.side, "/graph/nodes")[0]
    scene.doors.api.rename(scene.side, node["id"], "Another Name")
    with pytest.raises(Violation, match="a rename"):
        checks.same_content(before, scene.doors.api.export(scene.side), "a rename")


def test_a_wall_that_is_down_is_found(scene: Scene, steady_roles: None) -> None:
    superuser = scene.world.superuser
    checks.doctor_is_green(scene.reading())
    superuser.execute("ALTER TABLE document NO FORCE ROW LEVEL SECURITY")
    try:
        with pytest.raises(Violation, match="document"):
            checks.doctor_is_green(scene.reading())
    finally:
        superuser.execute("ALTER TABLE document FORCE ROW LEVEL SECURITY")


def test_an_estimate_that_was_too_low_is_found() -> None:
    estimate = {"chunks": 2, "calls": 1, "prompt_tokens": 10, "completion_tokens": 5}
    cost = {"calls": 1, "prompt_tokens": 10, "completion_tokens": 5}
    checks.estimate_covers(estimate, {"chunks": 2}, cost)
    with pytest.raises(Violation, match="chunks"):
        checks.estimate_covers(estimate, {"chunks": 3}, cost)
    with pytest.raises(Violation, match="prompt_tokens"):
        checks.estimate_covers(estimate, {"chunks": 2}, {**cost, "prompt_tokens": 11})


def test_an_answer_that_is_not_as_documented_is_found(scene: Scene) -> None:
    contract = Contract(scene.world.http.get("/openapi.json").json())
    tenant = scene.doors.api.send(scene.side, "GET", "/v1/tenant")
    contract.check("GET", "/v1/tenant", 200, "application/json", tenant)
    with pytest.raises(Violation, match="not as documented"):
        contract.check("GET", "/v1/tenant", 200, "application/json", {**tenant, "name": 7})
    with pytest.raises(Violation, match="undocumented"):
        contract.check("GET", "/v1/tenant", 418, "application/json", {})
