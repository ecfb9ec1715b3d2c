"""The doors of the installation, each with the same verbs as far as it has them.

An act names an id and takes whichever door; what a door refuses for a documented reason is `Refused`.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import psycopg
from citegraph_client import Citegraph as Client
from sqlalchemy.exc import SQLAlchemyError
from starlette.testclient import TestClient
from typer.testing import CliRunner

from app.cli.main import app as command_line
from app.errors import CitegraphError, Unavailable
from app.http.database_errors import translate_database_error
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from tests.invariants.contract import Contract
from tests.invariants.tenant_rows import whole_or_nothing
from tests.invariants.violations import OutOfTime, Refused, Violation, expect
from tests.invariants.world import Side, World

Row = dict[str, Any]
MOST = 200
BASE = "https://testserver"
PASSWORD = "correct horse battery"
ATTEMPTS = 3
"""How often a command is given that the database has no time for, as whoever typed it would."""


class ActingDoor(Protocol):
    """A door through which a space can be changed. Every verb raises Refused."""

    name: str

    def put(self, side: Side, address: str, text: str, date: str | None) -> str: ...
    def delete(self, side: Side, document_id: str, *, prune: bool | None) -> None: ...
    def merge(self, side: Side, winner: str, loser: str) -> str: ...
    def unmerge(self, side: Side, merge_id: str) -> None: ...
    def split(self, side: Side, node_id: str, sense: str, chunk_ids: list[str]) -> str: ...
    def unsplit(self, side: Side, split_id: str) -> None: ...
    def rename(self, side: Side, node_id: str, name: str) -> None: ...
    def restore_name(self, side: Side, node_id: str) -> None: ...
    def end(self, side: Side, edge_id: str, *, whole_claim: bool) -> None: ...
    def restore(self, side: Side, edge_id: str) -> None: ...
    def uphold(self, side: Side, edge_id: str) -> None: ...
    def end_value(self, side: Side, node_id: str, name: str, value: Any) -> None: ...
    def uphold_value(self, side: Side, node_id: str, name: str, value: Any) -> None: ...
    def restore_value(self, side: Side, node_id: str, name: str, value: Any) -> None: ...
    def set_settings(self, side: Side, settings: Mapping[str, Any]) -> None: ...
    def detect(self, side: Side) -> None: ...
    def refresh(self, side: Side) -> None: ...
    def evict(self, side: Side, *, including_last_evidence: bool) -> None: ...
    def reembed(self, side: Side, model: str) -> None: ...
    def export(self, side: Side, space_id: str | None = None) -> str: ...
    def import_(self, side: Side, space_id: str, lines: str) -> None: ...


class Api:
    """The HTTP API, whose every answer is compared with the OpenAPI document."""

    name = "api"

    def __init__(self, world: World) -> None:
        self._world = world
        self._http = world.http
        self._contract = Contract(world.http.get("/openapi.json").json())

    def send(
        self, side: Side, method: str, path: str, body: Any = None, *, files: Any = None, **query: Any
    ) -> Any:
        """The answer's JSON or text. Raises Refused for 4xx, Violation for 5xx and what is undocumented."""
        if method == "GET":
            return self._send(side, method, path, body, files, query)
        with whole_or_nothing(self._world, side):
            return self._send(side, method, path, body, files, query)

    def _send(self, side: Side, method: str, path: str, body: Any, files: Any, query: Row) -> Any:
        path = path if path.startswith("/v1") else side.path + path
        answer = self._http.request(
            method, path, headers=side.bearer, json=body, files=files, params=query or None
        )
        kind = answer.headers.get("content-type", "")
        is_json = kind.partition(";")[0] in ("application/json", "application/problem+json")
        content: Any = answer.json() if is_json else answer.text
        expect(
            answer.status_code < 500, f"{method} {path} answered {answer.status_code}: {answer.text[:500]}"
        )
        self._contract.check(method, path, answer.status_code, kind, content)
        if answer.status_code >= 400:
            raise Refused(content["code"], content["detail"])
        return content

    def pages(self, side: Side, path: str, *, limit: int = MOST, **query: Any) -> list[Row]:
        """All items of a list, in pages of so many."""
        rows: list[Row] = []
        cursor: str | None = None
        for _ in range(10_000):
            more = {"cursor": cursor} if cursor else {}
            page = self.send(side, "GET", path, limit=limit, **query, **more)
            rows += page["items"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return rows
        raise Violation(f"{path} in pages of {limit} does not end")

    def put(self, side: Side, address: str, text: str, date: str | None) -> str:
        """Hand a document in; returns the outcome."""
        metadata = {"date": date} if date else {}
        body = {
            "text": text,
            "title": address,
            "source_uri": address,
            "format": "markdown" if address.endswith(".md") else "text",
            "metadata": metadata,
        }
        return str(self.send(side, "POST", "/documents", body)["documents"][0]["outcome"])

    def put_turns(self, side: Side, address: str, turns: list[Row]) -> str:
        """Hand in the turns of a conversation."""
        body = {"content": turns, "title": address, "source_uri": address, "format": "conversation"}
        return str(self.send(side, "POST", "/documents", body)["documents"][0]["outcome"])

    def delete(self, side: Side, document_id: str, *, prune: bool | None) -> None:
        query = {} if prune is None else {"prune": str(prune).lower()}
        self.send(side, "DELETE", f"/documents/{document_id}", **query)

    def merge(self, side: Side, winner: str, loser: str) -> str:
        made = self.send(side, "POST", "/graph/merges", {"winner_id": winner, "loser_id": loser})
        return str(made["id"])

    def unmerge(self, side: Side, merge_id: str) -> None:
        self.send(side, "POST", f"/graph/merges/{merge_id}/undo")

    def split(self, side: Side, node_id: str, sense: str, chunk_ids: list[str]) -> str:
        body = {"sense": sense, "chunk_ids": chunk_ids}
        return str(self.send(side, "POST", f"/graph/nodes/{node_id}/split", body)["id"])

    def unsplit(self, side: Side, split_id: str) -> None:
        self.send(side, "POST", f"/graph/splits/{split_id}/undo")

    def rename(self, side: Side, node_id: str, name: str) -> None:
        self.send(side, "PUT", f"/graph/nodes/{node_id}/name", {"name": name})

    def restore_name(self, side: Side, node_id: str) -> None:
        self.send(side, "DELETE", f"/graph/nodes/{node_id}/name")

    def end(self, side: Side, edge_id: str, *, whole_claim: bool) -> None:
        body = {"reason": "It is not so.", "scope": "claim" if whole_claim else "edge"}
        self.send(side, "POST", f"/graph/edges/{edge_id}/invalidate", body)

    def restore(self, side: Side, edge_id: str) -> None:
        self.send(side, "POST", f"/graph/edges/{edge_id}/restore")

    def uphold(self, side: Side, edge_id: str) -> None:
        self.send(side, "POST", f"/graph/edges/{edge_id}/uphold", {"reason": "It is so."})

    def end_value(self, side: Side, node_id: str, name: str, value: Any) -> None:
        body = {"name": name, "value": value, "reason": "A slip."}
        self.send(side, "POST", f"/graph/nodes/{node_id}/values/end", body)

    def uphold_value(self, side: Side, node_id: str, name: str, value: Any) -> None:
        body = {"name": name, "value": value, "reason": "It is so."}
        self.send(side, "POST", f"/graph/nodes/{node_id}/values/uphold", body)

    def restore_value(self, side: Side, node_id: str, name: str, value: Any) -> None:
        self.send(side, "POST", f"/graph/nodes/{node_id}/values/restore", {"name": name, "value": value})

    def set_tags(self, side: Side, node_id: str, tags: list[str]) -> None:
        """Set the tags of a node."""
        self.send(side, "PUT", f"/graph/nodes/{node_id}/tags", {"tags": tags})

    def set_settings(self, side: Side, settings: Mapping[str, Any]) -> None:
        self.send(side, "PATCH", side.path, {"settings": settings})

    def detect(self, side: Side) -> None:
        self.send(side, "POST", "/graph/communities/detect")

    def refresh(self, side: Side) -> None:
        self.send(side, "POST", "/graph/summaries/refresh")

    def evict(self, side: Side, *, including_last_evidence: bool) -> None:
        self.send(side, "POST", "/eviction", {"including_last_evidence": including_last_evidence})

    def reembed(self, side: Side, model: str) -> None:
        self.send(side, "POST", "/embedding", {"model": model})

    def export(self, side: Side, space_id: str | None = None) -> str:
        path = f"/v1/spaces/{space_id}" if space_id else side.path
        return str(self.send(side, "GET", f"{path}/export"))

    def import_(self, side: Side, space_id: str, lines: str) -> None:
        file = ("space.jsonl", lines.encode(), "application/x-ndjson")
        self.send(side, "POST", f"/v1/spaces/{space_id}/import", files={"file": file})

    def explain(self, side: Side, start: str, end: str, **filters: Any) -> Row:
        """How one node leads to another."""
        body = {"from": start, "to": end, "limit": 500, "filters": filters}
        found: Row = self.send(side, "POST", "/graph/explain", body)
        return found


class CommandLine:
    """`citegraph …` in this process, with the environment of an operator."""

    name = "command line"

    def __init__(self, world: World) -> None:
        self._world = world

    def run(self, side: Side, *arguments: str, space: str | None = None) -> Any:
        """What the command printed, as JSON where it is. Raises Refused for exit code 1, else OutOfTime."""
        for _ in range(ATTEMPTS - 1):
            with suppress(OutOfTime):
                return self._run(side, arguments, space)
        return self._run(side, arguments, space)

    def _run(self, side: Side, arguments: tuple[str, ...], space: str | None) -> Any:
        whole = [*arguments, "--tenant", str(side.tenant_id)]
        if space is not None:
            whole += ["--space", space]
        with whole_or_nothing(self._world, side):
            result = CliRunner().invoke(command_line, whole, env=self._world.environment)
            if result.exit_code == 1 and isinstance(result.exception, SystemExit):
                failure = _failure_behind(result.exception)
                if isinstance(failure, Unavailable):
                    raise OutOfTime(f"citegraph {arguments}: {failure.message}")
                code = "command_failed" if failure is None else failure.code
                raise Refused(code, result.stderr.strip())
        expect(
            result.exit_code == 0,
            f"citegraph {arguments} ended with {result.exit_code}: {result.exception!r}",
        )
        return json.loads(result.stdout) if "--json" in arguments else result.stdout

    def in_space(self, side: Side, *arguments: str) -> Any:
        """The same of the side's space."""
        return self.run(side, *arguments, space=str(side.space_id))

    def put(self, side: Side, address: str, text: str, date: str | None) -> str:
        """Ingest a file. It can be given no date but in its front matter, which Markdown alone has."""
        path = self._world.folder / side.name / address.removeprefix("file:")
        path.parent.mkdir(parents=True, exist_ok=True)
        dated = date is not None and address.endswith(".md")
        path.write_text(f"---\ndate: {date}\n---\n\n{text}" if dated else text, "utf-8")
        handed = self.in_space(side, "ingest", str(path), "--json")
        return str(handed["documents"][0]["outcome"])

    def delete(self, side: Side, document_id: str, *, prune: bool | None) -> None:
        options = [] if prune is None else ["--prune" if prune else "--keep"]
        self.in_space(side, "documents", "delete", document_id, "--yes", *options)

    def merge(self, side: Side, winner: str, loser: str) -> str:
        return str(self.in_space(side, "nodes", "merge", winner, loser, "--json")["id"])

    def unmerge(self, side: Side, merge_id: str) -> None:
        self.in_space(side, "nodes", "unmerge", merge_id)

    def split(self, side: Side, node_id: str, sense: str, chunk_ids: list[str]) -> str:
        chunks = [part for chunk_id in chunk_ids for part in ("--chunk", chunk_id)]
        return str(self.in_space(side, "nodes", "split", node_id, sense, *chunks, "--json")["id"])

    def unsplit(self, side: Side, split_id: str) -> None:
        self.in_space(side, "nodes", "unsplit", split_id)

    def rename(self, side: Side, node_id: str, name: str) -> None:
        self.in_space(side, "nodes", "rename", node_id, name)

    def restore_name(self, side: Side, node_id: str) -> None:
        self.in_space(side, "nodes", "restore-name", node_id)

    def end(self, side: Side, edge_id: str, *, whole_claim: bool) -> None:
        scope = [] if whole_claim else ["--only-this"]
        self.in_space(side, "edges", "invalidate", edge_id, "--reason", "It is not so.", *scope)

    def restore(self, side: Side, edge_id: str) -> None:
        self.in_space(side, "edges", "restore", edge_id)

    def uphold(self, side: Side, edge_id: str) -> None:
        self.in_space(side, "edges", "uphold", edge_id, "--reason", "It is so.")

    def end_value(self, side: Side, node_id: str, name: str, value: Any) -> None:
        self._decide(side, "end-value", node_id, name, value, "--reason", "A slip.")

    def uphold_value(self, side: Side, node_id: str, name: str, value: Any) -> None:
        self._decide(side, "uphold-value", node_id, name, value, "--reason", "It is so.")

    def restore_value(self, side: Side, node_id: str, name: str, value: Any) -> None:
        self._decide(side, "restore-value", node_id, name, value)

    def _decide(self, side: Side, verb: str, node_id: str, name: str, value: Any, *options: str) -> None:
        written = value if isinstance(value, str) else json.dumps(value)
        self.in_space(side, "nodes", verb, node_id, name, written, *options)

    def set_settings(self, side: Side, settings: Mapping[str, Any]) -> None:
        written = [f"{name}={'' if value is None else json.dumps(value)}" for name, value in settings.items()]
        self.run(side, "space", "set", str(side.space_id), *written)

    def detect(self, side: Side) -> None:
        self.in_space(side, "communities", "detect")

    def refresh(self, side: Side) -> None:
        self.in_space(side, "summaries", "refresh")

    def evict(self, side: Side, *, including_last_evidence: bool) -> None:
        option = "--including-last-evidence" if including_last_evidence else "--sparing-last-evidence"
        self.in_space(side, "evict", option)

    def reembed(self, side: Side, model: str) -> None:
        self.run(side, "space", "reembed", str(side.space_id), "--model", model)

    def export(self, side: Side, space_id: str | None = None) -> str:
        path = self._world.folder / "export.jsonl"
        self.run(side, "export", "--out", str(path), space=space_id or str(side.space_id))
        return path.read_text("utf-8")

    def import_(self, side: Side, space_id: str, lines: str) -> None:
        path = self._world.folder / "import.jsonl"
        path.write_text(lines, "utf-8")
        self.run(side, "import", str(path), space=space_id)

    def explain(self, side: Side, start: str, end: str) -> Row:
        """How one node leads to another."""
        found: Row = self.in_space(side, "explain", "--from", start, "--to", end, "--limit", "500", "--json")
        return found


def _failure_behind(ended: BaseException | None) -> CitegraphError | None:
    """The failure that a command told in a sentence before it ended, as the API would answer with it."""
    while ended is not None:
        if isinstance(ended, CitegraphError):
            return ended
        if isinstance(ended, SQLAlchemyError | psycopg.Error):
            return translate_database_error(ended)
        ended = ended.__context__
    return None


class Mcp:
    """The tools at /mcp: they only read."""

    name = "mcp"

    def __init__(self, world: World) -> None:
        self._http = world.http

    def call(self, side: Side, tool: str, **arguments: Any) -> Row:
        """The structured answer of a tool. Raises Refused with its sentence."""
        answer = self._http.post(
            "/mcp",
            headers={**side.bearer, "accept": "application/json, text/event-stream"},
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": tool, "arguments": {"space": str(side.space_id), **arguments}},
            },
        )
        expect(answer.status_code == 200, f"mcp {tool} answered {answer.status_code}: {answer.text[:300]}")
        result = answer.json()["result"]
        if result.get("isError"):
            raise Refused("tool_error", result["content"][0]["text"])
        structured: Row = result["structuredContent"]
        return structured

    def explain(self, side: Side, start: str, end: str) -> Row:
        """How one node leads to another."""
        return self.call(side, "explain", **{"from": start, "to": end, "limit": 50})


class Psql:
    """The views of `citegraph psql`, read by its login."""

    name = "psql"

    def rows(self, side: Side, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        return side.inspection.execute(statement.encode()).fetchall()


class Dashboard:
    """The pages, as a signed-in admin sees them."""

    name = "dashboard"

    def __init__(self, world: World) -> None:
        self._world = world
        self._browsers: dict[str, TestClient] = {}

    def page(self, side: Side, path: str) -> str:
        """The page's text without its markup."""
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", self._html(side, path)))

    def links(self, side: Side) -> list[str]:
        """The pages of the space that its home leads to."""
        prefix = f"/dashboard/spaces/{side.space_id}"
        return sorted(set(re.findall(rf'href="{prefix}(/[^"#]*)"', self._html(side, ""))))

    def _html(self, side: Side, path: str) -> str:
        address = f"/dashboard/spaces/{side.space_id}{html.unescape(path)}"
        answer = self._browser(side).get(address, follow_redirects=True)
        expect(answer.status_code == 200, f"page {path} answered {answer.status_code}: {answer.text[:300]}")
        return answer.text

    def _browser(self, side: Side) -> TestClient:
        tenant = str(side.tenant_id)
        if tenant not in self._browsers:
            browser = TestClient(self._world.app, base_url=BASE)
            with self._world.parts.database.open_tenant(side.tenant_id) as session:
                token = accounts.create_invitation_link_token(
                    session, email=f"{side.name}-{tenant[-12:]}@example.com", role=Role.ADMIN, actor="test"
                )
            page = browser.get(f"/dashboard/links/{token}").text
            csrf = re.search(r'name="csrf-token" content="([0-9a-f]*)"', page)
            assert csrf is not None
            answer = browser.post(
                f"/dashboard/links/{token}",
                data={"csrf": csrf[1], "password": PASSWORD},
                headers={"origin": BASE},
                follow_redirects=False,
            )
            assert answer.status_code == 303, answer.text
            self._browsers[tenant] = browser
        return self._browsers[tenant]


class PythonClient:
    """The generated client, over the application in this process."""

    name = "client"

    def __init__(self, world: World) -> None:
        self._world = world

    @contextmanager
    def space(self, side: Side) -> Iterator[Any]:
        """The space as the client shows it."""
        http = TestClient(self._world.app, base_url="http://testserver")
        client = Client("http://testserver", side.key, http=http)
        yield client.spaces(str(side.space_id))


class Doors:
    """All doors of one installation."""

    def __init__(self, world: World) -> None:
        self.api = Api(world)
        self.command_line = CommandLine(world)
        self.mcp = Mcp(world)
        self.psql = Psql()
        self.dashboard = Dashboard(world)
        self.client = PythonClient(world)

    def acting(self, number: int) -> ActingDoor:
        """One of the doors through which a space can be changed."""
        doors: tuple[ActingDoor, ...] = (self.api, self.command_line)
        return doors[number % len(doors)]
