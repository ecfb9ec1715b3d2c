"""Loaded by schemathesis: each of its requests is a new one, and a check of its own."""

from typing import Any, get_args
from uuid import uuid4

import schemathesis
from pydantic_core.core_schema import ErrorType
from schemathesis.generation import GenerationMode

REFUSALS = {400, 404, 405, 408, 413, 415, 422, 429, 503}
"""None says anything of a thing that is there: 409 would, and 403 too."""
OF_SHAPES = {*get_args(ErrorType), "malformed_body", "malformed_json", "unknown_parameter"} | {
    # Of ours, those that the document says as well.
    *("invalid_character", "invalid_id", "no_weight", "source_kinds", "text_or_content", "question_or_ends")
}
"""Reasons to refuse what a schema can say."""
NAME = "Idempotency-Key"


@schemathesis.hook
def before_call(_context: Any, case: Any, **_sent: Any) -> None:
    """Make the key of a POST its own; one that cannot be a key stays so.

    Under one key for all, every body but the first would be refused unread, by 409.
    """
    key = case.headers.get(NAME)
    if key is not None:
        case.headers[NAME] = f"{key}{uuid4().hex}"


@schemathesis.hook
def before_load_schema(_context: Any, raw_schema: dict[str, Any]) -> None:
    """Say what each event of a stream is where schemathesis looks for it: OpenAPI 3.1 has no name."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            for answer in operation["responses"].values():
                for content in answer.get("content", {}).values():
                    if "x-item-schema" in content:
                        content["itemSchema"] = content.pop("x-item-schema")


@schemathesis.check
def a_valid_request_is_served_or_refused_for_a_reason(_context: Any, response: Any, case: Any) -> None:
    """Fails where the shapes of the code refuse what the document allows (review B7).

    What a schema cannot say is refused by a code of ours, such as `too_many_marks`.
    """
    if case.meta.generation.mode is not GenerationMode.POSITIVE or response.status_code not in (400, 422):
        return
    problem = response.json()
    reasons = {problem["code"], *(fault["type"] for fault in problem.get("errors", ()))}
    assert not reasons & OF_SHAPES, f"{problem['code']}: {problem.get('errors', problem['detail'])}"


@schemathesis.check
def nothing_of_another(_context: Any, response: Any, case: Any) -> None:
    """Fails where an id of somebody else is answered otherwise than by a refusal."""
    assert response.status_code in REFUSALS, f"{case.operation.label} answered {response.status_code}"
