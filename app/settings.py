"""Every setting of an installation, in one class: read from the environment once, by `wiring`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from app.errors import ConfigurationError
from app.secret_checks import (
    BrokerAddress,
    HttpAddress,
    OperatorKey,
    OwnSecret,
    ServerAddress,
    ServerAddresses,
)
from app.tenant_quotas import PlatformDefaults


class Settings(PlatformDefaults, BaseSettings):
    """Read from the environment with the prefix CITEGRAPH_; docs/settings.md lists all of them."""

    # No value in an error: it may be a password.
    model_config = SettingsConfigDict(
        env_prefix="CITEGRAPH_", extra="ignore", populate_by_name=True, hide_input_in_errors=True
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return arguments and environment as the only sources: no .env file, no folder of secrets."""
        return init_settings, env_settings

    @property
    def trusted_subjects(self) -> tuple[str, ...]:
        """`trusted_objects`, each by itself."""
        return tuple(name.strip() for name in self.trusted_objects.split(",") if name.strip())

    @property
    def listed_webhook_hosts(self) -> frozenset[str]:
        """`webhook_hosts`, each by itself."""
        return frozenset(host.strip().lower() for host in self.webhook_hosts.split(",") if host.strip())

    @property
    def replica_addresses(self) -> tuple[str, ...]:
        """`replica_urls`, each by itself."""
        return tuple(self.replica_urls.split())

    # Servers
    database_url: ServerAddress | None = Field(
        None, description="Postgres as the application sees it; unset means the embedded server."
    )
    migration_database_url: ServerAddress | None = Field(
        None,
        description="Postgres as a privileged login, only for `citegraph migrate`; unset means database_url.",
    )
    replica_urls: ServerAddresses = Field(
        "",
        description=(
            "Postgres streaming replicas with the application's login, separated by spaces; read-only"
            " sessions use them. Set it for every process, workers included."
        ),
    )
    replica_max_lag: float = Field(
        10.0, gt=0, le=3600, description="Seconds that a replica may lag behind and still be read."
    )
    cluster_url: ServerAddress | None = Field(
        None,
        description=(
            "Coordinator of a Citus cluster as a superuser, for `citegraph distribute --run` and"
            " `citegraph cluster`."
        ),
    )
    database_role: str = Field(
        "citegraph_app", description="Role that every transaction uses; empty if a host forbids roles."
    )
    read_at_workers: bool = Field(
        True,
        description=(
            "On a Citus cluster, read content directly at the worker that has it, if the worker lets the"
            " application log in."
        ),
    )
    pooler: Literal["auto", "session", "transaction"] = Field(
        "auto",
        description=(
            "How a pooler in front of Postgres shares its connections. With `transaction` no statements"
            " are prepared; `session` also means that there is no pooler; `auto` treats a pooler that it"
            " detects as `transaction`."
        ),
    )
    allow_privileged_login: bool = Field(
        False,
        description=(
            "Accept a database login that may bypass row security, for hosts that offer no other;"
            " transactions still use `database_role`."
        ),
    )
    app_password: OwnSecret | None = Field(
        None, description="Password that `citegraph migrate` gives the login role citegraph_app."
    )
    trusted_objects: str = Field(
        "",
        description=(
            "Objects that `citegraph doctor` does not report although no migration created them,"
            " separated by commas: `role NAME`, `schema NAME`, `extension NAME`, or a subject as the"
            " doctor prints it."
        ),
    )
    redis_url: BrokerAddress | None = Field(
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
        description=(
            "Secret that signs page cursors; unset means one generated at start, with which its cursors"
            " expire."
        ),
    )
    max_connections: int = Field(
        1_000,
        ge=10,
        le=100_000,
        description="Client connections that one process keeps open; at the limit, an idle one is closed.",
    )
    max_connections_per_address: int = Field(
        200,
        ge=0,
        le=100_000,
        description="The same for one client address; 0 means no limit, for installations behind a proxy.",
    )
    keyless_rate: float = Field(
        20.0,
        ge=0,
        description=(
            "Requests a second from one client address without a valid key; beyond it 429. 0 means no"
            " limit, for installations behind a proxy."
        ),
    )
    keyless_burst: int = Field(
        50, ge=1, description="Burst of requests without a valid key from one address."
    )
    webhook_hosts: str = Field(
        "",
        description=(
            "Hosts, as `name` or `name:port` separated by commas, that webhooks may use although their"
            " addresses are private, also over plain http; all others must be public and https."
        ),
    )
    key_rate: float = Field(
        500.0,
        ge=0,
        description=(
            "Requests a second of one API key, counted in Valkey for all processes; beyond it 429"
            " `rate_limited`. 0 means no limit."
        ),
    )
    key_burst: int = Field(1_000, ge=1, description="Burst of requests of one key.")
    tenant_rate: float = Field(1_000.0, ge=0, description="Requests a second of all keys of a tenant.")
    tenant_burst: int = Field(2_000, ge=1, description="Burst of requests of all keys of a tenant.")
    head_timeout: float = Field(10.0, gt=0, description="Seconds that the head of a request may take.")
    transfer_timeout: float = Field(
        10.0,
        gt=0,
        description=(
            "Seconds that a body, or a response that is not read, may take in addition to the time for"
            " its bytes."
        ),
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
        5.0, gt=0, description="Seconds that one SQL statement of a read may take; beyond it 503 `too_slow`."
    )
    answer_timeout: float = Field(
        10.0,
        gt=0,
        description="The same for a statement of a question (retrieve, ask), which reads more than others.",
    )

    # What runs at once in one process: in all, and for each tenant (docs/api.md)
    max_requests: int = Field(512, ge=1, description="Concurrent requests, streams included.")
    tenant_requests: int = Field(64, ge=1, description="The same for one tenant.")
    max_queries: int = Field(
        8,
        ge=1,
        description=(
            "Requests that use the database at once. The sum with CITEGRAPH_LLM_PARALLEL must not exceed"
            " the pool and its overflow minus 4, or the process does not start."
        ),
    )
    tenant_queries: int = Field(4, ge=1, description="The same for one tenant: its share of connections.")
    tenant_questions: int = Field(
        4,
        ge=1,
        description=(
            "Questions of one tenant that are answered at once; CITEGRAPH_LLM_PARALLEL limits those of"
            " all tenants."
        ),
    )
    max_uploads: int = Field(4, ge=1, description="Submissions of documents received at once.")
    tenant_uploads: int = Field(2, ge=1, description="The same for one tenant.")
    max_estimates: int = Field(2, ge=1, description="Dry runs of submissions that parse at once.")
    tenant_estimates: int = Field(1, ge=1, description="The same for one tenant.")
    max_streams: int = Field(400, ge=1, description="Streams of events open at once.")
    tenant_streams: int = Field(20, ge=1, description="The same for one tenant.")
    max_exports: int = Field(4, ge=1, description="Exports of spaces that are written at once.")
    tenant_exports: int = Field(
        1, ge=1, description="The same for one tenant; another one waits 10 seconds for its turn."
    )

    # Documents and ingest
    parse_seconds: int = Field(
        60,
        ge=1,
        description=(
            "CPU seconds for parsing one PDF or container (DOCX, XLSX, …); other documents have at most 15."
        ),
    )
    parse_memory_bytes: int = Field(
        1 << 29,
        ge=1 << 24,
        description=(
            "Memory that the process which reads texts may use in addition to its own modules. A document"
            " that needs more fails as `too_large_to_parse`, and a chunk is quarantined as"
            " `chunk_out_of_memory`."
        ),
    )
    chunk_seconds: int = Field(
        3,
        ge=1,
        description=(
            "CPU seconds for extracting the graph of one chunk; beyond it the chunk is quarantined as"
            " `chunk_timeout`."
        ),
    )
    document_seconds: int = Field(
        60,
        ge=1,
        description=(
            "CPU seconds that the failed chunks of one document may use together; beyond it the remaining"
            " chunks are quarantined as `document_too_slow`."
        ),
    )
    max_document_characters: int = Field(
        5_000_000,
        ge=1_000,
        description=(
            "Characters of the text of one document; beyond it the document fails as `document_too_large`."
        ),
    )
    max_document_rows: int = Field(
        50_000,
        ge=1,
        description=(
            "Rows of a CSV or JSON lines file, objects of a JSON array, or turns; beyond it the document"
            " fails as `too_many_rows`."
        ),
    )
    max_document_values: int = Field(
        100_000,
        ge=100,
        description="Keys and values of a JSON document; beyond it the document fails as `too_many_values`.",
    )
    max_document_chunks: int = Field(
        20_000, ge=1, description="Chunks of one document; beyond it the document fails as `too_many_chunks`."
    )
    max_document_nodes: int = Field(
        50_000,
        ge=1,
        description="Nodes of one document; beyond it the document fails as `too_many_nodes`.",
    )

    # Models
    openai_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("OPENAI_API_KEY", "CITEGRAPH_OPENAI_API_KEY"),
        description="Key of the model server, also read from OPENAI_API_KEY; local servers need none.",
    )
    openai_base_url: HttpAddress | None = Field(
        None,
        validation_alias=AliasChoices("OPENAI_BASE_URL", "CITEGRAPH_OPENAI_BASE_URL"),
        description=(
            "Any OpenAI-compatible server, ending in /v1; also read from OPENAI_BASE_URL. With neither"
            " this nor a key, the rules extract."
        ),
    )
    llm_model: str | None = Field(
        None,
        description=(
            "Model that extracts and writes, by the server's name for it; `none` turns it off. Unset"
            " means gpt-4o-mini, or none if only an embedding model of an OPENAI_BASE_URL is named."
        ),
    )
    llm_models: list[str] = Field(
        [],
        description=(
            "Further models of the same server that trials may use and that may read a space's documents,"
            ' as JSON: ["gpt-4o"].'
        ),
    )
    embedding_api_key: SecretStr | None = Field(
        None, description="Key of the embedding server, if it is a separate one."
    )
    embedding_base_url: HttpAddress | None = Field(
        None,
        description=(
            "Separate embedding server, OpenAI-compatible, ending in /v1; unset means that of"
            " OPENAI_BASE_URL or OPENAI_API_KEY."
        ),
    )
    embedding_model: str | None = Field(
        None,
        description=(
            "Embedding model of a server; all-minilm-l6-v2-384 runs locally (extra `semantic`); unset"
            " means hashed n-grams."
        ),
    )
    embedding_dimensions: int = Field(
        256, ge=1, le=4_000, description="Length of the embedding model's vectors; hashed ones have 256."
    )
    embedding_models: dict[str, Annotated[int, Field(ge=1, le=4_000)]] = Field(
        {},
        description=(
            "Further embedding models of the same server that a space may change to, with the length of"
            ' their vectors, as JSON: {"text-embedding-3-small": 1536}.'
        ),
    )
    llm_timeout: float = Field(
        60.0, gt=0, description="Seconds that one call to a model may take in total, slow streams included."
    )
    llm_parallel: int = Field(8, ge=1, le=256, description="Calls to models that one process makes at once.")
    llm_passages: int = Field(
        16,
        ge=1,
        le=32,
        description=(
            "Maximum number of chunks in one call; use fewer if a model is too slow to answer for many in"
            " time."
        ),
    )
    llm_one_thing: bool = Field(
        False,
        description=(
            "Ask about one chunk and one name in each call, for small local models that do not follow"
            " longer questions reliably. It needs several times as many calls and tokens."
        ),
    )
    llm_record: Path | None = Field(
        None,
        description=(
            "Folder that stores every request to a model and its response, for `citegraph model replay`."
            " It contains text of documents, but no key."
        ),
    )
    llm_replay: Path | None = Field(
        None,
        description="Folder of recorded calls, from which models are answered; no model server is asked.",
    )
    llm_prices: dict[str, tuple[float, float]] = Field(
        {},
        description=(
            'US dollars per million tokens sent and received for each model, as JSON: {"gpt-4o-mini":'
            " [0.15, 0.6]}. Prices of OpenAI's well-known models are built in, with their date; these take"
            " precedence. If there is a budget, a model without a price is refused."
        ),
    )

    # Jobs
    job_lease: float = Field(
        60.0, gt=0, description="Seconds for which a lease is valid without a heartbeat."
    )
    job_slice: float = Field(
        5.0,
        ge=0,
        description="Seconds after which a job yields between two batches, if jobs of other tenants wait.",
    )
    job_sweep: float = Field(7.0, gt=0, description="Mean seconds between two sweeps for abandoned jobs.")
    job_max_crashes: int = Field(
        3, ge=1, description="Workers that a job may crash before it is quarantined."
    )
    worker_memory_bytes: int = Field(
        450_000_000,
        ge=100_000_000,
        description="Memory beyond which a process of a worker is replaced by a new one after its job.",
    )
    worker_memory_limit_bytes: int = Field(
        2_000_000_000,
        ge=0,
        description=(
            "Memory that a process of a worker may reserve; a job that needs more fails as"
            " `out_of_memory`. 0 means no limit."
        ),
    )
    worker_concurrency: int = Field(2, ge=1, le=64, description="Jobs that one worker runs at once.")
    worker_metrics_port: int = Field(
        0,
        ge=0,
        le=65_535,
        description="Port of CITEGRAPH_HOST at which a worker serves `/metrics`; 0 turns it off.",
    )

    # Retrieval
    vector_index_chunks: int = Field(
        10_000,
        ge=100,
        description=(
            "Chunks or nodes above which `citegraph maintain` creates indexed partitions for the vectors"
            " of a space."
        ),
    )

    audit_days: int = Field(
        400,
        ge=1,
        le=36_500,
        description="Days after which `citegraph maintain` removes audit entries.",
    )

    maintain_seconds: float = Field(
        600.0,
        ge=1,
        description=(
            "Seconds between two checks of `citegraph up` for spaces that need vector indexes, or no"
            " longer do."
        ),
    )

    # Communities
    community_delay: float = Field(
        20.0,
        ge=0,
        le=86_400,
        description="Seconds without changes of a graph before its communities are detected.",
    )

    # Summaries of nodes
    summary_delay: float = Field(
        20.0,
        ge=0,
        le=86_400,
        description="Seconds without changes of a graph before the summary gate evaluates the changes.",
    )

    # Memory
    recall_seconds: float = Field(
        5.0, gt=0, le=3_600, description="Seconds between two writes of recalls and queries."
    )
    recall_buffer: int = Field(
        50_000,
        ge=100,
        description="Chunks and edges whose recalls one process buffers; more are dropped and counted.",
    )
    eviction_delay: float = Field(
        60.0,
        ge=0,
        le=86_400,
        description="Seconds between an ingest and the eviction of a space with a policy.",
    )

    # Logs and traces
    otlp_endpoint: HttpAddress | None = Field(
        None,
        validation_alias=AliasChoices("OTEL_EXPORTER_OTLP_ENDPOINT", "CITEGRAPH_OTLP_ENDPOINT"),
        description="Receiver of OTLP over HTTP for traces (extra `otel`), also OTEL_EXPORTER_OTLP_ENDPOINT.",
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_json: bool = Field(False, description="One JSON object per log line instead of text for people.")


def read_settings() -> Settings:
    """Return the settings of the environment. Raises ConfigurationError, which names each invalid one."""
    try:
        return Settings()
    except ValidationError as error:
        faults_text = "; ".join(
            f"CITEGRAPH_{'_'.join(map(str, fault['loc'])).upper()}: {fault['msg']}"
            for fault in error.errors()
        )
        raise ConfigurationError(f"A setting cannot be accepted: {faults_text}.") from None
