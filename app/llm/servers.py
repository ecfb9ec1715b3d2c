"""Which model servers an installation has configured, for chat and for embeddings."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.llm.embedding.local_models import LOCAL_MODELS
from app.settings import Settings

DEFAULT_CHAT_MODEL, NO_MODEL = "gpt-4o-mini", "none"
RULES = "rules"
"""The reader that extracts by rules, without a model."""
NO_KEY = "unused"
"""Sent to servers that require a key but do not check it."""
PUBLISHER = "api.openai.com"
PUBLISHER_URL = f"https://{PUBLISHER}/v1"


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The address of an OpenAI-compatible server, and the key for it."""

    base_url: str
    api_key: str

    @property
    def is_publisher(self) -> bool:
        """True for OpenAI's own server, whose models and prices are built in."""
        return urlsplit(self.base_url).hostname == PUBLISHER


def get_chat_model(settings: Settings) -> str | None:
    """Return the model that reads documents, judges and writes; None if none is configured.

    Its server is set by OPENAI_API_KEY, OPENAI_BASE_URL or both, its name by CITEGRAPH_LLM_MODEL; the name
    `none` means no model. The default is gpt-4o-mini, unless the server is not OpenAI's own and only an
    embedding model is named: such a server is assumed to serve embeddings only.
    """
    server = _get_openai_server(settings)
    if server is None:
        return None
    if settings.llm_model:
        return None if settings.llm_model == NO_MODEL else settings.llm_model
    serves_embeddings = settings.embedding_model is not None and settings.embedding_model not in LOCAL_MODELS
    if serves_embeddings and not server.is_publisher and get_embedding_server(settings) == server:
        return None
    return DEFAULT_CHAT_MODEL


def list_extractors_that_spaces_may_choose(settings: Settings) -> list[str]:
    """Return the extractors that a space may choose: the server's models, the default first, and `rules`."""
    default_model = get_chat_model(settings)
    models = [] if default_model is None else [default_model, *settings.llm_models]
    return list(dict.fromkeys([*models, RULES]))


def get_reading_model(settings: Settings, space_choice: str | None) -> str | None:
    """Return the model that reads a space's documents, given the space's choice; None for rules."""
    return (None if space_choice == RULES else space_choice) if space_choice else get_chat_model(settings)


def get_chat_server(settings: Settings) -> ModelServer | None:
    """Return the server of the chat model; None if none is configured."""
    return None if get_chat_model(settings) is None else _get_openai_server(settings)


def get_embedding_server(settings: Settings) -> ModelServer | None:
    """Return the server of embedding models; None if none is configured.

    That is CITEGRAPH_EMBEDDING_BASE_URL and _API_KEY, else the OPENAI_… settings. Neither server is ever sent
    the other's key.
    """
    return _build_server(settings.embedding_base_url, settings.embedding_api_key) or _get_openai_server(
        settings
    )


def _get_openai_server(settings: Settings) -> ModelServer | None:
    server = _build_server(settings.openai_base_url, settings.openai_api_key)
    if server is None and settings.llm_replay is not None:
        # The recording answers for any server.
        return ModelServer(PUBLISHER_URL, NO_KEY)
    return server


def _build_server(base_url: str | None, key: SecretStr | None) -> ModelServer | None:
    if base_url is None and key is None:
        return None
    return ModelServer(base_url or PUBLISHER_URL, key.get_secret_value() if key else NO_KEY)
