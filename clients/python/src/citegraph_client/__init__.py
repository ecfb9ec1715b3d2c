"""Citegraph from Python: spaces, documents, cited answers, and the graph under them.

from citegraph_client import Citegraph

client = Citegraph("http://127.0.0.1:8080", "cg_live_…")
print(client.spaces("papers").ask("What did Michael Stonebraker create?").answer)
"""

from citegraph_client.asynchronous.client import AsyncCitegraph, AsyncSpace
from citegraph_client.call import OMIT
from citegraph_client.errors import (
    ApiError,
    BadRequest,
    CitegraphError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    InvalidInput,
    JobFailed,
    NotFound,
    QuotaExceeded,
    RateLimited,
    ServerError,
    Stale,
    StreamBroken,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnsupportedFormat,
)
from citegraph_client.events import (
    AskEvent,
    CitationsEvent,
    ContextEvent,
    DoneEvent,
    InterruptedEvent,
    SentenceEvent,
)
from citegraph_client.generated.synchronous.client import Citegraph, Space
from citegraph_client.options import Wait

__all__ = [
    "OMIT",
    "ApiError",
    "AskEvent",
    "AsyncCitegraph",
    "AsyncSpace",
    "BadRequest",
    "CitationsEvent",
    "Citegraph",
    "CitegraphError",
    "Conflict",
    "ConnectionFailed",
    "ContextEvent",
    "DoneEvent",
    "Forbidden",
    "InterruptedEvent",
    "InvalidInput",
    "JobFailed",
    "NotFound",
    "QuotaExceeded",
    "RateLimited",
    "SentenceEvent",
    "ServerError",
    "Space",
    "Stale",
    "StreamBroken",
    "TooLarge",
    "Unauthenticated",
    "Unavailable",
    "UnsupportedFormat",
    "Wait",
]
