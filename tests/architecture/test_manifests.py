"""Issue 13.10: the manifests for Kubernetes name commands, addresses and settings that there are."""

import re
from typing import Any

import pytest
import yaml
from typer.main import get_command

from app.api import health
from app.cli.main import app
from app.settings import Settings
from tests.architecture.tree import PROJECT

PATH = PROJECT / "examples" / "kubernetes" / "citegraph.yaml"
# Of the client of the model server, which reads them itself.
OTHERS = {"OPENAI_API_KEY"}


@pytest.fixture(scope="module")
def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(PATH.read_text("utf-8")))


def pods(manifests: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The pod of each workload, by the workload's name."""
    return {
        manifest["metadata"]["name"]: manifest["spec"]["template"]
        for manifest in manifests
        if manifest["kind"] in ("Deployment", "Job")
    }


def test_there_is_what_docker_compose_has(manifests: list[dict[str, Any]]) -> None:
    compose = yaml.safe_load((PROJECT / "docker-compose.yml").read_text("utf-8"))["services"]
    # The manifests bring no servers of their own, and no cluster to run the tests on.
    servers = ("postgres", "valkey")
    ours = {
        name: service["command"]
        for name, service in compose.items()
        if "command" in service and name not in servers and "profiles" not in service
    }
    found = {
        container["name"]: container["args"]
        for pod in pods(manifests).values()
        for container in pod["spec"]["containers"]
    }
    assert found == ours
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert {args[0] for args in found.values()} <= set(commands)


def test_a_cluster_to_test_on_has_three_servers_that_nobody_outside_reaches() -> None:
    compose = yaml.safe_load((PROJECT / "docker-compose.yml").read_text("utf-8"))["services"]
    cluster = {name: service for name, service in compose.items() if service.get("profiles") == ["citus"]}
    join = cluster.pop("citus-join")
    assert cluster.keys() == join["depends_on"].keys()
    ports = {service["environment"]["PGPORT"] for service in cluster.values()}
    assert ports == set(re.findall(r"\b97\d\d\b", join["command"][0])) == {"9700", "9701", "9702"}
    for service in cluster.values():
        assert service["network_mode"] == "host"
        assert {"-clisten_addresses=127.0.0.1", "-cwal_level=logical"} <= set(service["command"])
        assert "pg_isready" in service["healthcheck"]["test"]
    # Nothing that the platform runs on waits for it.
    assert not any(
        cluster.keys() & service.get("depends_on", {}).keys()
        for service in compose.values()
        if service != join
    )


def test_every_pod_runs_with_the_least_rights(manifests: list[dict[str, Any]]) -> None:
    for pod in pods(manifests).values():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["automountServiceAccountToken"] is False
        for container in spec["containers"]:
            rights = container["securityContext"]
            assert rights["readOnlyRootFilesystem"]
            assert rights["allowPrivilegeEscalation"] is False
            assert rights["capabilities"] == {"drop": ["ALL"]}
            # A root file system that is only read needs one place to write to.
            assert container["volumeMounts"] == [{"name": "tmp", "mountPath": "/tmp"}]
        assert [volume["name"] for volume in spec["volumes"]] == ["tmp"]


def test_only_what_migrates_sees_the_login_that_migrates(manifests: list[dict[str, Any]]) -> None:
    seeing = {
        name
        for name, pod in pods(manifests).items()
        for container in pod["spec"]["containers"]
        if {"secretRef": {"name": "citegraph-migration"}} in container["envFrom"]
    }
    assert seeing == {"citegraph-migrate", "citegraph-maintain"}


def test_probes_ask_for_routes_and_the_head_names_settings(manifests: list[dict[str, Any]]) -> None:
    (api,) = pods(manifests)["citegraph-api"]["spec"]["containers"]
    routes = {route.path for route in health.router.routes}  # type: ignore[attr-defined]
    assert {api[probe]["httpGet"]["path"] for probe in ("readinessProbe", "livenessProbe")} <= routes
    head = PATH.read_text("utf-8").partition("apiVersion")[0]
    named = {word.strip(".,:") for word in head.split() if word.isupper() and "_" in word}
    known = {f"CITEGRAPH_{name.upper()}" for name in Settings.model_fields}
    # Read by `citegraph migrate` alone.
    known.add("CITEGRAPH_APP_PASSWORD")
    assert {variable for variable in named if variable not in OTHERS} <= known
    assert named >= {"CITEGRAPH_DATABASE_URL", "CITEGRAPH_MIGRATION_DATABASE_URL"}


def test_a_service_and_a_budget_find_their_pods(manifests: list[dict[str, Any]]) -> None:
    labels = [pod["metadata"].get("labels") for pod in pods(manifests).values() if "metadata" in pod]
    (service,) = (manifest for manifest in manifests if manifest["kind"] == "Service")
    (budget,) = (manifest for manifest in manifests if manifest["kind"] == "PodDisruptionBudget")
    assert service["spec"]["selector"] in labels
    assert budget["spec"]["selector"]["matchLabels"] in labels
    for manifest in manifests:
        if manifest["kind"] == "Deployment":
            assert (
                manifest["spec"]["selector"]["matchLabels"]
                == manifest["spec"]["template"]["metadata"]["labels"]
            )


def test_both_have_workers_serve_their_metrics(manifests: list[dict[str, Any]]) -> None:
    """Else the dashboard of Grafana has no jobs and no calls of models."""
    compose = yaml.safe_load((PROJECT / "docker-compose.yml").read_text("utf-8"))["services"]
    name = "CITEGRAPH_WORKER_METRICS_PORT"
    assert name.removeprefix("CITEGRAPH_").lower() in Settings.model_fields
    port = int(compose["worker"]["environment"][name])
    pod = pods(manifests)["citegraph-worker"]
    (worker,) = pod["spec"]["containers"]
    assert {variable["name"]: variable["value"] for variable in worker["env"]} == {name: str(port)}
    assert worker["ports"] == [{"name": "metrics", "containerPort": port}]
    told = {
        name: pod["metadata"]["annotations"]
        for name, pod in pods(manifests).items()
        if "annotations" in pod.get("metadata", {})
    }
    assert set(told) == {"citegraph-api", "citegraph-worker"}
    (api,) = pods(manifests)["citegraph-api"]["spec"]["containers"]
    assert told["citegraph-worker"]["prometheus.io/port"] == str(port)
    assert told["citegraph-api"]["prometheus.io/port"] == str(api["ports"][0]["containerPort"])
    assert "ports" not in compose["worker"], "for the network of the services alone"
