"""A citation on a page leads to its words in the document, however long that is."""

import os
from pathlib import Path
from uuid import uuid4

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from app.documents.shapes import Submission
from app.graph import service as graph
from app.graph.shapes import Evidence
from app.ids import DocumentId
from tests.api.conftest import World, address
from tests.dashboard.test_browser import LOOK_SECONDS, SECONDS, driver, pytestmark, see, signed_in
from tests.support.document_samples import pdf_of
from tests.support.ingest import submit

__all__ = ["address", "driver", "pytestmark"]

CLAIM = "Wanda Ferrow founded Saltglass Works."
PAGE = [f"Nothing of note was written down on day {day} of that long and quiet year." for day in range(8)]
PAGES = [*([PAGE] * 43), [*PAGE, CLAIM, *PAGE], *([PAGE] * 10)]


def cited(world: World) -> Evidence:
    """The one edge of a PDF of 54 pages."""
    home = world.a.home
    submission = Submission(pdf_of(*PAGES), "pdf", "Chronicle", source_uri=f"{uuid4().hex}.pdf")
    results, _ = submit(world.citegraph.database, home, submission)
    world.drain()
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        edges = graph.list_edges(space, limit=200)
        own = [edge.evidence for edge in edges if edge.evidence]
        (evidence,) = [
            evidence for evidence in own if evidence.document_id == DocumentId(results[0].document.id)
        ]
    return evidence


def address_of_link(driver: WebDriver, words: str) -> str:
    """Where the link of these words leads, once it is there: of an answer when all of it is written."""

    def address_there(_: WebDriver) -> str | None:
        return next(
            (element.get_attribute("href") for element in driver.find_elements(By.LINK_TEXT, words)), None
        )

    wait = WebDriverWait(driver, SECONDS, LOOK_SECONDS, [StaleElementReferenceException])
    return str(wait.until(address_there, f"no link {words!r}"))


@pytest.mark.soak
def test_a_citation_leads_to_its_words(world: World, address: tuple[str, int], driver: WebDriver) -> None:
    evidence = cited(world)
    assert (evidence.place, evidence.quote) == ("page 44", CLAIM)
    base = signed_in(world, driver, address, "citations@a.example")
    space = f"{base}/spaces/{world.a.space_id}"
    for path in ("explain?from=Wanda+Ferrow&to=Saltglass+Works", "ask?q=Who+founded+Saltglass+Works%3F"):
        driver.get(f"{space}/{path}")
        driver.get(address_of_link(driver, "Chronicle, page 44"))
        see(driver, "#cited", "Wanda Ferrow")
        marked = driver.find_elements(By.CSS_SELECTOR, ".passage .cited")
        assert "".join(str(element.get_property("textContent")) for element in marked) == CLAIM
        top, bottom, height = driver.execute_script(
            "const box = document.getElementById('cited').getBoundingClientRect();"
            "return [box.top, box.bottom, innerHeight]"
        )
        assert 60 < top < bottom < height, path
        if folder := os.environ.get("CITEGRAPH_SCREENSHOTS"):
            driver.save_screenshot(str(Path(folder) / f"cited-{path.partition('?')[0]}.png"))
    # A citation of words that are there no more leads to their document.
    driver.get(f"{space}/documents/{evidence.document_id}?chunk={uuid4()}&start=5&end=9#cited")
    see(driver, "h1.doc-title", "Chronicle")
    log = driver.get_log("browser")  # type: ignore[attr-defined]
    assert [entry for entry in log if entry["level"] == "SEVERE"] == []
