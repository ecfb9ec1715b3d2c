"""Shapes that refuse unknown fields and say which fields they have."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

EXTRA_FORBIDDEN = "extra_forbidden"
"""Type of the fault of an unknown field."""
MAX_LISTED_CHARS = 400
"""Maximum length of the list of accepted fields."""


class ClosedFields(BaseModel):
    """A shape that refuses unknown fields; the first such fault lists the accepted ones."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _list_fields_beside_unknown_one(cls, value: Any, check: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return check(value)
        except ValidationError as error:
            faults = error.errors(include_url=False)
            unknown_field = next((fault for fault in faults if _is_unknown_field(fault)), None)
            if unknown_field is None:
                raise
            unknown_field["msg"] = f"{unknown_field['msg']}. {_describe_fields(cls)}"
            raise ValidationError.from_exception_data(
                error.title, [_copy_fault(fault) for fault in faults]
            ) from None


def _is_unknown_field(fault: Any) -> bool:
    """Return whether the fault is about a field of this shape, and not of one inside it."""
    return fault["type"] == EXTRA_FORBIDDEN and len(fault["loc"]) == 1


def _describe_fields(shape: type[BaseModel]) -> str:
    """Return the accepted fields, the first of them if there are many."""
    names = [field.alias or name for name, field in shape.model_fields.items()]
    if not names:
        return "There are no fields."
    listed_names: list[str] = []
    for name in names:
        if sum(len(listed_name) + 2 for listed_name in listed_names) + len(name) > MAX_LISTED_CHARS:
            break
        listed_names.append(name)
    omitted_count = len(names) - len(listed_names)
    return f"Fields: {', '.join(listed_names)}{f' and {omitted_count} more' if omitted_count else ''}."


def _copy_fault(fault: Any) -> InitErrorDetails:
    """Return a fault with its type, message and place."""
    message = PydanticCustomError(fault["type"], "{message}", {"message": fault["msg"]})
    return InitErrorDetails(type=message, loc=fault["loc"], input=fault["input"])
