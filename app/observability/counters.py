"""Counters of a process in the format of Prometheus; the counters of several processes can be added.

A process of a worker's pool has no port, so it sends its counts to the process that has one.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

MAX_SERIES = 200
"""Maximum number of series of one counter; further ones are counted under `other`."""
OTHER_LABEL = "other"

Labels = tuple[str, ...]
Amounts = dict[tuple[str, Labels], float]


@dataclass(frozen=True)
class MetricDescription:
    """The name, description and labels of a counter; `_total` is added to the name in the output."""

    name: str
    help: str
    labels: Labels


JOBS_ENDED = MetricDescription(
    "citegraph_jobs_ended", "Attempts at jobs that ended, by kind and outcome.", ("kind", "outcome")
)
JOB_SECONDS = MetricDescription("citegraph_job_seconds", "Seconds that attempts at jobs took.", ("kind",))
MODEL_CALLS = MetricDescription(
    "citegraph_model_calls", "Requests to model servers, by outcome.", ("purpose", "model", "outcome")
)
MODEL_SECONDS = MetricDescription(
    "citegraph_model_seconds", "Seconds that requests to model servers took.", ("purpose",)
)
MODEL_TOKENS = MetricDescription(
    "citegraph_model_tokens", "Tokens sent to models and received.", ("model", "direction")
)
MODEL_COST = MetricDescription("citegraph_model_cost_usd", "US dollars that model calls cost.", ("model",))
ANSWERS_LOOKED_UP = MetricDescription(
    "citegraph_model_cache_lookups", "Lookups of stored model answers before a call.", ("outcome",)
)
GATE_DECISIONS = MetricDescription(
    "citegraph_gate_decisions", "Decisions of the summary gate, with its reason.", ("decision", "reason")
)
WEBHOOKS_SENT = MetricDescription(
    "citegraph_webhooks_sent", "Attempts to send messages to webhooks.", ("outcome",)
)
REPLICA_READS = MetricDescription(
    "citegraph_replica_reads",
    "Transactions that read a replica, by its number, and requests that read the primary, with why.",
    ("server", "reason"),
)
COUNTERS = (
    JOBS_ENDED,
    JOB_SECONDS,
    MODEL_CALLS,
    MODEL_SECONDS,
    MODEL_TOKENS,
    MODEL_COST,
    ANSWERS_LOOKED_UP,
    GATE_DECISIONS,
    WEBHOOKS_SENT,
    REPLICA_READS,
)


class Counters(Collector):
    """The counters of one process. Adding never fails, whatever the labels are."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._amounts: Amounts = {}
        self._known_labels: dict[str, set[Labels]] = {}

    def add(self, metric: MetricDescription, *labels: str, amount: float = 1.0) -> None:
        """Add to the series with these labels, which are in the order of the counter's own."""
        self._add_amount(metric.name, labels, amount)

    def merge(self, amounts: Amounts) -> None:
        """Add the counts of another process."""
        for (name, labels), amount in amounts.items():
            self._add_amount(name, labels, amount)

    def take_counts(self) -> Amounts:
        """Return the counts since the last call, to be added elsewhere."""
        with self._lock:
            amounts, self._amounts = self._amounts, {}
        return amounts

    def collect(self) -> Iterable[Metric]:
        """Return every counter with its series as Prometheus metrics."""
        with self._lock:
            amounts = dict(self._amounts)
        for counter in COUNTERS:
            family = CounterMetricFamily(counter.name, counter.help, labels=counter.labels)
            for (name, labels), amount in amounts.items():
                if name == counter.name:
                    family.add_metric(labels, amount)
            yield family

    def _add_amount(self, name: str, labels: Labels, amount: float) -> None:
        with self._lock:
            known_labels = self._known_labels.setdefault(name, set())
            if labels not in known_labels:
                if len(known_labels) < MAX_SERIES:
                    known_labels.add(labels)
                else:
                    labels = (OTHER_LABEL,) * len(labels)
            self._amounts[name, labels] = self._amounts.get((name, labels), 0.0) + amount


class ReadingCollector(Collector):
    """Values that are read at each scrape: name and description, and a value for each label."""

    def __init__(
        self,
        read_values: Callable[[], Mapping[str, float]],
        metric: MetricDescription,
        *,
        family: type[GaugeMetricFamily | CounterMetricFamily] = GaugeMetricFamily,
    ) -> None:
        self._read_values = read_values
        self._metric = metric
        self._family = family

    def collect(self) -> Iterable[Metric]:
        """Return the current values as Prometheus metrics."""
        family = self._family(self._metric.name, self._metric.help, labels=self._metric.labels)
        for label, reading in self._read_values().items():
            family.add_metric([label], reading)
        yield family


RETRIEVAL_CACHE = MetricDescription(
    "citegraph_retrieval_cache_lookups",
    "Lookups of queries in the cache of results.",
    ("outcome",),
)
CONNECTIONS = MetricDescription(
    "citegraph_database_connections",
    "Connections to Postgres of this process, by state; `limit` is their maximum number.",
    ("state",),
)
REPLICA_LAG = MetricDescription(
    "citegraph_replica_lag_seconds",
    "Seconds that each replica is behind the primary, rounded to seconds.",
    ("replica",),
)
WORKER_PROCESSES = MetricDescription(
    "citegraph_worker_processes",
    "Processes of this worker's pool that have reported within ten seconds.",
    ("state",),
)
