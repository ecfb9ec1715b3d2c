"""Shapes that bodies and answers have in common."""

from collections.abc import Collection
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from app.http.views import View
from app.json_schema import JsonNumbers

Item = TypeVar("Item")


def build_presence_schema(*values: str, without: Collection[str] = ()) -> dict[str, Any]:
    """The schema of bodies that have these values, and none of the others."""
    null = {"type": "null"}
    return {
        "required": list(values),
        "properties": {name: {"not": null} for name in values} | dict.fromkeys(without, null),
    }


class Body(JsonNumbers):
    """Something that a caller sends: nothing is coerced, nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Answer(View):
    """Something that is sent back."""


class Listing(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(
        None, description="Give it as cursor= for the next page; null at the end."
    )
