"""Presses every button, sends every form and follows every link that a visitor meets, in a real browser.

Nothing here names a page or a button: what there is to press is read from each page that is shown, so that a
new button is pressed without a line. What takes something away is pressed last. Whatever a press leads to is
looked at: an answer of 400 or more, an error in the console, a page without a heading or of another type,
another site, a press that does nothing and a form for which no value is found are faults.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from selenium.common.exceptions import JavascriptException, WebDriverException
from selenium.webdriver.remote.webdriver import WebDriver

from app.http.authentication import DASHBOARD_PATH
from tests.support.dashboard_pages import route_of

SECONDS = 20.0
PER_PATH = 3
"""Presses one after another from a page that has an address, to what only the first of them shows."""
IN_PLACE = 40
"""Buttons without a form that are pressed on one page."""
EXAMPLES = 4
"""Pages that are kept of one action: where it is gone from one, another may still have it."""

SCRIPT = Path(__file__).with_suffix(".js")
"""What each document does for us."""


@dataclass(frozen=True)
class Action:
    """A button with its form, the route of the page where it stands, and how much it takes away."""

    key: str
    caption: str
    is_form: bool
    weight: int
    route: str
    """The route of the page it stands on; empty for what every page has around it."""

    @property
    def identity(self) -> tuple[str, str]:
        """What makes two buttons one action, on whatever page of a route they stand."""
        return self.route, self.key


@dataclass(frozen=True)
class Step:
    """An action at the end of a way to it: the address, and what is pressed on the way."""

    address: str
    before: tuple[Action, ...]
    action: Action

    @property
    def weight(self) -> int:
        """What takes away most on the way."""
        return max(action.weight for action in (*self.before, self.action))

    def __str__(self) -> str:
        way = " > ".join(action.caption or action.key for action in (*self.before, self.action))
        return f"{way} ({self.action.key.split('|')[2] or self.action.route})"


def watch(driver: WebDriver) -> None:
    """Have every document that the browser opens from now on be watched."""
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SCRIPT.read_text("utf-8")})
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "deny"})


@dataclass
class Presser:
    """One visitor who presses everything: `faults` says what went wrong, `pressed` what was done."""

    driver: WebDriver
    base: str
    file: Path
    words: dict[str, str]
    password: str
    expected: Collection[tuple[str, int]] = ()
    """Refusals that are right: a part of the address, and the status."""
    done: set[tuple[str, str]] = field(default_factory=set)
    """What was pressed, by this visitor or by others before: each once, by whoever may do least."""
    per_route: int = 1
    """Addresses of one route, and of one set of filters in its query, that are followed."""
    start: str = DASHBOARD_PATH + "?all=1"
    faults: list[str] = field(default_factory=list)
    pressed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    visited: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._waiting: list[str] = [self.start]
        self._known: set[str] = {self.start}
        self._steps: dict[tuple[str, str], list[Step]] = {}
        self._number = 0
        self._method = "GET"
        self._same = False

    def press_everything(self) -> None:
        """Visit every page, then press what was found there, the destructive last; until nothing is new."""
        list(self._events())
        while True:
            while self._waiting:
                self._visit(self._waiting.pop(0))
            step = self._next_step()
            if step is None:
                return
            self._take(step)

    def sign_in(self, link: str) -> None:
        """Follow an invitation, which asks for a password where a person comes by it."""
        self._open(link)
        action = next(form for form in self._learn(link, ()) if form.is_form)
        self._steps.clear()
        self._press(action, link)
        self._check(link)

    def report(self) -> str:
        """What was done, line by line."""
        lines = [f"{len(self._known)} pages and {len(self.pressed)} presses, {len(self.gone)} gone before"]
        lines += sorted({f"  {without_ids(step)}" for step in self.pressed})
        lines += [f"  gone: {without_ids(step)}" for step in self.gone]
        return "\n".join(lines)

    # Pages

    def _visit(self, address: str) -> None:
        self._script("window.__same = true")
        self._open(address)
        # A file leaves the page before it where it is.
        if self._check(f"page {address}") and not self._same:
            self._learn(address, ())
            self._press_in_place(address)

    def _open(self, address: str) -> None:
        self.driver.get(self.base + address)
        self._settle()

    def _learn(self, address: str, before: tuple[Action, ...]) -> list[Action]:
        """Keep what the page that is shown has to follow and to press; returns the actions."""
        found = self._in_page("collect")
        for link in found["links"]:
            self._note_link(link)
        route = self._route(address)
        actions = []
        for control in found["actions"]:
            where = "" if control["inShell"] else route
            action = Action(control["key"], control["caption"], control["isForm"], control["weight"], where)
            actions.append(action)
            steps = self._steps.setdefault(action.identity, [])
            if action.identity not in self.done and len(steps) < EXAMPLES and len(before) < PER_PATH:
                steps.append(Step(address, before, action))
        return actions

    def _note_link(self, link: str) -> None:
        parts = urlsplit(link)
        if f"{parts.scheme}://{parts.netloc}" != self.base:
            # A link of a text leads elsewhere by its own right; none of ours does.
            self.faults.append(f"a link leads away: {link}")
            return
        address = parts.path + (f"?{parts.query}" if parts.query else "")
        if not parts.path.startswith(DASHBOARD_PATH) or address in self._known or "/static/" in parts.path:
            return
        kind = f"{self._route(address)}?{','.join(sorted(name for name, _ in parse_qsl(parts.query)))}"
        if self.visited[kind] < self.per_route:
            self.visited[kind] += 1
            self._known.add(address)
            self._waiting.append(address)

    def _route(self, address: str) -> str:
        route = route_of(urlsplit(address).path)
        return urlsplit(address).path if route is None else route.path

    def _press_in_place(self, address: str) -> None:
        """Press the buttons without a form one after another, with those that they bring."""
        path = urlsplit(self.driver.current_url).path
        last: Action | None = None
        for _ in range(IN_PLACE):
            actions = self._learn(address, () if last is None else (last,))
            fresh = [action for action in actions if not action.is_form and action.identity not in self.done]
            if not fresh:
                return
            last = fresh[0]
            self.done.add(last.identity)
            step = Step(address, (), last)
            self._press(last, str(step))
            if not self._check(str(step)):
                return
            if urlsplit(self.driver.current_url).path != path:
                self._open(address)
                last = None

    # Presses

    def _next_step(self) -> Step | None:
        left = [steps[0] for identity, steps in self._steps.items() if steps and identity not in self.done]
        return min(left, key=lambda step: step.weight, default=None)

    def _take(self, step: Step) -> None:
        """Go to the page, press what comes before, then the action; look at what it leads to."""
        identity = step.action.identity
        self._steps[identity].remove(step)
        self._open(step.address)
        self._in_page("collect")
        for action in step.before:
            if not self._press(action, str(step)):
                break
            self._in_page("collect")
        if list(self._faults_of_network()) or not self._press(step.action, str(step)):
            if not self._steps[identity]:
                self.done.add(identity)
                self.gone.append(str(step))
            return
        self.done.add(identity)
        if not self._check(str(step)):
            return
        address = self._address()
        if address.startswith(f"{DASHBOARD_PATH}/sign-in"):
            if step.weight < 4:
                self.faults.append(f"{step}: signed out")
            self._steps = {}
        elif self._method == "GET" and address != step.address and not self._same:
            self._note_link(self.driver.current_url)
            self._learn(address, ())
        else:
            self._learn(step.address, (*step.before, step.action))

    def _press(self, action: Action, name: str) -> bool:
        """Fill the form and press the button; False where it is not there any more."""
        self._number += 1
        day = time.strftime("%Y-%m-%d")
        words = {**self.words, "password": self.password}
        filled = self._in_page("fill", action.key, action.weight > 1, self._number, day, words)
        if filled["gone"]:
            return False
        if filled["files"]:
            for file_input in self.driver.find_elements("css selector", "input[data-file]"):
                file_input.send_keys(str(self._fresh_file()))
        if filled["invalid"]:
            self.faults.append(f"{name}: no value was found for {filled['invalid']}")
        list(self._events())
        self._in_page("press")
        self._settle(sends=action.is_form)
        if self._same and not self._script("return window.__pressing.acts"):
            self.faults.append(f"{name}: a press does nothing")
        self.pressed.append(name)
        return True

    def _fresh_file(self) -> Path:
        file = self.file.with_stem(f"{self.file.stem}-{self._number}")
        file.write_text(f"{self.file.read_text()} Pressed number {self._number}.")
        return file

    def _settle(self, *, sends: bool = False) -> None:
        """Wait until nothing is under way any more, on this page or the one that it led to."""
        until = time.monotonic() + SECONDS
        quiet = 0
        while time.monotonic() < until:
            try:
                ready, under_way, sent, same, busy = self._in_page("look")
            except (JavascriptException, WebDriverException):
                quiet = 0
                continue
            self._same = bool(same)
            # What the browser sends itself ends this document, but for a download.
            leaving = sends and same and sent == "browser" and time.monotonic() < until - SECONDS + 3
            quiet = quiet + 1 if ready == "complete" and not under_way and not busy and not leaving else 0
            if quiet > 2:
                return
            time.sleep(0.03)
        self.faults.append(f"{self.driver.current_url}: still at work after {SECONDS:.0f} s")

    # Faults

    def _check(self, name: str) -> bool:
        """Note what is wrong with what is shown; returns whether it is a page of ours."""
        requests = list(self._faults_of_network())
        shown = self._in_page("shown")
        self.faults += [f"{name}: {request}: {shown['text']}" for request in requests]
        if not str(shown["address"]).startswith(self.base):
            self.faults.append(f"{name}: leads away to {shown['address']}")
            return False
        if shown["type"] != "text/html":
            self.faults.append(f"{name}: {shown['type']} as a page: {shown['text']}")
            return False
        if not shown["heading"]:
            self.faults.append(f"{name}: no heading: {shown['text']}")
        return not requests

    def _faults_of_network(self) -> Iterator[str]:
        for method, params in self._events():
            if method != "Network.responseReceived" or params["response"]["status"] < 400:
                continue
            status, url = params["response"]["status"], params["response"]["url"]
            if not any(part in url and status == refusal for part, refusal in self.expected):
                yield f"{status} of {url}"
        for entry in self.driver.get_log("browser"):  # type: ignore[attr-defined]
            # A refusal by the server is told above, with its status.
            if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]:
                yield f"console: {entry['message'][:300]}"

    def _events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The network's events since the last call; notes the method by which a page was asked for."""
        for entry in self.driver.get_log("performance"):  # type: ignore[attr-defined]
            message = json.loads(entry["message"])["message"]
            params = message["params"]
            if message["method"] == "Network.requestWillBeSent" and params.get("type") == "Document":
                self._method = params["request"]["method"]
            yield message["method"], params

    def _address(self) -> str:
        parts = urlsplit(self.driver.current_url)
        return parts.path + (f"?{parts.query}" if parts.query else "")

    def _in_page(self, name: str, *values: object) -> Any:
        return self._script(f"return window.__pressing.{name}(...arguments)", *values)

    def _script(self, source: str, *values: object) -> Any:
        return self.driver.execute_script(source, *values)


def without_ids(text: str) -> str:
    """The text with ids as stars, so that two runs say the same."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}", "*", text)
