"""A new version of a document in a real browser, by file and by pasted text (review F1)."""

from pathlib import Path
from uuid import uuid4

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from app.documents import service as documents
from app.ids import DocumentId
from tests.api.conftest import World, address
from tests.dashboard.test_browser import driver, pytestmark, see, signed_in
from tests.support.ingest import submit, text

__all__ = ["address", "driver", "pytestmark"]

BEFORE = "Mara Vale founded Saltmarsh Rail."
AFTER = "Mara Vale founded Saltmarsh Rail. Otto Lindqvist leads Saltmarsh Rail."


@pytest.fixture
def document_id(world: World) -> DocumentId:
    """A document in tenant A's space, of this test's own."""
    home = world.a.home
    entry = text(BEFORE, title="Saltmarsh", source_uri=f"{uuid4().hex}.txt")
    results, _ = submit(world.citegraph.database, home, entry)
    world.drain()
    return DocumentId(results[0].document.id)


@pytest.mark.soak
@pytest.mark.parametrize("by_file", [True, False], ids=["file", "text"])
def test_a_new_version_is_compared_and_handed_in(
    world: World,
    address: tuple[str, int],
    driver: WebDriver,
    document_id: DocumentId,
    tmp_path: Path,
    by_file: bool,
) -> None:
    base = signed_in(world, driver, address, f"version-{by_file}@a.example")
    driver.get(f"{base}/spaces/{world.a.space_id}/documents/{document_id}")
    driver.find_element(By.LINK_TEXT, "New version").click()
    see(driver, "h1", "New version")
    words = f"{AFTER} {'By file' if by_file else 'By text'}."
    if by_file:
        path = tmp_path / "saltmarsh.txt"
        path.write_text(words)
        driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(path))
    else:
        driver.find_element(By.CSS_SELECTOR, "details.paste summary").click()
        driver.find_element(By.NAME, "text").send_keys(words)
    driver.find_element(By.CSS_SELECTOR, "button[value=preview]").click()
    assert "Otto Lindqvist" in see(driver, "[data-preview] .versions .version-new", "Otto")
    driver.find_element(By.CSS_SELECTOR, "button[value=replace]").click()
    see(driver, "h1.doc-title", "Saltmarsh")
    world.drain()
    with world.citegraph.database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
        stored = documents.get_document(space, document_id)
        assert (stored.state, stored.version) == ("ready", 2)
    log = driver.get_log("browser")  # type: ignore[attr-defined]
    assert [entry for entry in log if entry["level"] == "SEVERE"] == []
