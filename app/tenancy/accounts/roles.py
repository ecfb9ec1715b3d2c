"""The roles of members, and what each may do."""

from enum import StrEnum


class Role(StrEnum):
    """The rights of a member in a tenant; each role includes the one before."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes of an API key with the same rights."""
        scope_count = {Role.VIEWER: 1, Role.EDITOR: 2, Role.ADMIN: 3}[self]
        return frozenset(("read", "write", "admin")[:scope_count])
