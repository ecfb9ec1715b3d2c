"""Wall 2: the ORM session that adds its space to statements and refuses others (docs/isolation.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy import event, inspect
from sqlalchemy.orm import ORMExecuteState, Session, UOWTransaction, with_loader_criteria

from app.db.base import Operational, SpaceOwned
from app.ids import SpaceId
from app.tenant_quotas import PlatformDefaults


@dataclass(frozen=True, slots=True)
class OpeningState:
    """The space's row as read when the space was opened; `settings` as they are stored."""

    graph_revision: int
    embedding_model: str
    embedding_dimensions: int
    vector_set: int
    dedicated_vectors: bool
    settings: dict[str, Any]
    erasures: int


class ScopedSession(Session):
    """An ORM session that knows its space; None means that it may touch no space-owned content."""

    space_id: SpaceId | None = None
    platform: PlatformDefaults
    # Settings that override the space's, for a trial.
    tried_settings: Mapping[str, Any] = MappingProxyType({})


@event.listens_for(ScopedSession, "do_orm_execute")
def _filter_statement_by_space(state: ORMExecuteState) -> None:
    """Wall 2, reads: every ORM statement on a space-owned class names the open space."""
    session = state.session
    assert isinstance(session, ScopedSession)
    space_id = session.space_id
    if space_id is None:
        for mapper in state.all_mappers:
            if issubclass(mapper.class_, SpaceOwned) and not issubclass(mapper.class_, Operational):
                raise TypeError(f"{mapper.class_.__name__} belongs to a space: use open_space.")
        return
    if state.is_select or state.is_update or state.is_delete:
        state.statement = state.statement.options(
            with_loader_criteria(
                SpaceOwned, lambda cls: cls.knowledge_space_id == space_id, include_aliases=True
            )
        )


@event.listens_for(ScopedSession, "before_flush")
def _assign_or_check_space_of_rows(session: Session, _context: UOWTransaction, _instances: object) -> None:
    """Wall 2, writes: a new row gets the open space; a row of another space is refused."""
    assert isinstance(session, ScopedSession)
    for row in (*session.new, *session.dirty, *session.deleted):
        if not isinstance(row, SpaceOwned):
            continue
        if session.space_id is None:
            raise TypeError(f"{type(row).__name__} belongs to a space: use open_space.")
        if row in session.new and row.knowledge_space_id is None:
            row.knowledge_space_id = session.space_id
        changed_values = inspect(row).attrs.knowledge_space_id.history.deleted
        if row.knowledge_space_id != session.space_id or changed_values:
            raise TypeError(f"A {type(row).__name__} of another space cannot be written here.")
