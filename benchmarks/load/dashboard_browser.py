"""Times the graph's page in a real browser: what a person waits for, at the sizes that have to be quick.

The application serves as a process of its own; the browser is chromium with a software renderer. Milliseconds
count from the click on the link; those of processor, which a busy machine changes little, are of the page's
thread. Cold is a browser that has nothing stored, warm one that was there before.
"""

import gzip
import http.client
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from app.db.database import Database
from app.http.authentication import SESSION_COOKIE
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts import sign_in
from benchmarks.data.drawn_spaces import fill_space
from benchmarks.place import new_space

# Nodes, edges, communities of the coarser and of the finer level.
SIZES = ((3_000, 10_000, 10, 60), (100_000, 300_000, 50, 1_000))
TURNS = 3
FRAME_CATEGORIES = "viz,blink.user_timing"
PATIENCE = 300
ARGUMENTS = (
    "--headless=new",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--window-size=1280,900",
)
READ = """
const paint = performance.getEntriesByName('first-contentful-paint')[0];
const drawn = performance.getEntriesByName('citegraph:drawn')[0];
const loaded = performance.getEntriesByType('resource');
const sum = (part, size) =>
  loaded.filter(each => part.test(each.name)).reduce((all, each) => all + each[size], 0);
return {
  paint: paint ? paint.startTime : null, drawn: drawn ? drawn.startTime : null,
  data: sum(/graph\\/data/, 'encodedBodySize'), script: sum(/\\.js/, 'encodedBodySize'),
  unpacked: sum(/\\.js/, 'decodedBodySize'), sent: sum(/./, 'transferSize'),
};
"""
# Until a few frames were drawn.
FRAMES = """
const done = arguments[0];
const next = (left) => (left ? requestAnimationFrame(() => next(left - 1)) : done());
next(10);
"""
# Counts the frames that the page may draw for, until it is asked.
COUNT = """
window.counted = [];
const next = (now) => { window.counted.push(now); window.counting = requestAnimationFrame(next); };
performance.mark("counting begins");
next(performance.now());
"""
COUNTED = """
performance.mark("counting ends");
cancelAnimationFrame(window.counting);
const gaps = window.counted.slice(2).map((each, at) => each - window.counted[at + 1]);
const taken = window.counted.at(-1) - window.counted[0];
return {rate: 1000 * gaps.length / taken, longest: Math.max(...gaps)};
"""
# The place on the screen of the node that is nearest to the middle of the window.
MIDDLE = """
const done = arguments[0], script = document.querySelector('script[src*="graph/main.js"]').src;
const box = document.querySelector('[data-canvas]').getBoundingClientRect();
const [x, y] = [box.width / 2, box.height / 2];
import(new URL('drawing.js', script)).then(({picture, drawnGraph}) => {
  const sigma = picture();
  const places = drawnGraph().mapNodes((_, each) => sigma.graphToViewport(each));
  const far = (at) => Math.hypot(at.x - x, at.y - y);
  const nearest = places.reduce((one, other) => far(other) < far(one) ? other : one);
  done({node: [box.left + nearest.x, box.top + nearest.y],
    middle: [box.left + x, box.top + y], empty: [box.left + x, box.top + 5]});
});
"""
MOVED_SECONDS = 3


@dataclass(frozen=True)
class Space:
    """A generated space, and the cookie of who may see it."""

    path: str
    token: str


def run(database: Database, superuser: str, environment: Mapping[str, str], port: int) -> None:
    """Print a line for each size, or one that says why there is none."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if missing:
        print(f"no {' and no '.join(missing)} on this machine: nothing is measured in a browser")
        return
    spaces = [_space(database, superuser, size) for size in SIZES]
    with _serving(environment, port):
        for (nodes, edges, _, _), space in zip(SIZES, spaces, strict=True):
            first, second, sent = _answers(port, space)
            print(
                f"{nodes:,} nodes, {edges:,} edges: first answer {first:.2f} s, places worked out;"
                f" then {second:.2f} s; {sent / 1000:.0f} kB compressed",
                flush=True,
            )
            cold = [_visit(port, space, times=1)[0] for _ in range(TURNS)]
            *warm, moved = _visit(port, space, times=1 + TURNS, move=True)
            for name, found in (("cold", cold), ("warm", warm[1:])):
                print(f"  {name}: {_line(found)}", flush=True)
            for name, move in moved.items():
                print(f"  {name}: {move}", flush=True)
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def _space(database: Database, superuser: str, size: tuple[int, int, int, int]) -> Space:
    nodes, edges, top, fine = size
    tenant, space = new_space(database, f"drawn {nodes}")
    with psycopg.connect(superuser, autocommit=True) as connection:
        fill_space(connection, space, nodes=nodes, edges=edges, top=top, fine=fine)
    with database.open_tenant(tenant) as session:
        link = accounts.create_operator_link_token(session, email="drawn@localhost.example", actor="bench")
    return Space(
        f"/dashboard/spaces/{space}/graph",
        sign_in.sign_in_or_join_with_link(database, link, "a password of ours"),
    )


@contextmanager
def _serving(environment: Mapping[str, str], port: int) -> Iterator[None]:
    """One server process, which answers by the time that this is entered."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli.main", "serve", "--with-parent"],
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < deadline:
            try:
                if _get(port, "/healthz", {})[0] == 200:
                    break
            except OSError:
                time.sleep(0.2)
        else:
            raise SystemExit("The server did not start.")
        yield
    finally:
        process.terminate()
        process.wait(60)


def _get(port: int, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers=dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def _answers(port: int, space: Space) -> tuple[float, float, int]:
    """Seconds of the first and of a later answer with what is drawn, and its bytes."""
    headers = {"cookie": f"{SESSION_COOKIE}={space.token}", "accept-encoding": "gzip"}
    seconds = []
    for _ in range(1 + TURNS):
        began = time.perf_counter()
        status, body = _get(port, f"{space.path}/data", headers)
        seconds.append(time.perf_counter() - began)
        assert status == 200, (status, body[:300])
    gzip.decompress(body)
    return seconds[0], statistics.median(seconds[1:]), len(body)


def _visit(port: int, space: Space, *, times: int, move: bool = False) -> list[Any]:
    """Open the page so many times in one new browser; with `move` a line for each way to move at the end."""
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.binary_location = str(shutil.which("chromium"))
        # Tells of every frame that was put on the screen.
        options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
        options.add_experimental_option("perfLoggingPrefs", {"traceCategories": FRAME_CATEGORIES})
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        try:
            driver.set_script_timeout(PATIENCE)
            driver.set_page_load_timeout(PATIENCE)
            found: list[Any] = []
            for _ in range(times):
                # A page without scripts first: the browser has started when it counts, and has put
                # on the screen what the visit before had drawn.
                driver.get(f"http://127.0.0.1:{port}/healthz")
                driver.execute_async_script(FRAMES)
                driver.add_cookie({"name": SESSION_COOKIE, "value": space.token, "path": "/"})
                found.append(_opened(driver, f"http://127.0.0.1:{port}{space.path}"))
            if move:
                found.append(_moved(driver, f"http://127.0.0.1:{port}{space.path}"))
            return found
        finally:
            driver.quit()


def _moved(driver: WebDriver, address: str) -> dict[str, str]:
    """Frames while the picture is dragged, while a wheel is turned over it, and while a node is dragged."""
    lines = {}
    for name, at in (
        ("the picture dragged", "empty"),
        ("the wheel turned", "middle"),
        ("a node dragged", "node"),
    ):
        _opened(driver, address)
        time.sleep(2)
        x, y = driver.execute_async_script(MIDDLE)[at]
        driver.execute_script(COUNT)
        began = time.monotonic()
        if at != "middle":
            _mouse(driver, "mouseMoved", x, y, buttons=0)
            _mouse(driver, "mousePressed", x, y)
        while (spent := time.monotonic() - began) < MOVED_SECONDS:
            if at == "middle":
                _mouse(driver, "mouseWheel", x, y, buttons=0, deltaX=0, deltaY=60 if spent % 2 > 1 else -60)
                time.sleep(0.03)
            else:
                aside, down = 200 * math.sin(3 * spent), 100 * abs(math.sin(2 * spent))
                _mouse(driver, "mouseMoved", x + aside, y + down)
        if at != "middle":
            _mouse(driver, "mouseReleased", x, y)
        counted = driver.execute_script(COUNTED)
        # The browser tells of its frames when it leaves a page.
        driver.get(address.partition("/dashboard")[0] + "/healthz")
        lines[name] = (
            f"{counted['rate']:.1f} frames a second by the page, {_shown(driver):.1f} put on the screen,"
            f" longest pause {counted['longest']:.0f} ms"
        )
    return lines


def _mouse(driver: WebDriver, kind: str, x: float, y: float, *, buttons: int = 1, **more: float) -> None:
    """As the browser's own input, which a page cannot tell from a hand."""
    event = {"type": kind, "x": x, "y": y, "buttons": buttons, "clickCount": 1}
    driver.execute_cdp_cmd(
        "Input.dispatchMouseEvent",
        {**event, "button": "left" if buttons or "Rel" in kind else "none", **more},
    )


def _shown(driver: WebDriver) -> float:
    """Frames that the compositor has put on the screen between the two marks of the page, a second."""
    events: list[dict[str, Any]] = [
        json.loads(entry["message"])["message"]["params"]
        for entry in driver.get_log("performance")  # type: ignore[attr-defined]
    ]
    marks = {event["name"]: event["ts"] for event in events if str(event.get("name")).startswith("counting ")}
    first, last = marks["counting begins"], marks["counting ends"]
    shown = sum(
        event.get("name") == "Display::DrawAndSwap" and first <= event["ts"] <= last for event in events
    )
    return float(1e6 * shown / (last - first))


def _opened(driver: WebDriver, address: str) -> dict[str, float]:
    driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    before = _processor(driver)
    driver.get(address)
    found = WebDriverWait(driver, PATIENCE).until(
        lambda _: (now := driver.execute_script(READ))["drawn"] and now["paint"] and now,
        "the graph was never drawn",
    )
    # A new process has counted from nothing.
    worked = _processor(driver)
    return {**found, "worked": worked - before if worked >= before else worked}


def _processor(driver: WebDriver) -> float:
    """Milliseconds that the page's own thread has been at work."""
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(1000 * metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def _line(found: list[dict[str, float]]) -> str:
    def median(name: str) -> float:
        return statistics.median(measurement[name] for measurement in found)

    return (
        f"first paint {median('paint'):.0f} ms, graph drawn {median('drawn'):.0f} ms,"
        f" {median('worked'):.0f} ms of processor,"
        f" data {median('data') / 1000:.0f} kB, script {median('script') / 1000:.0f} kB"
        f" ({median('unpacked') / 1000:.0f} unpacked), {median('sent') / 1000:.0f} kB sent"
    )
