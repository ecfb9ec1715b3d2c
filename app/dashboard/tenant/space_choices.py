"""The spaces that a form or filter of a tenant's page offers."""

from app.db.models import KnowledgeSpace
from app.db.session import TenantSession
from app.tenancy.spaces import service as spaces

MAX_OFFERED_SPACES = 1_000


def list_offered_spaces(session: TenantSession) -> list[KnowledgeSpace]:
    """Return the spaces to choose from, at most `MAX_OFFERED_SPACES`."""
    return list(spaces.list_spaces(session, limit=MAX_OFFERED_SPACES))
