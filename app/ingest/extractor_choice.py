"""The extractors of a job: rules, which need nothing, or a model, whose answers are stored and paid once."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.db.database import Database
from app.errors import InvalidInput
from app.extraction.llm.extractor import ModelExtractor
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import Extractor
from app.graph.resolution.shapes import PairJudge
from app.graph.write.same_entity_judge import ModelJudge
from app.ingest.parts import BATCH_DOCUMENTS
from app.jobs.shapes import Lease
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedder, Embedders, is_local_model
from app.llm.model_calls.asker import DEFAULT_CALL_SIZE, Asker, CallSize
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.llm.servers import RULES
from app.sandbox.process_sandbox import InProcessSandbox, Sandbox


@dataclass(frozen=True)
class JobExtraction:
    """The models and rules of one job; without a judge, uncertain pairs of nodes stay separate.

    `new_extractor` returns a new extractor for each batch of at most `batch_documents`; `max_parallel_chunks`
    batches are read concurrently. All work on texts is done in `sandbox`.
    """

    new_extractor: Callable[[], Extractor]
    embedder: Embedder
    judge: PairJudge | None = None
    batch_documents: int = BATCH_DOCUMENTS
    max_parallel_chunks: int = 1
    sandbox: Sandbox = field(default_factory=InProcessSandbox)


class ModelNotOffered(InvalidInput):
    """The operator does not offer this model for extraction."""

    code = "model_not_offered"

    def __init__(self) -> None:
        super().__init__("That model is not offered here for reading documents (CITEGRAPH_LLM_MODELS).")


MODEL_SETTINGS = ("extraction_model", "claim_check_model")
"""Settings of a space that name a model."""


def require_offered_models(setting_changes: Mapping[str, Any], reading_models: Collection[str]) -> None:
    """Raise ModelNotOffered if settings of a space name a model that is not in `reading_models`."""
    for name in MODEL_SETTINGS:
        model = setting_changes.get(name)
        if model is not None and (model not in reading_models or not is_choosable_model(name, model)):
            raise ModelNotOffered


def is_choosable_model(setting: str, model: str) -> bool:
    """Return whether this setting of a space may name this model: rules cannot check claims."""
    return model != RULES or setting != "claim_check_model"


class Extractors:
    """Creates the extraction of each job: by rules, or by a model, whose answers are stored in the job's
    space and paid once.
    """

    def __init__(
        self,
        database: Database,
        client: ModelClient | None = None,
        *,
        embedders: Embedders | None = None,
        sandbox: Sandbox | None = None,
        call_size: CallSize = DEFAULT_CALL_SIZE,
        offered_models: Collection[str] = (),
    ) -> None:
        """Read by rules without a client. `offered_models` are further models of the client's server that a
        space may choose.
        """
        self._database = database
        self._client = client
        self._embedders = embedders or Embedders(client)
        self._sandbox = sandbox or InProcessSandbox()
        self._call_size = call_size
        self._offered_models = offered_models

    def create_job_extraction(
        self,
        lease: Lease,
        is_stop_requested: Callable[[], bool],
        *,
        model: str | None,
        embedding_model: str,
        embedding_dimensions: int,
    ) -> JobExtraction:
        """Return the extraction of this job by `model`, by default the client's, or by rules.

        It embeds with the model of its space's vectors. Raises ModelNotOffered, BudgetExhausted,
        PriceUnknown, EmbedderMissing.
        """
        client = self._choose_client(model)
        stored_answers = DatabaseAnswerStore.for_job(self._database, lease)
        if client is not None or not is_local_model(embedding_model):
            # Checked first: a job without budget is parked at once.
            stored_answers.require_money_and_tokens_left(
                unpriced_model=(client and client.find_unpriced_model())
                or self._embedders.find_unpriced_model(embedding_model)
            )
        embedder = self._embedders.get_embedder(
            embedding_model, embedding_dimensions, lease.tenant_id, meter=lambda: stored_answers
        )
        if client is None:
            return JobExtraction(RulesExtractor, embedder, sandbox=self._sandbox)

        def new_extractor() -> Extractor:
            return ModelExtractor(
                client,
                stored_answers,
                tenant_id=lease.tenant_id,
                is_stop_requested=is_stop_requested,
                call_size=self._call_size,
                get_client=self._get_client,
            )

        judge = ModelJudge(Asker(client, stored_answers, lease.tenant_id, is_stop_requested))
        # Three times the number of concurrent calls, if each document is one passage: some batches are in
        # their first pass, some in their second, and one is being written.
        calls_of_a_batch = BATCH_DOCUMENTS / self._call_size.max_passages
        parallel_batches = max(2, round(3 * client.parallel / calls_of_a_batch))
        return JobExtraction(
            new_extractor, embedder, judge, max_parallel_chunks=parallel_batches, sandbox=self._sandbox
        )

    def _choose_client(self, model: str | None) -> ModelClient | None:
        """Return the client of the model that reads; None for rules. Raises ModelNotOffered."""
        if model is None:
            return self._client
        return None if model == RULES else self._get_client(model)

    def _get_client(self, model: str) -> ModelClient:
        """Return the client for this model of the same server. Raises ModelNotOffered."""
        if self._client is None or model not in (self._client.model, *self._offered_models):
            raise ModelNotOffered
        return self._client.with_model(model)

    def close(self) -> None:
        """Close the client's threads and connections."""
        if self._client is not None:
            self._client.close()
