"""Pictures of every page of the dashboard, with the example corpus and a space of 3,000 nodes.

Serves an installation of its own under a folder that it keeps, so that a second run is quicker. Pages are
found by their links, those of a space in each space, so that a new one is not forgotten. Each is taken in
light and dark, 1280 and 390 pixels wide.
"""

import argparse
import base64
import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from tests.support.dashboard_pages import Fetch, file_name, find_pages

PORT = 8794
NODES, EDGES = 3_000, 10_000
IMG = '"><img src=x onerror=alert(1)>'
SIZES = ((1280, 900), (390, 844))
# What is taller than chromium paints in one piece is saved in parts.
TALLEST = 8_000
TURNS = 20
SECONDS = 180
ROOT = Path(__file__).resolve().parents[2]
DOCS_SIZE, DOCS_QUALITY = (1280, 800), 72
QUESTIONS = {"relational-databases": "Who created the language on which QUEL was based?"}
PATIENCE = 600
# Until nothing is written, fetched or moved any more; a page that never ends is taken after two minutes.
SETTLE = """
const done = arguments[0], until = performance.now() + 120000;
const busy = '[data-writing], .htmx-request, [aria-busy="true"], [data-explorer]:not([data-ready])';
const look = () => {
  const waiting = [...document.querySelectorAll(busy)].some(each => !each.closest('noscript'));
  waiting && performance.now() < until ? setTimeout(look, 80) : setTimeout(done, 800);
};
look();
"""


def main() -> None:
    """Take the pictures, and print the folder that holds them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", nargs="?", default=str(Path(tempfile.gettempdir()) / "citegraph-screenshots")
    )
    parser.add_argument("--without-large", action="store_true", help="Only the example corpus.")
    parser.add_argument("--docs", action="store_true", help="Only the pictures of docs/images.")
    parser.add_argument("--only", default="", help="A pattern: only pictures whose file names hold it.")
    parser.add_argument("--port", type=int, default=PORT, help="Where its server listens meanwhile.")
    given = parser.parse_args()
    folder = Path(given.folder)
    home = folder / "home"
    pictures = folder / "pictures"
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir(parents=True)
    environment = {**os.environ, "CITEGRAPH_HOME": str(home), "CITEGRAPH_PORT": str(given.port)}
    citegraph = str(Path(sys.executable).parent / "citegraph")
    subprocess.run([citegraph, "demo"], env=environment, check=True, stdout=subprocess.DEVNULL)
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen([citegraph, "up"], env=environment, stdout=output, stderr=output)
    try:
        link = _await_link(log, server)
        if not given.without_large:
            _ingest_large(citegraph, environment, folder)
        if given.docs:
            pictures = ROOT / "docs" / "images"
            _take_docs(link, pictures)
        else:
            _take_all(link, pictures, given.only)
    finally:
        server.terminate()
        server.wait(60)
    print(pictures)


def _await_link(log: Path, server: subprocess.Popen[bytes]) -> str:
    for _ in range(SECONDS):
        found = re.search(r"http\S+/dashboard/links/\S+", log.read_text())
        if found and "Ctrl-C" in log.read_text():
            return found[0]
        if server.poll() is not None:
            break
        time.sleep(1)
    raise SystemExit(f"The server did not start; see {log}.")


def _ingest_large(citegraph: str, environment: dict[str, str], folder: Path) -> None:
    """A space of 3,000 nodes in groups, some with hostile names, as an extraction made elsewhere."""
    path = folder / "generated.jsonl"
    path.write_text(json.dumps(_generated()) + "\n")
    for command in (
        ["space", "create", "generated"],
        ["ingest", str(path), "--extractions", "--space", "generated", "--wait"],
        ["communities", "detect", "--space", "generated", "--wait"],
    ):
        subprocess.run([citegraph, *command], env=environment, check=False, stdout=subprocess.DEVNULL)


def _generated() -> dict[str, object]:
    draw = random.Random(20_260_101)
    names = [f"{word} {number}" for number in range(NODES // 3) for word in ("Alder", "Borough", "Cobalt")]
    names[:3] = [IMG, "Overlong " + "n" * 280 + " Name", "מאיר הלוי"]
    chunks = []
    for number in range(EDGES):
        group = draw.randrange(NODES // 30) * 30
        first = names[group + draw.randrange(30)]
        second = names[group + draw.randrange(30)] if draw.random() < 0.95 else draw.choice(names)
        if first != second:
            chunks.append(
                {"text": f"{first} uses {second} ({number}).", "triples": [[first, "uses", second]]}
            )
    return {"title": f"Generated {IMG}", "extractor": "generated", "chunks": chunks}


def _take_docs(link: str, folder: Path) -> None:
    """The pictures of README and docs/dashboard.md, as WebP."""
    folder.mkdir(parents=True, exist_ok=True)
    base = link.split("/dashboard", maxsplit=1)[0]
    driver = _driver()
    try:
        fetch = _fetcher(base.removeprefix("http://"), _sign_in(driver, link))
        spaces = re.findall(
            r'href="(/dashboard/spaces/[0-9a-f-]{36})".*?<strong[^>]*>([^<]*)<',
            fetch("/dashboard?all=1")[2],
            re.S,
        )
        path = {name: address for address, name in spaces}
        corpus = path["relational-databases"]

        def node(name: str) -> str:
            found = json.loads(fetch(f"{corpus}/graph/find?{urlencode({'q': name})}")[2])["nodes"]
            return str(next(node_found["id"] for node_found in found if node_found["name"] == name))

        claim = f"claim*{node('Michael Stonebraker')}*{node('Ingres')}*created"
        question = urlencode({"q": QUESTIONS["relational-databases"]})
        wanted = {
            "graph": ("light", f"{corpus}/graph"),
            "claim": ("dark", f"{corpus}/graph?{urlencode({'chosen': claim})}"),
            "ask": ("light", f"{corpus}/ask?{question}"),
            "home": ("light", corpus),
            **({"large": ("dark", f"{path['generated']}/graph")} if "generated" in path else {}),
        }
        for name, (theme, address) in wanted.items():
            driver.execute_script("localStorage.setItem('citegraph.theme', arguments[0])", theme)
            _set_window(driver, *DOCS_SIZE)
            driver.get(base + address)
            driver.execute_async_script(SETTLE)
            taken = driver.execute_cdp_cmd(
                "Page.captureScreenshot", {"format": "webp", "quality": DOCS_QUALITY}
            )
            (folder / f"dashboard-{name}.webp").write_bytes(base64.b64decode(taken["data"]))
    finally:
        driver.quit()


def _sign_in(driver: WebDriver, link: str) -> str:
    """Follow the link that signs in; returns the cookie."""
    driver.get(link)
    driver.find_element(By.CSS_SELECTOR, "button[type=submit]").click()
    time.sleep(2)
    return str(
        next(cookie["value"] for cookie in driver.get_cookies() if cookie["name"] == "citegraph_session")
    )


def _take_all(link: str, pictures: Path, only: str) -> None:
    base = link.split("/dashboard", maxsplit=1)[0]
    driver = _driver()
    try:
        _look(driver, base + "/dashboard/sign-in", "light", SIZES[0])
        signed_out = {"sign-in": "/dashboard/sign-in", "no-such-page": "/dashboard/nowhere"}
        _take_each(driver, base, signed_out, pictures, only)
        pages = _pages(_fetcher(base.removeprefix("http://"), _sign_in(driver, link)))
        _take_each(driver, base, pages, pictures, only)
        for entry in driver.get_log("browser"):  # type: ignore[attr-defined]
            if entry["level"] == "SEVERE":
                print(entry["message"][:300])
    finally:
        driver.quit()


def _fetcher(host: str, cookie: str) -> Fetch:
    """Reads pages of this host as the visitor whose cookie it is."""

    def fetch(path: str) -> tuple[int, str, str]:
        for _ in range(4):
            connection = http.client.HTTPConnection(host, timeout=60)
            connection.request("GET", path, headers={"Cookie": f"citegraph_session={cookie}"})
            answer = connection.getresponse()
            body = answer.read().decode("utf-8", "replace")
            if answer.status not in (302, 303):
                break
            path = str(answer.headers["location"])
        return answer.status, answer.headers.get("content-type", ""), body

    return fetch


def _pages(fetch: Fetch) -> dict[str, str]:
    """Every page by the name of its pictures: those of no space once, those of a space for each."""
    first = fetch("/dashboard?all=1")[2]
    spaces = dict.fromkeys(re.findall(r'href="(/dashboard/spaces/[0-9a-f-]{36})"', first))
    found = find_pages(fetch)
    pages = {file_name(route): path for route, path in found.items() if "{space_id}" not in route}
    for space in spaces:
        name = re.sub(r"[^a-z0-9]+", "-", _name_of(fetch(space)[2]).lower()).strip("-")[:40]
        for route, path in find_pages(fetch, space).items():
            if "{space_id}" in route and path.startswith(space):
                pages[f"{name} {file_name(route)}"] = path
        nodes = re.findall(r"/graph/nodes/([0-9a-f]{32})", fetch(f"{space}/graph/table")[2])
        words = urlencode({"q": QUESTIONS.get(name, "What uses Alder 1?")})
        pages[f"{name} spaces-graph-node"] = f"{space}/graph?node={nodes[0]}" if nodes else f"{space}/graph"
        pages[f"{name} spaces-ask-answered"] = f"{space}/ask?{words}"
        pages[f"{name} spaces-ask-whole"] = f"{space}/ask?{words}&whole=1"
        pages[f"{name} spaces-ask-global"] = f"{space}/ask?{words}&scope=global"
        pages[f"{name} spaces-explain-found"] = f"{space}/explain?from=PostGIS&to=PostgreSQL"
    return pages


def _name_of(body: str) -> str:
    found = re.search(r"<title>(.*?) ·", body)
    return found[1] if found else "space"


def _take_each(driver: WebDriver, base: str, pages: dict[str, str], pictures: Path, only: str) -> None:
    """Each page in both themes at both widths; says which is wider than its window."""
    for theme in ("light", "dark"):
        driver.execute_script("localStorage.setItem('citegraph.theme', arguments[0])", theme)
        for size in SIZES:
            for name, path in pages.items():
                file = f"{name.replace(' ', '--')}-{theme}-{size[0]}.png"
                if only and not re.search(only, file):
                    continue
                _look(driver, base + path, theme, size)
                wide = int(driver.execute_script("return document.documentElement.scrollWidth - innerWidth"))
                if wide > 0:
                    print(f"{file} is {wide} pixels wider than its window")
                _save(driver, pictures / file)
                tall = int(driver.execute_script("return document.documentElement.scrollHeight"))
                for part, top in enumerate(range(TALLEST, tall, TALLEST), 2):
                    driver.execute_script("scrollTo(0, arguments[0])", top)
                    _save(driver, pictures / file.replace(".png", f"-part{part}.png"))


def _save(driver: WebDriver, file: Path) -> None:
    """Save the picture; a renderer that has much to draw on a busy machine is asked again."""
    for left in reversed(range(TURNS)):
        try:
            driver.save_screenshot(str(file))
        except TimeoutException:
            if not left:
                raise
        else:
            return


def _look(driver: WebDriver, address: str, theme: str, size: tuple[int, int]) -> None:
    """Open a page, wait until it has settled, and make the window as tall as all of it."""
    width, height = size
    _set_window(driver, width, height)
    driver.get(address)
    driver.execute_async_script(SETTLE)
    while height < TALLEST:
        tall = int(driver.execute_script("return document.documentElement.scrollHeight"))
        if tall <= height:
            break
        height = min(tall, TALLEST)
        _set_window(driver, width, height)
        time.sleep(0.2)


def _set_window(driver: WebDriver, width: int, height: int) -> None:
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )


def _driver() -> WebDriver:
    options = webdriver.ChromeOptions()
    for argument in (
        "--headless=new",
        "--use-gl=angle",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--hide-scrollbars",
        # What moves to its place is there at once.
        "--force-prefers-reduced-motion",
        *(("--no-sandbox",) if os.geteuid() == 0 else ()),
    ):
        options.add_argument(argument)
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        raise SystemExit("Pictures need chromium and its chromedriver.")
    options.binary_location = browser
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    # A busy machine draws slowly; what is waited for is the page, not a number of seconds.
    started.set_script_timeout(PATIENCE)
    started.set_page_load_timeout(PATIENCE)
    return started


if __name__ == "__main__":
    main()
