"""Every setting of an installation, in one class: read from the environment once, by `wiring`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.errors import ConfigurationError
from app.replica_settings import ReplicaSettings
from app.secret_checks import OperatorKey, OwnSecret, ServerAddress
from app.tenant_quotas import PlatformDefaults


class Settings(PlatformDefaults, ReplicaSettings, BaseSettings):
    """Read from the environment with the prefix CITEGRAPH_; docs/settings.md lists all of them."""

    # No value in an error: it may be a password.
    model_config = SettingsConfigDict(
        env_prefix="CITEGRAPH_", extra="ignore", populate_by_name=True, hide_input_in_errors=True
    )

    @property
    def trusted_subjects(self) -> tuple[str, ...]:
        """`trusted_objects`, each by itself."""
        return tuple(name.strip() for name in self.trusted_objects.split(",") if name.strip())

    @property
    def listed_webhook_hosts(self) -> frozenset[str]:
        """`webhook_hosts`, each by itself."""
        return frozenset(host.strip().lower() for host in self.webhook_hosts.split(",") if host.strip())

    # Servers
    database_url: ServerAddress | None = Field(
        None, description="Postgres as the application sees it; unset means the embedded server."
    )
    migration_database_url: ServerAddress | None = Field(
        None,
        description=(
            "Postgres as a privileged login, for `citegraph migrate` alone; unset means database_url."
        ),
    )
    cluster_url: ServerAddress | None = Field(
        None,
        description=(
            "Coordinator of a Citus cluster as a superuser, for `citegraph distribute --run` and"
            " `citegraph cluster`."
        ),
    )
    database_role: str = Field(
        "citegraph_app", description="Role that every transaction takes on; empty where a host forbids roles."
    )
    read_at_workers: bool = Field(
        True,
        description=(
            "On a Citus cluster: read content at the worker that has it, where that lets the application in."
        ),
    )
    pooler: Literal["auto", "session", "transaction"] = Field(
        "auto",
        description=(
            "How a pooler before Postgres shares its connections: `transaction` prepares no statements; "
            "`session` also says that there is none; `auto` takes a pooler that it notices for the first."
        ),
    )
    allow_privileged_login: bool = Field(
        False,
        description=(
            "Accept a database login that may bypass row security, for hosts that have no other; "
            "transactions take on `database_role` all the same."
        ),
    )
    app_password: OwnSecret | None = Field(
        None, description="Password that `citegraph migrate` gives the login role citegraph_app."
    )
    trusted_objects: str = Field(
        "",
        description=(
            "What `citegraph doctor` need not report though no migration made it, separated by commas: "
            "`role NAME`, `schema NAME`, `extension NAME`, or a subject as it prints it."
        ),
    )
    redis_url: ServerAddress | None = Field(
        None, description="Valkey or Redis; unset means the embedded server."
    )
    home: Path | None = Field(
        None,
        description=(
            "Folder of the embedded servers' data and of local keys; unset means `.citegraph` in this"
            " directory or above it, else the user's own (`~/.local/share/citegraph`)."
        ),
    )

    # Command line
    tenant: str = Field("demo", description="Tenant that the command line acts for, by name or id.")

    # Database client
    pool_size: int = Field(10, ge=1, le=200, description="Connections kept open per process.")
    pool_overflow: int = Field(10, ge=0, le=200, description="Connections opened beyond the pool under load.")
    pool_timeout: float = Field(
        5.0, gt=0, description="Seconds to wait for a connection before answering 503."
    )
    statement_timeout: float = Field(30.0, gt=0, description="Seconds that one SQL statement may take.")
    lock_timeout: float = Field(5.0, gt=0, description="Seconds to wait for a database lock.")

    # HTTP
    host: str = Field("127.0.0.1", description="Address that `citegraph serve` listens on.")
    port: int = Field(
        8080, ge=0, le=65535, description="Port that `citegraph serve` listens on; 0 means any free one."
    )
    operator_key: OperatorKey | None = Field(
        None,
        description=(
            "Key of the platform's operator for /v1/tenants, 32 bytes or more; unset closes those routes."
        ),
    )
    cursor_secret: OwnSecret | None = Field(
        None,
        description="Secret that signs page cursors; unset means one made at start (cursors end with it).",
    )
    max_connections: int = Field(
        1_000,
        ge=10,
        le=100_000,
        description=(
            "Connections of clients that one process holds open; at the limit one that waits makes room."
        ),
    )
    max_connections_per_address: int = Field(
        200,
        ge=0,
        le=100_000,
        description="The same for one client address; 0 means no limit, for where all come through a proxy.",
    )
    keyless_rate: float = Field(
        20.0,
        ge=0,
        description=(
            "Requests a second of one client address without a valid key, over which it gets 429; 0 means no "
            "limit, for where all come through a proxy."
        ),
    )
    keyless_burst: int = Field(
        50, ge=1, description="Requests without a valid key that an address may send at once before that."
    )
    webhook_hosts: str = Field(
        "",
        description=(
            "Hosts, as `name` or `name:port` separated by commas, that webhooks may be sent to though their"
            " addresses are private, and over plain http; all others must be public and https."
        ),
    )
    key_rate: float = Field(
        500.0,
        ge=0,
        description=(
            "Requests a second of one API key, counted in Valkey for all processes; past it 429"
            " `rate_limited`. 0 means no limit."
        ),
    )
    key_burst: int = Field(1_000, ge=1, description="Requests that a key may send at once before that.")
    tenant_rate: float = Field(1_000.0, ge=0, description="The same a second of all keys of a tenant.")
    tenant_burst: int = Field(2_000, ge=1, description="Requests that they may send at once before that.")
    head_timeout: float = Field(10.0, gt=0, description="Seconds that the head of a request may take.")
    transfer_timeout: float = Field(
        10.0,
        gt=0,
        description="Seconds that a body, or an answer left unread, may take beside the time of its bytes.",
    )
    min_transfer_rate: int = Field(
        50_000,
        ge=1,
        description="Bytes a second below which a client sends or reads too slowly.",
    )
    idle_timeout: float = Field(
        10.0, gt=0, description="Seconds that a connection may wait for its next request."
    )
    max_json_bytes: int = Field(1_000_000, ge=1_000, description="Largest JSON body, in bytes.")
    max_upload_bytes: int = Field(25_000_000, ge=1_000, description="Largest uploaded document, in bytes.")
    read_timeout: float = Field(
        5.0, gt=0, description="Seconds that one SQL statement of a read may take; past it 503 `too_slow`."
    )
    answer_timeout: float = Field(
        10.0,
        gt=0,
        description=(
            "The same of a statement that a question needs (retrieve, ask), which reads more than others."
        ),
    )

    # What runs at once in one process: in all, and for each tenant (docs/api.md)
    max_requests: int = Field(512, ge=1, description="Requests open at once, streams included.")
    tenant_requests: int = Field(64, ge=1, description="The same of one tenant.")
    max_queries: int = Field(
        8,
        ge=1,
        description=(
            "Requests at work on the database at once; with CITEGRAPH_LLM_PARALLEL 4 less than the pool and"
            " its overflow, else nothing starts."
        ),
    )
    tenant_queries: int = Field(4, ge=1, description="The same of one tenant: its share of connections.")
    tenant_questions: int = Field(
        4,
        ge=1,
        description="Questions of one tenant that are answered at once, of CITEGRAPH_LLM_PARALLEL in all.",
    )
    max_uploads: int = Field(4, ge=1, description="Submissions of documents received at once.")
    tenant_uploads: int = Field(2, ge=1, description="The same of one tenant.")
    max_estimates: int = Field(2, ge=1, description="Dry runs of submissions that parse at once.")
    tenant_estimates: int = Field(1, ge=1, description="The same of one tenant.")
    max_streams: int = Field(400, ge=1, description="Streams of events open at once.")
    tenant_streams: int = Field(20, ge=1, description="The same of one tenant.")
    max_exports: int = Field(4, ge=1, description="Exports of spaces that are written at once.")
    tenant_exports: int = Field(
        1, ge=1, description="The same of one tenant; one waits 10 seconds for its turn."
    )

    # Documents and ingest
    parse_seconds: int = Field(
        60,
        ge=1,
        description=(
            "Seconds of processor that parsing one PDF or container (DOCX, XLSX, …) may take; any other"
            " document has 15 at most."
        ),
    )
    parse_memory_bytes: int = Field(
        1 << 29,
        ge=1 << 24,
        description=(
            "Memory that the process which reads texts may take on top of its own modules; a document that"
            " needs more fails as `too_large_to_parse`, a chunk is set aside as `chunk_out_of_memory`."
        ),
    )
    chunk_seconds: int = Field(
        3,
        ge=1,
        description=(
            "Seconds of processor that drawing a graph of one chunk may take; past them it is set aside as"
            " `chunk_timeout`."
        ),
    )
    document_seconds: int = Field(
        60,
        ge=1,
        description=(
            "Seconds of processor that chunks of one document which exceed theirs may take together; what is"
            " left of it is then set aside as `document_too_slow`."
        ),
    )
    max_document_characters: int = Field(
        5_000_000,
        ge=1_000,
        description="Characters of one document once read; beyond it fails as `document_too_large`.",
    )
    max_document_rows: int = Field(
        50_000,
        ge=1,
        description=(
            "Rows of a CSV or JSON lines file, objects of a JSON array, turns; beyond `too_many_rows`."
        ),
    )
    max_document_values: int = Field(
        100_000,
        ge=100,
        description="Keys and values of one JSON document; beyond it fails as `too_many_values`.",
    )
    max_document_chunks: int = Field(
        20_000, ge=1, description="Chunks of one document; beyond it fails as `too_many_chunks`."
    )
    max_document_nodes: int = Field(
        50_000,
        ge=1,
        description="Nodes that one document may name; beyond it fails as `too_many_nodes`.",
    )

    # Models
    openai_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("OPENAI_API_KEY", "CITEGRAPH_OPENAI_API_KEY"),
        description="Key of the model server, also read from OPENAI_API_KEY; local servers need none.",
    )
    openai_base_url: str | None = Field(
        None,
        validation_alias=AliasChoices("OPENAI_BASE_URL", "CITEGRAPH_OPENAI_BASE_URL"),
        description=(
            "Any OpenAI-compatible server, ending in /v1; also read from OPENAI_BASE_URL. "
            "With neither this nor a key, `rules` extracts."
        ),
    )
    llm_model: str | None = Field(
        None,
        description=(
            "Model that reads and writes, by the server's name for it; `none` for none. Unset means"
            " gpt-4o-mini, or none where only an embedding model of an OPENAI_BASE_URL is named."
        ),
    )
    llm_models: list[str] = Field(
        [],
        description=(
            "Further models of its server that may be tried on a space, and read its documents, as JSON:"
            ' ["gpt-4o"].'
        ),
    )
    embedding_api_key: SecretStr | None = Field(
        None, description="Key of the server of embeddings, where that is one of its own."
    )
    embedding_base_url: str | None = Field(
        None,
        description=(
            "Server of embeddings alone, OpenAI-compatible, ending in /v1; unset means that of"
            " OPENAI_BASE_URL or OPENAI_API_KEY."
        ),
    )
    embedding_model: str | None = Field(
        None,
        description=(
            "Embedding model of a server; all-minilm-l6-v2-384 runs here (extra `semantic`); unset means"
            " hashed n-grams."
        ),
    )
    embedding_dimensions: int = Field(
        256, ge=1, le=4_000, description="Length of the embedding model's vectors; hashed ones have 256."
    )
    embedding_models: dict[str, Annotated[int, Field(ge=1, le=4_000)]] = Field(
        {},
        description=(
            "Further embedding models of its server that a space may change to, with the length of their "
            'vectors, as JSON: {"text-embedding-3-small": 1536}.'
        ),
    )
    llm_timeout: float = Field(
        60.0, gt=0, description="Seconds that one call to a model may take in all, slow drips included."
    )
    llm_parallel: int = Field(8, ge=1, le=256, description="Calls to models that one process makes at once.")
    llm_passages: int = Field(
        16,
        ge=1,
        le=32,
        description=(
            "Chunks that one call reads at most; fewer for a model too slow to answer for many in time."
        ),
    )
    llm_one_thing: bool = Field(
        False,
        description=(
            "Whether each call asks about one chunk, and of what it states about one name: for small local "
            "models, which lose the thread of longer questions. Costs several times the calls and tokens."
        ),
    )
    llm_record: Path | None = Field(
        None,
        description=(
            "Folder in which every request to a model and its answer is kept, for `citegraph model replay`."
            " It holds what documents say, and no key."
        ),
    )
    llm_replay: Path | None = Field(
        None,
        description=(
            "Folder of recorded conversations that answers in the place of the model servers, none of which"
            " is then asked."
        ),
    )
    llm_prices: dict[str, tuple[float, float]] = Field(
        {},
        description=(
            'Model to US dollars per million tokens sent and received, as JSON: {"gpt-4o-mini": [0.15, 0.6]}.'
            " Those of OpenAI's well-known models are built in, with their date; these come first. A model"
            " without a price is not asked where a budget is set."
        ),
    )

    # Jobs
    job_lease: float = Field(60.0, gt=0, description="Seconds that a lease holds without a heartbeat.")
    job_slice: float = Field(
        5.0,
        ge=0,
        description="Seconds after which a job yields between two batches, where jobs of other tenants wait.",
    )
    job_sweep: float = Field(7.0, gt=0, description="Mean seconds between two sweeps for jobs left behind.")
    job_max_crashes: int = Field(3, ge=1, description="Workers a job may take down before it is set aside.")
    worker_memory_bytes: int = Field(
        450_000_000,
        ge=100_000_000,
        description="Memory past which a process of a worker is replaced by a new one after its job.",
    )
    worker_memory_limit_bytes: int = Field(
        2_000_000_000,
        ge=0,
        description=(
            "Memory that a process of a worker may reserve; a job that needs more fails as `out_of_memory`. 0"
            " means any."
        ),
    )
    worker_concurrency: int = Field(2, ge=1, le=64, description="Jobs that one worker runs at once.")
    worker_metrics_port: int = Field(
        0,
        ge=0,
        le=65_535,
        description="Port of CITEGRAPH_HOST at which a worker serves `/metrics`; 0 means that it does not.",
    )

    # Retrieval
    vector_index_chunks: int = Field(
        10_000,
        ge=100,
        description=(
            "Chunks or nodes above which `citegraph maintain` gives a space's vectors indexed partitions of"
            " their own."
        ),
    )

    audit_days: int = Field(
        400,
        ge=1,
        le=36_500,
        description="Days after which `citegraph maintain` removes entries of the audit.",
    )

    maintain_seconds: float = Field(
        600.0,
        ge=1,
        description=(
            "Seconds between two looks of `citegraph up` for spaces that need vector indexes, or no"
            " longer do."
        ),
    )

    # Communities
    community_delay: float = Field(
        20.0, ge=0, le=86_400, description="Seconds that a graph rests before its communities are detected."
    )

    # Summaries of nodes
    summary_delay: float = Field(
        20.0,
        ge=0,
        le=86_400,
        description="Seconds that a graph rests before the summary gate looks at what changed.",
    )

    # Memory
    recall_seconds: float = Field(
        5.0, gt=0, le=3_600, description="Seconds between two writes of what was recalled and queried."
    )
    recall_buffer: int = Field(
        50_000,
        ge=100,
        description=(
            "Chunks and edges of which one process holds recalls at most; more are dropped and counted."
        ),
    )
    eviction_delay: float = Field(
        60.0, ge=0, le=86_400, description="Seconds after an ingest in which a space with a policy evicts."
    )

    # Logs and traces
    otlp_endpoint: str | None = Field(
        None,
        validation_alias=AliasChoices("OTEL_EXPORTER_OTLP_ENDPOINT", "CITEGRAPH_OTLP_ENDPOINT"),
        description="Receiver of OTLP over HTTP for traces (extra `otel`), also OTEL_EXPORTER_OTLP_ENDPOINT.",
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_json: bool = Field(False, description="One JSON object per log line instead of text for people.")


def read_settings() -> Settings:
    """The settings of the environment. Raises ConfigurationError that names each bad one."""
    try:
        return Settings()
    except ValidationError as error:
        faults = "; ".join(
            f"CITEGRAPH_{'_'.join(map(str, fault['loc'])).upper()}: {fault['msg']}"
            for fault in error.errors()
        )
        raise ConfigurationError(f"A setting cannot be accepted: {faults}.") from None
