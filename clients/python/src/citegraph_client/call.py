"""One request as the generated methods say it, and what of it leaves for the service."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Any, Final, Literal
from uuid import UUID, uuid4


class _Omitted(Enum):
    OMIT = "omit"

    def __repr__(self) -> str:
        return "OMIT"


OMIT: Final = _Omitted.OMIT
"""Stands for an argument that is not sent; None is sent as null where that has a meaning of its own."""
Omit = Literal[_Omitted.OMIT]

Upload = tuple[str, bytes, str]
"""A file of a form: its name, its bytes and its media type."""


@dataclass(frozen=True)
class Call:
    """A request before it has an address. Of a space, `path` begins after the space's own."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    key: str | None = None
    if_match: str | None = None
    reads: bool = False
    files: tuple[Upload, ...] = ()
    form: Mapping[str, str] = field(default_factory=dict)
    accept: str = "application/json"

    def within(self, prefix: str) -> "Call":
        """The same below another path."""
        return self.changed(path=prefix + self.path)

    def changed(self, **changes: Any) -> "Call":
        """The same with these fields changed."""
        return Call(**{**self.__dict__, **changes})

    def headers(self) -> dict[str, str]:
        """The headers of every try; with a key, under which a change is carried out once."""
        headers = {"accept": self.accept}
        if self.method == "POST" and not self.reads:
            headers["idempotency-key"] = self.key or str(uuid4())
        if self.if_match is not None:
            headers["if-match"] = self.if_match
        if self.body is not None:
            headers["content-type"] = "application/json"
        return headers

    def parameters(self) -> list[tuple[str, str | int | float | bool | None]]:
        """The query, in the service's spelling; what is omitted or None is left out."""
        return [
            (name, _spelt(item))
            for name, value in self.query.items()
            if value is not OMIT and value is not None
            for item in ([value] if isinstance(value, str) or not isinstance(value, list | tuple) else value)
        ]

    def content(self) -> bytes | None:
        """The body as JSON; None for a request without one."""
        if self.body is None:
            return None
        given = {name: value for name, value in self.body.items() if value is not OMIT}
        return json.dumps(given, default=_as_json, ensure_ascii=False).encode()


def _spelt(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def _as_json(value: object) -> object:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON.")
