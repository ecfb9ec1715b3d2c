"""Every limit that a caller can meet, once: what is limited, the number, for whom, and what happens beyond
it.

Code reads the fixed numbers from here. Those that are settings are in `settings.py` and `space_settings.py`,
and only named here. docs/limits.md is generated from this file.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Scope(StrEnum):
    """To whom a limit applies, and so who can change it."""

    FIXED = "fixed"
    PLATFORM = "platform"
    TENANT = "tenant"
    SPACE = "space"


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of `quantity`, such as "headers of a request". `refusal` is the error code above it, or says
    what happens instead.

    `maximum` is the number, if it is fixed; else it is 0, and `setting` names the setting that has the
    number.
    """

    quantity: str
    maximum: int = 0
    refusal: str = ""
    scope: Scope = Scope.FIXED
    setting: str = ""


# Requests.
HEADERS = Limit("headers of a request", 100, "headers_too_large")
HEADER_BYTES = Limit("bytes of all headers of a request", 32_768, "headers_too_large")
BODY_DEPTH = Limit("levels of a JSON body", 20, "too_deep")
BODY_KEYS = Limit("keys of a JSON body", 1_000, "too_many_keys")
BODY_VALUES = Limit("values of a JSON body", 20_000, "too_many_values")
BODY_PIECES = Limit("chunks of a chunked body with a mean length below 256 bytes", 4_000, "malformed_request")
FORM_FILES = Limit("files in a form", 100, "malformed_body")
FORM_FIELDS = Limit("fields of a form in addition to its files", 20, "malformed_body")
FORM_FIELD_BYTES = Limit("bytes of a field of a form", 65_536, "malformed_body")
MARKS = Limit("combining marks in a row", 30, "too_many_marks; of a document the others are left out")
"""The limit of Unicode's stream-safe text format (UAX 15), which is above the needs of every script."""
PAGE = Limit("items on a page", 200, "invalid_input; at other doors `limit_out_of_range`")
IDEMPOTENT_ANSWER_BYTES = Limit(
    "bytes of a response that is stored for its Idempotency-Key", 262_144, "answer_not_kept"
)

# Texts of a request.
NAME_BYTES = Limit("bytes of a name or title", 200, "too_long")
ADDRESS_BYTES = Limit("bytes of a document's address", 1_000, "too_long")
REMARK_BYTES = Limit("bytes of a description, reason or turn", 4_000, "too_long")
SEARCH_BYTES = Limit("bytes of a question or search words", 1_000, "too_long")
TYPE_NAME_BYTES = Limit("bytes of a node type, relation type or tag", 100, "too_long")
NODE_NAME = Limit("characters of a node's name given by a person", 300, "bad_name")
METADATA_BYTES = Limit("bytes of a document's metadata as JSON", 16_384, "too_long")
PASSWORD = Limit("characters of a password (at least 12)", 200, "password_length")
WEBHOOK_URL = Limit(
    "characters of a webhook's address", 2_048, "too_long; at other doors `webhook_address_refused`"
)

# Documents.
DOCUMENTS = Limit("documents submitted in one request", 100, "too_long")
DOCUMENTS_CHANGED = Limit("documents moved or removed in one request", 200, "too_long")
DOCUMENT_PAGES = Limit("pages of a PDF, slides of a presentation", 2_000, "too_many_pages")
DOCUMENT_DEPTH = Limit("levels of a JSON document", 20, "too_deep")
MAIL_PARTS = Limit("parts of a mail", 1_000, "damaged_document")
MAIL_DEPTH = Limit("levels of mails attached to mails", 5, "the innermost are left out")
ARCHIVE_ENTRIES = Limit("files of an archive", 2_000, "archive_refused")
ARCHIVE_BYTES = Limit(
    "unpacked bytes of an archive",
    100 * 1024 * 1024,
    "archive_refused; of an archive of documents `archive_bomb`",
)
# Word's own XML deflates by 10 to 30; a bomb by 1,000. Small parts may be as regular as they like.
ARCHIVE_RATIO = Limit(
    "ratio of the unpacked size of an archive's entry to its packed size",
    200,
    "archive_refused",
)
ARCHIVE_DEPTH = Limit("levels of nested archives and mails", 3, "archive_refused")
TEXT_PART = Limit("characters of one part of a document's text", 100_000, "invalid_input")
TEXT_PART_CHUNKS = Limit("chunks of one part of a document's text", 200, "the part is shorter")
TEXT_PART_RANGES = Limit(
    "mentions, and claims, of one part of a document's text", 2_000, "`truncated` is true"
)
RETRIED_DOCUMENTS = Limit("documents retried by one call", 1_000, "the oldest are retried")
QUARANTINED_SHOWN = Limit("quarantined chunks listed with a document", 100, "the others are counted")
IMPORT_ROWS = Limit("rows of an import, which one transaction writes", 200_000, "import_too_large")
IMPORT_CHARACTERS = Limit(
    "characters of all texts of an import, including gaps between chunks", 100_000_000, "import_too_large"
)
IMPORT_LINE = Limit("bytes of a line of an import", 4_000_000, "import_bad_line")

# The graph.
HOPS = Limit("edges of a path of explain", 2, "invalid_input; at other doors `max_hops_out_of_range`")
FACTS = Limit("facts of explain", 500, "invalid_input; at other doors `limit_out_of_range`")
FAN_OUT = Limit("edges of a node that explain follows", 100, "fan_out_out_of_range")
NEIGHBORHOOD_DEPTH = Limit("hops of a neighborhood", 3, "invalid_input; at other doors `depth_out_of_range`")
SUBGRAPH_SEEDS = Limit(
    "nodes in a request for neighbors", 100, "too_long; at other doors `node_ids_out_of_range`"
)
SUBGRAPH_NODES = Limit("nodes of a neighborhood", 1_000, "max_nodes_out_of_range")
SUBGRAPH_EDGES = Limit("edges of a neighborhood", 5_000, "max_edges_out_of_range")
FILTER_TYPES = Limit("types in a filter", 50, "too_long")
SEARCH_WORDS = Limit("words of a search for nodes", 10, "words_out_of_range")
SPLIT_IDS = Limit("chunks, and documents, in a request for a split", 1_000, "too_long")
SPLIT_MENTIONS = Limit("mentions that a split moves", 10_000, "too_many_mentions")
TAG_CANDIDATES = Limit("candidate tags in a request", 100, "too_long; at other doors `too_many_tags`")
PICTURE_OPENED = Limit("communities open in a picture", 40, "opened_out_of_range")
PICTURE_SHOWN = Limit("nodes requested explicitly for a picture", 200, "shown_out_of_range")
DIMENSIONS = Limit("dimensions of an embedding", 4_000, "invalid_input")

# Questions.
QUESTION = Limit("characters of a question or search text", 1_000, "too_long")
TURNS = Limit("earlier turns sent with a question", 10, "too_long; at other doors `too_many_turns`")
TURN = Limit("characters of an earlier turn", 4_000, "too_long")
TABLE_CHUNKS = Limit(
    "further chunks of tables that an answer without a model reads for their rows", 200, "`truncated` says so"
)
PASSAGES = Limit("passages of retrieve", 100, "invalid_input; at other doors `top_k_out_of_range`")
TOOL_NODES = Limit("nodes that an MCP tool returns", 50, "invalid_arguments")
TOOL_FACTS = Limit("facts that an MCP tool returns", 50, "invalid_arguments")
TOOL_PASSAGES = Limit("passages that an MCP tool returns", 20, "invalid_arguments")
TOOL_GOLDEN = Limit("golden questions that an MCP tool lists", 100, "`truncated` is true")
TOOL_GOLDEN_RUNS = Limit("runs of golden questions that an MCP tool lists", 10, "`truncated` is true")
TOOL_SPACES = Limit("spaces that an MCP tool lists", 100, "`truncated` is true")

# Jobs, usage and webhooks.
USAGE_DAYS = Limit("days in a list of usage", 366, "invalid_input")
JOB_ERRORS = Limit("errors shown with a job", 100, "the first are shown")
STREAM_SECONDS = Limit("seconds of one stream of a job's events", 3_600, "the stream ends")
ESTIMATE_SECONDS = Limit("seconds of a dry run", 60, "estimate_timeout")
TRIAL_CHUNKS = Limit("chunks of a trial", 500, "invalid_input; at other doors `trial_size`")
GOLDEN_QUESTIONS = Limit("golden questions of a space", 1_000, "too_many_golden_questions")
GOLDEN_QUESTION = Limit(
    "characters of a golden question", 1_000, "too_long; at other doors `bad_golden_question`"
)
GOLDEN_EXPECTED = Limit(
    "expected answers, or sources, of a golden question", 20, "too_long; at other doors `bad_golden_question`"
)
GOLDEN_EXPECTED_TEXT = Limit(
    "characters of an expected answer or source", 1_000, "too_long; at other doors `bad_golden_question`"
)
WEBHOOKS = Limit("webhooks of a tenant", 20, "quota_exceeded")
WEBHOOK_PENDING = Limit(
    "messages that wait for a webhook", 5_000, "webhook_full; messages of events are dropped"
)

FIXED_LIMITS: Final = {name: limit for name, limit in globals().items() if isinstance(limit, Limit)}


def _build_platform_limit(setting: str, quantity: str, refusal: str) -> Limit:
    return Limit(quantity, refusal=refusal, scope=Scope.PLATFORM, setting=setting)


def _build_tenant_limit(setting: str, quantity: str, refusal: str) -> Limit:
    return Limit(quantity, refusal=refusal, scope=Scope.TENANT, setting=setting)


SETTING_LIMITS: Final[tuple[Limit, ...]] = (
    _build_platform_limit("max_json_bytes", "bytes of a JSON body", "payload_too_large"),
    _build_platform_limit(
        "max_upload_bytes", "bytes of a document, of all files of a form", "payload_too_large"
    ),
    _build_platform_limit("max_connections", "connections to one process", "busy"),
    _build_platform_limit(
        "max_connections_per_address", "connections of one address (of IPv6, of one /64)", "busy"
    ),
    _build_platform_limit(
        "keyless_rate", "requests a second of one address without a valid key", "too_many_without_key"
    ),
    _build_platform_limit("keyless_burst", "burst of these requests", "too_many_without_key"),
    _build_platform_limit("key_rate", "requests a second of one key", "rate_limited"),
    _build_platform_limit("key_burst", "burst of these requests", "rate_limited"),
    _build_platform_limit(
        "head_timeout", "seconds until the head of a request has arrived", "request_timeout"
    ),
    _build_platform_limit(
        "transfer_timeout", "seconds for a body, in addition to the time for its size", "request_timeout"
    ),
    _build_platform_limit("min_transfer_rate", "minimum bytes a second of a body", "request_timeout"),
    _build_platform_limit("idle_timeout", "seconds that a connection may be idle", "the connection ends"),
    _build_platform_limit("read_timeout", "seconds of one statement of a read", "too_slow"),
    _build_platform_limit("answer_timeout", "seconds of one statement of retrieve and ask", "too_slow"),
    _build_platform_limit(
        "pool_timeout", "seconds of waiting for a connection to the database", "database_busy"
    ),
    _build_platform_limit("statement_timeout", "seconds of any other statement", "too_slow"),
    _build_platform_limit("lock_timeout", "seconds of waiting for a lock", "database_busy"),
    _build_platform_limit("max_requests", "requests open in one process", "busy"),
    _build_platform_limit("max_queries", "requests of one process at work on the database", "busy"),
    _build_platform_limit("max_uploads", "submissions received by one process at once", "busy"),
    _build_platform_limit("max_estimates", "dry runs of one process at once", "busy"),
    _build_platform_limit("max_streams", "streams of events of one process", "busy"),
    _build_platform_limit("max_exports", "exports of one process at once", "busy"),
    _build_platform_limit("llm_parallel", "questions of one process at once", "busy"),
    _build_tenant_limit("tenant_requests", "requests of one tenant open", "too_many_requests"),
    _build_tenant_limit(
        "tenant_queries", "requests of one tenant at work on the database", "too_many_requests"
    ),
    _build_tenant_limit("tenant_questions", "questions of one tenant at once", "too_many_questions"),
    _build_tenant_limit("tenant_uploads", "submissions of one tenant at once", "too_many_uploads"),
    _build_tenant_limit("tenant_estimates", "dry runs of one tenant at once", "too_many_estimates"),
    _build_tenant_limit("tenant_streams", "streams of events of one tenant", "too_many_streams"),
    _build_tenant_limit("tenant_exports", "exports of one tenant at once", "too_many_exports"),
    _build_tenant_limit("tenant_rate", "requests a second of one tenant", "rate_limited"),
    _build_tenant_limit("tenant_burst", "burst of these requests", "rate_limited"),
    _build_tenant_limit("tenant_documents", "documents of one tenant", "quota_exceeded"),
    _build_tenant_limit("tenant_bytes", "bytes of one tenant's documents", "quota_exceeded"),
    _build_tenant_limit("tenant_chunks", "chunks of one tenant", "quota_exceeded"),
    _build_tenant_limit("tenant_nodes", "nodes of one tenant", "quota_exceeded"),
    _build_tenant_limit("tenant_spaces", "spaces of one tenant", "quota_exceeded"),
    _build_tenant_limit("tenant_queued_jobs", "ingest jobs of one tenant that wait", "too_many_jobs"),
    _build_tenant_limit(
        "tenant_tokens", "tokens that models read and write in a month", "quota_exceeded; jobs wait"
    ),
    _build_platform_limit("parse_seconds", "CPU seconds for parsing a document", "parse_timeout"),
    _build_platform_limit(
        "parse_memory_bytes", "bytes of memory for reading a document or chunk", "too_large_to_parse"
    ),
    _build_platform_limit("chunk_seconds", "CPU seconds for a chunk", "chunk_timeout"),
    _build_platform_limit(
        "document_seconds", "CPU seconds for all failed chunks of a document", "document_too_slow"
    ),
    _build_platform_limit("max_document_characters", "characters of a document", "document_too_large"),
    _build_platform_limit("max_document_rows", "rows of a table or file of records", "too_many_rows"),
    _build_platform_limit("max_document_values", "values of a JSON document", "too_many_values"),
    _build_platform_limit("max_document_chunks", "chunks of a document", "too_many_chunks"),
    _build_platform_limit("max_document_nodes", "nodes that a document names", "too_many_nodes"),
    _build_platform_limit(
        "job_slice", "seconds until a job yields to tenants that wait", "it continues after them"
    ),
    _build_platform_limit(
        "worker_memory_bytes",
        "bytes of memory after which a worker's child is replaced",
        "it is replaced after its job",
    ),
    _build_platform_limit(
        "worker_memory_limit_bytes", "bytes of memory of a worker's child", "out_of_memory"
    ),
    Limit("tokens of a chunk", refusal="the text is cut", scope=Scope.SPACE, setting="chunk_tokens"),
    Limit(
        "tokens of an answer's context",
        refusal="the last are left out",
        scope=Scope.SPACE,
        setting="context_tokens",
    ),
    Limit("facts of a context", refusal="the last are left out", scope=Scope.SPACE, setting="max_facts"),
    Limit(
        "edges of a node that retrieval follows",
        refusal="`truncated` is true",
        scope=Scope.SPACE,
        setting="fan_out",
    ),
    Limit("tags of a node", refusal="the last are left out", scope=Scope.SPACE, setting="max_tags"),
    Limit("dollars a month for models", refusal="budget_exhausted", scope=Scope.SPACE, setting="budget_usd"),
)
