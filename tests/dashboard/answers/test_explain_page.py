"""Explaining on the dashboard: paths with their quotes, names offered, and a reason where there is none."""

from tests.api.conftest import World
from tests.dashboard.conftest import Browser


def spot(world: World) -> str:
    return f"/dashboard/spaces/{world.a.space_id}/explain"


def test_a_path_is_drawn_and_written_with_its_quotes(world: World, viewer: Browser) -> None:
    page = viewer.get(f"{spot(world)}?from=Michael+Stonebraker&to=Ingres")
    assert "Michael Stonebraker created Ingres." in page
    assert "<svg viewBox" in page
    assert 'class="drawn-box drawn-anchor"' in page
    assert f"/documents/{world.a.document_id}" in page


def test_no_path_says_why(world: World, viewer: Browser) -> None:
    page = viewer.get(f"{spot(world)}?from=DuckDB&to=Charles+Babbage")
    assert "No path leads from" in page
    assert "have none in common" in page


def test_an_unknown_name_is_named_with_those_that_begin_alike(world: World, viewer: Browser) -> None:
    page = viewer.get(f"{spot(world)}?from=Postgrux&to=Ingres")
    assert "No node is known as" in page
    assert "Names that begin like" in page


def test_names_are_offered_while_one_is_typed(world: World, viewer: Browser) -> None:
    assert '<option value="Ingres">' in viewer.get(f"{spot(world)}/names?q=ingr")
    assert "<option" not in viewer.get(f"{spot(world)}/names?q=+")


def test_hostile_names_come_back_as_text(world: World, viewer: Browser) -> None:
    page = viewer.get(f'{spot(world)}?from="><img+src=x+onerror=alert(1)>&to=Ingres')
    assert "<img" not in page
    assert "&lt;img" in page
