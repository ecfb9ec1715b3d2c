"""The pages of a space: what they hold, and that what a document says cannot run in them (issue 12)."""

from uuid import uuid4

import pytest

from app.dashboard.navigation import SPACE_PAGES
from app.dashboard.space.marked_text import split_text_at_marks
from app.documents import service as documents
from app.documents.shapes import DocumentFilter
from app.graph.shapes import StatedEdge
from app.ids import ChunkId, EdgeId
from app.tenancy.accounts.roles import Role
from app.tenancy.tenants import quotas
from tests.api.conftest import World
from tests.dashboard.conftest import BASE, PASSWORD, Browser, browser_of, join
from tests.support.ingest import ingest_now, text
from tests.support.sent_statements import sent_statements

HOSTILE = '"><img src=x onerror=alert(1)>'


def test_the_home_says_what_is_there(world: World, admin: Browser) -> None:
    page = admin.get(f"/dashboard/spaces/{world.a.space_id}")
    with world.citegraph.database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
        held = quotas.read_totals_of_space(space)
    assert held.documents > 0
    for label, number in (("Documents", held.documents), ("Chunks", held.chunks)):
        assert f'>{label}</span><strong class="tile-value">{number:,}</strong>' in page
    assert f"{held.nodes:,} nodes" in page
    assert "Needs a look" in page


@pytest.mark.parametrize("place", [page.path for page in SPACE_PAGES])
def test_every_item_of_the_menu_is_a_page(world: World, viewer: Browser, place: str) -> None:
    page = viewer.get(f"/dashboard/spaces/{world.a.space_id}{place}")
    assert 'aria-current="page"' in page


def test_a_document_marks_the_words_under_its_edges(world: World, viewer: Browser) -> None:
    page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/documents/{world.a.document_id}")
    assert 'class="evidence"' in page
    # The sentence is one link, with the names in it marked too.
    name = '<span class="mention">'
    assert f">{name}Michael Stonebraker</span> created {name}Ingres</span>.</a>" in page


def test_jobs_are_shown_with_what_they_counted(world: World, viewer: Browser) -> None:
    page = viewer.get(f"/dashboard/spaces/{world.a.space_id}/jobs/{world.a.job_id}")
    assert "Counted" in page


def test_names_of_things_cannot_run(world: World) -> None:
    email = f"{uuid4().hex}@a.example"
    browser = join(world, "A", email, Role.ADMIN)
    entry = text(
        f"{HOSTILE} Grace Holt created {HOSTILE} Leda Engine.", title=HOSTILE, source_uri=f"{HOSTILE}.txt"
    )
    ingest_now(world.citegraph.database, world.citegraph.settings, world.a.home, [entry])
    page = browser.get(f"/dashboard/spaces/{world.a.space_id}/documents")
    assert "&lt;img src=x" in page
    assert "<img" not in page


def test_who_is_not_signed_in_is_led_by_a_script_too(world: World) -> None:
    answer = browser_of(world).http.get(
        f"/dashboard/spaces/{world.a.space_id}/jobs", headers={"hx-request": "true"}
    )
    assert answer.headers["hx-redirect"].startswith("/dashboard/sign-in?next=")
    assert PASSWORD not in answer.text


def test_an_editor_deletes_a_document(world: World) -> None:
    browser = join(world, "A", f"{uuid4().hex}@a.example", Role.EDITOR)
    entry = text("Ivo Marek founded Lumen Works.", title="Lumen", source_uri="lumen.txt")
    ingest_now(world.citegraph.database, world.citegraph.settings, world.a.home, [entry])
    listed = browser.get(f"/dashboard/spaces/{world.a.space_id}/documents")
    place = listed.split("lumen.txt")[0].rpartition('href="')[2].partition('"')[0]
    browser.get(place)
    assert "Its receipt" in browser.post(f"{place}/delete", status=200)
    assert "lumen.txt" not in browser.get(f"/dashboard/spaces/{world.a.space_id}/documents")


class TestMarkedText:
    def test_borders_of_quotes_cut_the_text(self) -> None:
        chunk = ChunkId(uuid4())

        def edge(start: int | None, end: int | None) -> StatedEdge:
            return StatedEdge(EdgeId(uuid4()), chunk, start, end, "uses", 0.9, "a", "b")

        whole, inner, outside = edge(0, 6), edge(2, 4), edge(4, 99)
        found = split_text_at_marks("abcdefgh", [whole, inner, outside, edge(None, None)], chunk)
        assert [stretch.text for stretch in found] == ["ab", "cd", "ef", "gh"]
        assert [stretch.edges for stretch in found] == [(whole,), (whole, inner), (whole,), ()]

    def test_lines_that_were_wrapped_by_hand_go_on_and_others_end(self) -> None:
        text = (
            "Oleg Bartunov and Teodor Sigaev founded Postgres Professional with\nothers in 2015.\n\n"
            "Places\n- Moscow, where the company had its first office in a large house\n- Kazan\n"
            "1970s | IBM, where he and others wrote the first of them all | System R\n1980s | Tandem"
        )
        shown = "".join(stretch.text for stretch in split_text_at_marks(text, [], ChunkId(uuid4())))
        assert len(shown) == len(text)
        assert shown == text.replace("with\nothers", "with others")

    def test_nothing_is_lost_without_quotes(self) -> None:
        assert [stretch.text for stretch in split_text_at_marks("abc", [], ChunkId(uuid4()))] == ["abc"]


def test_failed_documents_are_read_by_the_index_of_what_is_not_ready(world: World) -> None:
    home = world.a.home
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        with sent_statements() as sent:
            documents.list_documents(space, DocumentFilter(state="failed"))
            documents.count_failed_documents(space)
        # As a constant: else a plan for any state could not use the index.
        assert [statement for statement in sent if "document.state != 'ready'" in statement] == sent
        # In a table of a page or two any index will do.
        space.connection.execute(
            "INSERT INTO document SELECT (jsonb_populate_record(document, jsonb_build_object("
            "'id', gen_random_uuid(), 'source_uri', 'copy:' || n, 'state', 'ready'))).*"
            " FROM generate_series(1, 3000) AS n, document WHERE document.id ="
            " (SELECT id FROM document WHERE knowledge_space_id = %s LIMIT 1)",
            [home.space_id],
        )
        space.connection.execute("SET LOCAL enable_seqscan = off")
        plan = space.connection.execute(
            "EXPLAIN SELECT id FROM document WHERE knowledge_space_id = %s AND state = 'failed'"
            " AND state != 'ready' ORDER BY id DESC LIMIT 3",
            [home.space_id],
        ).fetchall()
        space.connection.rollback()
    assert "ix_document_state" in str(plan)


def test_who_may_not_do_that_is_told_who_they_are_and_led_back(world: World, viewer: Browser) -> None:
    space = f"/dashboard/spaces/{world.a.space_id}"
    page = viewer.get(f"{space}/documents/new", status=403)
    assert "That is not allowed" in page
    assert "vera@a.example" in page
    assert f'href="{space}">Back to the space' in page
    stale = viewer.http.post(
        f"{space}/settings/name",
        data={"csrf": "0" * 64},
        headers={"origin": BASE, "referer": f"{BASE}{space}/settings"},
        follow_redirects=False,
    )
    assert stale.status_code == 403
    assert "This form is out of date" in stale.text
    assert f'href="{space}/settings">Load the page again' in stale.text


def test_an_address_that_does_not_take_the_method_answers_a_page(world: World, viewer: Browser) -> None:
    # What a script once sent to was no address; the visitor then read JSON (review F1).
    for path in ("jobs/stream", "documents/[object HTMLButtonElement]"):
        page = viewer.post(f"/dashboard/spaces/{world.a.space_id}/{path}", status=404)
        assert "<h1>Not found</h1>" in page
