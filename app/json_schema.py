"""Keywords of JSON Schema for checks of validators, so that the OpenAPI document states what they refuse."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import (
    BaseModel,
    GetJsonSchemaHandler,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core import CoreSchema


@dataclass(frozen=True)
class DescribedAnnotation:
    """An annotation beside a validator, with the equivalent keywords of JSON Schema."""

    keywords: dict[str, Any] = field(hash=False)

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the schema of the type, with the keywords."""
        return {**handler(core_schema), **self.keywords}


class LenientIntegers(BaseModel):
    """A strict shape whose integers may be written as 84.0, which is an integer in JSON Schema."""

    @field_validator("*", mode="wrap")
    @classmethod
    def _accept_whole_float(cls, value: Any, check: ValidatorFunctionWrapHandler) -> Any:
        try:
            return check(value)
        except ValidationError:
            if isinstance(value, float) and value.is_integer():
                return check(int(value))
            raise
