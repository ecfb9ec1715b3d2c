"""Recorded requests to model servers: a folder with one file for each request and its response.

A request is identified by its path and body, without the prompt's random fence and without today's date.
Request headers are not stored, and the server's key is masked everywhere. Files are written atomically, so
that several processes can record into one folder.
"""

import base64
import binascii
import hashlib
import json
import os
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from app.errors import ConfigurationError
from app.ids import create_id
from app.llm.prompts.answer import mask_today
from app.llm.prompts.fence import mask_fence
from app.settings import Settings
from app.tenant_quotas import PlatformDefaults

FILE_FORMAT_VERSION = 1
"""Version of the file format; other versions are refused."""
MASK = "***"
SETTINGS_FILE = "settings.json"
RECORDED_SETTINGS = frozenset(
    {
        *("openai_base_url", "llm_model", "llm_passages", "llm_one_thing", "llm_prices"),
        "llm_models",
        *("embedding_base_url", "embedding_model", "embedding_dimensions", "embedding_models"),
        *PlatformDefaults.model_fields,
    }
)
"""The settings that determine the requests sent and their prices; none of them is a key."""
# The response headers that the client evaluates.
RECORDED_HEADERS = ("content-type", "content-encoding", "retry-after")
_EXCHANGE_FILE_NAME = re.compile(r"([0-9a-f]{64})-([0-9a-f-]{36})\.json")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response.

    `error` is `timeout` or `connection` if it broke off, else None; `status` is 0 if nothing came back.
    `seconds` is the time from the request to the end of the response.
    """

    server: str
    path: str
    request: Mapping[str, Any]
    at: str
    seconds: float
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: bytes = b""
    error: str | None = None


def compute_request_key(path: str, body: Mapping[str, Any]) -> str:
    """Return a SHA-256 digest that is equal for requests that ask the same."""
    request = {**body}
    messages = request.get("messages")
    if isinstance(messages, list):
        request["messages"] = [_normalize_message(message) for message in messages]
    request_json = json.dumps([path, request], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(request_json.encode(errors="surrogatepass")).hexdigest()


def _normalize_message(message: Any) -> Any:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str):
        return message
    return {**message, "content": mask_today(mask_fence(content))}


def strip_credentials(url: str) -> str:
    """Return the URL without user name, password, query and fragment."""
    split_url = urlsplit(url)
    host = f"[{split_url.hostname}]" if ":" in (split_url.hostname or "") else split_url.hostname or ""
    port = "" if split_url.port is None else f":{split_url.port}"
    return urlunsplit((split_url.scheme, host + port, split_url.path, "", ""))


class ConversationFolder:
    """A folder to record exchanges in, readable only by its owner."""

    def __init__(self, folder: Path) -> None:
        """Create the folder if it is missing. Raises ConfigurationError if it is not writable."""
        self._folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            is_writable = os.access(folder, os.W_OK | os.X_OK)
        except OSError:
            is_writable = False
        if not is_writable:
            raise ConfigurationError(f"CITEGRAPH_LLM_RECORD: {folder} is not a writable folder.")

    def write_exchange(self, exchange: Exchange, *, secret: str | None) -> None:
        """Store an exchange with the secret masked. Raises OSError."""
        document = {
            "format": FILE_FORMAT_VERSION,
            **asdict(exchange),
            "answer": _encode_answer(exchange.answer),
        }
        # The key is computed from the unmasked request, as it is on replay.
        key = compute_request_key(exchange.path, exchange.request)
        self._write_json_file(
            f"{key}-{create_id()}.json", document if secret is None else _mask_secret(document, secret)
        )

    def store_settings(self, settings: Settings) -> None:
        """Store the settings that determine the requests. Raises OSError."""
        setting_values = settings.model_dump(
            mode="json", include=set(RECORDED_SETTINGS), exclude_defaults=True
        )
        for name in ("openai_base_url", "embedding_base_url"):
            if setting_values.get(name):
                setting_values[name] = strip_credentials(setting_values[name])
        self._write_json_file(SETTINGS_FILE, {"format": FILE_FORMAT_VERSION, "settings": setting_values})

    def _write_json_file(self, name: str, document: Mapping[str, Any]) -> None:
        temporary_path = self._folder / f".{create_id()}"
        descriptor = os.open(temporary_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass") as file:
                json.dump(document, file, ensure_ascii=False, indent=1)
            temporary_path.replace(self._folder / name)
        except BaseException:
            temporary_path.unlink(missing_ok=True)
            raise


def _encode_answer(answer: bytes) -> dict[str, str]:
    """Return the answer as a JSON value that preserves every byte."""
    try:
        return {"text": answer.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(answer).decode()}


def _mask_secret(value: Any, secret: str) -> Any:
    if isinstance(value, str):
        return value.replace(secret, MASK)
    if isinstance(value, Mapping):
        return {name: _mask_secret(member, secret) for name, member in value.items()}
    return [_mask_secret(member, secret) for member in value] if isinstance(value, list) else value


class Recording:
    """A folder of recorded exchanges that answers requests in the order in which they were recorded.

    A request repeated more often than it was recorded gets the last answer again. Each process starts with
    the first answer.
    """

    def __init__(self, folder: Path) -> None:
        """Raises ConfigurationError for a folder without recorded exchanges."""
        self.folder = folder
        self._file_names_by_key: dict[str, list[str]] = {}
        self._request_counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        try:
            file_names = sorted(path.name for path in folder.iterdir())
        except OSError:
            file_names = []
        for file_name in sorted(
            filter(_EXCHANGE_FILE_NAME.fullmatch, file_names), key=lambda file_name: file_name[65:]
        ):
            self._file_names_by_key.setdefault(file_name[:64], []).append(file_name)
        if not self._file_names_by_key:
            raise ConfigurationError(f"{folder} holds no recorded requests (CITEGRAPH_LLM_RECORD).")

    def advance_to_next_exchange(self, path: str, body: Mapping[str, Any]) -> Exchange | None:
        """Return the next recorded exchange for this request, or None if it was not recorded.

        Raises ConfigurationError for a file that cannot be read.
        """
        key = compute_request_key(path, body)
        file_names = self._file_names_by_key.get(key)
        if file_names is None:
            return None
        with self._lock:
            request_index = self._request_counts[key]
            self._request_counts[key] += 1
        return self._read_exchange(file_names[min(request_index, len(file_names) - 1)])

    def iter_exchanges(self) -> Iterator[Exchange]:
        """Yield all exchanges, oldest first. Raises ConfigurationError for a file that cannot be read."""
        file_names = (
            name for names_of_request in self._file_names_by_key.values() for name in names_of_request
        )
        for name in sorted(file_names, key=lambda file_name: file_name[65:]):
            yield self._read_exchange(name)

    def load_settings(self) -> dict[str, Any]:
        """Return the recorded settings by name, {} if none were recorded."""
        if not (self.folder / SETTINGS_FILE).is_file():
            return {}
        stored_settings = self._read_document(SETTINGS_FILE).get("settings")
        settings = stored_settings if isinstance(stored_settings, dict) else {}
        return {name: settings[name] for name in RECORDED_SETTINGS if settings.get(name) is not None}

    def _read_exchange(self, name: str) -> Exchange:
        document = self._read_document(name)
        try:
            answer = document.pop("answer")
            document["answer"] = (
                answer["text"].encode() if "text" in answer else base64.b64decode(answer["base64"])
            )
            return Exchange(**document)
        except (AttributeError, KeyError, TypeError, binascii.Error):
            raise self._build_unreadable_error(name) from None

    def _read_document(self, name: str) -> dict[str, Any]:
        try:
            document = json.loads((self.folder / name).read_text("utf-8"))
        except (OSError, ValueError):
            document = None
        if not isinstance(document, dict) or document.pop("format", None) != FILE_FORMAT_VERSION:
            raise self._build_unreadable_error(name)
        return document

    def _build_unreadable_error(self, name: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self.folder / name} is not a recorded exchange of format {FILE_FORMAT_VERSION}."
        )


def format_now() -> str:
    """Return the current time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
