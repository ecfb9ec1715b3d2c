"""Base class of request bodies, and the page of a list."""

from collections.abc import Collection
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from app.closed_fields import ClosedFields
from app.json_schema import LenientIntegers

Item = TypeVar("Item")


def build_presence_schema(*values: str, excluded_fields: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON schema of bodies that have these values and none of those in `excluded_fields`."""
    null_schema = {"type": "null"}
    return {
        "required": list(values),
        "properties": {name: {"not": null_schema} for name in values}
        | dict.fromkeys(excluded_fields, null_schema),
    }


class Body(ClosedFields, LenientIntegers):
    """A request body: nothing is coerced, and unknown fields are refused."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class Listing(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(
        None, description="Pass it as cursor= for the next page; null at the end."
    )
