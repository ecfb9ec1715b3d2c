"""Seeded spaces of any size for the retrieval benchmark: topics, power laws, Zipf's words, vectors; by binary
COPY.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray

from benchmarks.data.binary_copy import copy_binary, fixed, halfvec, integers, jsonb, reals, spans, text

DIMENSIONS, INNER = 256, 48
"""Length of the vectors, and how many directions they really differ in, as those of a model do."""
PER_DOCUMENT, PER_TOPIC = 10, 100
"""Chunks of one document and of one topic."""
NODES, MENTIONS, EDGES = 2, 9, 10
"""Nodes, mentions (drawn, some twice) and edges for each chunk."""
WORDS, TOPIC_WORDS, PER_TEXT = 30_000, 200, 64
HUB_SHARE, EXPONENT = 0.3, 3.15
"""Share of mentions that go to any node of the space by a power law; the others go to nodes of the topic."""
RELATIONS = ("provides", "owns", "depends_on", "part_of", "works_on", "knows", "created", "uses", "causes")
TYPES = ("Product", "Person", "Concept", "Organization", "Technology")
SYLLABLES = (
    "ba",
    "cor",
    "del",
    "fi",
    "gan",
    "hol",
    "mi",
    "jo",
    "kar",
    "lum",
    "mo",
    "nel",
    "or",
    "pra",
    "qui",
)
QUOTE = "The passage says in one sentence of ordinary length how the first thing relates to the second one."

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Ids = NDArray[np.uint8]


@dataclass(frozen=True)
class Filled:
    """One generated space: `hubs` are the names of its five most mentioned nodes, the rest is by chunk.

    `vectors` (chunks, 256) are of length 1; `named` (chunks, 2) are two names in each chunk's text; `largest`
    is the number of chunks that name the largest hub.
    """

    tenant_id: UUID
    space_id: UUID
    chunk_ids: list[UUID]
    vectors: Floats
    texts: list[str]
    named: list[tuple[str, str]]
    hubs: list[str]
    nodes: int
    mentions: int
    edges: int
    largest: int


def word(index: int) -> str:
    """The pseudo-word at this place; common ones are short."""
    base = len(SYLLABLES)
    text = ""
    index += base
    while index:
        text, index = text + SYLLABLES[index % base], index // base
    return text


VOCABULARY = [word(index) for index in range(WORDS)]


class Space:
    """Generates the rows of one space from a seed, and copies them in."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        tenant_id: UUID,
        space_id: UUID,
        *,
        chunks: int,
        seed: int,
        graph: bool = True,
    ) -> None:
        """Without `graph` there are chunks with words and vectors alone."""
        self.connection = connection
        self.tenant_id, self.space_id = tenant_id, space_id
        self.random = np.random.default_rng([seed, chunks])
        self.seed, self.chunks, self.graph = seed, chunks, graph
        self.nodes = max(NODES * chunks, 10)
        self.topics = max(1, chunks // PER_TOPIC)
        self.documents = max(1, chunks // PER_DOCUMENT)
        inside = np.random.default_rng(7)
        self.projection = inside.standard_normal((INNER, DIMENSIONS), np.float32)
        # The same topics in every space: other tenants' rows are as near as one's own.
        self.topic_vectors = inside.standard_normal((10_000, INNER), np.float32)

    def fill(self) -> Filled:
        """Write everything. The connection is a superuser's; foreign keys are off."""
        self.chunk_ids, self.node_ids = self._ids(self.chunks), self._ids(self.nodes)
        document_ids = self._ids(self.documents)
        topic = np.minimum(np.arange(self.chunks) // PER_DOCUMENT % self.topics, self.topics - 1)
        node_topic = self.random.integers(0, self.topics, self.nodes)
        names = self._names()
        drawn, titles = self._draw(topic, node_topic)
        own = np.where(
            np.arange(self.chunks) % PER_DOCUMENT < PER_DOCUMENT, np.arange(self.chunks) // PER_DOCUMENT, 0
        )
        own = np.minimum(own, self.documents - 1)
        titled = [names[node] for node in titles]
        texts = self._texts(topic, drawn, names)
        vectors = self._vectors(topic, 0.6)
        self._copy_documents(document_ids, titled)
        self._copy_chunks(document_ids[own], texts, vectors)
        pairs = self._mentions(drawn)
        source, target, where = self._edges(drawn)
        counts = np.bincount(pairs[:, 1], minlength=self.nodes)
        if self.graph:
            degrees = np.bincount(source, minlength=self.nodes), np.bincount(target, minlength=self.nodes)
            self._copy_nodes(names, node_topic, counts, *degrees)
            self._copy_mentions(pairs, titles[own], names)
            self._copy_edges(source, target, where, topic)
        self._count_words()
        hubs = np.argsort(-counts)[:5]
        return Filled(
            self.tenant_id, self.space_id, [UUID(bytes=chunk_id.tobytes()) for chunk_id in self.chunk_ids], vectors, texts,  # noqa: E501
            [(names[a], names[b]) for a, b in drawn[:, 1:3].tolist()], [names[hub] for hub in hubs],
            self.nodes, len(pairs), len(source), int(counts.max()),
        )  # fmt: skip

    def _ids(self, count: int) -> Ids:
        """Version 7 ids (count, 16), one millisecond each 16 rows, so that they are as ordered as real
        ones.
        """
        ids = self.random.integers(0, 256, (count, 16), np.uint8)
        clock = 1_700_000_000_000 + self.seed * 10_000_000 + np.arange(count) // 16
        ids[:, :6] = clock.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 2:]
        ids[:, 6] = 0x70 | (ids[:, 6] & 0x0F)
        ids[:, 8] = 0x80 | (ids[:, 8] & 0x3F)
        return ids

    def _zipf(self, count: int, ranks: int) -> Ints:
        weights = 1 / (np.arange(ranks) + 2.7)
        return np.searchsorted(np.cumsum(weights / weights.sum()), self.random.random(count)).clip(
            0, ranks - 1
        )

    def _names(self) -> list[str]:
        first, names, seen = self._zipf(self.nodes, 5_000), [], set()
        for place, begin in enumerate(first.tolist()):
            name = f"{VOCABULARY[begin].capitalize()} {VOCABULARY[place % WORDS].capitalize()}"
            if name in seen:
                name += f" {place}"
            seen.add(name)
            names.append(name)
        return names

    def _draw(self, topic: Ints, node_topic: Ints) -> tuple[Ints, Ints]:
        """(chunks, MENTIONS) nodes, some twice; and the node that each document is about."""
        order = np.argsort(node_topic, kind="stable")
        begins = np.searchsorted(node_topic[order], np.arange(self.topics + 1))
        size = np.maximum(np.diff(begins), 1)

        def of_topic(topics: Ints) -> Ints:
            place = (size[topics] * self.random.random(topics.shape) ** 1.5).astype(np.int64)
            found: Ints = order[np.minimum(begins[topics] + place, self.nodes - 1)]
            return found

        drawn = of_topic(np.repeat(topic[:, None], MENTIONS, 1))
        anywhere = self.random.permutation(self.nodes)[
            (self.nodes * self.random.random(drawn.shape) ** EXPONENT).astype(np.int64)
        ]
        drawn = np.where(self.random.random(drawn.shape) < HUB_SHARE, anywhere, drawn)
        titles = of_topic(topic[np.minimum(np.arange(self.documents) * PER_DOCUMENT, self.chunks - 1)])
        of_document = titles[np.minimum(np.arange(self.chunks) // PER_DOCUMENT, self.documents - 1)]
        drawn[:, 0] = np.where(self.random.random(self.chunks) < 0.6, of_document, drawn[:, 0])
        return drawn, titles

    def _texts(self, topic: Ints, drawn: Ints, names: Sequence[str]) -> list[str]:
        common = self._zipf(self.chunks * PER_TEXT, WORDS).reshape(self.chunks, PER_TEXT)
        own = (
            topic[:, None] * 977 + self._zipf(self.chunks * PER_TEXT, TOPIC_WORDS).reshape(common.shape) * 31
        ) % WORDS
        chosen = np.where(self.random.random(common.shape) < 0.3, own, common)
        words = np.array(VOCABULARY, object)
        step = PER_TEXT // MENTIONS
        return [
            " ".join(
                part
                for place, node in enumerate(nodes)
                for part in (names[node], *line[place * step : (place + 1) * step])
            )
            for line, nodes in zip(words[chosen].tolist(), drawn.tolist(), strict=True)
        ]

    def _vectors(self, topic: Ints, noise: float) -> Floats:
        inner = self.topic_vectors[topic % len(self.topic_vectors)] * np.float32(1 - noise)
        inner = inner + noise * self.random.standard_normal(inner.shape, np.float32)
        return unit(
            inner @ self.projection + 0.5 * self.random.standard_normal((len(topic), DIMENSIONS), np.float32)
        )

    def _mentions(self, drawn: Ints) -> Ints:
        """(mentions, 2) of chunk and node, each pair once."""
        keys = np.unique(np.arange(self.chunks)[:, None] * self.nodes + drawn)
        pairs: Ints = np.stack([keys // self.nodes, keys % self.nodes], 1)
        return pairs

    def _edges(self, drawn: Ints) -> tuple[Ints, Ints, Ints]:
        """Ends and evidence: an edge links two nodes that its chunk names."""
        where = np.repeat(np.arange(self.chunks), EDGES)
        source = drawn[where, self.random.integers(0, MENTIONS, len(where))]
        target = drawn[where, self.random.integers(0, MENTIONS, len(where))]
        kept = source != target
        return source[kept], target[kept], where[kept]

    def _copy(self, table: str, columns: Sequence[str], parts: Iterable[Sequence[Sequence[bytes]]]) -> None:
        copy_binary(self.connection, table, self.space_id, columns, parts)

    def _copy_documents(self, ids: Ids, titles: Sequence[str]) -> None:
        count = len(ids)
        hashes = [text(f"{self.seed}-{place}") for place in range(count)]
        self._copy(
            "document",
            ("id", "title", "source_kind", "format", "content_hash", "byte_size", "state"),
            [[fixed(ids), [text(title) for title in titles], [text("file")] * count, [text("text")] * count, hashes,  # noqa: E501
              integers(np.full(count, 5_000)), [text("ready")] * count]],
        )  # fmt: skip

    def _copy_chunks(self, documents: Ids, texts: Sequence[str], vectors: Floats) -> None:
        columns = (
            "id", "document_id", "ordinal", "text", "char_start", "char_end", "heading_path", "token_count",
            "content_hash",
        )  # fmt: skip
        empty = [struct.pack(">iiii", 12, 0, 0, 25)]

        def parts() -> Iterator[Sequence[Sequence[bytes]]]:
            for span in spans(self.chunks):
                count = span.stop - span.start
                ends = np.array([len(source_text) for source_text in texts[span]])
                places = np.arange(span.start, span.stop)
                yield (
                    fixed(self.chunk_ids[span]), fixed(documents[span]), integers(places % PER_DOCUMENT),
                    [text(source_text) for source_text in texts[span]], integers(np.zeros(count)), integers(ends), empty * count,  # noqa: E501
                    integers(ends // 5), [text(f"{self.seed}-{number}") for number in places.tolist()],
                )  # fmt: skip

        self.connection.execute(
            "CREATE TEMP TABLE raw_chunk (LIKE knowledge_chunk INCLUDING DEFAULTS) ON COMMIT DROP"
        )
        self._copy("raw_chunk", columns, parts())
        listed = ", ".join(f"c.{column}" for column in ("knowledge_space_id", *columns))
        self.connection.execute(
            f"INSERT INTO knowledge_chunk ({listed.replace('c.', '')}, lexemes) SELECT {listed},"
            " chunk_lexemes(c.knowledge_space_id, d.title, c.heading_path, c.text) FROM raw_chunk c"
            " JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id".encode()  # noqa: E501
        )
        self.connection.execute("DROP TABLE raw_chunk")
        embedded = ((fixed(self.chunk_ids[span]), halfvec(vectors[span])) for span in spans(self.chunks))
        self._copy("chunk_vector", ("chunk_id", "embedding"), embedded)

    def _copy_nodes(self, names: Sequence[str], topic: Ints, counts: Ints, outs: Ints, ins: Ints) -> None:
        kinds = [jsonb({"aliases": []}), *(text(type_) for type_ in TYPES), text("canonical")]

        def parts(columns: str) -> Iterator[Sequence[Sequence[bytes]]]:
            for span in spans(self.nodes):
                count = span.stop - span.start
                ids, named = fixed(self.node_ids[span]), [text(name) for name in names[span]]
                if columns == "nodes":
                    types = [kinds[1 + place % len(TYPES)] for place in range(count)]
                    numbers = [integers(numbers_of_nodes[span]) for numbers_of_nodes in (counts, outs, ins)]
                    yield ids, named, types, kinds[:1] * count, *numbers
                elif columns == "names":
                    yield [text(name.lower()) for name in names[span]], ids, named, kinds[-1:] * count
                else:
                    yield ids, halfvec(self._vectors(topic[span], 0.6))

        columns = (
            "id",
            "canonical_name",
            "node_type",
            "metadata",
            "mention_count",
            "out_degree",
            "in_degree",
        )
        self._copy("graph_node", columns, parts("nodes"))
        self._copy("node_name", ("normalised_name", "node_id", "name", "kind"), parts("names"))
        self._copy("node_vector", ("node_id", "embedding"), parts("vectors"))

    def _copy_mentions(self, pairs: Ints, titles: Ints, names: Sequence[str]) -> None:
        def parts() -> Iterator[Sequence[Sequence[bytes]]]:
            for span in spans(len(pairs)):
                chunk, node = pairs[span].T
                named = [text(names[node_index]) for node_index in node.tolist()]
                flags = np.where(
                    titles[chunk] == node, b"\x00\x00\x00\x01\x01", b"\x00\x00\x00\x01\x00"
                ).tolist()
                # numpy drops zero bytes at the end of a string.
                titular = [flag.ljust(5, b"\0") for flag in flags]
                yield (
                    fixed(self.chunk_ids[chunk]), fixed(self.node_ids[node]), named, named,
                    integers(np.zeros(len(chunk))), integers(np.ones(len(chunk))), titular,
                )  # fmt: skip

        columns = ("chunk_id", "node_id", "surface_form", "name", "char_start", "char_end", "titular")
        self._copy("node_mention", columns, parts())

    def _copy_edges(self, source: Ints, target: Ints, where: Ints, topic: Ints) -> None:
        ids = self._ids(len(source))
        relations = [text(relation) for relation in RELATIONS]
        metadata = [
            jsonb({"confidence": number / 100, "model": "rules", "extractedAt": "2026-01-01T00:00:00Z",
                   "quote": QUOTE, "charStart": 0, "charEnd": len(QUOTE)})
            for number in range(50, 100)
        ]  # fmt: skip

        def edges() -> Iterator[Sequence[Sequence[bytes]]]:
            for span in spans(len(ids)):
                count = span.stop - span.start
                keys = fixed(ids[span])
                yield (
                    keys, fixed(self.node_ids[source[span]]), fixed(self.node_ids[target[span]]),
                    [relations[index] for index in self.random.integers(0, len(relations), count).tolist()],
                    reals(np.round(self.random.random(count), 4)), fixed(self.chunk_ids[where[span]]),
                    [metadata[index] for index in self.random.integers(0, 50, count).tolist()], keys,
                )  # fmt: skip

        columns = (
            "id", "from_node_id", "to_node_id", "relation_type", "weight", "evidence_chunk_id", "metadata",
            "extraction_key",
        )  # fmt: skip
        self._copy("graph_edge", columns, edges())
        facts = (
            (fixed(ids[span]), halfvec(self._vectors(topic[where[span]], 0.7))) for span in spans(len(ids))
        )
        self._copy("fact_vector", ("edge_id", "embedding"), facts)

    def _count_words(self) -> None:
        self.connection.execute(
            "INSERT INTO space_statistics (knowledge_space_id, chunks, common_lexemes, common_shares) WITH"
            " sample AS MATERIALIZED (SELECT lexemes FROM knowledge_chunk WHERE knowledge_space_id ="
            " %(space)s  AND random() < 2000.0 / %(chunks)s), word AS (  SELECT lexeme, count(*)::real /"
            " (SELECT count(*) FROM sample) AS share  FROM sample, unnest(lexemes) AS each (lexeme) GROUP BY"
            " lexeme  HAVING count(*) * 200 > (SELECT count(*) FROM sample) AND count(*) > 1) SELECT"
            " %(space)s, %(chunks)s, coalesce(array_agg(lexeme ORDER BY lexeme), '{}'), "
            " coalesce(array_agg(share ORDER BY lexeme), '{}') FROM word",
            {"space": self.space_id, "chunks": self.chunks},
        )


def unit(vectors: Floats) -> Floats:
    """Rows of length 1."""
    result: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return result
