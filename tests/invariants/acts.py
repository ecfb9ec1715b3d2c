"""The state machine: random acts through random doors in the spaces of two tenants, and checks after each.

Every argument of a rule is a plain value, and what an act is done to is chosen by a number out of rows in
an order that words decide: so the printed steps of a finding repeat it.
"""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar

import redis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.invariants import checks, texts
from tests.invariants.backups import restored_copy_is_equal
from tests.invariants.checks import ALWAYS, AT_THE_END, SOMETIMES, Check
from tests.invariants.doors import Doors, Row
from tests.invariants.known_failures import KNOWN_FAILURES
from tests.invariants.reading import Reading, content_of, graph_of, rows_of
from tests.invariants.tenant_rows import fingerprint, unchanged
from tests.invariants.violations import Refused, Violation, expect, expect_equal
from tests.invariants.world import Side, World

SIDE, DOOR, NUMBER = st.integers(0, 1), st.integers(0, 1), st.integers(0, 40)
ADDRESS = st.sampled_from(
    ("file:notes/one.txt", "file:notes/two.md", "file:notes/three.txt", "file:notes/4.md")
)
COPY = "file:notes/copy.txt"
SETTINGS: tuple[dict[str, Any], ...] = (
    {"single_valued_relations": ["located_in", "lives_in"]},
    {"single_valued_relations": None},
    {"prune_deleted": True},
    {"prune_deleted": None},
    {"chunk_tokens": 40},
    {"chunk_tokens": None},
    {"supersede_by_date": False},
    {"supersede_by_date": None},
    {"promotion_threshold": 1, "fan_out": 2},
    {"answer_cache_seconds": 0},
    {"eviction": "capacity", "eviction_max_chunks": 2},
    {"eviction": None, "eviction_max_chunks": None},
    {"tags_at_ingest": "rules"},
    {"open_relations": True},
    {"statements": False},
    {"statements": None},
    {"open_relations": None},
)
# What an act may be answered with besides success: documented refusals that depend on what is there.
MAY_REFUSE = frozenset(
    {
        "already_invalidated", "not_invalidated", "same_name", "no_given_name",
        "nothing_to_decide", "not_single_valued", "no_eviction_policy",
        "embedding_unchanged", "already_ended", "not_ended", "name_taken",
        "no_document_accepted", "empty_document",
    }
)  # fmt: skip
# Undoing an act of any time before: what came after it may stand in the way.
UNDO_MERGE_MAY_REFUSE = frozenset({"nothing_left", "merged_again", "winner_gone", "name_taken"})
UNDO_SPLIT_MAY_REFUSE = frozenset({"merged_again", "node_gone"})


class Acts(RuleBasedStateMachine):
    """Two tenants of one world, new for each sequence of acts."""

    world: ClassVar[World]
    doors: ClassVar[Doors]
    steps: ClassVar[int] = 0
    """Acts of all sequences of this process, for whoever shows progress."""
    with_backups: ClassVar[bool] = False
    with_doctor: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.canaries = 0
        self.is_broken = False
        """Whether an act or a check after it raised: nothing more is checked then."""
        self.sides = (self.world.open_side("a"), self.world.open_side("b"))

    # --- What surrounds each act

    @contextmanager
    def act(
        self, side: int, *, both: bool = False, may_refuse: frozenset[str] = MAY_REFUSE
    ) -> Iterator[Side]:
        """An act of one tenant: nothing of the other's changes, and all invariants hold afterwards."""
        self.step += 1
        type(self).steps += 1
        own, other = self.sides[side], self.sides[1 - side]
        self.is_broken = True
        before = fingerprint(self.world, other)
        try:
            yield own
        except Refused as refusal:
            expect(
                refusal.code in may_refuse,
                f"an act was refused for no reason that it may have: {refusal}",
            )
        self.world.drain()
        if not both:
            unchanged(before, fingerprint(self.world, other), "the other tenant's act")
        for account in (own, other) if both else (own,):
            reading = self.read(account)
            sometimes = SOMETIMES[self.step % len(SOMETIMES)]
            self.check(reading, *ALWAYS, sometimes)
        self.is_broken = False

    def check(self, reading: Reading, *those: Check) -> None:
        """Run these checks, but for those that are known to fail."""
        for check in those:
            if check not in KNOWN_FAILURES:
                check(reading)

    def compare(self, side: Side, before: str, act: str) -> None:
        """Check that the act left the space as the export before it says."""
        if act not in KNOWN_FAILURES:
            checks.same_content(before, self.doors.api.export(side), act)

    def read(self, side: Side) -> Reading:
        """What the space says now."""
        return Reading(self.world, self.doors, side, self.step)

    def teardown(self) -> None:
        """Check everything, then delete both tenants."""
        try:
            if not self.is_broken:
                for side in self.sides:
                    self.check(self.read(side), *ALWAYS, *SOMETIMES)
                if self.with_doctor:
                    self.check(self.read(self.sides[0]), *AT_THE_END)
        finally:
            for side in self.sides:
                self.world.close_side(side)

    # --- What an act is done to

    def nodes(self, side: Side) -> list[Row]:
        """The nodes, in the order of their names."""
        rows = self.doors.api.pages(side, "/graph/nodes")
        return sorted(rows, key=lambda node: (node["canonical_name"], node["node_type"]))

    def edges(self, side: Side) -> list[Row]:
        """The edges of the export, in the order of their words."""
        rows = rows_of(self.doors.api.export(side))
        names = {node["id"]: node["canonical_name"] for node in rows["node"]}

        def words(edge: Row) -> tuple[str, ...]:
            ends = names.get(edge["from_node_id"], ""), names.get(edge["to_node_id"], "")
            return (
                *ends,
                edge["relation_type"],
                str(edge["metadata"].get("quote")),
                edge["source_uri"] or "",
            )

        return sorted(rows["edge"], key=words)

    def documents(self, side: Side) -> list[Row]:
        """The documents, in the order of their addresses."""
        return sorted(self.doors.api.pages(side, "/documents"), key=lambda row: str(row["source_uri"]))

    # --- Documents

    def new_canary(self, side: Side) -> str:
        """A word that has stood nowhere yet."""
        self.canaries += 1
        return texts.canary_word(self.canaries if side is self.sides[0] else 2_000 + self.canaries)

    def note_text(self, side: Side, address: str, text: str, canary: str) -> None:
        """Note which text and canary stand at the address, as far as a document is there."""
        listed = {document["source_uri"] for document in self.doors.api.pages(side, "/documents")}
        if address not in listed:
            return
        side.texts[address] = text
        side.canaries.setdefault(address, []).append(canary)

    @initialize(body=texts.bodies, other=texts.bodies, chunk_tokens=st.sampled_from((None, 40)))
    def begin(self, body: str, other: str, chunk_tokens: int | None) -> None:
        """Both tenants have a document from the beginning, and its chunks are large or small."""
        for side, words in zip(self.sides, (body, other), strict=True):
            self.doors.api.set_settings(side, {"chunk_tokens": chunk_tokens})
            canary = self.new_canary(side)
            text = texts.with_canary(words, canary)
            self.doors.api.put(side, "file:notes/first.txt", text, None)
            self.world.drain()
            self.note_text(side, "file:notes/first.txt", text, canary)

    @rule(side=SIDE, door=DOOR, address=ADDRESS, body=texts.bodies, date=texts.dates)
    def put_document(self, side: int, door: int, address: str, body: str, date: str | None) -> None:
        """A document comes, or replaces the one at its address."""
        with self.act(side) as own:
            canary = self.new_canary(own)
            text = texts.with_canary(body, canary)
            through = self.doors.acting(door)
            estimate = None
            if through is self.doors.api:
                asked = {"text": text, "title": address, "source_uri": address, "format": "text"}
                estimate = self.doors.api.send(own, "POST", "/documents/estimate", asked)
            outcome = through.put(own, address, text, date)
            expect(outcome in ("created", "replaced"), f"a new text is {outcome}")
            self.world.drain()
            self.note_text(own, address, text, canary)
            if estimate is not None and not address.endswith(".md"):
                job = self.doors.api.pages(own, "/jobs")
                ingest = next(page for page in job if page["kind"] == "ingest.documents")
                checks.estimate_covers(estimate, ingest["counts"], self.cost_of(own, ingest["id"]))

    def cost_of(self, side: Side, job_id: str) -> Row:
        """Calls and tokens of a job, as the ledger has them."""
        row = self.world.superuser.execute(
            "SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0)"
            " FROM model_call WHERE knowledge_space_id = %s AND job_id = %s AND NOT cached"
            " AND purpose <> 'embedding'",
            [side.space_id, job_id],
        ).fetchone()
        assert row is not None
        return dict(zip(("calls", "prompt_tokens", "completion_tokens"), map(int, row), strict=True))

    @rule(side=SIDE, door=DOOR, number=NUMBER)
    def put_the_same_again(self, side: int, door: int, number: int) -> None:
        """Reading again changes nothing."""
        with self.act(side) as own:
            known = sorted(own.texts)
            if not known:
                return
            address = known[number % len(known)]
            before = self.doors.api.export(own)
            outcome = self.doors.acting(door).put(own, address, own.texts[address], None)
            self.world.drain()
            if outcome == "unchanged":
                self.compare(own, before, "the same text again")
            else:
                expect_equal(
                    graph_of(rows_of(self.doors.api.export(own)))["nodes"],
                    graph_of(rows_of(before))["nodes"],
                    f"nodes before and after the same text again, {outcome}",
                )

    @rule(side=SIDE, door=DOOR, number=NUMBER)
    def put_the_same_elsewhere(self, side: int, door: int, number: int) -> None:
        """The same text comes at another address."""
        with self.act(side) as own:
            known = sorted(address for address in own.texts if address != COPY)
            if not known:
                return
            address = known[number % len(known)]
            self.doors.acting(door).put(own, COPY, own.texts[address], None)
            self.world.drain()
            self.note_text(own, COPY, own.texts[address], own.canaries[address][-1])

    @rule(side=SIDE, number=NUMBER, said=st.lists(texts.undated_sentences, min_size=1, max_size=3))
    def put_conversation(self, side: int, number: int, said: list[list[str]]) -> None:
        """Turns of a conversation come, each with its time."""
        with self.act(side) as own:
            turns = [
                {
                    "speaker": "user" if place % 2 == 0 else "assistant",
                    "text": " ".join(lines),
                    "time": f"2024-02-{1 + place:02}T10:00:00Z",
                }
                for place, lines in enumerate(said)
            ]
            self.doors.api.put_turns(own, f"chat/{number % 2}", turns)

    @rule(side=SIDE, door=DOOR, number=NUMBER, prune=st.sampled_from((None, True, False)))
    def delete_document(self, side: int, door: int, number: int, prune: bool | None) -> None:
        """A document goes with all its words."""
        with self.act(side) as own:
            listed = self.documents(own)
            if not listed:
                return
            document = listed[number % len(listed)]
            self.doors.acting(door).delete(own, document["id"], prune=prune)
            own.forget_document(document["source_uri"])

    @rule(side=SIDE, address=ADDRESS, body=texts.bodies, death=st.integers(1, 12))
    def kill_worker_while_reading(self, side: int, address: str, body: str, death: int) -> None:
        """A worker dies at some step of an ingest, and another goes on."""
        with self.act(side) as own:
            canary = self.new_canary(own)
            text = texts.with_canary(body, canary)
            self.doors.api.put(own, address, text, None)
            self.world.drain_with_deaths(death)
            self.note_text(own, address, text, canary)

    @rule(body=texts.bodies, other=texts.bodies, address=ADDRESS)
    def put_in_both_at_once(self, body: str, other: str, address: str) -> None:
        """Both tenants hand in, and two workers read at the same time."""
        with self.act(0, both=True):
            handed_in = []
            for side, words in zip(self.sides, (body, other), strict=True):
                canary = self.new_canary(side)
                text = texts.with_canary(words, canary)
                self.doors.api.put(side, address, text, None)
                handed_in.append((side, text, canary))
            workers = [threading.Thread(target=self.world.drain) for _ in self.sides]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            for side, text, canary in handed_in:
                self.note_text(side, address, text, canary)

    @rule(
        side=SIDE,
        said=st.lists(texts.undated_sentences, min_size=2, max_size=4, unique_by=tuple),
        seed=st.integers(0, 9),
    )
    def read_in_another_order(self, side: int, said: list[list[str]], seed: int) -> None:
        """The order of undated documents and how they are cut into batches change nothing."""
        with self.act(side) as own:
            handed_in = [
                {"text": " ".join(lines), "title": f"Note {place}", "source_uri": f"n{place}"}
                for place, lines in enumerate(said)
            ]
            shuffled = random.Random(seed).sample(handed_in, len(handed_in))
            batches = ([handed_in], [[document] for document in shuffled])
            graphs = []
            for place, batch in enumerate(batches):
                space_id = self.world.create_space(own.key, f"order-{self.step}-{place}")
                for documents in batch:
                    self.doors.api.send(
                        own, "POST", f"/v1/spaces/{space_id}/documents", {"documents": documents}
                    )
                    self.world.drain()
                graphs.append(graph_of(rows_of(self.doors.api.export(own, str(space_id)))))
                self.doors.api.send(own, "DELETE", f"/v1/spaces/{space_id}")
            for part, rows in graphs[0].items():
                expect_equal(
                    rows, graphs[1][part], f"{part} of one batch and of single documents in another order"
                )

    # --- Nodes

    @rule(side=SIDE, door=DOOR, one=NUMBER, other=NUMBER)
    def merge_and_undo(self, side: int, door: int, one: int, other: int) -> None:
        """Two nodes become one, and two again."""
        with self.act(side) as own:
            if (pair := self.pair(own, one, other)) is None:
                return
            through = self.doors.acting(door)
            before = self.doors.api.export(own)
            merge_id = through.merge(own, *pair)
            self.check(self.read(own), *ALWAYS)
            self.doors.acting(door + 1).unmerge(own, merge_id)
            self.compare(own, before, "a merge and its undoing")

    @rule(side=SIDE, door=DOOR, one=NUMBER, other=NUMBER)
    def merge(self, side: int, door: int, one: int, other: int) -> None:
        """Two nodes become one."""
        with self.act(side) as own:
            if (pair := self.pair(own, one, other)) is not None:
                names = {node["canonical_name"] for node in self.nodes(own) if node["id"] in pair}
                self.doors.acting(door).merge(own, *pair)
                own.merged_names |= names

    def pair(self, side: Side, one: int, other: int) -> tuple[str, str] | None:
        """Two different nodes, if there are two."""
        nodes = self.nodes(side)
        if len(nodes) < 2:
            return None
        first, second = one % len(nodes), other % (len(nodes) - 1)
        second += second >= first
        return nodes[first]["id"], nodes[second]["id"]

    @rule(side=SIDE, door=DOOR, number=NUMBER)
    def undo_merge(self, side: int, door: int, number: int) -> None:
        """A merge of any time before, of an ingest or a person, is undone."""
        with self.act(side, may_refuse=UNDO_MERGE_MAY_REFUSE) as own:
            merges = [row for row in self.doors.api.pages(own, "/graph/merges") if row["undone_at"] is None]
            if merges:
                self.doors.acting(door).unmerge(own, merges[number % len(merges)]["id"])

    @rule(side=SIDE, door=DOOR, number=NUMBER, undo=st.booleans())
    def split(self, side: int, door: int, number: int, undo: bool) -> None:
        """Some texts mean another thing of a name; perhaps that is taken back at once."""
        with self.act(side) as own:
            nodes = [node for node in self.nodes(own) if node["mention_count"] > 1]
            if not nodes:
                return
            node = nodes[number % len(nodes)]
            mentions = self.doors.api.pages(own, f"/graph/nodes/{node['id']}/mentions")
            chunk_ids = [mention["chunk_id"] for mention in mentions[: len(mentions) // 2]]
            before = self.doors.api.export(own)
            split_id = self.doors.acting(door).split(own, node["id"], "elder", chunk_ids)
            if undo:
                self.check(self.read(own), *ALWAYS)
                self.doors.acting(door + 1).unsplit(own, split_id)
                self.compare(own, before, "a split and its undoing")

    @rule(side=SIDE, door=DOOR, number=NUMBER)
    def undo_split(self, side: int, door: int, number: int) -> None:
        """A split of any time before is undone."""
        with self.act(side, may_refuse=UNDO_SPLIT_MAY_REFUSE) as own:
            splits = [row for row in self.doors.api.pages(own, "/graph/splits") if row["undone_at"] is None]
            if splits:
                self.doors.acting(door).unsplit(own, splits[number % len(splits)]["id"])

    @rule(side=SIDE, door=DOOR, number=NUMBER, restore=st.booleans())
    def rename(self, side: int, door: int, number: int, restore: bool) -> None:
        """A person names a node; perhaps that is taken back at once: it is called as texts do again."""
        with self.act(side) as own:
            nodes = self.nodes(own)
            if not nodes:
                return
            node_id = nodes[number % len(nodes)]["id"]
            before = self.doors.api.export(own)
            self.doors.acting(door).rename(own, node_id, f"Given Name {number % 3}")
            if restore:
                self.doors.acting(door + 1).restore_name(own, node_id)
                # A name of a person before is not what texts say, and does not come back.
                if not checks.has_given_name(before, node_id):
                    self.compare(own, before, "a name given and taken back")

    @rule(side=SIDE, number=NUMBER, tags=st.lists(st.sampled_from(("red", "blue", "old")), unique=True))
    def tag(self, side: int, number: int, tags: list[str]) -> None:
        """A person tags a node."""
        with self.act(side) as own:
            if nodes := self.nodes(own):
                self.doors.api.set_tags(own, nodes[number % len(nodes)]["id"], tags)

    # --- Claims and values

    @rule(side=SIDE, door=DOOR, number=NUMBER, whole_claim=st.booleans(), restore=st.booleans())
    def end(self, side: int, door: int, number: int, whole_claim: bool, restore: bool) -> None:
        """A person ends a claim; perhaps that is taken back at once."""
        with self.act(side) as own:
            edges = [edge for edge in self.edges(own) if edge["invalidated_at"] is None]
            if not edges:
                return
            edge = edges[number % len(edges)]
            before = self.doors.api.export(own)
            moment = datetime.now(UTC)
            self.doors.acting(door).end(own, edge["id"], whole_claim=whole_claim)
            checks.ended_claim_held_before(self.read(own), edge, moment)
            if restore:
                self.check(self.read(own), *ALWAYS)
                self.doors.acting(door + 1).restore(own, edge["id"])
                self.compare(own, before, "a claim ended and restored")

    @rule(side=SIDE, door=DOOR, number=NUMBER)
    def restore(self, side: int, door: int, number: int) -> None:
        """A claim that ended, by whomever, is restored."""
        with self.act(side) as own:
            edges = [
                edge
                for edge in self.edges(own)
                if edge["invalidated_at"] is not None and edge["polarity"] == "asserted"
            ]
            if edges:
                self.doors.acting(door).restore(own, edges[number % len(edges)]["id"])

    @rule(side=SIDE, door=DOOR, number=NUMBER)
    def uphold(self, side: int, door: int, number: int) -> None:
        """A person says which of contradicting claims holds."""
        with self.act(side) as own:
            edges = [edge for edge in self.edges(own) if edge["relation_type"] in ("located_in", "lives_in")]
            if edges:
                self.doors.acting(door).uphold(own, edges[number % len(edges)]["id"])

    @rule(side=SIDE, door=DOOR, number=NUMBER, restore=st.booleans(), uphold=st.booleans())
    def decide_value(self, side: int, door: int, number: int, restore: bool, uphold: bool) -> None:
        """A person ends a value of a node or upholds it; an end is perhaps taken back at once."""
        with self.act(side) as own:
            before = self.doors.api.export(own)
            rows = rows_of(before)
            names = {node["id"]: node["canonical_name"] for node in rows["node"]}
            stated = [
                row for row in rows["attribute"] if row["ended_at"] is None and row["confidence"] is None
            ]
            stated.sort(key=lambda row: (names[row["node_id"]], row["name"], str(row["value"]), row["quote"]))
            if not stated:
                return
            value = stated[number % len(stated)]
            what = value["node_id"], value["name"], value["value"]
            through = self.doors.acting(door)
            if uphold:
                through.uphold_value(own, *what)
                return
            through.end_value(own, *what)
            alone = all(
                row["ended_at"] is None
                for row in rows["attribute"]
                if (row["node_id"], row["name"], row["value"]) == what
            )
            if restore and alone:
                self.doors.acting(door + 1).restore_value(own, *what)
                self.compare(own, before, "a value ended and restored")

    # --- The space and what follows its graph

    @rule(side=SIDE, door=DOOR, settings=st.sampled_from(SETTINGS))
    def set_settings(self, side: int, door: int, settings: dict[str, Any]) -> None:
        """The space's settings change."""
        with self.act(side) as own:
            self.doors.acting(door).set_settings(own, settings)

    @rule(side=SIDE, door=DOOR, asked=st.booleans())
    def rest(self, side: int, door: int, asked: bool) -> None:
        """The graph rests: communities, summaries and eviction follow, perhaps because somebody asks."""
        with self.act(side) as own:
            if asked:
                self.doors.acting(door).detect(own)
                self.doors.acting(door + 1).refresh(own)
            self.world.let_rest(own)
            self.forget_evicted(own)
            checks.summaries_and_communities_cite_what_stands(self.read(own))

    @rule(side=SIDE, door=DOOR, keep=st.sampled_from((None, 1, 3)), including_last_evidence=st.booleans())
    def evict(self, side: int, door: int, keep: int | None, including_last_evidence: bool) -> None:
        """The space gives up chunks, by the policy that it has or by one that it has for this alone."""
        with self.act(side) as own:
            if keep is not None:
                policy = {"eviction": "capacity", "eviction_max_chunks": keep}
                self.doors.acting(door + 1).set_settings(own, policy)
            self.doors.acting(door).evict(own, including_last_evidence=including_last_evidence)
            self.world.let_rest(own)
            self.forget_evicted(own)
            if keep is not None:
                no_policy = {"eviction": None, "eviction_max_chunks": None}
                self.doors.acting(door).set_settings(own, no_policy)

    def forget_evicted(self, side: Side) -> None:
        """Note documents that went with their last chunk; of others some words may have gone."""
        listed = {
            document["source_uri"]: document["id"] for document in self.doors.api.pages(side, "/documents")
        }
        for address in sorted(set(side.texts) - listed.keys()):
            side.forget_document(address)
        stored: dict[str, str] = {}
        for chunk in rows_of(self.doors.api.export(side))["chunk"]:
            stored[chunk["document_id"]] = f"{stored.get(chunk['document_id'], '')}\n{chunk['text']}"
        for address, text in sorted(side.texts.items()):
            # Another document's chunks may hold the same words.
            if not all(word in stored.get(listed[address], "") for word in text.split()):
                side.texts.pop(address)

    @precondition(lambda self: self.world.parts.client is not None)
    @rule(side=SIDE, door=DOOR, model=st.sampled_from(("hashed-ngrams-256", "double-embedding")))
    def reembed(self, side: int, door: int, model: str) -> None:
        """The space changes its embedding model."""
        with self.act(side) as own:
            before = self.doors.api.export(own)
            self.doors.acting(door).reembed(own, model)
            self.world.let_rest(own)
            expect_equal(
                content_of(self.doors.api.export(own)), content_of(before), "an export and re-embedding"
            )

    @rule(side=SIDE)
    def ask(self, side: int) -> None:
        """Somebody asks, so that answers are kept in caches."""
        with self.act(side) as own:
            checks.outdated_words_are_in_no_answer(self.read(own))
            for question in ("Who does Ruben Vale work for?", "Who owns Brindle?"):
                self.doors.api.send(own, "POST", "/ask", {"question": question})

    @rule(side=SIDE)
    def flush_valkey(self, side: int) -> None:
        """Valkey loses everything."""
        with self.act(side), redis.Redis.from_url(self.world.valkey.url()) as connection:
            connection.flushall()

    @precondition(lambda self: self.with_backups)
    @rule(side=SIDE)
    def back_up_and_restore(self, side: int) -> None:
        """A backup as the guide says, restored, has every row of the tenant."""
        with self.act(side) as own:
            restored_copy_is_equal(self.world, own)


__all__ = ["Acts", "Violation"]
