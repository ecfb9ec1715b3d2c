"""The base of everything that the service answers with."""

from pydantic import BaseModel, ConfigDict, PrivateAttr


class Shape(BaseModel):
    """A part of an answer. Fields that a newer service adds are kept and can be read as attributes."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True, protected_namespaces=())
    _etag: str | None = PrivateAttr(default=None)

    @property
    def etag(self) -> str | None:
        """What to give as `if_match` to a change of it; None where it was not read by itself."""
        return self._etag
