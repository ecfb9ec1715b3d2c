"""The cost of an ingest, estimated before any model call: documents are parsed and chunked only."""

import math
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.hashing import hash_chunk_text
from app.documents.isolated_parsing import UnparsedDocument, parse_and_split_document_in_child
from app.documents.shapes import Submission
from app.documents.token_counts import count_tokens
from app.domain.table_headers import remove_table_header_from_headings
from app.errors import CitegraphError, InvalidInput, NotFound
from app.extraction.llm.control_claims import (
    are_control_claims_judged_rightly,
    list_control_questions,
    render_control_passage,
)
from app.extraction.shapes import Vocabulary
from app.extraction.vocabulary import build_vocabulary
from app.ids import SpaceId, SpaceKey
from app.ingest.downstream_estimate import estimate_max_downstream_calls
from app.ingest.parse_and_chunk import build_parse_limits
from app.ingest.parts import BATCH_DOCUMENTS
from app.llm.client import REQUEST_PARAMETERS
from app.llm.deadline import raise_if_abandoned
from app.llm.embedding.embedders import is_local_model
from app.llm.model_calls import service as llm
from app.llm.model_calls.asker import MAX_ANSWER_RATIO, CallSize, estimate_token_bounds, split_batches
from app.llm.model_calls.malformed_answer_retries import KeyedPassage
from app.llm.prices import build_price_table, compute_cost_usd, get_publication_date_of_price, has_price
from app.llm.prompts import attributes, claim_check, gleaning
from app.llm.prompts import entities as entity_prompt
from app.llm.prompts import relations as relation_prompt
from app.llm.prompts.shapes import Prompt
from app.llm.servers import get_reading_model
from app.sandbox.process_sandbox import Sandbox, Session
from app.settings import Settings
from app.space_settings import ClaimCheck, EffectiveSettings
from app.tenancy.spaces import service as spaces

# Tokens that the names of pass 1 add to a passage in pass 2: 86, measured on examples/corpus with the double.
NAMES_TOKENS = 90
# Tokens of a passage per name, if pass 2 asks about one name at a time: 15.1 in documents annotated by people
# (Re-DocRED), 14.5 in examples/corpus by rules; a low value is chosen.
TOKENS_A_NAME = 12
# Questions about uncertain names: at most one call for each batch of documents. Their tokens per token of
# chunks, measured with the double: 0.04 on examples/corpus, 0.12 on 2Wiki and HotpotQA, 0.15 on MuSiQue.
DOUBT_TOKENS, DOUBT_ANSWER_TOKENS = 0.15, 0.015
# Tokens that claims add to a passage when a model is asked about them again, and tokens of its verdicts, per
# token of the passage: 1.4 and 1.1 for all that people annotated in Re-DocRED, 0.6 and 0.5 for what rules
# find in examples/corpus. There one passage in ten has an ending to ask about.
CLAIMS_RATIO, VERDICTS_RATIO = 1.4, 1.1
ENDINGS_SHARE = 0.25
# Spaces of the tenant that are asked, the newest first, if the space itself has too few calls.
MAX_SPACES = 5
# Maximum tokens of names and facts per token of chunks: on MuSiQue, HotpotQA and 2Wiki 0.41 by rules, 1.56
# for the triples supplied with these sets.
RULES_TOKEN_RATIO, MODELS_TOKEN_RATIO = 0.45, 1.6


class MeasuredIn(StrEnum):
    """Where the lengths of answers come from."""

    SPACE = "space"
    TENANT = "tenant"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Estimate:
    """An upper estimate for a decision, not a bill: all passes for every passage, and long answers.

    `calls`, tokens and `cost_usd` are those of the passes and of the questions about uncertain names. How
    many tokens will be received is known from `measured_calls` calls of this model in `measured_in`, the
    space itself or another one of the tenant; then `completion_tokens_low` and `cost_usd_low` are the lower
    end of the range of which `completion_tokens` and `cost_usd` are the upper one. Without enough calls
    `measured_in` is "nothing", a fixed upper bound is used, and there is no lower end.
    Reports on communities and summaries of nodes depend on the extracted graph: the fields `later_…` are
    upper bounds for them. `unreadable` documents would be quarantined; `known_chunks` are already in the
    space and are not read again. Without a model (`model` None) all calls, tokens and costs are 0. `model` is
    the configured one, else the one that read the space last. `embedding_cost_usd` is the cost of vectors by
    a server's model. A cost is None if the price is unknown; `unpriced` names the models, and `prices_as_of`
    is the date of the built-in prices.
    """

    documents: int
    unchanged: int
    unreadable: int
    chunks: int
    known_chunks: int
    chunk_tokens: int
    model: str | None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)
    measured_in: MeasuredIn = MeasuredIn.NOTHING
    measured_calls: int = 0
    completion_tokens_low: int | None = None
    cost_usd_low: Decimal | None = None
    later_calls: int = 0
    later_prompt_tokens: int = 0
    later_completion_tokens: int = 0
    later_cost_usd: Decimal | None = Decimal(0)
    embedding_model: str = ""
    embedding_tokens: int = 0
    embedding_cost_usd: Decimal | None = Decimal(0)
    unpriced: tuple[str, ...] = ()
    prices_as_of: date | None = None


class EstimateTimeout(InvalidInput):
    """Parsing the documents takes longer than the time limit of the estimate."""

    code = "estimate_timeout"

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"These documents take over {seconds:.0f} seconds to read: ask about fewer, or hand them in."
        )


@dataclass
class _ParsedTotals:
    """Chunks that a model would read, by hash and as passages, and the numbers for documents with imported
    extractions.
    """

    passages: list[tuple[str, str]] = field(default_factory=list)
    unreadable: int = 0
    imported_chunk_count: int = 0
    imported_tokens: int = 0


def estimate_ingest(
    database: Database,
    space_key: SpaceKey,
    submissions: Sequence[Submission],
    settings: Settings,
    sandbox: Sandbox,
    *,
    readable_space_ids: Collection[SpaceId] | None = None,
    max_parse_seconds: float | None = None,
) -> Estimate:
    """Estimate the ingest of these documents into a space. Writes nothing and calls no model.

    No transaction is open while documents are parsed and counted; parsing may take
    `max_parse_seconds`. Answers are measured in this space, else in one of `readable_space_ids`, by default
    all of the tenant's. Raises EstimateTimeout.
    """
    with database.open_space(*space_key) as space:
        space_settings = space.settings
        new_submissions = documents.select_submissions_to_read(space, submissions)
        model = get_reading_model(settings, space.settings.extraction_model) or llm.find_last_reading_model(
            space
        )
        embedding_model = space.opening_state.embedding_model
    with sandbox.open_session() as session:
        parsed_totals = _parse_new_submissions(
            new_submissions, space_settings, settings, session, max_parse_seconds
        )
    with database.open_space(*space_key) as space:
        known_digests = documents.select_hashes_of_extracted_chunks(
            space, [digest for digest, _ in parsed_totals.passages]
        )
    unread_passages = {
        digest: passage for digest, passage in parsed_totals.passages if digest not in known_digests
    }
    estimate = Estimate(
        documents=len(submissions),
        unchanged=len(submissions) - len(new_submissions),
        unreadable=parsed_totals.unreadable,
        chunks=len(parsed_totals.passages) + parsed_totals.imported_chunk_count,
        known_chunks=len(parsed_totals.passages) - len(unread_passages),
        chunk_tokens=sum(count_tokens(passage) for passage in unread_passages.values()),
        model=model,
    )
    read_tokens = estimate.chunk_tokens + parsed_totals.imported_tokens
    estimate = _build_estimate_with_embedding_cost(estimate, embedding_model, read_tokens, settings)
    if model is None:
        return estimate
    with database.open_space(*space_key) as space:
        downstream = estimate_max_downstream_calls(space, ingested_tokens=read_tokens)
        vocabulary = _disable_claim_check_of_unable_model(
            space, build_vocabulary(space_settings), settings, model
        )
    estimate = replace(
        estimate,
        later_calls=downstream.calls,
        later_prompt_tokens=downstream.prompt_tokens,
        later_completion_tokens=downstream.completion_tokens,
        later_cost_usd=_compute_cost_in_dollars(
            settings, model, downstream.prompt_tokens, downstream.completion_tokens
        ),
        unpriced=tuple(
            {
                model_name: None
                for model_name in (*estimate.unpriced, model)
                if model_name in estimate.unpriced or not has_price(build_price_table(settings), model_name)
            }
        ),
        prices_as_of=estimate.prices_as_of or get_publication_date_of_price(settings, model),
    )
    if not unread_passages:
        return estimate
    passes = _list_extraction_passes(vocabulary, settings, model)
    measured_space, ratios = _find_measured_answer_ratios(
        database,
        space_key,
        {extraction_pass.prompt.purpose: extraction_pass.model for extraction_pass in passes},
        readable_space_ids,
        # No claim is checked where the model is not able to.
        optional_purposes={claim_check.PROMPT.purpose} if vocabulary.claim_check is ClaimCheck.AUTO else (),
    )
    estimate = replace(
        estimate,
        measured_in=measured_space,
        unpriced=tuple(
            dict.fromkeys(
                (
                    *estimate.unpriced,
                    *(
                        extraction_pass.model
                        for extraction_pass in passes
                        if not has_price(build_price_table(settings), extraction_pass.model)
                    ),
                )
            )
        ),
    )
    readable_count = len(new_submissions) - parsed_totals.unreadable
    return _build_estimate_with_extraction_calls(
        estimate, unread_passages, readable_count, passes, ratios, settings
    )


def _parse_new_submissions(
    submissions: Sequence[Submission],
    effective_settings: EffectiveSettings,
    settings: Settings,
    session: Session,
    max_parse_seconds: float | None,
) -> _ParsedTotals:
    totals = _ParsedTotals()
    deadline = None if max_parse_seconds is None else time.monotonic() + max_parse_seconds
    for submission in submissions:
        raise_if_abandoned()
        remaining_seconds = settings.parse_seconds
        if max_parse_seconds is not None and deadline is not None:
            remaining_seconds = min(remaining_seconds, math.ceil(deadline - time.monotonic()))
            if remaining_seconds <= 0:
                raise EstimateTimeout(max_parse_seconds)
        unparsed_document = UnparsedDocument(
            submission.raw,
            submission.format,
            submission.language,
            max_tokens=effective_settings.chunk_tokens,
            max_chunks=settings.max_document_chunks,
            limits=build_parse_limits(settings),
        )
        try:
            text = parse_and_split_document_in_child(
                session, unparsed_document, seconds=remaining_seconds, while_waiting=raise_if_abandoned
            )
        except CitegraphError:
            if deadline is not None and max_parse_seconds is not None and time.monotonic() >= deadline:
                raise EstimateTimeout(max_parse_seconds) from None
            totals.unreadable += 1
            continue
        if submission.format == "extraction":
            # An imported extraction needs no model call.
            totals.imported_chunk_count += len(text.drafts)
            totals.imported_tokens += sum(count_tokens(draft.text) for draft in text.drafts)
            continue
        title = submission.title or text.title or ""
        totals.passages += [
            (
                hash_chunk_text(draft.text),
                entity_prompt.render_passage(
                    draft.text,
                    title=title,
                    heading_path=remove_table_header_from_headings(draft.heading_path),
                ),
            )
            for draft in text.drafts
        ]
    return totals


class _MeasuredRatios(NamedTuple):
    """The lengths of answers by the purpose of their prompt, and where they were measured."""

    measured_in: MeasuredIn
    ratio_by_purpose: Mapping[str, llm.AnswerRatio]


def _find_measured_answer_ratios(
    database: Database,
    space_key: SpaceKey,
    model_by_purpose: Mapping[str, str],
    readable_space_ids: Collection[SpaceId] | None,
    *,
    optional_purposes: Collection[str],
) -> _MeasuredRatios:
    """Return how long the answers for these purposes were, and where; empty if that is unknown for one that
    is not optional.

    Content is walled by space, so each space has a session of its own, the newest readable one first.
    """
    tenant_id, space_id = space_key
    with database.open_tenant(tenant_id) as tenant:
        newest_spaces = spaces.list_newest_space_ids(tenant, space_ids=readable_space_ids, limit=MAX_SPACES)
    for measured_space_id in dict.fromkeys((space_id, *newest_spaces)):
        # One of the others may have been deleted meanwhile.
        with suppress(NotFound), database.open_space(tenant_id, measured_space_id) as space:
            ratios: dict[str, llm.AnswerRatio] = {}
            for model in sorted(set(model_by_purpose.values())):
                purposes = sorted(purpose for purpose, name in model_by_purpose.items() if name == model)
                ratios |= llm.find_answer_length_ratios(space, model=model, purposes=purposes)
            if ratios.keys() >= model_by_purpose.keys() - set(optional_purposes):
                measured_in = MeasuredIn.SPACE if measured_space_id == space_id else MeasuredIn.TENANT
                return _MeasuredRatios(measured_in, ratios)
    return _MeasuredRatios(MeasuredIn.NOTHING, {})


class _Pass(NamedTuple):
    """One pass over the chunks: its prompt and model, and how much it asks and answers.

    `extra_tokens` are added to each passage, and `extra_ratio` for each of its tokens. `answer_ratio` are the
    tokens received for each token of text if no calls were measured, `share` the part of the calls made.
    """

    prompt: Prompt
    model: str
    extra_tokens: int = 0
    extra_ratio: float = 0.0
    answer_ratio: float = MAX_ANSWER_RATIO
    share: float = 1.0

    def count_asked_tokens(self, passage: str) -> int:
        """Return the tokens of a passage as this pass sends it."""
        return int((1 + self.extra_ratio) * count_tokens(passage)) + self.extra_tokens


def _disable_claim_check_of_unable_model(
    space: SpaceSession, vocabulary: Vocabulary, settings: Settings, reading_model: str
) -> Vocabulary:
    """Return the vocabulary without the check of claims if the model has judged control claims wrongly."""
    if vocabulary.claim_check is not ClaimCheck.AUTO:
        return vocabulary
    questions = list_control_questions(one_thing=settings.llm_one_thing)
    model = vocabulary.claim_check_model or reading_model
    keys = [
        claim_check.PROMPT.compute_key(
            render_control_passage(part), model=model, parameters=REQUEST_PARAMETERS
        )
        for part in questions
    ]
    answer_by_key = llm.find_answers(space, keys)
    if len(answer_by_key) < len(keys) or are_control_claims_judged_rightly(
        questions, [answer_by_key[key] for key in keys]
    ):
        return vocabulary
    return replace(vocabulary, claim_check=ClaimCheck.OFF)


def _list_extraction_passes(vocabulary: Vocabulary, settings: Settings, model: str) -> Sequence[_Pass]:
    """Return the passes over each chunk in a space with this vocabulary, read by this model."""
    relations = relation_prompt.build_prompt(
        vocabulary.relation_types,
        open_relations=vocabulary.open_relations,
        is_about_first_name=settings.llm_one_thing,
    )
    passes = [
        _Pass(entity_prompt.build_prompt(vocabulary.node_types), model),
        *[_Pass(gleaning.build_prompt(vocabulary.node_types), model, NAMES_TOKENS)] * vocabulary.gleanings,
        *[_Pass(attributes.PROMPT, model, NAMES_TOKENS)] * bool(vocabulary.attributes),
        _Pass(relations, model, NAMES_TOKENS),
    ]
    if vocabulary.claim_check is not ClaimCheck.OFF:
        passes.append(
            _Pass(
                claim_check.PROMPT,
                vocabulary.claim_check_model or model,
                extra_ratio=CLAIMS_RATIO,
                answer_ratio=VERDICTS_RATIO,
                share=ENDINGS_SHARE if vocabulary.claim_check is ClaimCheck.ENDINGS else 1.0,
            )
        )
    return passes


def _build_estimate_with_extraction_calls(
    base_estimate: Estimate,
    unread_passages: Mapping[str, str],
    readable_document_count: int,
    passes: Sequence[_Pass],
    ratios: Mapping[str, llm.AnswerRatio],
    settings: Settings,
) -> Estimate:
    """Return the estimate with the calls of all passes for the unread passages, given by their hashes."""
    model, chunk_tokens = base_estimate.model, base_estimate.chunk_tokens
    if model is None:
        return base_estimate
    # Questions about uncertain names are asked of the model that reads.
    calls = -(-readable_document_count // BATCH_DOCUMENTS)
    prompt_tokens: Counter[str] = Counter({model: int(DOUBT_TOKENS * chunk_tokens)})
    low_tokens, high_tokens = (
        Counter[str]({model: int(DOUBT_ANSWER_TOKENS * chunk_tokens)}) for _ in range(2)
    )
    for extraction_pass in passes:
        size = _estimate_pass_size(extraction_pass, unread_passages, settings)
        calls += size.calls
        prompt_tokens[extraction_pass.model] += size.prompt_tokens
        ratio = ratios.get(extraction_pass.prompt.purpose)
        if ratio is None:
            high_tokens[extraction_pass.model] += int(
                extraction_pass.share * extraction_pass.answer_ratio * chunk_tokens
            )
        else:
            high_tokens[extraction_pass.model] += int(ratio.max_ratio * size.asked_tokens)
            low_tokens[extraction_pass.model] += int(ratio.min_ratio * size.asked_tokens)
    estimate = replace(
        base_estimate,
        calls=calls,
        prompt_tokens=prompt_tokens.total(),
        completion_tokens=high_tokens.total(),
        cost_usd=_sum_costs_usd(settings, prompt_tokens, high_tokens),
    )
    if not ratios:
        return estimate
    return replace(
        estimate,
        measured_calls=min(ratio.calls for ratio in ratios.values()),
        completion_tokens_low=low_tokens.total(),
        cost_usd_low=_sum_costs_usd(settings, prompt_tokens, low_tokens),
    )


class _PassSize(NamedTuple):
    """The calls of a pass, the tokens that they send, and how many of those are passages."""

    calls: int
    prompt_tokens: int
    asked_tokens: int


def _estimate_pass_size(
    extraction_pass: _Pass, unread_passages: Mapping[str, str], settings: Settings
) -> _PassSize:
    calls = prompt_tokens = asked_tokens = 0
    max_passages = CallSize(settings.llm_passages, settings.llm_one_thing).max_passages
    keyed_passages = list(map(KeyedPassage._make, unread_passages.items()))
    for batch in split_batches(keyed_passages, dict.fromkeys(unread_passages), max_passages):
        passages = [keyed_passage.passage for keyed_passage in batch]
        calls_per_batch = 1
        if extraction_pass.prompt.purpose == "relations" and settings.llm_one_thing:
            # One call for each name except the last, about it and the names after it.
            calls_per_batch = max(1, count_tokens(passages[0]) // TOKENS_A_NAME - 1)
        calls += calls_per_batch
        asked_of_batch = sum(map(extraction_pass.count_asked_tokens, passages))
        sent_tokens, _ = estimate_token_bounds(
            extraction_pass.prompt, extraction_pass.prompt.build_messages(passages), passages
        )
        prompt_tokens += calls_per_batch * (sent_tokens + asked_of_batch - sum(map(count_tokens, passages)))
        asked_tokens += calls_per_batch * asked_of_batch
    return _PassSize(
        *(math.ceil(extraction_pass.share * number) for number in (calls, prompt_tokens, asked_tokens))
    )


def _sum_costs_usd(
    settings: Settings, prompt_tokens: Mapping[str, int], completion_tokens: Mapping[str, int]
) -> Decimal | None:
    """Return the dollars of tokens by model; None if a price is unknown."""
    costs = [
        _compute_cost_in_dollars(settings, model, prompt_tokens[model], completion_tokens.get(model, 0))
        for model in prompt_tokens
    ]
    known_costs = [cost for cost in costs if cost is not None]
    return sum(known_costs, Decimal(0)) if len(known_costs) == len(costs) else None


def _build_estimate_with_embedding_cost(
    estimate: Estimate, model: str, chunk_tokens: int, settings: Settings
) -> Estimate:
    """Return the estimate with the cost of vectors for `read` tokens of chunks, and for their names and
    facts.
    """
    if is_local_model(model):
        return replace(estimate, embedding_model=model)
    tokens = int((1 + (RULES_TOKEN_RATIO if estimate.model is None else MODELS_TOKEN_RATIO)) * chunk_tokens)
    cost = _compute_cost_in_dollars(settings, model, tokens, 0)
    return replace(
        estimate,
        embedding_model=model,
        embedding_tokens=tokens,
        embedding_cost_usd=cost,
        unpriced=(model,) if cost is None else (),
        prices_as_of=get_publication_date_of_price(settings, model),
    )


def _compute_cost_in_dollars(
    settings: Settings, model: str, prompt_tokens: int, completion_tokens: int
) -> Decimal | None:
    """Return the cost in US dollars; None if the model's price is unknown."""
    prices = build_price_table(settings)
    if not has_price(prices, model):
        return None
    return compute_cost_usd(prices, model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
