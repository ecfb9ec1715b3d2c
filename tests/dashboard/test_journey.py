"""What a person does with a new installation, from the first link to a deleted document, in a real browser.

`citegraph up` runs as it is run by hand: its own servers, an API and a worker, no model.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.common.exceptions import (
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.dashboard.test_browser import LOOK_SECONDS, driver, pytestmark
from tests.support.service import PROJECT, free_port

__all__ = ["driver", "pytestmark"]

SECONDS = 60
CORPUS = PROJECT / "examples" / "corpus"
FILES = ("ingres-and-quel.md", "postgres-companies.txt", "awards-and-people.txt")
NOTES = {
    "paris.txt": "Acme Corporation is located in Paris.",
    "london.txt": "Acme Corporation is located in London.",
    "letter.txt": "Micheal Stonebraker created Aurora.",
}
# The middle of the longest line that is drawn between two nodes, in the window.
LINE = """
const done = arguments[arguments.length - 1];
const main = document.querySelector('script[src*="graph/main.js"]').src;
import(new URL("drawing.js", main).href).then(({ picture, drawnGraph }) => {
  const sigma = picture(), graph = drawnGraph();
  const box = document.querySelector("[data-canvas]").getBoundingClientRect();
  const found = [];
  graph.forEachEdge((edge, _, one, other) => {
    const [a, b] = [one, other].map((each) => sigma.graphToViewport(graph.getNodeAttributes(each)));
    const [x, y] = [(a.x + b.x) / 2 + box.x, (a.y + b.y) / 2 + box.y];
    found.push({ x, y, length: Math.hypot(a.x - b.x, a.y - b.y) });
  });
  found.sort((one, other) => other.length - one.length);
  const canvas = document.querySelector("[data-canvas]");
  done(found.filter((line) => canvas.contains(document.elementFromPoint(line.x, line.y))));
}, (error) => done(String(error)));
"""


REPLACED = "does not belong to the document"
"""How chromedriver may say, as an unknown error, that an element was replaced while it was looked at."""


def _unless_replaced(found: Callable[[], object]) -> object:
    try:
        return found()
    except WebDriverException as error:
        if REPLACED not in str(error):
            raise
        return None


class Visitor:
    """A person at a browser: says what to press and what has to be there."""

    def __init__(self, driver: WebDriver, base: str) -> None:
        self.driver = driver
        self.base = base

    def until(self, found: Callable[[], object], what: str) -> None:
        """Wait until it is so."""
        gone = [StaleElementReferenceException, NoSuchElementException]
        wait = WebDriverWait(self.driver, SECONDS, LOOK_SECONDS, gone)
        try:
            wait.until(lambda _: _unless_replaced(found))
        except TimeoutException:
            seen = self.driver.find_element(By.TAG_NAME, "body").text
            raise AssertionError(f"{what}, at {self.driver.current_url}:\n{seen[:1_500]}") from None

    def all(self, selector: str) -> list[WebElement]:
        """What is there and can be seen."""
        return [
            element
            for element in self.driver.find_elements(By.CSS_SELECTOR, selector)
            if element.is_displayed()
        ]

    def sees(self, selector: str, *words: str) -> str:
        """The text of the first such element that holds these words, once there is one."""
        found: list[str] = []

        def look() -> bool:
            found[:] = [
                element.text
                for element in self.all(selector)
                if all(word.lower() in element.text.lower() for word in words)
            ]
            return bool(found)

        self.until(look, f"{selector} never held {words}")
        return found[0]

    def presses(self, words: str, *, within: str = "body") -> None:
        """Press the first link or button of these words."""

        def press() -> bool:
            for element in self.all(f"{within} a, {within} button, {within} summary"):
                if element.text.strip() == words:
                    element.click()
                    return True
            return False

        self.until(press, f"no {words!r} to press in {within}")

    def clicks(self, selector: str) -> None:
        """Press the first such element, which a page that is being written may replace meanwhile."""

        def press() -> bool:
            elements = self.all(selector)
            if elements:
                elements[0].click()
            return bool(elements)

        self.until(press, f"no {selector} to press")

    def goes(self, page: str) -> None:
        """Press the page's name beside the content."""
        if not self.all("#nav"):
            self.driver.find_element(By.CSS_SELECTOR, "[data-toggle=nav]").click()
        self.presses(page, within="#nav")

    def types(self, name: str, text: str, *, within: str = "main") -> None:
        """Type into a field."""
        field = next(element for element in self.all(f"{within} [name={name}]"))
        field.clear()
        field.send_keys(text)

    def sends(self, *, within: str) -> None:
        """Send a form."""
        self.driver.find_element(By.CSS_SELECTOR, f"{within} button[type=submit]").click()

    def complaints(self) -> list[object]:
        """Return the errors of the console so far: scripts that failed, and what the policy refused."""
        log = self.driver.get_log("browser")  # type: ignore[attr-defined]
        return [
            entry for entry in log if entry["level"] == "SEVERE" or "Content Security" in entry["message"]
        ]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The text that `citegraph up` prints once it is ready."""
    folder = tmp_path_factory.mktemp("installation")
    own = {"CITEGRAPH_HOME": str(folder / "home"), "CITEGRAPH_PORT": str(free_port())}
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("CITEGRAPH_", "OPENAI_"))
    }
    log = folder / "up.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli.main", "up"],
            cwd=PROJECT,
            env={**kept, **own, "PYTHONUNBUFFERED": "1"},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + 2 * SECONDS
        while "Ctrl-C" not in log.read_text():
            assert process.poll() is None, log.read_text()[-2_000:]
            assert time.monotonic() < deadline, log.read_text()[-2_000:]
            time.sleep(0.2)
        yield log.read_text()
    finally:
        # Not Ctrl-C, which a process that was started in the background ignores.
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


def handed_in(visitor: Visitor, paths: list[Path]) -> None:
    """Choose files in the field, watch each arrive, then watch the job to its end without loading anew."""
    field = visitor.driver.find_element(By.CSS_SELECTOR, "[data-files]")
    field.send_keys("\n".join(map(str, paths)))
    visitor.sees("[data-upload-sum]", f"{len(paths)} handed in.")
    visitor.presses("Watch them being read")
    visitor.sees("h1", "Ingest documents")
    visitor.driver.execute_script("window.notLoadedAnew = true")
    visitor.sees("[data-live] .meta", "done")
    assert visitor.driver.execute_script("return window.notLoadedAnew") is True


def a_line_is_clicked(visitor: Visitor) -> str:
    """Click lines of the picture, the longest first, until one opens; the quote in the panel.

    Where a node lies on the line it opens instead, and may move out from under its panel: the next line is
    looked for in the picture as it is then.
    """
    visitor.until(
        lambda: visitor.driver.find_element(By.CSS_SELECTOR, "[data-explorer]").get_attribute("data-ready"),
        "the graph was never drawn",
    )
    for number in range(12):
        lines = visitor.driver.execute_async_script(LINE)
        assert isinstance(lines, list), lines
        clicked_at(visitor, lines[number]["x"], lines[number]["y"])
        for _ in range(20):
            if visitor.all("[data-panel-body] mark"):
                return visitor.sees("[data-panel-body] mark")
            time.sleep(0.1)
    raise AssertionError("no line could be clicked")


def clicked_at(visitor: Visitor, x: float, y: float) -> None:
    """Press and release the mouse at a place of the window."""
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        visitor.driver.execute_cdp_cmd(
            "Input.dispatchMouseEvent",
            {
                "type": kind,
                "x": x,
                "y": y,
                "button": "left" if kind != "mouseMoved" else "none",
                "clickCount": 1,
            },
        )


@pytest.mark.soak
def test_a_first_hour(installation: str, driver: WebDriver, tmp_path: Path) -> None:
    link = re.search(r"http\S+/dashboard/links/\S+", installation)
    assert link is not None
    visitor = Visitor(driver, link[0].partition("/dashboard")[0])
    driver.get(link[0])
    visitor.presses("Sign in")

    # A new installation has no space: it is made where its absence is seen.
    visitor.presses("New space", within="main")
    visitor.sees("h2", "Spaces")
    visitor.types("name", "Databases", within="main details")
    visitor.sends(within="main details form")
    visitor.sees("h1", "Databases")
    home = driver.current_url
    visitor.goes("Settings")
    visitor.types("single_valued_relations", "located_in")
    visitor.presses("Save settings")
    visitor.sees("#single_valued_relations", "its own")

    for name, text in NOTES.items():
        (tmp_path / name).write_text(text)
    visitor.presses("Databases", within="header")
    handed_in(visitor, [*(CORPUS / name for name in FILES), *(tmp_path / name for name in NOTES)])

    visitor.goes("Graph")
    assert len(a_line_is_clicked(visitor)) > 10
    driver.find_element(By.CSS_SELECTOR, "[data-close]").click()
    driver.find_element(By.CSS_SELECTOR, ".twin summary").click()
    visitor.sees("[data-twin] tr")
    driver.find_element(By.CSS_SELECTOR, "[data-twin] a[href*=between]").click()
    assert visitor.sees("mark")

    visitor.goes("Ask")
    visitor.types("q", "What did Michael Stonebraker create?")
    visitor.sends(within="[data-ask]")
    visitor.sees(".steps", "Found")
    assert "Ingres" in visitor.sees(".answer-text", "Ingres")
    visitor.clicks("a.cite")
    visitor.sees(".source.is-open mark")

    merged_and_undone(visitor)
    conflict_resolved(visitor)
    claim_ended_and_found(visitor)
    document_deleted(visitor)

    driver.get(home)
    visitor.sees("main", "Needs a look")
    assert visitor.complaints() == []


def merged_and_undone(visitor: Visitor) -> None:
    """Merge two spellings of a name out of the doubtful pairs, see before what would move, and undo it."""
    visitor.goes("Curate")
    visitor.sees("main", "Micheal Stonebraker", "Michael Stonebraker")
    pair = next(element for element in visitor.all(".pair") if "Micheal Stonebraker" in element.text)
    pair.find_element(By.CSS_SELECTOR, "a.button").click()
    visitor.sees("main", "What moves", "Mentions")
    visitor.presses("Merge", within="main")
    visitor.sees("table", "Micheal Stonebraker")
    visitor.presses("Undo", within="tbody")
    visitor.sees("tbody tr", "Micheal Stonebraker", "undone")


def conflict_resolved(visitor: Visitor) -> None:
    """Say which of two places holds, with the quotes of both in sight."""
    visitor.goes("Curate")
    visitor.presses("Conflicts", within=".tabs")
    quotes = (NOTES["paris.txt"], NOTES["london.txt"])
    visitor.sees(".conflict", "Acme Corporation", *quotes)
    conflict = next(element for element in visitor.all(".conflict") if "Acme Corporation" in element.text)
    conflict.find_element(By.CSS_SELECTOR, ".decide summary").click()
    visitor.types("reason", "The register says so", within=".decide[open]")
    visitor.presses("End the others", within=".decide[open]")
    visitor.sees("h1", "Curate")
    visitor.presses("Conflicts", within=".tabs")
    visitor.until(
        lambda: not [element for element in visitor.all(".conflict") if "Acme" in element.text],
        "it is still open",
    )
    visitor.presses("Ended claims", within=".tabs")
    visitor.sees("tbody tr", "Acme Corporation", "located in", "The register says so")


def claim_ended_and_found(visitor: Visitor) -> None:
    """End a claim since a day; it is gone from now on and there as of a day before."""
    driver = visitor.driver
    visitor.goes("Explain")
    visitor.types("from", "Micheal Stonebraker")
    visitor.types("to", "Aurora")
    visitor.presses("Explain", within="main")
    visitor.sees(".path", "created")
    found = driver.current_url
    visitor.goes("Graph")
    visitor.until(lambda: visitor.all("[data-note]"), "no graph")
    search = driver.find_element(By.CSS_SELECTOR, "[data-search]")
    search.send_keys("Aurora")
    visitor.sees("[data-hits]", "Aurora")
    search.send_keys(Keys.ENTER)
    visitor.sees("[data-panel-body]", "Aurora")
    driver.find_element(By.CSS_SELECTOR, "[data-panel-body] [data-act=claim]").click()
    visitor.sees("[data-panel-body] mark", NOTES["letter.txt"].rstrip("."))
    visitor.presses("End this claim")
    visitor.types("reason", "It was a typing error")
    visitor.presses("End the claim", within="main")
    visitor.sees("main", "It was a typing error")
    driver.get(found)
    visitor.sees("main", "no")
    assert not visitor.all(".path")
    yesterday = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400))
    driver.get(f"{found}&as_of={yesterday}")
    visitor.sees(".path", "created")


def document_deleted(visitor: Visitor) -> None:
    """Delete a document: what goes is counted before, and the receipt after it says what went."""
    visitor.goes("Documents")
    visitor.presses("letter.txt", within="table")
    visitor.presses("Delete", within="main")
    visitor.sees("h1", "Delete this document?")
    visitor.sees(".removal-rows", "1\nchunk goes")
    visitor.presses("Delete for good", within="main")
    visitor.sees("h1", "Deleted")
    visitor.sees(".removal-rows", "1\nchunk gone")
    visitor.presses("To the documents", within="main")
    visitor.sees("table", "paris.txt")
    assert "letter.txt" not in visitor.sees("table")


@pytest.mark.soak
def test_a_telephone_shows_what_was_made(installation: str, driver: WebDriver) -> None:
    """After the first hour, signed in by the key that `citegraph up` printed, 390 pixels wide."""
    key = re.search(r"cg_live_\S+", installation)
    address = re.search(r"Address\s+(http\S+)", installation)
    assert key is not None
    assert address is not None
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
    )
    visitor = Visitor(driver, address[1])
    driver.get(f"{address[1]}/dashboard/sign-in")
    for element in driver.find_elements(By.CSS_SELECTOR, "summary"):
        element.click()
    visitor.types("api_key", key[0], within="body")
    driver.find_element(By.NAME, "api_key").submit()
    visitor.sees("h1", "Databases")
    visitor.goes("Ask")
    visitor.types("q", "Who created Ingres?")
    visitor.sends(within="[data-ask]")
    visitor.sees(".answer-text", "Ingres")
    visitor.clicks("a.cite")
    visitor.sees(".source.is-open mark")
    visitor.goes("Graph")
    visitor.sees("[data-note]", "nodes")
    visitor.goes("Curate")
    visitor.presses("Ended claims", within=".tabs")
    visitor.sees("tbody tr", "Acme Corporation")
    visitor.goes("Documents")
    visitor.presses("paris.txt", within="table")
    visitor.sees("main", NOTES["paris.txt"])
    assert driver.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert visitor.complaints() == []
