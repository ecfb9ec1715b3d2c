"""Schemathesis over the whole OpenAPI document: the operator's operations too, and those that delete.

CITEGRAPH_ATTACK_EXAMPLES (`make soak-requests`) says how many requests are made up for each operation; then
there are also those at each bound of its schema and just beyond it, which take minutes.
"""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL
from starlette.testclient import TestClient

from app.main import create_app
from tests.api import routes
from tests.api.conftest import Account, assembled, open_account, serving
from tests.support.database_copies import copy_database, drop_database
from tests.support.pooler import as_app

pytestmark = pytest.mark.slow

HOOKS = str(Path(__file__).with_name("attack_hooks.py"))
SAID = "said"
SOAK = os.environ.get("CITEGRAPH_ATTACK_EXAMPLES")
EXAMPLES = SOAK or "2"
# Not negative_data_rejection: in a query it takes a number for what cannot be text. The table of bad
# inputs proves what it would.
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "ignored_auth",
    "unsupported_method",
    "allow_header_conformance",
    "a_valid_request_is_served_or_refused_for_a_reason",
)


@dataclass(frozen=True)
class Ground:
    """A service of these tests' own, which they may leave in any state, and two tenants."""

    url: str
    http: TestClient
    a: Account
    b: Account

    def make(self, path: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> str:
        """The id of something new, A's unless the headers are another's."""
        answer = self.http.post(path, headers=headers or self.a.bearer(), json=body)
        assert answer.is_success, answer.text
        told = answer.json()
        return str(told["documents"][0]["id"] if "documents" in told else told["id"])

    def described(self) -> set[str]:
        """Every operation of the document, such as `GET /v1/spaces`."""
        paths = self.http.get("/openapi.json").json()["paths"]
        return {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}


@pytest.fixture(scope="module")
def ground(admin_url: URL, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    url = admin_url.set(database=f"citegraph_attack_{secrets.token_hex(6)}")
    assert url.database is not None
    copy_database(admin_url, url.database, template=template)
    try:
        with (
            # Half of what is asked here has no valid key, from one address.
            assembled(as_app(url), tmp_path_factory.mktemp("attack"), keyless_rate=0) as citegraph,
            TestClient(create_app(citegraph)) as http,
            serving(citegraph) as (host, port),
        ):
            accounts = [open_account(citegraph, http, letter) for letter in "AB"]
            yield Ground(f"http://{host}:{port}", http, *accounts)
    finally:
        drop_database(admin_url, url.database)


def attack(ground: Ground, folder: Path, config: str, *arguments: str) -> dict[str, Any]:
    """Its report, and what it printed under SAID."""
    (folder / "schemathesis.toml").write_text(f"hooks = {json.dumps(HOOKS)}\n{config}")
    report = folder / "report.json"
    command = [
        *(sys.executable, "-m", "schemathesis.cli"),
        *("--config-file", str(folder / "schemathesis.toml"), "run", f"{ground.url}/openapi.json"),
        *("--max-examples", EXAMPLES, "--seed", "7", "--workers", "1"),
        *("--suppress-health-check", "all", "--request-timeout", "30", "--no-color", "--no-shrink"),
        *("--generation-database", "none", "--continue-on-failure", "--warnings", "off"),
        *("--report", "json", "--report-json-path", str(report)),
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3_000, cwd=folder, check=False)
    said = done.stdout[-6_000:] + done.stderr[-2_000:]
    assert report.is_file(), said
    told = json.loads(report.read_text())
    assert told["operations"], said
    return {**told, SAID: said}


def table(head: str, **values: str) -> str:
    """A table of TOML; names with dots are quoted."""
    return "\n".join(
        [head, *(f"{json.dumps(name)} = {json.dumps(value)}" for name, value in values.items()), ""]
    )


def ids_of(account: Account) -> dict[str, str]:
    """A live id for each name that a path can hold."""
    return {f"path.{name}": str(getattr(account, kept)) for name, kept in routes.PATH_IDS.items()}


def operation(name: str, **ids: str) -> str:
    """Ids for the paths of one operation alone."""
    named = {f"path.{key}": value for key, value in ids.items()}
    return table("[[operations]]", **{"include-name": name}) + table("[operations.parameters]", **named)


@pytest.mark.soak
class TestTwoTenants:
    """One's ids with the other's key: whatever is asked, and however, nothing of it is answered."""

    def attacked(self, ground: Ground, folder: Path, key: str) -> dict[str, Any]:
        config = table("[headers]", Authorization=f"Bearer {key}") + table("[parameters]", **ids_of(ground.a))
        with_ids = ("--include-path-regex", "{", "--exclude-path-regex", "^/v1/tenants")
        checks = "not_a_server_error,status_code_conformance,nothing_of_another"
        return attack(ground, folder, config, "--checks", checks, "--phases", "examples,fuzzing", *with_ids)

    def test_the_other_is_refused_by_every_operation_that_names_an_id(
        self, ground: Ground, tmp_path: Path
    ) -> None:
        report = self.attacked(ground, tmp_path, ground.b.keys["full"])
        named = [
            description
            for description in ground.described()
            if "{" in description and " /v1/tenants" not in description
        ]
        assert (report["exit_code"], report["operations"]["tested"]) == (0, len(named)), report[SAID]

    @pytest.mark.soak
    def test_the_check_reports_what_the_owner_sees(self, ground: Ground, tmp_path: Path) -> None:
        """So the check sees what it is for."""
        report = self.attacked(ground, tmp_path, ground.a.keys["read"])
        (found,) = report["failures"]
        assert "nothing_of_another" in found["title"]
        assert len(found["operations"]) > 60, report[SAID]


@pytest.mark.soak
def test_no_operation_fails_or_answers_what_it_does_not_document(ground: Ground, tmp_path: Path) -> None:
    """With live ids, half of the requests wrong on purpose; what is deleted is something of its own."""
    a = ground.a
    spare_webhook = {"url": "https://example.com/spare", "events": ["job.done"]}
    document = ground.make(f"{a.space}/documents", {"text": "Ada Lovelace knows nobody.", "title": "spare"})
    config = "\n".join(
        [
            table("[headers]", Authorization=a.bearer()["authorization"]),
            table("[parameters]", **ids_of(a)),
            table("[[operations]]", **{"include-path-regex": "^/v1/tenants"}),
            table("[operations.headers]", Authorization=routes.operator()["authorization"]),
            operation(
                "DELETE /v1/tenants/{tenant_id}",
                tenant_id=ground.make("/v1/tenants", {"name": "spare"}, routes.operator()),
            ),
            operation(
                "DELETE /v1/spaces/{space_id}", space_id=ground.make("/v1/spaces", {"name": "spare space"})
            ),
            operation(
                "DELETE /v1/api-keys/{key_id}",
                key_id=ground.make("/v1/api-keys", {"name": "spare", "scopes": ["read"]}),
            ),
            operation(
                "DELETE /v1/webhooks/{webhook_id}", webhook_id=ground.make("/v1/webhooks", spare_webhook)
            ),
            operation("DELETE /v1/spaces/{space_id}/documents/{document_id}", document_id=document),
        ]
    )
    report = attack(
        ground,
        tmp_path,
        config,
        "--checks",
        ",".join(CHECKS),
        "--phases",
        "examples,coverage,fuzzing" if SOAK else "fuzzing",
    )
    assert (report["exit_code"], report["operations"]["tested"]) == (0, len(ground.described())), report[SAID]
    assert ground.http.get(a.space, headers=a.bearer()).status_code == 200
