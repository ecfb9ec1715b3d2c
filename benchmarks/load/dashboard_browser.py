"""Times the graph's page in a real browser: what a person waits for, at the sizes that have to be quick.

The application serves as a process of its own; the browser is chromium with a software renderer. Milliseconds
count from the click on the link; those of processor, which a busy machine changes little, are of the page's
thread. Cold is a browser that has nothing stored, warm one that was there before.
"""

import gzip
import http.client
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

from app.accounts import service as accounts
from app.db.session import Database
from app.edge.admission import SESSION_COOKIE
from benchmarks.data.drawn_spaces import fill_space
from benchmarks.place import new_space

# Nodes, edges, communities of the coarser and of the finer level.
SIZES = ((3_000, 10_000, 10, 60), (100_000, 300_000, 50, 1_000))
TURNS = 3
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
# Frames that were drawn while the picture was moved to and fro, a step with each frame.
PAN = """
const done = arguments[0], canvas = document.querySelector('[data-canvas] canvas.sigma-mouse');
const box = canvas.getBoundingClientRect(), x = box.left + 5, y = box.top + box.height / 2;
const send = (type, at) => (type === 'mousedown' ? canvas : document).dispatchEvent(
  new MouseEvent(type, {bubbles: true, cancelable: true, clientX: at, clientY: y, button: 0,
    buttons: type === 'mouseup' ? 0 : 1}));
let frames = 0, began = 0;
send('mousedown', x);
const step = (now) => {
  began ||= now;
  send('mousemove', x + 150 * Math.abs(Math.sin(frames++ / 12)));
  if (now - began < 4000) return requestAnimationFrame(step);
  send('mouseup', x);
  done((frames - 1) / ((now - began) / 1000));
};
requestAnimationFrame(step);
"""


@dataclass(frozen=True)
class Space:
    """A generated space, and the cookie of who may see it."""

    path: str
    token: str


def run(database: Database, superuser: str, environment: Mapping[str, str], port: int) -> None:
    """Print a line for each size, or one that says why there is none."""
    missing = [each for each in ("chromium", "chromedriver") if shutil.which(each) is None]
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
            *warm, frames = _visit(port, space, times=1 + TURNS, pan=True)
            for name, found in (("cold", cold), ("warm", warm[1:])):
                print(f"  {name}: {_line(found)}", flush=True)
            print(f"  {frames:.1f} frames a second while the picture is dragged", flush=True)
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def _space(database: Database, superuser: str, size: tuple[int, int, int, int]) -> Space:
    nodes, edges, top, fine = size
    tenant, space = new_space(database, f"drawn {nodes}")
    with psycopg.connect(superuser, autocommit=True) as connection:
        fill_space(connection, space, nodes=nodes, edges=edges, top=top, fine=fine)
    with database.open_tenant(tenant) as session:
        link = accounts.first_link(session, email="drawn@localhost.example", actor="bench")
    return Space(f"/dashboard/spaces/{space}/graph", accounts.use_link(database, link, "a password of ours"))


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


def _visit(port: int, space: Space, *, times: int, pan: bool = False) -> list[Any]:
    """Open the page so many times in one new browser; with `pan` the frames a second at the end."""
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        for each in (*ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(each)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.binary_location = str(shutil.which("chromium"))
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
            if pan:
                found.append(driver.execute_async_script(PAN))
            return found
        finally:
            driver.quit()


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
    return float(next(1000 * each["value"] for each in metrics if each["name"] == "TaskDuration"))


def _line(found: list[dict[str, float]]) -> str:
    def median(name: str) -> float:
        return statistics.median(each[name] for each in found)

    return (
        f"first paint {median('paint'):.0f} ms, graph drawn {median('drawn'):.0f} ms,"
        f" {median('worked'):.0f} ms of processor,"
        f" data {median('data') / 1000:.0f} kB, script {median('script') / 1000:.0f} kB"
        f" ({median('unpacked') / 1000:.0f} unpacked), {median('sent') / 1000:.0f} kB sent"
    )
