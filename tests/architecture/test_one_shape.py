"""One shape for each thing: `--json` prints what the API answers, under the same names (issue 24)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from app.views.answers import AskAnswer
from app.views.communities import CommunityAnswer
from app.views.documents import DocumentAnswer, DocumentDetailAnswer, RemovalAnswer
from app.views.edges import EdgeAnswer, EdgeDetailAnswer, LedgerRowAnswer
from app.views.explanations import ExplanationAnswer
from app.views.jobs import JobAnswer, JobDetailAnswer
from app.views.merges import DuplicateAnswer, KeptApartAnswer, MergeAnswer, MergePreviewAnswer, SplitAnswer
from app.views.nodes import (
    MentionAnswer,
    NeighborhoodAnswer,
    NodeAnswer,
    NodeDetailAnswer,
    SuggestedTagsAnswer,
)
from app.views.retrieval import RetrievedAnswer
from app.views.spaces import EmbeddingPlanAnswer, SpaceAnswer
from app.views.summaries import GateReportAnswer
from app.views.tenants import AuditAnswer, KeyAnswer, NewKeyAnswer, QuotaAnswer, TenantAnswer, UsageAnswer
from app.views.trials import TrialAnswer
from app.views.view import View
from app.views.webhooks import NewWebhookAnswer, WebhookAnswer
from tests.architecture.tree import PROJECT

PRINTED = PROJECT / "tests/goldens/expected/commands"
SHAPES: dict[str, type[View]] = {
    "ask": AskAnswer,
    "audit": AuditAnswer,
    "communities-detect": JobAnswer,
    "communities-list": CommunityAnswer,
    "documents-delete": RemovalAnswer,
    "documents-list": DocumentAnswer,
    "documents-show": DocumentDetailAnswer,
    "documents-trust": DocumentAnswer,
    "edges-invalidate": LedgerRowAnswer,
    "edges-list": EdgeAnswer,
    "edges-restore": LedgerRowAnswer,
    "edges-show": EdgeDetailAnswer,
    "explain": ExplanationAnswer,
    "jobs-list": JobAnswer,
    "jobs-show": JobDetailAnswer,
    "key-create": NewKeyAnswer,
    "key-list": KeyAnswer,
    "neighborhood": NeighborhoodAnswer,
    "nodes-doubtful": DuplicateAnswer,
    "nodes-kept-apart": KeptApartAnswer,
    "nodes-list": NodeAnswer,
    "nodes-mentions": MentionAnswer,
    "nodes-merge": MergeAnswer,
    "nodes-merge-preview": MergePreviewAnswer,
    "nodes-merges": MergeAnswer,
    "nodes-show": NodeDetailAnswer,
    "nodes-split": SplitAnswer,
    "nodes-splits": SplitAnswer,
    "nodes-unmerge": NodeAnswer,
    "nodes-unsplit": NodeAnswer,
    "retrieve": RetrievedAnswer,
    "space-create": SpaceAnswer,
    "space-list": SpaceAnswer,
    "space-reembed": EmbeddingPlanAnswer,
    "space-show": SpaceAnswer,
    "summaries-gate": GateReportAnswer,
    "summaries-refresh": JobAnswer,
    "tags-suggest": SuggestedTagsAnswer,
    "tenant-create": TenantAnswer,
    "tenant-list": TenantAnswer,
    "tenant-quota": QuotaAnswer,
    "trials-begin": JobAnswer,
    "trials-list": TrialAnswer,
    "usage": UsageAnswer,
    "webhook-add": NewWebhookAnswer,
    "webhook-list": WebhookAnswer,
    "webhook-rotate": NewWebhookAnswer,
}
NO_API_TWIN = {
    "evict": "its page of chunks has no cursor",
    "space-set": "all effective settings, of which the API gives those of the space",
    "summaries-replay": "the operator's trial of other settings of the gate",
}
ADDED = {
    "space-show": {"if_match", "relation_types"},
    "tags-suggest": {"applied", "canonical_name"},
    "usage": {"space"},
} | {
    name: {"if_match"} for name in ("documents-show", "edges-show", "jobs-show", "nodes-show", "webhook-list")
}
"""What a command prints beside the answer of the API, whose ETag is a header."""


def parsed(text: str) -> Any:
    """What a command printed; the mask of a duration is no number."""
    return json.loads(text.replace(": <duration>", ": 0"))


def differences(value: Any, schema: dict[str, Any], defs: dict[str, Any], path: str) -> Iterator[str]:
    """The paths at which the value has other fields than its schema."""
    schema = defs[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if isinstance(value, list):
        for item in value:
            yield from differences(item, schema.get("items", {}), defs, f"{path}[]")
    elif isinstance(value, dict):
        for option in schema.get("anyOf", ()):
            if option.get("type") != "null":
                schema = defs[option["$ref"].rpartition("/")[2]] if "$ref" in option else option
        if fields := schema.get("properties"):
            yield from (f"{path}.{name}" for name in value.keys() ^ fields.keys())
            for name in value.keys() & fields.keys():
                yield from differences(value[name], fields[name], defs, f"{path}.{name}")


@pytest.mark.parametrize("name", SHAPES)
def test_a_command_prints_what_the_api_answers(name: str) -> None:
    printed = parsed((PRINTED / f"{name}.json").read_text("utf-8"))
    rows = printed if isinstance(printed, list) else [printed]
    assert rows
    schema = SHAPES[name].model_json_schema(mode="serialization")
    added = ADDED.get(name, set())
    for row in rows:
        assert added <= row.keys()
        own = {field: value for field, value in row.items() if field not in added}
        assert list(differences(own, schema, schema.get("$defs", {}), name)) == []


def test_every_command_that_prints_an_object_is_compared() -> None:
    """A list that is empty in the example space, and a refusal, have no field to compare."""
    objects = {
        path.stem
        for path in PRINTED.glob("*.json")
        if (text := path.read_text("utf-8")).startswith(("{", "[\n")) and parsed(text)
    }
    assert objects == SHAPES.keys() | NO_API_TWIN.keys()
