"""The base of everything that the service answers with."""

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """A part of an answer. Fields that a newer service adds are kept and can be read as attributes."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True, protected_namespaces=())
