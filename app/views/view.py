"""Base class of values shown to programs: the attributes that a model names, and additional ones."""

from typing import Self

from pydantic import BaseModel, ConfigDict


class _ValueWithAttributes:
    """A value with additional attributes."""

    def __init__(self, value: object, more_attributes: dict[str, object]) -> None:
        self.__dict__.update(more_attributes)
        self._value = value

    def __getattr__(self, name: str) -> object:
        return getattr(self._value, name)


class View(BaseModel):
    """A value that is shown to a program."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def from_value(cls, value: object, **more_attributes: object) -> Self:
        """Build the model from a value's attributes and from `more_attributes`, which it does not have;
        nested values likewise.
        """
        return cls.model_validate(_ValueWithAttributes(value, more_attributes))
