"""What the generated tests know about the routes: an id map and a body for every operation of the OpenAPI
document.
"""

import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx2

from tests.api.conftest import OPERATOR_KEY, Account, World

OPEN = {"/healthz", "/readyz", "/metrics"}

# Every id that a path can hold, and where an account keeps a live one. A new name fails the tests.
PATH_IDS = {
    "tenant_id": "tenant_id",
    "key_id": "key_id",
    "space_id": "space_id",
    "document_id": "document_id",
    "chunk_id": "chunk_id",
    "job_id": "job_id",
    "trial_id": "trial_id",
    "golden_run_id": "golden_run_id",
    "question_id": "question_id",
    "node_id": "node_id",
    "edge_id": "edge_id",
    "community_id": "community_id",
    "run_id": "run_id",
    "split_id": "split_id",
    "merge_id": "merge_id",
    "webhook_id": "webhook_id",
    "delivery_id": "delivery_id",
}

# Ids in queries and bodies: (method, path) → name. Every such field of the document must stand here.
QUERY_IDS = {
    ("GET", "/v1/spaces/{space_id}/golden/runs/{golden_run_id}"): {"against"},
    ("GET", "/v1/spaces/{space_id}/graph/edges"): {"node_id"},
    ("GET", "/v1/spaces/{space_id}/graph/nodes"): {"community_id"},
    ("GET", "/v1/audit"): {"space_id", "object_id"},
    ("GET", "/v1/audit.csv"): {"space_id", "object_id"},
}
BODY_IDS = {
    ("POST", "/v1/api-keys"): {"space_ids"},
    ("POST", "/v1/spaces/{space_id}/graph/neighbors"): {"node_ids"},
    ("POST", "/v1/spaces/{space_id}/graph/nodes/{node_id}/split"): {"chunk_ids", "document_ids"},
    ("POST", "/v1/spaces/{space_id}/graph/merges"): {"winner_id", "loser_id"},
    ("POST", "/v1/spaces/{space_id}/graph/merges/preview"): {"winner_id", "loser_id"},
    ("POST", "/v1/spaces/{space_id}/graph/kept-apart"): {"node_ids"},
    ("POST", "/v1/spaces/{space_id}/documents/move"): {"id"},
    ("POST", "/v1/spaces/{space_id}/documents/preview-removals"): {"document_ids"},
}

# Of things that are deleted: nothing is found while they live.
OF_DELETED = {"/v1/spaces/{space_id}/deletion"}

# Where an account keeps a live id for each of those names; lists hold one.
NAMED_IDS = {
    "id": "document_id",
    "space_id": "space_id",
    "space_ids": "space_id",
    "object_id": "document_id",
    "against": "golden_run_id",
    "node_id": "node_id",
    "node_ids": "node_id",
    "winner_id": "node_id",
    "loser_id": "other_id",
    "community_id": "community_id",
    "chunk_ids": "chunk_id",
    "document_ids": "document_id",
}
# Where an id that is not there is no fault: filters, and nodes of a list that may be gone.
LENIENT = {
    ("GET", "/v1/spaces/{space_id}/graph/nodes"),
    ("GET", "/v1/audit"),
    ("GET", "/v1/audit.csv"),
    ("POST", "/v1/spaces/{space_id}/graph/neighbors"),
}

BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/v1/tenants"): {"name": "matrix"},
    ("PATCH", "/v1/tenants/{tenant_id}"): {"quotas": {"spaces": 500}},
    ("POST", "/v1/api-keys"): {"name": "matrix", "scopes": ["admin"]},
    ("POST", "/v1/spaces"): {"name": "matrix"},
    ("POST", "/v1/webhooks"): {"url": "https://example.com/hook", "events": ["job.done"]},
    ("PATCH", "/v1/webhooks/{webhook_id}"): {"enabled": True},
    ("PATCH", "/v1/spaces/{space_id}"): {"description": "matrix"},
    ("POST", "/v1/spaces/{space_id}/documents"): {"text": "Nothing new."},
    ("PATCH", "/v1/spaces/{space_id}/documents/{document_id}"): {"trust": 1.0},
    ("POST", "/v1/spaces/{space_id}/trials"): {"model": "rules", "chunks": 1},
    ("POST", "/v1/spaces/{space_id}/golden/questions"): {"questions": [{"question": "Who?"}]},
    ("POST", "/v1/spaces/{space_id}/golden/runs"): {"settings": {}},
    # Not the form that it takes: what is asked here is who may send one.
    ("POST", "/v1/spaces/{space_id}/import"): {},
    ("POST", "/v1/spaces/{space_id}/documents/{document_id}/preview"): {"text": "Nothing new."},
    ("POST", "/v1/spaces/{space_id}/documents/estimate"): {"text": "Nothing new."},
    ("POST", "/v1/spaces/{space_id}/graph/edges/{edge_id}/uphold"): {"reason": "It is so."},
    ("POST", "/v1/spaces/{space_id}/graph/nodes/{node_id}/values/end"): {
        "name": "population",
        "value": 7,
        "reason": "A slip.",
    },
    ("POST", "/v1/spaces/{space_id}/graph/nodes/{node_id}/values/uphold"): {
        "name": "population",
        "value": 7,
        "reason": "It is so.",
    },
    ("POST", "/v1/spaces/{space_id}/graph/nodes/{node_id}/values/restore"): {
        "name": "population",
        "value": 7,
    },
    ("PUT", "/v1/spaces/{space_id}/graph/nodes/{node_id}/name"): {"name": "Michael Ralph Stonebraker"},
    ("POST", "/v1/spaces/{space_id}/graph/kept-apart/reconsider"): {
        "a": {"name": "ingres", "node_type": "Product"},
        "b": {"name": "postgres", "node_type": "Product"},
    },
    ("POST", "/v1/spaces/{space_id}/graph/explain"): {"question": "What did Michael Stonebraker create?"},
    ("POST", "/v1/spaces/{space_id}/retrieve"): {"query": "What did Michael Stonebraker create?"},
    ("POST", "/v1/spaces/{space_id}/graph/edges/{edge_id}/invalidate"): {"reason": "It is not so."},
    ("POST", "/v1/spaces/{space_id}/graph/nodes/{node_id}/tags/suggest"): {"by": "rules"},
    ("PUT", "/v1/spaces/{space_id}/graph/nodes/{node_id}/tags"): {"tags": ["database", "pioneer"]},
    ("POST", "/v1/spaces/{space_id}/ask"): {"question": "What did Michael Stonebraker create?"},
    ("POST", "/v1/spaces/{space_id}/eviction"): {},
    ("POST", "/v1/spaces/{space_id}/embedding"): {"model": "double-embedding", "dimensions": 300},
}

# Bodies that hold ids of the account itself: see `Operation.body`.
BODIES_OF_ACCOUNTS = {
    ("POST", "/v1/spaces/{space_id}/graph/neighbors"),
    ("POST", "/v1/spaces/{space_id}/graph/nodes/{node_id}/split"),
    ("POST", "/v1/spaces/{space_id}/graph/merges"),
    ("POST", "/v1/spaces/{space_id}/graph/merges/preview"),
    ("POST", "/v1/spaces/{space_id}/graph/kept-apart"),
    ("POST", "/v1/spaces/{space_id}/documents/move"),
    ("POST", "/v1/spaces/{space_id}/documents/preview-removals"),
}
ACTS = (
    "/communities/detect", "/summaries/refresh", "/invalidate", "/restore", "/split", "/undo", "/uphold",
    "/merges", "/kept-apart", "/reconsider", "/name", "/documents/estimate", "/retry", "/import",
    "/conflicts/end-by-date", "{document_id}/preview", "/values/end",
    "/documents/move", "/documents/preview-removals",
)  # fmt: skip
ADMIN = {"/v1/api-keys", "/v1/api-keys/{key_id}", "/v1/audit", "/v1/audit.csv"}
WRITERS = {
    "/v1/spaces/{space_id}/documents",
    "/v1/spaces/{space_id}/documents/{document_id}",
    "/v1/spaces/{space_id}/eviction",
}


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    path_ids: tuple[str, ...]
    described: dict[str, Any]

    @property
    def key(self) -> tuple[str, str]:
        return (self.method, self.path)

    @property
    def scope(self) -> str:
        """The scope that the contract asks for."""
        if self.path.startswith("/v1/tenants"):
            return "operator"
        if (
            self.path in ADMIN
            or self.path.startswith("/v1/webhooks")
            or (self.path.startswith("/v1/spaces") and self._administers())
        ):
            return "admin"
        if self.method != "GET" and (
            self.method == "PUT" or self.path in WRITERS or "/jobs/" in self.path or self.path.endswith(ACTS)
        ):
            return "write"
        return "read"

    def _administers(self) -> bool:
        return self.method in ("POST", "PATCH", "DELETE") and self.path in (
            "/v1/spaces",
            "/v1/spaces/{space_id}",
            "/v1/spaces/{space_id}/embedding",
            "/v1/spaces/{space_id}/trials",
            "/v1/spaces/{space_id}/trials/{trial_id}",
            "/v1/spaces/{space_id}/trials/{trial_id}/promote",
            "/v1/spaces/{space_id}/golden/questions",
            "/v1/spaces/{space_id}/golden/questions/{question_id}",
            "/v1/spaces/{space_id}/golden/runs",
        )

    def body(self, account: Account) -> Any:
        if self.path.endswith("/graph/neighbors"):
            return {"node_ids": [str(account.node_id)]}
        if self.path.endswith("/split"):
            return {"sense": "pioneer", "chunk_ids": [str(account.chunk_id)]}
        if self.path.endswith(("/merges", "/merges/preview")):
            return {"winner_id": str(account.node_id), "loser_id": str(account.other_id)}
        if self.path.endswith("/kept-apart"):
            return {"node_ids": [str(account.node_id), str(account.other_id)]}
        if self.path.endswith("/documents/move"):
            # Where it stands already.
            return {"documents": [{"id": str(account.document_id), "source_uri": "shared.md"}]}
        if self.path.endswith("/documents/preview-removals"):
            return {"document_ids": [str(account.document_id)]}
        return BODIES.get(self.key)

    def url(self, account: Account, **instead: UUID | str) -> str:
        return self.path.format(
            **{name: instead.get(name, getattr(account, PATH_IDS[name])) for name in self.path_ids}
        )

    def send(
        self, world: World, account: Account, headers: dict[str, str] | None = None, **instead: UUID | str
    ) -> httpx2.Response:
        if headers is None:
            headers = operator() if self.scope == "operator" else account.bearer()
        return world.http.request(
            self.method, self.url(account, **instead), headers=headers, json=self.body(account)
        )

    def send_with(self, world: World, account: Account, name: str, value: UUID) -> httpx2.Response:
        """Its answer where that id of the query or the body is another."""
        body, query = self.body(account), {}
        if name in QUERY_IDS.get(self.key, ()):
            query[name] = str(value)
        else:
            listed = name.endswith("_ids")
            body = {**body, name: [str(value), *body.get(name, [])[1:]] if listed else str(value)}
            if self.path.endswith("/documents/move"):
                body = {"documents": [{"id": str(value), "source_uri": "shared.md"}]}
        return world.http.request(
            self.method, self.url(account), headers=account.bearer(), json=body, params=query
        )


def operator() -> dict[str, str]:
    return {"authorization": f"Bearer {OPERATOR_KEY}"}


def operations(document: dict[str, Any]) -> list[Operation]:
    """Every operation that asks for a key."""
    return [
        Operation(method.upper(), path, tuple(re.findall(r"{(\w+)}", path)), described)
        for path, methods in document["paths"].items()
        if path not in OPEN
        for method, described in methods.items()
    ]


def stripped(answer: httpx2.Response) -> tuple[int, dict[str, Any], dict[str, str]]:
    """An answer as another caller could compare it: all but the request's id and the caller's own tokens."""
    headers = {
        name: value for name, value in answer.headers.items() if name not in ("x-request-id", "ratelimit")
    }
    body = answer.json()
    body.pop("request_id", None)
    return answer.status_code, body, headers
