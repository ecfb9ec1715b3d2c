"""Metrics: what they name and what they never do, and the dashboard and alerts that are drawn from them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from app.api.protocol.server import configure_server
from app.api.queue_metrics import TENANT_BUCKET_COUNT
from app.db.database import Database
from app.db.engine import create_app_engine
from app.main import create_app
from app.observability.counters import ANSWERS_LOOKED_UP, COUNTERS, JOBS_ENDED, MAX_SERIES, Counters
from app.wiring import Citegraph, assemble_citegraph
from tests.api.conftest import Account, World
from workers.handlers import build_handlers_by_kind
from workers.metrics import WorkerTotals
from workers.runner import Runner

EXAMPLES = Path(__file__).parents[2] / "examples"
NAME = re.compile(r"\bcitegraph_\w+")


def families(text: str) -> dict[str, set[tuple[tuple[str, str], ...]]]:
    """Family → the label sets of its samples."""
    return {
        family.name: {tuple(sorted(sample.labels.items())) for sample in family.samples}
        for family in text_string_to_metric_families(text)
        if family.name.startswith("citegraph")
    }


def shown_names(*registries: CollectorRegistry) -> tuple[set[str], set[str]]:
    """Families of ours, and every name of a sample that Prometheus may have of them."""
    found, samples = set(), set()
    for registry in registries:
        for family in text_string_to_metric_families(generate_latest(registry).decode()):
            if not family.name.startswith("citegraph"):
                continue
            found.add(family.name)
            ends = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
            samples |= {family.name + end for end in ends.get(family.type, ("",))}
    return found, samples


@pytest.fixture(scope="module")
def ours(world: World) -> tuple[set[str], set[str]]:
    """The families of an API process and of a worker, and the names of their samples."""
    app = create_app(world.citegraph)
    configure_server(app, world.citegraph.settings)
    return shown_names(app.state.metrics.registry, WorkerTotals().registry)


class TestDashboard:
    def panels(self) -> Iterator[dict[str, Any]]:
        for panel in json.loads((EXAMPLES / "grafana" / "citegraph.json").read_text("utf-8"))["panels"]:
            if panel["type"] != "row":
                yield panel

    def test_every_expression_names_metrics_that_there_are_and_every_metric_has_a_panel(
        self, ours: tuple[set[str], set[str]]
    ) -> None:
        all_families, samples = ours
        asked = {
            name
            for panel in self.panels()
            for target in panel["targets"]
            for name in NAME.findall(target["expr"])
        }
        assert asked <= samples
        without = {family for family in all_families if not any(name.startswith(family) for name in asked)}
        assert without == set()

    def test_what_every_process_shows_alike_is_never_added_up(self) -> None:
        for panel in self.panels():
            for target in panel["targets"]:
                if "citegraph_queue" in target["expr"]:
                    assert target["expr"].startswith("max"), panel["title"]

    def test_alerts_name_metrics_that_there_are(self, ours: tuple[set[str], set[str]]) -> None:
        (group,) = yaml.safe_load((EXAMPLES / "prometheus" / "alerts.yaml").read_text("utf-8"))["groups"]
        for rule in group["rules"]:
            names = NAME.findall(rule["expr"])
            assert names
            assert set(names) <= ours[1], rule["alert"]
            assert rule["annotations"]["summary"]


class TestCardinality:
    def test_hostile_requests_add_no_series(self, world: World) -> None:
        """Paths, methods and queries that nobody foresaw fall together."""
        with TestClient(create_app(world.citegraph), raise_server_exceptions=False) as http:
            attack(http, world.a, 0)
            http.get("/metrics")
            before = families(http.get("/metrics").text)
            for number in range(1, 40):
                attack(http, world.a, number)
            after = families(http.get("/metrics").text)
        for family in ("citegraph_http_requests", "citegraph_http_request_seconds", "citegraph_refusals"):
            assert after[family] == before[family], family

    def test_files_of_the_dashboard_are_one_route(self, world: World) -> None:
        """Not unmatched, which is where a search for holes shows."""
        for path in ("css/base.css", "js/nothing-of-ours.js"):
            world.http.get(f"/dashboard/static/{path}")
        told = world.http.get("/metrics").text
        assert 'route="/dashboard/static/{path}",status="200"' in told
        assert 'route="/dashboard/static/{path}",status="404"' in told

    def test_no_label_is_an_id_a_name_or_a_word(self, world: World) -> None:
        world.http.get(f"{world.a.space}/graph/nodes?q=CANARY_A", headers=world.a.bearer())
        text = world.http.get("/metrics").text
        for secret in (world.a.tenant_id, world.a.space_id, world.a.key_id, "CANARY", "tenant-a", "Ingres"):
            assert str(secret) not in text
        assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", text)

    def test_a_counter_has_a_bounded_number_of_series(self) -> None:
        counters = Counters()
        for number in range(10_000):
            counters.add(JOBS_ENDED, f"kind-{number}", "done")
        (found,) = [metric for metric in counters.collect() if metric.name == JOBS_ENDED.name]
        assert len(found.samples) == MAX_SERIES + 1
        assert sum(sample.value for sample in found.samples) == 10_000
        assert [s.value for s in found.samples if s.labels["kind"] == "other"] == [10_000 - MAX_SERIES]


def attack(http: TestClient, account: Account, number: int) -> None:
    keyed = account.bearer()
    http.get(f"/nothing/{number}")
    http.get(f"/v1/spaces/{account.space_id}/nothing-{number}", headers=keyed)
    http.get(f"/v1/spaces/not-a-space-{number}/documents", headers=keyed)
    http.get(f"{account.space}/graph/nodes?q=word{number}", headers=keyed)
    http.request(f"METHOD{number}", "/healthz")
    http.request(f"METHOD{number}", f"{account.space}/documents", headers=keyed)
    http.get(f"/dashboard/nothing-{number}")
    http.get(f"/docs/static/nothing-{number}.js")
    http.get("/v1/spaces", headers={"authorization": f"Bearer cg_live_{number}"})
    http.post(f"/mcp/nothing-{number}", headers=keyed, json={})


class TestNumbers:
    def test_the_queue_by_kind_and_the_age_by_bucket(self, world: World, guest: Account) -> None:
        world.http.post(f"{guest.space}/documents", headers=guest.bearer(), json={"text": "Ada knows Eve."})
        with TestClient(create_app(world.citegraph)) as http:
            text = http.get("/metrics").text
        assert 'citegraph_queue_jobs{kind="ingest.documents",state="waiting"} ' in text
        ages = re.findall(r'citegraph_queue_age_seconds\{bucket="(\d+)"\} (\S+)', text)
        assert [int(bucket) for bucket, _ in ages] == list(range(TENANT_BUCKET_COUNT))
        assert max(float(seconds) for _, seconds in ages) > 0
        assert "citegraph_database_up 1.0" in text
        world.drain()
        with TestClient(create_app(world.citegraph)) as http:
            text = http.get("/metrics").text
        assert 'kind="ingest.documents",state="waiting"' not in text

    def test_jobs_and_caches_are_counted_where_they_end(self, world: World, guest: Account) -> None:
        before = total(world, 'citegraph_jobs_ended_total{kind="ingest.documents",outcome="done"}')
        world.http.post(f"{guest.space}/documents", headers=guest.bearer(), json={"text": "Ada knows Eva."})
        parts = world.citegraph
        Runner(parts.database, parts.settings, build_handlers_by_kind(parts)).drain()
        assert (
            total(world, 'citegraph_jobs_ended_total{kind="ingest.documents",outcome="done"}') == before + 1
        )
        hits = 'citegraph_retrieval_cache_lookups_total{outcome="hit"}'
        before = total(world, hits)
        for _ in range(3):
            world.http.post(
                f"{guest.space}/retrieve", headers=guest.bearer(), json={"query": "Who knows Eva?"}
            )
        assert total(world, hits) == before + 2

    def test_the_pool_is_shown_by_state(self, world: World) -> None:
        limit = total(world, 'citegraph_database_connections{state="limit"}')
        settings = world.citegraph.settings
        assert limit == settings.pool_size + settings.pool_overflow

    def test_without_a_database_the_rest_is_still_told(self, citegraph: Citegraph) -> None:
        url = "postgresql+psycopg://nobody:hunter2@127.0.0.1:1/none"
        database = Database(create_app_engine(url, citegraph.settings), citegraph.settings)
        broken = assemble_citegraph(citegraph.settings, database, citegraph.broker)
        with TestClient(create_app(broken)) as http:
            answer = http.get("/metrics")
        assert answer.status_code == 200
        assert "citegraph_database_up 0.0" in answer.text
        assert "citegraph_queue_jobs{" not in answer.text
        assert "hunter2" not in answer.text
        broken.database.dispose()


def total(world: World, series: str) -> float:
    found = re.search(re.escape(series) + r" (\S+)", world.http.get("/metrics").text)
    return float(found[1]) if found else 0.0


class TestCounters:
    def test_what_was_taken_and_merged_is_counted_once(self) -> None:
        child, parent = Counters(), Counters()
        child.add(ANSWERS_LOOKED_UP, "hit", amount=3)
        parent.merge(child.take_counts())
        parent.merge(child.take_counts())
        child.add(ANSWERS_LOOKED_UP, "hit", amount=2)
        parent.merge(child.take_counts())
        (found,) = [metric for metric in parent.collect() if metric.name == ANSWERS_LOOKED_UP.name]
        assert [sample.value for sample in found.samples] == [5.0]

    def test_every_counter_is_shown_before_anything_was_counted(self) -> None:
        assert [metric.name for metric in Counters().collect()] == [count.name for count in COUNTERS]
