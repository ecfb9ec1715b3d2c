"""Views of values for programs: the attributes that a shape names, and what is added to them."""

from typing import Self

from pydantic import BaseModel, ConfigDict


class _Joined:
    """A value with some attributes more."""

    def __init__(self, value: object, more: dict[str, object]) -> None:
        self.__dict__.update(more)
        self._value = value

    def __getattr__(self, name: str) -> object:
        return getattr(self._value, name)


class View(BaseModel):
    """Something that is shown to a program."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, value: object, **more: object) -> Self:
        """The attributes of a value by their names, with `more` that it has not; nested values likewise."""
        return cls.model_validate(_Joined(value, more))
