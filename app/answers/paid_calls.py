"""The calls of a model that one answer paid, kept as the space keeps all of them."""

from collections.abc import Mapping, Sequence

from app.db.session import Database
from app.ids import ReservationId, SpaceId, TenantId
from app.llm.answers import NO_SOURCES, Answer, CallRecord, Sources
from app.model_calls.ledger import StoredAnswers
from app.tenants import tokens


class PaidCalls(StoredAnswers):
    """The space's answers and ledger; `paid` has the calls of this one question."""

    def __init__(self, database: Database, *, tenant_id: TenantId, space_id: SpaceId) -> None:
        super().__init__(database, tenant_id=tenant_id, space_id=space_id)
        self.paid: list[CallRecord] = []

    def require_tokens(self) -> None:
        """Raise TokensExhausted where the tenant has no tokens left in this month."""
        with self._database.open_space(self._tenant_id, self._space_id) as space:
            tokens.check(space)

    def remember(
        self,
        answers: Mapping[str, Answer],
        calls: Sequence[CallRecord],
        *,
        reserved: ReservationId | None = None,
        sources: Sources = NO_SOURCES,
    ) -> None:
        """Keep them, and note the calls."""
        super().remember(answers, calls, reserved=reserved, sources=sources)
        self.paid.extend(calls)
