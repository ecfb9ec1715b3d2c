"""Shapes that bodies and answers have in common."""

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Item = TypeVar("Item")


class Body(BaseModel):
    """Something that a caller sends: nothing is coerced, nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Answer(BaseModel):
    """Something that is sent back."""

    model_config = ConfigDict(from_attributes=True)


class Listing(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(
        None, description="Give it as cursor= for the next page; null at the end."
    )
