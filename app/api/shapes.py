"""Shapes that bodies and answers have in common."""

from collections.abc import Collection
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from app.json_schema import JsonNumbers

Item = TypeVar("Item")


def having(*values: str, without: Collection[str] = ()) -> dict[str, Any]:
    """The schema of bodies that have these values, and none of the others."""
    null = {"type": "null"}
    return {
        "required": list(values),
        "properties": {name: {"not": null} for name in values} | dict.fromkeys(without, null),
    }


class Body(JsonNumbers):
    """Something that a caller sends: nothing is coerced, nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Joined:
    """A value with some attributes more."""

    def __init__(self, value: object, more: dict[str, object]) -> None:
        self.__dict__.update(more)
        self._value = value

    def __getattr__(self, name: str) -> object:
        return getattr(self._value, name)


class Answer(BaseModel):
    """Something that is sent back."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, value: object, **more: object) -> Self:
        """The answer that shows the attributes of a value by their names, and `more` that it has not."""
        return cls.model_validate(_Joined(value, more))


class Listing(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(
        None, description="Give it as cursor= for the next page; null at the end."
    )
