"""The OpenAPI document: what the routes declare, and in addition chapters, examples and further schemas."""

from collections.abc import Callable
from typing import Any

from pydantic.json_schema import models_json_schema

from app.api import problems, submission_bodies
from app.api.protocol import idempotency_header
from app.api.reference.examples import EXAMPLES

SCHEMA_REFERENCE = "#/components/schemas/{model}"
"""The reference to a schema in the document."""

TAGS: list[dict[str, Any]] = [
    {"name": name, "description": description}
    for name, description in (
        ("spaces", "Knowledge spaces of the key's tenant, their settings, policy and embedding model."),
        ("documents", "Submit documents, read them and their chunks, replace and delete them."),
        ("jobs", "Jobs: their state, counts and cost; watched as a stream, retried, cancelled."),
        ("answers", "Questions in words: passages that answer, or sentences with their quotes."),
        ("graph", "Nodes, edges with their evidence, neighborhoods, and explanations of two hops."),
        (
            "merges",
            "Duplicate nodes: candidate pairs, merges and their undoing, pairs kept apart.",
        ),
        ("contradictions", "Claims that cannot all hold, and the decisions of people about them."),
        ("communities", "Groups of closely connected nodes, as a tree of communities with their reports."),
        ("tags", "Words that classify nodes, set by people or suggested."),
        ("summaries", "Cited summaries of nodes, and the decisions whether to rewrite them."),
        (
            "trials",
            "A sample extracted with another model or other settings, compared with the graph.",
        ),
        (
            "golden",
            "A space's own questions with expected results, asked in runs that are compared over time.",
        ),
        ("memory", "How much a space keeps, and what it evicts first."),
        ("tenant", "The key's own tenant: its keys, quotas, usage and audit."),
        ("webhooks", "Your own addresses that receive events, and every message to them."),
        ("tenants", "For operators, with the operator's key: create, change and delete tenants."),
        ("health", "For probes and monitoring; no key."),
    )
]


# The headers of responses: schema, description, and whether such a response always has them.
RESPONSE_HEADERS: dict[str, dict[str, Any]] = {
    name: {"description": description, "required": is_required, "schema": {"type": kind}}
    for name, kind, is_required, description in (
        ("X-Request-Id", "string", True, "The id of the request in the logs."),
        ("Retry-After", "integer", True, "Seconds after which to retry."),
        (
            "RateLimit",
            "string",
            False,
            "Remaining tokens of key and tenant, and seconds until all are available again.",
        ),
        ("RateLimit-Policy", "string", False, "Maximum tokens, and the seconds in which they are refilled."),
        ("ETag", "string", False, "Send it as If-None-Match: an unchanged answer is 304 without a body."),
        ("Idempotent-Replayed", "boolean", False, "This is the answer stored for the Idempotency-Key."),
        ("Citegraph-Quota", "string", False, "Quotas of which at least four fifths are used."),
    )
}


def _list_response_headers(method: str, status: str) -> list[str]:
    """Return the names of the headers that a response of an operation under /v1 may have."""
    header_names = ["X-Request-Id"]
    if status != "401":
        header_names += ["RateLimit", "RateLimit-Policy"]
    if status in ("429", "503"):
        header_names.append("Retry-After")
    if method == "get" and status == "200":
        header_names.append("ETag")
    if method == "post" and status.startswith("2"):
        header_names += ["Idempotent-Replayed", "Citegraph-Quota"]
    return header_names


def _describe_streams(response: dict[str, Any]) -> None:
    """Describe a stream of events in OpenAPI 3.1: `itemSchema`, which FastAPI writes, is of version 3.2.

    It has no `schema`, because some readers take that for the schema of each event, others for that of all.
    """
    for content in response.get("content", {}).values():
        if "itemSchema" in content:
            content["x-item-schema"] = content.pop("itemSchema")
            content.pop("schema", None)


def complete_description(describe_api: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """Return a `describe_api` that adds what no route declares: an example for each body, the Idempotency-Key
    of POST, headers of responses, schemas of problems and of bodies with two content types.
    """

    def describe_all() -> dict[str, Any]:
        document = describe_api()
        extra_models = (problems.ProblemDocument, *submission_bodies.BODY_MODELS)
        _, definitions = models_json_schema(
            [(model, "validation") for model in extra_models], ref_template=SCHEMA_REFERENCE
        )
        document["components"]["schemas"].update(definitions["$defs"])
        document["components"]["headers"] = RESPONSE_HEADERS
        for path, operation_by_method in document["paths"].items():
            if path.startswith("/v1") and "post" in operation_by_method:
                parameters = operation_by_method["post"].setdefault("parameters", [])
                # FastAPI returns the same document object each time.
                if idempotency_header.KEY_HEADER_PARAMETER not in parameters:
                    parameters.append(idempotency_header.KEY_HEADER_PARAMETER)
            for method, operation in operation_by_method.items():
                if path.startswith("/v1"):
                    for status, response in operation["responses"].items():
                        _describe_streams(response)
                        response["headers"] = {
                            name: {"$ref": f"#/components/headers/{name}"}
                            for name in _list_response_headers(method, status)
                        }
                example = EXAMPLES.get(operation["operationId"])
                if example is not None:
                    operation["requestBody"]["content"]["application/json"]["example"] = example
        return document

    return describe_all
