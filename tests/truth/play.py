"""Plays a scenario as a client would: hands documents in and takes them out, lets jobs run, asks."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.support.http_client import Call, Reply
from tests.support.service import FINAL
from tests.truth.scenario import Scenario
from tests.truth.services import LATER_KINDS, Service

# What a step says of its document, by the names of the API.
_OF_DOCUMENT = ("title", "format", "metadata", "text", "content")


@dataclass(frozen=True)
class PlayedSpace:
    """A space of a scenario's own in a service."""

    service: Service
    path: str

    @classmethod
    def create(cls, service: Service, scenario: Scenario) -> "PlayedSpace":
        """Make the space, with the scenario's settings."""
        body = {"name": scenario.name, "settings": scenario.settings}
        made = service.send(Call.json("POST", "/v1/spaces", body))
        assert made.status == 201, made.raw
        return cls(service, f"/v1/spaces/{made.body['id']}")

    def get(self, path: str) -> dict[str, Any]:
        """Return the body of what the path below the space answers."""
        return _body(self.service.send(Call("GET", f"{self.path}/{path}")))

    def post(self, path: str, body: dict[str, Any]) -> Reply:
        """Return the answer to a body of JSON."""
        return self.service.send(Call.json("POST", f"{self.path}/{path}", body))

    def play(self, scenario: Scenario) -> None:
        """Do each step, and let its jobs run to their end."""
        for step in scenario.history:
            if "delete" in step:
                self._delete(step)
            else:
                self._put(step)
            self.service.run_jobs(self.path)
            self._check_jobs()

    def _put(self, step: dict[str, Any]) -> None:
        document: dict[str, Any] = {"source_uri": step["put"]}
        document |= {
            name: step[name] for name in ("title", "format", "metadata", "text", "content") if name in step
        }
        if "date" in step:
            document["metadata"] = {**document.get("metadata", {}), "date": step["date"]}
        taken = self.post("documents", {"documents": [document]})
        assert taken.status in (200, 202), taken.raw

    def _delete(self, step: dict[str, Any]) -> None:
        documents = self.get("documents?limit=100")["items"]
        ids = [document["id"] for document in documents if document["source_uri"] == step["delete"]]
        assert len(ids) == 1, f"{step['delete']} is the address of {len(ids)} documents"
        query = f"?prune={'true' if step['prune'] else 'false'}" if "prune" in step else ""
        answer = self.service.send(Call("DELETE", f"{self.path}/documents/{ids[0]}{query}"))
        assert answer.status in (200, 202, 204), answer.raw

    def _check_jobs(self) -> None:
        jobs = [job for job in self.get("jobs?limit=100")["items"] if job["kind"] not in LATER_KINDS]
        waiting = [(job["kind"], job["state"], job["stage"]) for job in jobs if job["state"] not in FINAL]
        failed = [(job["error_code"], job["error_message"]) for job in jobs if job["state"] != "done"]
        assert not waiting, waiting
        assert not failed, failed

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the body of the answer to a scenario's question."""
        as_of = _moment(question.get("as_of"))
        at = {"as_of": as_of} if as_of else {}
        if "ask" in question:
            return _body(self.post("ask", {"question": question["ask"], **at}))
        if "retrieve" in question:
            return _body(self.post("retrieve", {"query": question["retrieve"], **at}))
        if "explain" in question:
            asked = question["explain"]
            ends = {"question": asked} if isinstance(asked, str) else {"from": asked[0], "to": asked[1]}
            reply = self.post("graph/explain", {**ends, "filters": at})
            # A name that the space has no node for leads nowhere.
            return {"edges": [], "nodes": [], "problem": reply.body} if reply.status == 404 else _body(reply)
        nodes = self.nodes_named(question["neighborhood"])
        assert nodes, f"no node is named {question['neighborhood']}"
        query = f"?as_of={quote(as_of)}" if as_of else ""
        return self.get(f"graph/neighborhood/{nodes[0]['id']}{query}")

    def nodes_named(self, name: str) -> list[dict[str, Any]]:
        """Return the nodes of exactly this name or alias, case aside."""
        nodes = self.get(f"graph/nodes?limit=100&q={quote(name)}")["items"]
        return [
            node
            for node in nodes
            if name.casefold() in {alias.casefold() for alias in (node["canonical_name"], *node["aliases"])}
        ]


def _moment(day: str | None) -> str | None:
    return f"{day}T00:00:00Z" if day and "T" not in day else day


def _body(reply: Reply) -> dict[str, Any]:
    assert reply.status == 200, reply.raw
    body: dict[str, Any] = reply.body
    return body
