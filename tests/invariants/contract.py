"""The OpenAPI document as a judge: every answer is one that its operation documents (18.3)."""

import re
from functools import cache
from typing import Any

import jsonschema_rs

from tests.invariants.violations import expect

_JSON = ("application/json", "application/problem+json")


class Contract:
    """Validators of the answers of each operation, made when they are first needed."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._routes = [
            (re.compile("^" + re.sub(r"{\w+}", "[^/]+", path) + "$"), path)
            for path in sorted(document["paths"], key=lambda path: path.count("{"))
        ]
        self._validator = cache(self._make_validator)

    def check(self, method: str, path: str, status: int, kind: str, body: Any) -> None:
        """Raise Violation unless the operation documents this status, and its body as such."""
        route = next((known for pattern, known in self._routes if pattern.match(path)), None)
        expect(route is not None, f"{method} {path} is not in the OpenAPI document")
        operation = self._document["paths"][str(route)][method.lower()]
        expect(str(status) in operation["responses"], f"{method} {route} answered {status}, undocumented")
        if kind.partition(";")[0] not in _JSON:
            return
        validator = self._validator(str(route), method.lower(), str(status), kind.partition(";")[0])
        if validator is not None:
            fault = next(iter(validator.iter_errors(body)), None)
            expect(fault is None, f"{method} {route}: the answer {status} is not as documented: {fault}")

    def _make_validator(self, route: str, method: str, status: str, kind: str) -> Any:
        response: dict[str, Any] = self._document["paths"][route][method]["responses"][status]
        if "$ref" in response:
            response = self._document["components"]["responses"][response["$ref"].rpartition("/")[2]]
        content = response.get("content", {})
        if kind not in content:
            return None
        schema = {**content[kind]["schema"], "components": self._document["components"]}
        return jsonschema_rs.Draft202012Validator(schema)
