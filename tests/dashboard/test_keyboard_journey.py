"""A first hour on a telephone's width without a mouse: every step is a key, pressed where the focus is."""

import re

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

from tests.dashboard.test_browser import driver, pytestmark
from tests.dashboard.test_journey import NOTES, Visitor, installation

__all__ = ["driver", "installation", "pytestmark"]

MOST_TABS = 150
TEXTS = {**NOTES, "ingres.txt": "Michael Stonebraker created Ingres."}
FOCUSED = """
const at = document.activeElement;
return at.matches(arguments[0]) && (at.textContent + (at.value || '')).includes(arguments[1]);
"""


class Typist(Visitor):
    """A person with a keyboard alone."""

    def key(self, *keys: str) -> None:
        """Press keys, one after the other."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def tabs_to(self, selector: str, words: str = "") -> None:
        """Go on by Tab until such an element has the focus, once one is there."""
        self.until(
            lambda: any(words in element.text for element in self.all(selector)), f"no {selector} {words!r}"
        )
        for _ in range(MOST_TABS):
            if self.driver.execute_script(FOCUSED, selector, words):
                return
            self.key(Keys.TAB)
        raise AssertionError(f"{selector} {words!r} was not reached by {MOST_TABS} tabs")

    def enters(self, selector: str, words: str = "") -> None:
        """Go to such an element and press Enter."""
        self.tabs_to(selector, words)
        self.key(Keys.ENTER)

    def writes(self, name: str, text: str) -> None:
        """Go to a field and type."""
        self.tabs_to(f"main [name={name}]")
        self.key(text)

    def goes(self, page: str) -> None:
        """Open the menu and choose a page."""
        self.until(lambda: self.all("[data-toggle=nav]"), "no menu")
        self.enters("[data-toggle=nav]")
        self.enters("#nav a", page)
        self.sees(".topbar", "")


def hands_in(typist: Typist, title: str, text: str) -> None:
    """Hand in a text by its form, and watch its job to the end."""
    typist.goes("Documents")
    typist.enters("main a", "Add documents")
    typist.sees("h1", "Add documents")
    typist.enters("main summary", "Paste a text instead")
    typist.writes("title", title)
    typist.writes("text", text)
    typist.enters("main button", "Hand in this text")
    typist.enters("main a", "Watch them being read")
    typist.sees("h1", "Ingest documents")
    typist.sees("[data-live] .meta", "done")


@pytest.mark.soak
def test_a_first_hour_by_the_keyboard_alone(installation: str, driver: WebDriver) -> None:
    link = re.search(r"http\S+/dashboard/links/\S+", installation)
    assert link is not None
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False},
    )
    typist = Typist(driver, link[0].partition("/dashboard")[0])
    driver.get(link[0])
    typist.enters("main button", "Sign in")
    typist.enters("main a, main summary", "New space")
    typist.writes("name", "Keys")
    typist.key(Keys.ENTER)
    typist.sees("h1", "Keys")
    typist.goes("Settings")
    typist.writes("single_valued_relations", "located_in")
    # Enter in a field of one line sends the form.
    typist.tabs_to("main input[type=number]")
    typist.key(Keys.ENTER)
    typist.sees("#single_valued_relations", "its own")
    for title, text in TEXTS.items():
        hands_in(typist, title, text)
    graph_is_walked(typist)
    question_is_asked(typist)
    graph_is_mended(typist)
    claim_is_ended(typist)
    document_is_deleted(typist)
    assert driver.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert typist.complaints() == []


def graph_is_walked(typist: Typist) -> None:
    """Walk to a node by the arrows, open it, and one of its claims with its words."""
    typist.goes("Graph")
    typist.until(lambda: typist.all("[data-explorer][data-ready]"), "the graph was never drawn")
    typist.tabs_to("[data-canvas]")
    typist.key(Keys.ARROW_RIGHT, Keys.ENTER)
    typist.sees("[data-panel-body]", "Claims")
    typist.enters("[data-panel-body] [data-act=claim]")
    typist.sees("[data-panel-body] mark")
    typist.key(Keys.ESCAPE)
    typist.until(lambda: not typist.all("[data-panel-body] mark"), "the panel stays open")


def question_is_asked(typist: Typist) -> None:
    """Ask, and open the passage of a citation."""
    typist.goes("Ask")
    typist.writes("q", "What did Michael Stonebraker create?")
    typist.key(Keys.ENTER)
    typist.sees(".answer-text", "Ingres")
    typist.until(lambda: not typist.all("[data-writing]"), "the answer never ends")
    typist.enters("a.cite")
    typist.sees(".source.is-open mark")


def graph_is_mended(typist: Typist) -> None:
    """Merge two nodes and undo it; decide which of two values holds."""
    typist.goes("Curate")
    typist.enters(".pair a.button")
    typist.sees("main", "What moves")
    typist.enters("main form button", "Merge")
    typist.enters("tbody button", "Undo")
    typist.sees("tbody tr", "undone by")
    typist.enters(".tabs a", "Conflicts")
    typist.enters(".decide summary")
    typist.writes("reason", "The register says so")
    typist.key(Keys.ENTER)
    typist.sees("tbody tr", "Acme Corporation", "The register says so")


def claim_is_ended(typist: Typist) -> None:
    """End a claim; it is gone from now on, and there as of a day before."""
    typist.goes("Explain")
    typist.writes("from", "Michael Stonebraker")
    typist.writes("to", "Ingres")
    typist.key(Keys.ENTER)
    typist.enters(".path a", "created")
    typist.enters("main a", "End this claim")
    typist.writes("reason", "It was a typing error")
    typist.key(Keys.ENTER)
    typist.sees("main", "It was a typing error", "ended by")
    typist.goes("Explain")
    typist.writes("from", "Michael Stonebraker")
    typist.writes("to", "Ingres")
    typist.key(Keys.ENTER)
    typist.sees("main", "No path")
    typist.tabs_to("main input[type=date]")
    typist.key("01012020", Keys.ENTER)
    typist.sees(".path", "created")


def document_is_deleted(typist: Typist) -> None:
    """Delete a document, with what would go before and what went after."""
    typist.goes("Documents")
    typist.enters("table a", "paris.txt")
    typist.enters("main a, main button", "Delete")
    typist.sees("h1", "Delete this document?")
    typist.enters("main button", "Delete for good")
    typist.sees("h1", "Deleted")
